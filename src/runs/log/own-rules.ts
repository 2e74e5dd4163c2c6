import type { SecretRule } from "./secret-rules.ts";

const BREAK = String.raw`(?:\s|\\[nr])`;
const PEM_ITEM = String.raw`(?:[A-Za-z-]{1,40}: [^\n\\]{1,200}|[A-Za-z0-9+/=]{16,})`;
const VALUE = "[^\\s&#\"'`<>$[{]{6,1024}";

function createRule(id: string, keywords: readonly string[], pattern: RegExp): SecretRule {
  return { id, keywords, pattern: pattern.source, flags: pattern.flags, isSticky: true };
}

/** Rules that the kept ones lack: looser forms of tokens, and secrets that their place identifies. Each pattern begins with a keyword. */
export const OWN_RULES: readonly SecretRule[] = [
  createRule("API key", ["sk-"], /(?<![\w-])sk-(?=[\w-]{20})(?=[\w-]*[0-9A-Z]|[a-z]{20})[\w-]+/),
  createRule("GitHub token", ["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], /(?<!\w)gh[pousr]_[A-Za-z0-9]{20,255}/),
  createRule("GitHub token", ["github_pat_"], /(?<!\w)github_pat_\w{20,255}/),
  createRule("GitLab token", ["glpat-"], /(?<![\w-])glpat-[\w-]{20,255}/),
  createRule("Slack token", ["xox"], /(?<![\w-])xox[abeoprs]-[A-Za-z0-9-]{10,255}/),
  createRule("Google key", ["aiza"], /(?<![\w-])AIza[\w-]{35}(?![\w-])/),
  createRule("Google token", ["ya29."], /(?<![\w.-])ya29\.[\w-]{20,2048}/),
  createRule("Google secret", ["gocspx-"], /(?<![\w-])GOCSPX-[\w-]{28}(?![\w-])/),
  createRule("AWS key id", ["akia", "asia"], /(?<!\w)A[KS]IA[A-Z0-9]{16}(?!\w)/),
  createRule(
    "AWS secret key",
    ["aws"],
    /aws_?secret_?access_?key["']?\s{0,4}[:=]\s{0,4}["']?([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+])/i,
  ),
  createRule("npm token", ["npm_"], /(?<!\w)npm_[A-Za-z0-9]{36}(?!\w)/),
  createRule("Hugging Face token", ["hf_"], /(?<!\w)hf_[A-Za-z0-9]{30,255}/),
  createRule("SendGrid key", ["sg."], /(?<!\w)SG\.[\w-]{20,64}\.[\w-]{20,64}/),
  createRule("PyPI token", ["pypi-"], /(?<![\w-])pypi-[\w-]{60,1024}/),
  createRule("Atlassian token", ["atatt3"], /(?<!\w)ATATT3[\w=-]{100,255}/),
  createRule(
    "Slack address",
    ["hooks.slack.com"],
    /hooks\.slack\.com\/(?:services|workflows|triggers)\/([\w/+]{20,80})/,
  ),
  createRule("Docker token", ["dckr_"], /(?<!\w)dckr_(?:pat|oat)_[\w-]{20,64}/),
  createRule("Tailscale key", ["tskey-"], /(?<![\w-])tskey-[a-z]{2,10}-[\w-]{16,128}/),
  createRule("webhook secret", ["whsec_"], /(?<!\w)whsec_[A-Za-z0-9+/=]{24,128}/),
  createRule("Square secret", ["sq0csp-"], /(?<![\w-])sq0csp-[\w-]{40,64}/),
  createRule("New Relic key", ["nrak-"], /(?<![\w-])NRAK-[A-Z0-9]{27}(?!\w)/),
  createRule("Sentry token", ["sntrys_"], /(?<!\w)sntrys_eyJ[\w+/=-]{40,512}/),
  createRule("Airtable token", ["pat"], /(?<!\w)pat[A-Za-z0-9]{14}\.[a-f0-9]{64}(?!\w)/),
  createRule("NuGet key", ["oy2"], /(?<!\w)oy2[a-z0-9]{43}(?!\w)/),
  createRule("Mailgun key", ["key-"], /(?<![\w-])key-[a-f0-9]{32}(?!\w)/),
  createRule("Mailchimp key", ["-us"], /(?<=(?<!\w)([a-f0-9]{32}))-us\d{1,2}(?!\w)/),
  createRule("Dropbox token", ["sl."], /(?<![\w.-])sl\.(?:u\.)?[\w-]{100,2048}/),
  createRule("Discord address", ["/api/webhooks/"], /\/api\/webhooks\/\d{17,20}\/([\w-]{60,80})/),
  createRule(
    "session",
    ["set-cookie"],
    /set-cookie: ?(?:[\w.-]{0,40}(?:sess|token|auth|sid)[\w.-]{0,40})=([^;\s]{16,4096})/i,
  ),
  createRule("xAI key", ["xai-"], /(?<![\w-])xai-[A-Za-z0-9]{40,255}/),
  createRule("Groq key", ["gsk_"], /(?<!\w)gsk_[A-Za-z0-9]{40,64}/),
  createRule("Telegram token", ["bot"], /(?<=\/)bot(\d{8,10}:[\w-]{35})(?![\w-])/),
  createRule("JSON web token", ["eyj"], /(?<![\w-])eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}/),
  createRule(
    "private key",
    ["-----begin"],
    new RegExp(
      `-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:${BREAK}+${PEM_ITEM})+(?:${BREAK}+[A-Za-z0-9+/=]{1,15}(?![A-Za-z0-9+/=]))?(?:${BREAK}*-----END [A-Z0-9 ]{0,60}-----)?`,
    ),
  ),
  createRule("bearer token", ["bearer "], /(?<!\w)bearer ([\w.~+/=-]{20,1024})/i),
  createRule(
    "authorization",
    ["authorization"],
    /authorization\\?["']?\s{0,3}[:=]\s{0,3}\\?["']?(?:basic|token|negotiate|digest|ssws|apikey) ([\w.~+/=-]{8,1024})/i,
  ),
  createRule("password", ["://"], /:\/\/[^\s/:@"'`<>]{0,256}:([^\s/@"'`<>$[{]{3,256})@/),
  createRule(
    "token in an address",
    ["http"],
    /https?:\/\/(?=[^\s/:@"'`]{0,1024}\d)([\w.~%+=-]{16,1024})(?=(?::x-oauth-basic)?@[\w.-])/,
  ),
  createRule(
    "secret in an address",
    ["password=", "passwd=", "pwd=", "secret="],
    new RegExp(`(?<=[?&](?:client_)?)(?:password|passwd|pwd|secret)=(${VALUE})`, "i"),
  ),
  createRule(
    "secret in an address",
    ["token=", "key=", "sig=", "signature="],
    new RegExp(`(?<=[?&](?:access_|refresh_|id_|api_?)?)(?:token|(?<=api_?)key|sig|signature)=(${VALUE})`, "i"),
  ),
  createRule(
    "npm login",
    [":_auth", ":_password"],
    /:_(?:authToken|auth|password)\s{0,3}=\s{0,3}["']?([^\s"'`$<{[]{6,1024})/,
  ),
  createRule(
    "password",
    ["machine ", "default login"],
    /(?:machine\s{1,4}[\w.-]{1,253}|default)\s{1,8}(?:login\s{1,4}\S{1,128}\s{1,8})?(?:account\s{1,4}\S{1,128}\s{1,8})?password\s{1,4}([^\s"'`$<[]{3,256})/,
  ),
  createRule(
    "password",
    [" -u", " --user", " --proxy-user"],
    /\s(?:-u|--user|--proxy-user)[ =]?["']?[\w.@%+-]{1,128}:([^\s"'`$<{[/]{4,256})(?=["'\s]|$)/,
  ),
  createRule("registry login", ['"auth"'], /"auth"\s{0,4}:\s{0,4}"([A-Za-z0-9+/]{12,1024}={0,2})"/),
  createRule(
    "key of a connection",
    ["accountkey=", "sharedaccesskey=", "accesskey="],
    /(?:account|sharedaccess|access)key=([A-Za-z0-9+/]{20,256}={0,2})/i,
  ),
  createRule(
    "password of a connection",
    ["password", "pwd"],
    /(?<=;\s{0,4})(?:password|pwd)\s{0,2}=\s{0,2}(?!["'$<{[*])([^;"'\s`]{4,256})/i,
  ),
  createRule(
    "key of a cluster",
    ["client-key-data", "id-token", "refresh-token"],
    /(?:client-key-data|id-token|refresh-token):\s{1,4}([\w+/=.-]{20,8192})/,
  ),
];

/** Tokens that don't begin with a keyword. */
export const DISCORD = /(?<![\w.-])[MNO][A-Za-z\d_-]{23,27}\.[\w-]{6}\.[\w-]{27,40}(?![\w-])/g;

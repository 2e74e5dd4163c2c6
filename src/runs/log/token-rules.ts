import type { TextSpan } from "./encoded-secrets.ts";
import { SECRET_RULES, type SecretRule } from "./secret-rules.ts";

/** A token that a rule has found. */
interface FoundToken {
  readonly what: string;
  readonly span: TextSpan;
}

/** A rule, ready to be tried at a place. */
interface ReadyRule {
  readonly rule: SecretRule;
  readonly pattern: RegExp;
  readonly allowed: readonly RegExp[];
}

interface Keyword {
  readonly text: string;
  readonly rule: SecretRule;
}

/** If the keyword isn't its beginning: how far before the keyword a token may begin, and how far after it the token may end. */
const BEFORE = 120;
const AFTER = 700;

/** Rules by their keywords, and quick tests whether one begins at a place. */
interface RuleIndex {
  /** By the first two characters in lower case. */
  readonly byPair: readonly (readonly Keyword[] | undefined)[];
  /** 2 where a keyword has only two characters, 1 where `triples` decides. */
  readonly pairs: Uint8Array;
  /** 1 for the first three characters of a keyword; others may share its place. */
  readonly triples: Uint8Array;
}

let index: RuleIndex | undefined;
const ready = new Map<SecretRule, ReadyRule>();

/**
 * The tokens in a text by the kept rules. Patterns are tried only at their keywords, where they are anchored or see a few hundred
 * characters. So the time is linear in the text.
 */
export function findTokens(text: string): readonly FoundToken[] {
  index ??= indexRules();
  const found: FoundToken[] = [];
  const seenTo = new Map<SecretRule, number>();
  const { byPair, pairs, triples } = index;
  let first = lower(text.charCodeAt(0));
  let second = lower(text.charCodeAt(1));
  for (let at = 0; at + 1 < text.length; at++) {
    const third = at + 2 < text.length ? lower(text.charCodeAt(at + 2)) : 0;
    const pair = (first << 7) | second;
    const triple = hashTriple(first, second, third);
    first = second;
    second = third;
    if (pair >= PAIRS || pairs[pair] === 0 || (pairs[pair] === 1 && triples[triple] === 0)) continue;
    const keywords = byPair[pair] ?? [];
    for (const keyword of keywords) {
      if (!hasKeyword(text, at, keyword.text)) continue;
      const token = keyword.rule.isSticky
        ? matchToken(text, at, keyword.rule)
        : findTokenAround(text, at, keyword.rule, seenTo);
      if (token) found.push({ what: keyword.rule.id.replaceAll("-", " "), span: token });
    }
  }
  for (const { index: start, 0: token } of text.matchAll(DISCORD))
    found.push({ what: "Discord token", span: [start, start + token.length] });
  return found;
}

const PAIRS = 1 << 14;

function lower(code: number): number {
  return code > 64 && code < 91 ? code + 32 : code;
}

function hasKeyword(text: string, at: number, keyword: string): boolean {
  for (let offset = 2; offset < keyword.length; offset++)
    if (lower(text.charCodeAt(at + offset)) !== keyword.charCodeAt(offset)) return false;
  return true;
}

function hashTriple(first: number, second: number, third: number): number {
  return (first * 1021 + second * 31 + third) & 0xffff;
}

function indexRules(): RuleIndex {
  const byPair = new Array<Keyword[] | undefined>(PAIRS).fill(undefined);
  const pairs = new Uint8Array(PAIRS);
  const triples = new Uint8Array(0x10000);
  // Our own come first: where both find a token, the name of ours counts.
  for (const rule of [...OWN_RULES, ...SECRET_RULES])
    for (const text of rule.keywords) {
      const [first, second, third] = [text.charCodeAt(0), text.charCodeAt(1), text.charCodeAt(2)];
      const pair = (first << 7) | second;
      byPair[pair] = [...(byPair[pair] ?? []), { text, rule }];
      pairs[pair] = Math.max(pairs[pair] ?? 0, text.length === 2 ? 2 : 1);
      if (text.length > 2) triples[hashTriple(first, second, third)] = 1;
    }
  return { byPair, pairs, triples };
}

/** Creates the patterns when their keyword first appears: most never do. */
function prepareRule(rule: SecretRule): ReadyRule {
  const made = ready.get(rule) ?? {
    rule,
    pattern: new RegExp(rule.pattern, `${rule.flags}d${rule.isSticky ? "y" : "g"}`),
    allowed: (rule.allowed ?? []).map((one) => new RegExp(one)),
  };
  ready.set(rule, made);
  return made;
}

function matchToken(text: string, at: number, rule: SecretRule): TextSpan | undefined {
  const { pattern, allowed } = prepareRule(rule);
  pattern.lastIndex = at;
  return findTokenSpan(pattern.exec(text), rule, allowed);
}

function findTokenAround(
  text: string,
  at: number,
  rule: SecretRule,
  seenTo: Map<SecretRule, number>,
): TextSpan | undefined {
  const from = Math.max(at - BEFORE, 0);
  // Keywords in a row share what is looked at.
  if ((seenTo.get(rule) ?? 0) > at + AFTER / 2) return undefined;
  seenTo.set(rule, at + AFTER);
  const { pattern, allowed } = prepareRule(rule);
  pattern.lastIndex = 0;
  const part = text.slice(from, at + AFTER);
  for (let match = pattern.exec(part); match; match = pattern.exec(part)) {
    const span = findTokenSpan(match, rule, allowed);
    if (span) return [span[0] + from, span[1] + from];
  }
  return undefined;
}

function findTokenSpan(
  match: RegExpExecArray | null,
  { entropy = 0, pattern }: SecretRule,
  allowed: readonly RegExp[],
): TextSpan | undefined {
  if (!match) return undefined;
  const group = match.findIndex((text, at) => at > 0 && text !== undefined && text !== "");
  const value = match[Math.max(group, 0)] ?? "";
  const span = match.indices?.[Math.max(group, 0)];
  if (!span || countBits(value) < entropy || allowed.some((one) => one.test(value))) return undefined;
  // After a name, a value without digits is code.
  if (pattern.includes(ASSIGNMENT) && !/\d/.test(value)) return undefined;
  return isPlaceholder(value) ? undefined : span;
}

/** The part of the patterns that finds a value by the name before it. */
const ASSIGNMENT = "(?:=|>|:{1,3}=|";

/** True for a value that only represents another one. */
function isPlaceholder(value: string): boolean {
  return /^[$%<{]|\*{4}|\.{4}/.test(value.slice(0, 1000)) || /^(.)\1*$/.test(value.slice(0, 100));
}

/** Bits of information in each character of a text, by Shannon. */
function countBits(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

const BREAK = String.raw`(?:\s|\\[nr])`;
const PEM_ITEM = String.raw`(?:[A-Za-z-]{1,40}: [^\n\\]{1,200}|[A-Za-z0-9+/=]{16,})`;
const VALUE = "[^\\s&#\"'`<>$[{]{6,1024}";

function createRule(id: string, keywords: readonly string[], pattern: RegExp): SecretRule {
  return { id, keywords, pattern: pattern.source, flags: pattern.flags, isSticky: true };
}

/** Rules that the kept ones lack: looser forms of tokens, and secrets that their place identifies. Each pattern begins with a keyword. */
const OWN_RULES: readonly SecretRule[] = [
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
  createRule("fleet key", ["autogpt-fleet-1"], /(?<!\w)autogpt-fleet-1\s{1,4}([\w-]{43})(?![\w-])/),
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
const DISCORD = /(?<![\w.-])[MNO][A-Za-z\d_-]{23,27}\.[\w-]{6}\.[\w-]{27,40}(?![\w-])/g;

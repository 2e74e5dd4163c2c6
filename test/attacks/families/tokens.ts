import { type FamilyAttack, family, inModes, read } from "../attack.ts";

/** Letters and digits that look random, always the same ones. Tokens are made from parts, so that none stands here. */
function chars(count: number, alphabet = "aB3dE5fG7hJ9kLmN2pQrS4tUvW6xYz8", seed = 7): string {
  let state = seed;
  return Array.from({ length: count }, () => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return alphabet[Math.floor(state / 65536) % alphabet.length];
  }).join("");
}
const HEX = "0123456789abcdef";
const UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const LOWER = "abcdefghijklmnopqrstuvwxyz0123456789";
const DIGITS = "0123456789";
const base64 = (text: string): string => Buffer.from(text).toString("base64");
const a = (count: number): string => chars(count);
const hex = (count: number): string => chars(count, HEX);

/** Kinds of tokens: the token itself, and the line in which tools print it. */
const KINDS: readonly (readonly [kind: string, token: string, line: (token: string) => string])[] = [
  [
    "npm authToken",
    hex(36).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*/, "$1-$2-$3-$4-$5"),
    (t) => `//registry.npmjs.org/:_authToken=${t}`,
  ],
  ["npm token", `npm${"_"}${a(36)}`, (t) => `token ${t}`],
  ["npm auth", base64(`ann:${a(18)}`), (t) => `_auth=${t}`],
  ["Basic", base64(`ann:${a(16)}`), (t) => `> Authorization: Basic ${t}`],
  ["Bearer", a(40), (t) => `< Authorization: Bearer ${t}`],
  ["netrc", a(20), (t) => `machine api.shop.test login ann password ${t}`],
  ["address with user", a(24), (t) => `origin  https://ann:${t}@git.shop.test/shop.git (fetch)`],
  ["address with token", a(40), (t) => `remote: https://${t}@git.shop.test/shop.git`],
  ["GitHub", `ghp${"_"}${a(36)}`, (t) => `Logged in with ${t}`],
  ["GitHub fine-grained", `github${"_pat_"}${a(22)}_${a(59)}`, (t) => t],
  ["GitHub app", `ghs${"_"}${a(36)}`, (t) => `x-access-token:${t}`],
  ["GitLab", `glpat${"-"}${a(20)}`, (t) => `PRIVATE-TOKEN: ${t}`],
  ["GitLab runner", `glrt${"-"}${a(20)}`, (t) => `token = "${t}"`],
  ["Slack bot", `xox${"b"}-${chars(12, DIGITS)}-${chars(12, DIGITS)}-${a(24)}`, (t) => t],
  ["Slack app", `xapp${"-1-"}A${chars(10, UPPER)}-${chars(13, DIGITS)}-${hex(64)}`, (t) => t],
  [
    "Slack webhook",
    `T${chars(8, UPPER)}/B${chars(10, UPPER)}/${a(24)}`,
    (t) => `POST https://hooks.slack.com/${"services"}/${t}`,
  ],
  ["Discord webhook", a(68), (t) => `https://discord.com/api/${"webhooks"}/${chars(18, DIGITS)}/${t}`],
  ["Discord bot", `M${a(23)}.${a(6)}.${a(27)}`, (t) => `discord token ${t}`],
  ["Telegram", `${chars(10, DIGITS).replace(/^0/, "5")}:AA${a(33)}`, (t) => `https://api.telegram.org/bot${t}/getMe`],
  ["Google API", `AI${"za"}${a(35)}`, (t) => `https://maps.googleapis.com/maps/api/js?key=${t}`],
  ["Google OAuth", `ya29${"."}${a(60)}`, (t) => t],
  ["Google client secret", `GOC${"SPX-"}${a(28)}`, (t) => t],
  ["AWS key", `AK${"IA"}${chars(16, UPPER)}`, (t) => `aws_access_key_id  ${t}  shared-credentials-file`],
  ["AWS secret", a(40), (t) => `aws_secret_access_key = ${t}`],
  ["AWS session", `IQoJb3JpZ2lu${a(200)}`, (t) => `"SessionToken": "${t}"`],
  [
    "Azure storage",
    `${a(86)}==`,
    (t) => `DefaultEndpointsProtocol=https;AccountName=shop;AccountKey=${t};EndpointSuffix=core.windows.net`,
  ],
  ["Azure SAS", `${a(43)}%3D`, (t) => `https://shop.blob.core.windows.net/a?sv=2022-11-02&sp=r&sig=${t}`],
  ["Azure client secret", `${a(3)}8Q~${a(34)}`, (t) => `AZURE client ${t}`],
  ["Azure DevOps", chars(52, "abcdefghijklmnopqrstuvwxyz234567"), (t) => `AZURE_DEVOPS_EXT_PAT=${t}`],
  ["PyPI", `pypi${"-"}AgEIcHlwaS5vcmc${a(70)}`, (t) => `password: ${t}`],
  ["Vault", `hvs${"."}${a(90)}`, (t) => `token                ${t}`],
  ["Vault batch", `hvb${"."}${a(140)}`, (t) => t],
  ["Terraform Cloud", `${a(14)}.atlas${"v1"}.${a(67)}`, (t) => `token = "${t}"`],
  ["Stripe", `sk${"_live_"}${a(24)}`, (t) => `Using ${t}`],
  ["Stripe restricted", `rk${"_live_"}${a(24)}`, (t) => t],
  ["Stripe webhook", `whsec${"_"}${a(32)}`, (t) => `Your webhook signing secret is ${t}`],
  ["SendGrid", `SG${"."}${a(22)}.${a(43)}`, (t) => t],
  ["Mailgun", `key${"-"}${hex(32)}`, (t) => `api:${t}`],
  ["Mailchimp", `${hex(32)}-us${"12"}`, (t) => t],
  ["Twilio", `SK${hex(32)}`, (t) => `twilio ${t}`],
  ["Square", `sq0${"csp-"}${a(43)}`, (t) => t],
  ["Shopify", `shp${"at_"}${hex(32)}`, (t) => `X-Shopify-Access-Token: ${t}`],
  ["OpenAI", `sk${"-proj-"}${a(74)}T3Blbk${"FJ"}${a(74)}`, (t) => t],
  ["Anthropic", `sk${"-ant-api03-"}${a(93)}AA`, (t) => `x-api-key: ${t}`],
  ["Hugging Face", `hf${"_"}${chars(34, "abcdefghijklmnopqrstuvwxyzABCDEFGH")}`, (t) => t],
  ["DigitalOcean", `dop${"_v1_"}${hex(64)}`, (t) => t],
  ["Heroku", "HRKU-".concat(`AA${a(58)}`), (t) => `heroku auth: ${t}`],
  ["Docker Hub", `dckr${"_pat_"}${a(27)}`, (t) => t],
  ["Docker config", base64(`ann:${a(20)}`), (t) => `{"auths":{"https://index.docker.io/v1/":{"auth":"${t}"}}}`],
  ["Linear", `lin${"_api_"}${a(40)}`, (t) => t],
  ["Notion", `ntn${"_"}${chars(11, DIGITS)}${a(35)}`, (t) => t],
  ["Databricks", `dapi${hex(32)}`, (t) => t],
  ["New Relic", `NRAK${"-"}${chars(27, UPPER)}`, (t) => t],
  ["Grafana", `glsa${"_"}${a(32)}_${hex(8)}`, (t) => t],
  ["Sentry", `sntrys${"_"}eyJpYXQiOjE${a(60)}=_${a(43)}`, (t) => t],
  ["Doppler", `dp${".pt."}${a(43)}`, (t) => t],
  ["Cloudflare", `v1.0-${hex(24)}-${hex(146)}`, (t) => `origin ca ${t}`],
  ["Fly", `fm2_${a(100)}`, (t) => `FlyV1 ${t}`],
  ["Age", `AGE-SECRET${"-KEY-"}1${chars(58, "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L")}`, (t) => t],
  [
    "JWT",
    `${base64('{"alg":"HS256","typ":"JWT"}').replace(/=/g, "")}.${base64('{"sub":"ann","iat":1516239022}').replace(/=/g, "")}.${a(43)}`,
    (t) => t,
  ],
  ["database", a(18), (t) => `connecting to postgres://shop:${t}@db.shop.test:5432/shop`],
  ["Redis", a(18), (t) => `redis://:${t}@cache.shop.test:6379/0`],
  ["MongoDB", a(18), (t) => `mongodb+srv://shop:${t}@cluster0.shop.test/`],
  ["curl -u", a(18), (t) => `+ curl -u ann:${t} https://api.shop.test/`],
  ["cookie", a(44), (t) => `< Set-Cookie: session=${t}; HttpOnly`],
  ["kubeconfig", base64(a(60)), (t) => `    client-key-data: ${t}`],
  ["RubyGems", `rubygems${"_"}${hex(48)}`, (t) => `:rubygems_api_key: ${t}`],
  ["crates.io", `cio${a(32)}`, (t) => `token = "${t}"`],
  ["NuGet", `oy2${chars(43, LOWER)}`, (t) => `nuget push with ${t}`],
  ["Postman", `PMAK${"-"}${hex(24)}-${hex(34)}`, (t) => t],
  ["Airtable", `pat${a(14)}.${hex(64)}`, (t) => t],
  ["Dropbox", `sl${"."}${a(140)}`, (t) => t],
  ["Atlassian", `ATATT3xFf${"GF0"}${a(172)}=${chars(8, "0123456789ABCDEF")}`, (t) => t],
  ["PlanetScale", `pscale${"_tkn_"}${a(43)}`, (t) => t],
  ["Pulumi", `pul${"-"}${hex(40)}`, (t) => t],
  ["Tailscale", `tskey${"-auth-"}${a(12)}CNTRL-${a(32)}`, (t) => t],
  ["1Password", `ops_eyJ${a(250)}`, (t) => t],
];

/** Tokens in the forms in which tools print them. */
export const TOKENS = family(
  "tokens in outputs",
  inModes(
    ["readOnly"],
    KINDS.map(
      ([kind, token, line]): FamilyAttack => ({
        name: kind,
        files: { "build/output.txt": `Checking the shop.\n${line(token)}\nDone.\n` },
        calls: [read("build/output.txt")],
        harm: [{ kind: "shown", text: token }],
      }),
    ),
  ),
);

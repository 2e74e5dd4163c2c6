import assert from "node:assert/strict";
import { makeSecrets } from "../../../../src/runs/log/secrets.ts";

const ALPHABET = "aB3dE5gH1jK2mN4pQ6rS8tU0vW7xY9zCfFiIlLoOqRsTuVwXyZbGhJkMnPeD";

/** Letters and digits that look random, always the same ones. */
function random(length: number, from = ALPHABET): string {
  let [text, at] = ["", 7];
  while (text.length < length) {
    at = (at * 31 + 17) % 8191;
    text += from[at % from.length];
  }
  return text;
}

const hex = (length: number): string => random(length, "0123456789abcdef");
const digits = (length: number): string => random(length, "1234567890");
const base64 = (text: string): string => Buffer.from(text).toString("base64");

/** Texts as tools print them, with the secret between `§`. */
const PRINTED: Readonly<Record<string, string>> = {
  "npm's settings": `//registry.example/:_authToken=§${random(36)}§`,
  "npm's settings with a login": `//registry.example/:_auth=§${base64("ann:tr0ub4dor")}§\nemail=a@b.example`,
  "npm's settings with a password": `//registry.example/:_password="§${base64("tr0ub4dor")}§"`,
  "basic authentication": `> GET / HTTP/1.1\n> Authorization: Basic §${base64("ann:tr0ub4dor")}§\n`,
  "basic authentication in JSON": `{"Authorization":"Basic §${base64("ann:tr0ub4dor")}§"}`,
  "token authentication": `Authorization: token §${hex(40)}§`,
  netrc: `machine git.example login ann password §tr0ub4dor§\n`,
  "netrc in lines": `machine git.example\n  login ann\n  password §tr0ub4dor§\n`,
  "a token in an address": `origin\thttps://§${random(30)}1§@git.example/a/b.git (fetch)`,
  "a token before x-oauth-basic": `https://§${hex(40)}§:x-oauth-basic@git.example/a`,
  "a password in an address": `mongodb+srv://ann:§tr0ub4dor§@db.example/x`,
  "a password without a name": `redis://:§tr0ub4dor§@cache.example:6379`,
  "curl's login": `curl -sS -u ann:§tr0ub4dor§ https://a.example`,
  "curl's long login": `curl --user "ann:§tr0ub4dor§" https://a.example`,
  "Docker's settings": `{"auths": {"https://r.example/v1/": {"auth": "§${base64("ann:tr0ub4dor")}§"}}}`,
  "an Azure storage": `DefaultEndpointsProtocol=https;AccountName=a;AccountKey=§${random(86)}==§;EndpointSuffix=x`,
  "an Azure bus": `Endpoint=sb://a.example/;SharedAccessKeyName=Root;SharedAccessKey=§${random(43)}=§`,
  "an Azure signature": `https://a.blob.example/c?sv=2022-11-02&sp=r&sig=§${random(40)}%3D§`,
  "an Azure secret": `client_secret: "§${random(3)}8Q~${random(34)}§"`,
  "a database of .NET": `Server=db;Database=a;User Id=sa;Password=§tr0ub4dor!§;Encrypt=true`,
  "a Google key": `https://maps.example/js?key=§AIza${random(35)}§`,
  "a Google token": `access token: §ya29.${random(60)}§`,
  "a Google secret": `"client_secret": "§GOCSPX-${random(28)}§"`,
  PyPI: `password: §pypi-AgEIcHlwaS5vcmc${random(80)}§`,
  Slack: `Using §xoxb-${digits(12)}-${digits(12)}-${random(24)}§ for the bot`,
  "a Slack app": `§xapp-1-${random(11, "ABC123DEF456")}-${digits(13)}-${hex(64)}§`,
  "a Slack address": `POST https://hooks.slack.com/services/§T${random(8, "ABC1")}/B${random(8, "ABC1")}/${random(24)}§`,
  Discord: `Logged in with §M${random(23)}.${random(6)}.${random(27)}§`,
  Vault: `token          §hvs.${random(95)}§`,
  "an older Vault": `token          §s.${random(24)}§`,
  GitHub: `§ghp_${random(36)}§`,
  "a GitHub app": `remote: §ghs_${random(36)}§`,
  GitLab: `§glpat-${random(20)}§`,
  "a GitLab runner": `§glrt-${random(20)}§`,
  Stripe: `§sk_live_${random(24)}§`,
  Twilio: `§SK${hex(32)}§`,
  SendGrid: `§SG.${random(22)}.${random(43)}§`,
  Mailgun: `mailgun_key=§key-${hex(32)}§`,
  Mailchimp: `§${hex(32)}§-us12`,
  "a Dropbox app": `§sl.${random(140)}§`,
  Heroku: `heroku_api_key = "§${hex(8)}-${hex(4)}-${hex(4)}-${hex(4)}-${hex(12)}§"`,
  DigitalOcean: `§dop_v1_${hex(64)}§`,
  Shopify: `§shpat_${hex(32)}§`,
  Databricks: `§dapi${hex(32)}§`,
  Linear: `§lin_api_${random(40)}§`,
  Notion: `§ntn_${digits(11)}${random(35)}§`,
  Grafana: `§glsa_${random(32)}_${hex(8)}§`,
  "Hugging Face": `§hf_${random(34, "abcdefghijklmnopqrstuvwxyz")}§`,
  Anthropic: `§sk-ant-api03-${random(93)}AA§`,
  "Docker Hub": `§dckr_pat_${random(27)}§`,
  RubyGems: `§rubygems_${hex(48)}§`,
  Pulumi: `§pul-${hex(40)}§`,
  Doppler: `§dp.pt.${random(43)}§`,
  Postman: `§PMAK-${hex(24)}-${hex(34)}§`,
  "New Relic": `new_relic_key: §NRAK-${random(27, "ABCDEFGH12345678")}§`,
  Telegram: `https://api.telegram.example/bot§${digits(9)}:${random(35)}§/getMe`,
  Atlassian: `§ATATT3${random(186)}§`,
  "AWS in JSON": `{"SecretAccessKey": "§${random(40)}§", "SessionToken": "x"}`,
  Kubernetes: `    client-key-data: §${base64(random(200))}§`,
  Cloudflare: `cloudflare_api_key: "§${hex(37)}§"`,
  Datadog: `datadog_api_key=§${hex(40)}§`,
  Sentry: `sentry_token = §${hex(64)}§`,
  Snyk: `snyk_token = "§${hex(8)}-${hex(4)}-${hex(4)}-${hex(4)}-${hex(12)}§"`,
  age: `§AGE-SECRET-KEY-1${random(58, "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L")}§`,
};

describe("a token as tools print it", () => {
  for (const [what, printed] of Object.entries(PRINTED))
    it(`is hidden: ${what}`, () => {
      const [, secret = ""] = /§(.*)§/s.exec(printed) ?? [];
      const text = printed.replaceAll("§", "");
      const secrets = makeSecrets();
      const redacted = secrets.redact(text);
      const parts = secret.split("/").filter((part) => part.length > 7);
      assert.deepEqual(
        { isHidden: parts.every((part) => !redacted.includes(part)), restored: secrets.restore(redacted) },
        { isHidden: true, restored: text },
      );
    });

  const harmless: Readonly<Record<string, string>> = {
    "a commit": `commit ${hex(40)}\nsourcegraph ${hex(40)}`,
    "a checksum": `"integrity": "sha512-${random(86)}==",\nsha256: ${hex(64)}`,
    "an identifier": `request ${hex(8)}-${hex(4)}-${hex(4)}-${hex(4)}-${hex(12)} took 3 ms`,
    "a placeholder": "TOKEN=<token> API_KEY=${API_KEY} password=**** //registry.example/:_authToken=${NPM_TOKEN}",
    words: "machine learning with a default login page; the password is asked for; curl -u asks, too",
    addresses: "https://example.com/a@b https://git.example:8443/x http://localhost:3000/?page=2&key=name",
    "a package": "npm_config_registry npm_lifecycle_event hf_hub_download sk_test_helper glpat-prefix",
  };
  for (const [what, text] of Object.entries(harmless))
    it(`isn't seen in ${what}`, () => assert.equal(makeSecrets().redact(text), text));

  it("is looked for in a bounded time in texts that are made to take long", () => {
    const made = [
      "ghp_aaaa",
      "adafruit sentry snyk facebook ",
      "https://aaaa",
      "snyk_token = ",
      "q~",
      "s.",
      "machine a login ",
      " -u a:",
      "%41%",
      "eyJ",
    ];
    const lengths = made.map((part) => makeSecrets().redact(part.repeat(50_000)).length > 0);
    assert.deepEqual(
      lengths,
      made.map(() => true),
    );
  });
});

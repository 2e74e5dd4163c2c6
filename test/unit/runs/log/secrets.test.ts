import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import fc from "fast-check";
import { createCommandSet } from "../../../../src/core/commands/command-set.ts";
import { findEnvironmentSecrets } from "../../../../src/runs/log/named-secrets.ts";
import { addSecretMarks, createRedactedLog, makeSecrets, type Secrets } from "../../../../src/runs/log/secrets.ts";
import { type Deeds, fakeCommands } from "../../../support/fake-commands.ts";
import { says } from "../../../support/fake-model.ts";
import { outcomes, rehearsal } from "../../../support/rehearsal.ts";

/** Marks with numbers that count from 1. */
function counting(known: readonly string[] = []): Secrets {
  let count = 0;
  return makeSecrets(known, () => String(++count).padStart(6, "0"));
}

const LETTERS = "aB3dE5gH1jK2mN4pQ6rS8tU0vW7xY9zA1bC2dE3f";
const PEM = generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }).toString().trim();

describe("a secret that can be recognized by its form", () => {
  const tokens: [string, string][] = [
    ["API key", `sk-${LETTERS}`],
    ["API key", `sk-proj-${LETTERS}_-${LETTERS}`],
    ["API key", `sk-ant-api03-${LETTERS}`],
    ["API key", `sk-${"a".repeat(48)}`],
    ["GitHub token", `ghp_${LETTERS.slice(0, 36)}`],
    ["GitHub token", `github_pat_${LETTERS}_${LETTERS}`],
    ["GitLab token", `glpat-${LETTERS.slice(0, 20)}`],
    ["Slack token", "xoxb-123456789012-abcdefABCDEF"],
    ["Google key", `AIza${LETTERS.slice(0, 35)}`],
    ["AWS key id", "AKIAIOSFODNN7EXAMPLE"],
    ["AWS key id", "ASIAIOSFODNN7EXAMPLE"],
    ["stripe access token", `sk_live_${LETTERS.slice(0, 24)}`],
    ["npm token", `npm_${LETTERS.slice(0, 36)}`],
    ["Hugging Face token", `hf_${LETTERS.slice(0, 34)}`],
    ["SendGrid key", `SG.${LETTERS.slice(0, 22)}.${LETTERS}`],
    ["JSON web token", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P"],
    ["private key", PEM],
    ["private key", PEM.replaceAll("\n", "\\n")],
    ["private key", PEM.slice(0, 80)],
  ];
  for (const [what, token] of tokens) {
    it(`is hidden and restored: ${token.slice(0, 24)}…`, () => {
      const secrets = counting();
      const text = `before "${token}" after`;
      const redacted = secrets.redact(text);
      assert.deepEqual(
        [redacted, secrets.restore(redacted)],
        [`before "[secret 000001: ${what}]" after`, text.replaceAll("\\n", "\n")],
      );
    });
  }

  const inPlace: [string, string][] = [
    ["postgres://ann:s3cr3t@db/x", "postgres://ann:[secret 000001: password]@db/x"],
    ["https://a.example/?token=abcdef123&b=1", "https://a.example/?token=[secret 000001: secret in an address]&b=1"],
    ["Authorization: Bearer abcdefghij0123456789", "Authorization: Bearer [secret 000001: bearer token]"],
    [`aws_secret_access_key = ${LETTERS}`, "aws_secret_access_key = [secret 000001: AWS secret key]"],
    [`autogpt-fleet-1 ${LETTERS}_-9`, "autogpt-fleet-1 [secret 000001: fleet key]"],
    [`AWS_SECRET_ACCESS_KEY="${LETTERS}"`, 'AWS_SECRET_ACCESS_KEY="[secret 000001: AWS secret key]"'],
  ];
  for (const [text, expected] of inPlace) {
    it(`is hidden in its place: ${text.slice(0, 30)}`, () => assert.equal(counting().redact(text), expected));
  }
});

describe("a key of the user's", () => {
  it("is hidden from eight characters on, the longest first", () => {
    const secrets = counting(["abcdefg", "12345678", "12345678-and-more"]);
    assert.equal(
      secrets.redact("abcdefg 12345678 12345678-and-more"),
      "abcdefg [secret 000002: API key] [secret 000001: API key]",
    );
  });
});

describe("text that only looks a little like a secret", () => {
  const harmless = [
    "sk-fading-circle sk-learn task-0123456789012345678901234567",
    "the ghp_ prefix, AKIA keys, eyJ and npm_config_registry",
    'if (text.startsWith("-----BEGIN PRIVATE KEY-----")) throw new Error("no keys, please, in this file");',
    "postgres://$USER:$PASSWORD@db https://a.example:8080/x@y http://a:<password>@b",
    "https://a.example/?page=2&sort=up&signature=",
    "Authorization: Bearer $token or Bearer <token>",
    "The bearer of bad news, carrying an enormous-but-harmless message",
    "d41d8cd98f00b204e9800998ecf8427e 3f786850e387550fdab836ed7e6dc881de23001b",
  ];
  for (const text of harmless) {
    it(`stays: ${text.slice(0, 40)}`, () => assert.equal(counting().redact(text), text));
  }
});

describe("a value whose name says that it is secret", () => {
  /** Texts with `§` around each value that is hidden. */
  const texts: readonly string[] = [
    "DB_PASSWORD=§hunter2§",
    "export API_KEY='§a b c§'",
    'declare -x MY_SECRET="§it\'s 7§"',
    "  POSTGRES_PASSWORD: §postgres1§",
    "PASSWORD=§pass-12§ npm start",
    '["GITHUB_TOKEN=§0123456789abcdef§", "PATH=/bin"]',
    "MYSQL_ROOT_PASSWORD                §root_1§",
    '$env:CLIENT_SECRET = "§x!y§"',
    '{"clientSecret": "§Hunter2§", "user": "ann"}',
    '{\\"password\\": \\"§qwerty§\\"}',
    "db.password=§hunter2§",
    "spring.datasource.password = §p4ss§",
    'password: "§letmein§"',
    "  - secretKey: §aHVudGVyMg==§",
    "SECRET_KEY_BASE=§0123abcd§\r\nRAILS_ENV=test",
    "sessionToken: §2f8a-9bc1§",
    "npm_config__authToken=§abc123def456ghi7§",
    'const password = "§tr0ub4dor&3§";',
  ];
  for (const text of texts)
    it(`is hidden: ${text.slice(0, 40)}`, () => {
      const plain = text.replaceAll("§", "");
      const secrets = counting();
      const redacted = secrets.redact(plain);
      assert.deepEqual(
        [redacted, secrets.redact(redacted), secrets.restore(redacted)],
        [...Array(2).fill(text.replace(/§.*?§/, "[secret 000001: value]")), plain],
      );
    });

  const harmless: readonly string[] = [
    "PWD=/home/ann OLDPWD=/home SSH_AUTH_SOCK=/run/user/1000/keyring/ssh GPG_KEY_COUNT=12",
    "MAX_TOKENS=4096 TOKEN_LIMIT=128000 PASSWORD_MIN_LENGTH=12",
    "password: string;\n  password: string\n  token: TokenType,\n  apiKey?: string;",
    'password=$1\nTOKEN=$(gh auth token)\nAPI_KEY="${API_KEY:-}"\nSECRET=`cat x`\nTOKEN=<your token>',
    "password = form.password\npassword: user.password\napiKey: process.env.API_KEY\nsecret = os.environ['X']",
    "const token = nextToken();\nconst password = await askPassword(prompt);\nthis.token = token;",
    '"password": "Password"\n"auth.password": "Enter your password"\n"password": "Passwort eingeben"',
    '{"token": "punctuation", "key": "Enter", "keys": ["a"], "author": "Ann Lee 1234567890abcdef"}',
    "password: true\nsecret: null\nPASSWORD=changeme\nAPI_KEY=your-key-here\nAPI_KEY=xxxxxxxx\nTOKEN=***",
    "primary_key: id\nsort_key=name\nkeyboard: us-101\nmonkey=abc1234567890defgh",
    "✔ tests pass: 812 and 3 fail\npassed=12\ncompass: north1",
    "      - name: Set token\n        with:\n          token: ${{ secrets.GITHUB_TOKEN }}",
  ];
  for (const text of harmless)
    it(`isn't seen in ${text.slice(0, 50)}`, () => assert.equal(counting().redact(text), text));

  it("is known from the environment, where it is printed without its name", () => {
    const env = {
      GITHUB_TOKEN: "plain-0123456789abcdef",
      PATH: "/usr/bin0123456789abc",
      SSH_KEY: "/home/ann/.ssh/key-0123456789",
      DB_PASSWORD: "short",
    };
    assert.deepEqual(findEnvironmentSecrets(env), ["plain-0123456789abcdef"]);
  });

  it("is known from the headers for a collector of traces", () => {
    const { redact } = counting(
      findEnvironmentSecrets({
        OTEL_EXPORTER_OTLP_HEADERS: "x-team=shop,authorization=Basic%20c2hvcDpvcGVuLXNlc2FtZQ%3D%3D",
        OTEL_EXPORTER_OTLP_TRACES_HEADERS: "x-key=open sesame",
      }),
    );
    assert.equal(
      redact("Basic%20c2hvcDpvcGVuLXNlc2FtZQ%3D%3D, c2hvcDpvcGVuLXNlc2FtZQ==, open sesame, shop"),
      "[secret 000001: API key], [secret 000002: API key], [secret 000003: API key], shop",
    );
  });
});

describe("an encoded key", () => {
  const OWN = "my-very-own-key/0123456789?";
  const TOKEN = `ghp_${LETTERS.slice(0, 36)}`;
  const hexOf = (text: string): string => Buffer.from(text).toString("hex");
  const base64 = (text: string, encoding: "base64" | "base64url" = "base64"): string =>
    Buffer.from(text).toString(encoding);
  const wrapped = (text: string, columns: number): string => text.replace(new RegExp(`.{${columns}}`, "g"), "$&\n");
  const shapes: Readonly<Record<string, (key: string) => string>> = {
    "base64 at the first byte": (key) => base64(`${key}:x`),
    "base64 at the second byte": (key) => base64(`.${key}`),
    "base64 at the third byte": (key) => base64(`..${key}, and more of it`),
    "base64 for addresses": (key) => base64(`ÿ?${key}`, "base64url"),
    "base64 behind letters": (key) => `abc${base64(key)}`,
    "base64 in lines": (key) => wrapped(base64(`${"{}".repeat(40)}${key}${"()".repeat(40)}`), 76),
    "base64 of UTF-16": (key) => Buffer.from(`$k='${key}'`, "utf16le").toString("base64"),
    "hexadecimal digits": (key) => hexOf(key),
    "capital hexadecimal digits": (key) => hexOf(`:${key}:`).toUpperCase(),
    "hexadecimal digits in lines": (key) => wrapped(hexOf(key), 60),
    "an address": (key) => `a%20${encodeURIComponent(key)}%0a`,
    "an address of digits alone": (key) => hexOf(key).replace(/../g, "%$&"),
  };
  for (const [what, encode] of Object.entries(shapes))
    for (const key of [OWN, TOKEN])
      it(`is found in ${what}: ${key.slice(0, 8)}`, () => {
        const secrets = counting([OWN]);
        const text = `before ${encode(key)} after`;
        const redacted = secrets.redact(text);
        const rest = redacted.replace(/\[secret 000001: [^\]]+\]/, "");
        assert.deepEqual(
          {
            isShort: rest.length - `before ${encode("")} after`.length < 14,
            restored: secrets.restore(redacted),
            again: secrets.redact(redacted),
          },
          { isShort: true, restored: text, again: redacted },
        );
      });

  const list = Array.from({ length: 20_000 }, (_, at) => `ghp_${String(at).padStart(36, "x")}\n`).join("");
  const wholeFiles: Readonly<Record<string, string>> = {
    base64: base64(list),
    "base64 of UTF-16": Buffer.from(list, "utf16le").toString("base64"),
    "hexadecimal digits": hexOf(list),
    "an address": list.replaceAll("p", "%70").replaceAll("\n", "%0a"),
  };
  for (const [what, text] of Object.entries(wholeFiles))
    it(`is found as often as a whole file in ${what} has one, in one pass`, () => {
      const secrets = counting();
      const redacted = secrets.redact(text);
      assert.deepEqual(
        { marks: redacted.match(/encoded key\]/g)?.length, restored: secrets.restore(redacted) === text },
        { marks: 20_000, restored: true },
      );
    });

  it("isn't seen in other data", () => {
    const data = Buffer.from(Array.from({ length: 3000 }, (_, at) => (at * at + 7) % 251));
    const text = [base64(data.toString("latin1")), hexOf(data.toString("latin1")), "a%20b%2Fc%E4"].join("\n");
    assert.equal(counting([OWN]).redact(text), text);
  });
});

describe("hiding secrets", () => {
  it("hides the user's own keys, whatever they look like, longest first", () => {
    const secrets = counting(["plain-key", "plain-key-2", "ollama"]);
    assert.equal(
      secrets.redact("plain-key plain-key-2 ollama"),
      "[secret 000002: API key] [secret 000001: API key] ollama",
    );
  });

  it("gives one secret one mark, and leaves marks alone", () => {
    const secrets = counting();
    const once = secrets.redact("AKIAIOSFODNN7EXAMPLE and AKIAIOSFODNN7EXAMPLE, ?token=AKIAIOSFODNN7EXAMPLE");
    assert.deepEqual(
      [once, secrets.redact(once)],
      Array(2).fill("[secret 000001: AWS key id] and [secret 000001: AWS key id], ?token=[secret 000001: AWS key id]"),
    );
  });
});

describe("restoring secrets", () => {
  it("knows which marks it can restore", () => {
    const secrets = counting();
    const mark = secrets.redact("AKIAIOSFODNN7EXAMPLE");
    assert.deepEqual(
      [
        secrets.hasLost(mark),
        secrets.hasLost(`${mark} [secret abcdef: API key]`),
        secrets.hasLost("[secret santa]"),
        secrets.restore("[secret abcdef: API key]"),
      ],
      [false, true, false, "[secret abcdef: API key]"],
    );
  });

  it("brings any text back", () => {
    const part = fc.oneof(fc.string(), fc.constantFrom(`sk-${LETTERS}`, "AKIAIOSFODNN7EXAMPLE", PEM, "://a:bcd@"));
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const secrets = makeSecrets();
        const text = parts.join(" ");
        assert.equal(secrets.restore(secrets.redact(text)), text);
      }),
    );
  });
});

describe("a run with secrets", () => {
  const KEY = "AKIAIOSFODNN7EXAMPLE";

  it("keeps them out of its log and out of the prompts, and still writes them where they belong", async () => {
    const deeds: Deeds = [];
    const secrets = counting();
    const { live, log, model } = await rehearsal({
      answers: [
        says("read_note", { title: KEY }),
        says("write_note", { title: "[secret 000001: AWS key id]" }),
        says("task_complete", { title: "ok" }),
      ],
      parts: { commands: addSecretMarks(createCommandSet(fakeCommands(deeds)), secrets) },
    });
    const bare = { append: log.append.bind(log), sync: log.sync.bind(log), close: log.close.bind(log) };
    log.append = createRedactedLog(bare, secrets).append;
    live.resume();
    await live.end;
    const seen = JSON.stringify([log.events, model.requests]);
    assert.deepEqual(
      { deeds, seen: seen.includes(KEY), told: outcomes(log.events)[0] },
      {
        deeds: [`read ${KEY}`, `write ${KEY}`, "finish"],
        seen: false,
        told: '1 done: The note "[secret 000001: AWS key id]" is empty.',
      },
    );
  });

  it("does not take the mark of a forgotten secret for text", async () => {
    const { live, log, deeds } = await rehearsal({
      answers: [says("write_note", { title: "[secret abcdef: API key]" }), says("task_complete", { title: "ok" })],
      parts: { commands: addSecretMarks(createCommandSet(fakeCommands([])), makeSecrets()) },
    });
    live.resume();
    await live.end;
    assert.deepEqual(
      [deeds, outcomes(log.events)[0]?.slice(0, 90)],
      [[], '1 failed: The arguments hold a mark "[secret ...]" whose secret is no longer known, so not'],
    );
  });
});

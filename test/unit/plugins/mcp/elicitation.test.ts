import assert from "node:assert/strict";
import { askServerQuestion } from "../../../../src/plugins/mcp/elicitation.ts";
import { writeInEnglish } from "../../../../src/texts/display-text.ts";

/** A person who types these answers, and then is gone. */
function person(...answers: readonly string[]) {
  const left = [...answers];
  const [asked, opened]: [string[], string[]] = [[], []];
  return {
    asked,
    opened,
    ask: async (question: Parameters<typeof writeInEnglish>[0]) => {
      asked.push(writeInEnglish(question));
      return left.shift();
    },
    open: async (url: string) => {
      opened.push(url);
      return true;
    },
  };
}

function form(properties: object, required: readonly string[] = [], message = "Which one?"): object {
  return { mode: "form", message, requestedSchema: { type: "object", properties, required } };
}

const COLOR = { type: "string", enum: ["red", "green"], title: "Color" };

interface Row {
  readonly what: string;
  readonly request: unknown;
  readonly answers: readonly string[];
  readonly expected: object;
}

const ROWS: readonly Row[] = [
  {
    what: "asks for each field, and reads the values as the fields want them",
    request: form({ color: COLOR, count: { type: "integer" }, sure: { type: "boolean" } }, ["color"]),
    answers: ["Green", "3", "no"],
    expected: { action: "accept", content: { color: "green", count: 3, sure: false } },
  },
  {
    what: "takes several choices",
    request: form({ days: { type: "array", items: { type: "string", enum: ["mon", "tue", "wed"] } } }),
    answers: ["mon, wed"],
    expected: { action: "accept", content: { days: ["mon", "wed"] } },
  },
  {
    what: "leaves out a field that needn't be filled in",
    request: form({ note: { type: "string" } }),
    answers: [""],
    expected: { action: "accept", content: {} },
  },
  {
    what: "asks again after a value that doesn't fit",
    request: form({ count: { type: "integer" } }, ["count"]),
    answers: ["many", "2"],
    expected: { action: "accept", content: { count: 2 } },
  },
  {
    what: "gives up after three that don't",
    request: form({ color: COLOR }, ["color"]),
    answers: ["blue", "pink", "gray", "red"],
    expected: { action: "decline" },
  },
  {
    what: "declines with no",
    request: form({ color: COLOR }, ["color"]),
    answers: ["no"],
    expected: { action: "decline" },
  },
  {
    what: "is canceled if no person is available",
    request: form({ color: COLOR }),
    answers: [],
    expected: { action: "cancel" },
  },
  {
    what: "takes a plain yes for a question without fields",
    request: form({}),
    answers: ["yes"],
    expected: { action: "accept", content: {} },
  },
  {
    what: "declines what isn't a question",
    request: "hello",
    answers: ["yes"],
    expected: { action: "decline" },
  },
];

describe("a question of an MCP server", () => {
  for (const { what, request, answers, expected } of ROWS)
    it(what, async () => {
      assert.deepEqual(await askServerQuestion("shop", request, person(...answers)), expected);
    });

  it("names the server, its words and the field", async () => {
    const user = person("red");
    await askServerQuestion("shop", form({ color: COLOR }, [], "Pick\u202e one"), user);
    assert.deepEqual(user.asked, [
      "The MCP server shop asks: Pick⟨U+202E⟩ one\nColor: red / green\nType a value, or no to decline. Never type a password.",
    ]);
  });

  for (const [what, request] of Object.entries({
    "a password": form({ password: { type: "string" } }),
    "an API key, by another name": form({ value: { type: "string", description: "Your API key" } }),
    "a token, in its message": form({ value: { type: "string" } }, [], "Paste your token"),
  }))
    it(`never asks for ${what}`, async () => {
      const user = person("hunter2");
      const answer = await askServerQuestion("shop", request, user);
      assert.deepEqual({ answer, asked: user.asked }, { answer: { action: "decline" }, asked: [] });
    });

  it("never asks for a secret, however and in whatever language it's written", async () => {
    const texts = [
      ...["Enter your pass\u200bword", "Your p\u00adin please", "t\u2060oken", "pass\u{e0020}word", "p\u0000assword"],
      ...["Give the ｐａｓｓｗｏｒｄ", "𝐩𝐚𝐬𝐬𝐰𝐨𝐫𝐝", "ⓟⓐⓢⓢⓦⓞⓡⓓ", "ᴘᴀꜱꜱᴡᴏʀᴅ", "Your раѕѕwоrd", "Τоkеn", "pa\u0308ssword"],
      ...["p a s s w o r d", "p.i.n", "t-o-k-e-n", "pa$$w0rd", "p4ssw0rd", "a\u200bpi key", "private\u200b key"],
      ...["Your PIN", "one-time code", "The 6-digit code sent to you", "SSN", "card number", "CVV", "recovery words"],
      ...[
        "verification code",
        "2FA code",
        "seed phrase",
        "SSH key",
        "access code",
        "passkey",
        `${"x".repeat(2500)} password`,
      ],
      ...["Passwort", "contrasen\u0303a", "código de verificación", "mot de passe", "code de vérification", "senha"],
      ...["wachtwoord", "hasło", "lösenord", "şifreniz", "jelszó", "пароль", "код подтверждения", "κωδικός", "סיסמה"],
      ...[
        "密码",
        "验证码",
        "助记词",
        "パスワード",
        "暗証番号",
        "確認コード",
        "비밀번호",
        "인증번호",
        "รหัสผ่าน",
        "पासवर्ड",
      ],
    ];
    const fields = [
      ...[{ userPin: {} }, { pin_code: {} }, { cardNumber: {} }, { "p\u200ba\u200bs\u200bs\u200bw\u200bord": {} }],
      ...[
        { v: { format: "password" } },
        { v: { title: "Kenn\u200bwort" } },
        { v: { description: "t\u200co\u200dken" } },
      ],
      ...[{ v: { enumNames: ["password"] } }, { v: { oneOf: [{ const: "a", title: "My passphrase" }] } }],
      { v: { placeholder: "hunter2 (password)" } },
    ];
    const asked: string[] = [];
    for (const request of [...texts.map((text) => form({ v: {} }, [], text)), ...fields.map((one) => form(one))]) {
      const user = person("hunter2");
      await askServerQuestion("shop", request, user);
      asked.push(...user.asked);
    }
    assert.deepEqual(asked, []);
  });

  it("may ask about what only sounds alike", async () => {
    const texts = [
      ...[
        "Which color?",
        "Which country code?",
        "Select the key column",
        "Zip code",
        "Which keyword?",
        "Flight to Kenya",
      ],
      ...["¿Qué idioma?", "Quel code de langue ?", "Wie viele Ergebnisse?", "ключевое слово", "名前は?", "请选择颜色"],
      ...["Which test spins the wheel", "Options: A, B, C or D?", "Colors: red, tan", "sortKey", "shippingMethod"],
    ];
    const unasked: string[] = [];
    for (const text of texts) {
      const user = person();
      await askServerQuestion("shop", form({ v: { type: "string", title: text } }), user);
      if (user.asked.length === 0) unasked.push(text);
    }
    assert.deepEqual(unasked, []);
  });

  it("opens a page only once the person has seen its host and agreed", async () => {
    const request = { mode: "url", message: "Sign in", url: "https://login.example.com/a?b=c" };
    const [agrees, declines] = [person("yes"), person("no")];
    const answers = [
      await askServerQuestion("shop", request, agrees),
      await askServerQuestion("shop", request, declines),
    ];
    assert.deepEqual(
      { answers, opened: [agrees.opened, declines.opened], asked: agrees.asked },
      {
        answers: [{ action: "accept" }, { action: "decline" }],
        opened: [["https://login.example.com/a?b=c"], []],
        asked: [
          "The MCP server shop wants you to open a page on login.example.com: Sign in\nhttps://login.example.com/a?b=c\nType yes to open it, or no.",
        ],
      },
    );
  });

  for (const url of ["http://example.com", "file:///etc/passwd", "https://you@example.com", "javascript:1"])
    it(`never opens ${url}`, async () => {
      const user = person("yes");
      const answer = await askServerQuestion("shop", { mode: "url", message: "Look", url }, user);
      assert.deepEqual({ answer, opened: user.opened }, { answer: { action: "decline" }, opened: [] });
    });

  it("is declined with a notice, without asking, when it's about a secret or about too many values", async () => {
    const many = Object.fromEntries(Array.from({ length: 11 }, (_one, index) => [`v${index}`, { type: "string" }]));
    const told: string[] = [];
    const user = person("yes", "yes");
    const tell = (text: Parameters<typeof writeInEnglish>[0]): unknown => told.push(writeInEnglish(text));

    const answers = [
      await askServerQuestion("s", form({ password: { type: "string" } }), { ...user, tell }),
      await askServerQuestion("s", form(many), { ...user, tell }),
    ];

    assert.deepEqual(
      { answers, asked: user.asked, told: told.map((text) => text.split(",")[0]?.split(".")[0]) },
      {
        answers: [{ action: "decline" }, { action: "decline" }],
        asked: [],
        told: [
          "The MCP server s asked for a password or another secret",
          "The MCP server s asked for more values than AutoGPT passes on",
        ],
      },
    );
  });
});

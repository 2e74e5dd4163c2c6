import assert from "node:assert/strict";
import { elicited } from "../../../../src/plugins/mcp/elicitation.ts";
import { inEnglish } from "../../../../src/texts/display-text.ts";

/** A person who types these answers, and then is gone. */
function person(...answers: readonly string[]) {
  const left = [...answers];
  const [asked, opened]: [string[], string[]] = [[], []];
  return {
    asked,
    opened,
    ask: async (question: Parameters<typeof inEnglish>[0]) => {
      asked.push(inEnglish(question));
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
      assert.deepEqual(await elicited("shop", request, person(...answers)), expected);
    });

  it("names the server, its words and the field", async () => {
    const user = person("red");
    await elicited("shop", form({ color: COLOR }, [], "Pick\u202e one"), user);
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
      const answer = await elicited("shop", request, user);
      assert.deepEqual({ answer, asked: user.asked }, { answer: { action: "decline" }, asked: [] });
    });

  it("opens a page only once the person has seen its host and agreed", async () => {
    const request = { mode: "url", message: "Sign in", url: "https://login.example.com/a?b=c" };
    const [agrees, declines] = [person("yes"), person("no")];
    const answers = [await elicited("shop", request, agrees), await elicited("shop", request, declines)];
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
      const answer = await elicited("shop", { mode: "url", message: "Look", url }, user);
      assert.deepEqual({ answer, opened: user.opened }, { answer: { action: "decline" }, opened: [] });
    });

  it("is declined with a notice, without asking, when it's about a secret or about too many values", async () => {
    const many = Object.fromEntries(
      Array.from({ length: 11 }, (_one, index) => [`v${index}`, { type: "string" }]),
    );
    const told: string[] = [];
    const user = person("yes", "yes");
    const tell = (text: Parameters<typeof inEnglish>[0]): unknown => told.push(inEnglish(text));

    const answers = [
      await elicited("s", form({ password: { type: "string" } }), { ...user, tell }),
      await elicited("s", form(many), { ...user, tell }),
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

import assert from "node:assert/strict";
import * as vscode from "vscode";
import type { Model, ModelRequest } from "../../src/core/ports/model.ts";
import { createLmModel } from "../../src/vscode/models/lm-model.ts";
import { modelContract, type PlannedReply } from "../contract/model.contract.ts";
import { HELLO, Listener, reply, trouble, WITH_TOOLS } from "../support/completing.ts";

/** What the fixture's model is to say; see its extension. */
type Reply =
  | string
  | { readonly name: string; readonly input: object }
  | { readonly error: { readonly message: string; readonly code?: string } }
  | { readonly pieces: readonly string[] };

interface Fixture {
  readonly requests: { readonly messages: readonly unknown[]; readonly options: Record<string, unknown> }[];
  cancelled(): number;
  play(replies: readonly Reply[]): void;
}

/** The fixture's model, that will reply so. */
async function fixture(): Promise<{ readonly fixture: Fixture; readonly chat: vscode.LanguageModelChat }> {
  const found: Fixture = await vscode.extensions.getExtension("autogpt-tests.model-extension")?.activate();
  const [chat] = await vscode.lm.selectChatModels({ vendor: "autogpt-tests" });
  return { fixture: found, chat: chat ?? assert.fail("The fixture offers no model.") };
}

function planned({ say, pace }: PlannedReply): Reply {
  if (pace === "never begins") return { pieces: [] };
  if (pace === "never ends") return { pieces: ["Good"] };
  return "text" in say ? say.text : { name: say.call.name, input: say.call.args };
}

modelContract("a model of VS Code", async () => {
  const { fixture: playing, chat } = await fixture();
  return {
    countsTokens: false,
    model(answer) {
      playing.play([planned(answer), planned(answer)]);
      return createLmModel(chat);
    },
    close: async () => undefined,
  };
});

/** What the model was asked. */
async function sent(request: ModelRequest): Promise<Fixture["requests"][number]> {
  const { fixture: playing, chat } = await fixture();
  playing.play(["Hi."]);
  await reply(createLmModel(chat), request);
  return playing.requests.at(-1) ?? assert.fail();
}

describe("a request to a model of VS Code", () => {
  const brief = (messages: readonly unknown[]): unknown => JSON.parse(JSON.stringify(messages));

  it("opens with the system's words, as the user's", async () => {
    const { messages } = await sent({
      messages: [
        { role: "system", content: "Be good." },
        { role: "user", content: "Hello." },
      ],
    });
    assert.deepEqual(
      messages.map((message) => Object(message).role),
      [vscode.LanguageModelChatMessageRole.User],
    );
    assert.match(JSON.stringify(brief(messages)), /Be good\.\\n\\nHello\./);
  });

  it("expresses calls and their outcomes as VS Code's parts", async () => {
    const { messages } = await sent({
      messages: [
        { role: "system", content: "Be good." },
        {
          role: "assistant",
          content: "",
          calls: [
            { id: "c1", name: "read_file", arguments: '{"filename":"a"}' },
            { id: "c2", name: "list_files", arguments: "{}" },
          ],
        },
        { role: "tool", callId: "c1", content: "one" },
        { role: "tool", callId: "c2", content: "two" },
        { role: "user", content: "Go on." },
      ],
    });
    const parts = messages.map((message) => Object(message).content.map((part: unknown) => kindOf(part)));
    assert.deepEqual(parts, [
      ["Be good."],
      ['c1 read_file {"filename":"a"}', "c2 list_files {}"],
      ["c1: one", "c2: two"],
      ["Go on."],
    ]);
  });
});

describe("a model of VS Code that complains about roles", () => {
  it("gets the last words with the last tool result, and is still offered tools", async () => {
    const { fixture: playing, chat } = await fixture();
    const before = playing.requests.length;
    playing.play([{ error: { message: "Unexpected role 'user' after role 'tool'" } }, "Hi."]);
    await reply(createLmModel(chat), {
      ...WITH_TOOLS,
      messages: [
        { role: "user", content: "Task." },
        { role: "assistant", content: "", calls: [{ id: "c1", name: "read_file", arguments: "{}" }] },
        { role: "tool", callId: "c1", content: "one" },
        { role: "user", content: "Go on." },
      ],
    });
    assert.deepEqual(
      playing.requests
        .slice(before)
        .map(({ messages, options }) => [
          messages.map((message) => Object(message).content.map((part: unknown) => kindOf(part))),
          Object(options.tools)[0]?.name,
        ]),
      [
        [[["Task."], ["c1 read_file {}"], ["c1: one"], ["Go on."]], "read_file"],
        [[["Task."], ["c1 read_file {}"], ["c1: one\n\nGo on."]], "read_file"],
      ],
    );
  });
});

describe("a model of VS Code that is offered tools", () => {
  it("insists on a call of the tools", async () => {
    const { options } = await sent(WITH_TOOLS);
    assert.deepEqual(
      { toolMode: options.toolMode, tools: Object(options.tools)[0]?.name },
      { toolMode: vscode.LanguageModelChatToolMode.Required, tools: "read_file" },
    );
  });

  it("keeps to the window that the user wants, if its own is larger", async () => {
    const { chat } = await fixture();
    const own = chat.maxInputTokens;
    const windows = [createLmModel(chat), createLmModel(chat, 120, own - 1), createLmModel(chat, 120, own + 1)];
    assert.deepEqual(
      windows.map(({ contextWindow }) => contextWindow),
      [own, own - 1, own],
    );
  });

  it("leaves a model to choose that will not be made to", async () => {
    const { fixture: playing, chat } = await fixture();
    const before = playing.requests.length;
    const refused = {
      error: { message: "LanguageModelChatToolMode.Required is not supported with more than one tool" },
    };
    playing.play([refused, "Hi.", "Hi."]);
    const model = createLmModel(chat);
    await reply(model, WITH_TOOLS);
    await reply(model, WITH_TOOLS);
    assert.deepEqual(
      playing.requests.slice(before).map(({ options }) => options.toolMode),
      [
        vscode.LanguageModelChatToolMode.Required,
        vscode.LanguageModelChatToolMode.Auto,
        vscode.LanguageModelChatToolMode.Auto,
      ],
    );
  });
});

function kindOf(part: unknown): string {
  if (part instanceof vscode.LanguageModelTextPart) return part.value;
  if (part instanceof vscode.LanguageModelToolCallPart)
    return `${part.callId} ${part.name} ${JSON.stringify(part.input)}`;
  if (part instanceof vscode.LanguageModelToolResultPart) return `${part.callId}: ${part.content.map(kindOf).join("")}`;
  return "?";
}

const TROUBLES: readonly [string, { message: string; code?: string }, ModelRequest, string, RegExp][] = [
  ["no permission", { message: "No.", code: "NoPermissions" }, HELLO, "setup", /was not allowed to use Fixture/],
  ["a model that is gone", { message: "Gone.", code: "NotFound" }, HELLO, "setup", /no longer has the model Fixture/],
  [
    "a model that is blocked",
    { message: "Over quota.", code: "Blocked" },
    HELLO,
    "setup",
    /Fixture is blocked right now/,
  ],
  [
    "a prompt that is too long",
    { message: "Message exceeds the maximum context length" },
    HELLO,
    "context",
    /doesn't fit into the context window of Fixture/,
  ],
  [
    "a model without tools",
    { message: "This model does not support tools" },
    WITH_TOOLS,
    "format",
    /Fixture doesn't support tools/,
  ],
  [
    "a content filter",
    { message: "Response got filtered: content_filter" },
    HELLO,
    "other",
    /content filter of Fixture/,
  ],
  [
    "anything else",
    { message: "The moon is in the wrong place." },
    HELLO,
    "other",
    /didn't answer.*The moon is in the wrong place/,
  ],
];

describe("trouble with a model of VS Code", () => {
  for (const [name, error, request, expected, holds] of TROUBLES) {
    it(`${name} is reported in a sentence`, async () => {
      const { fixture: playing, chat } = await fixture();
      playing.play([{ error }]);
      const told = await trouble(createLmModel(chat), request);
      assert.deepEqual([told.trouble, holds.test(told.message)], [expected, true], told.message);
    });
  }

  it("that may pass is tried again", async () => {
    const { fixture: playing, chat } = await fixture();
    playing.play([{ error: { message: "Rate limit exceeded, try again later" } }, "Hi."]);
    const listener = new Listener();
    const { text } = await createLmModel(chat).complete(HELLO, listener);
    assert.deepEqual([text, listener.notices.length], ["Hi.", 1]);
  });

  it("like silence is ended", async () => {
    const { fixture: playing, chat } = await fixture();
    playing.play([{ pieces: ["Well"] }]);
    const stop = new AbortController();
    const listener = new Listener(stop.signal);
    const model: Model = createLmModel(chat, 0.2);
    await model
      .complete(HELLO, {
        signal: stop.signal,
        delta: listener.delta,
        notice: (text) => {
          listener.notice(text);
          stop.abort();
        },
      })
      .catch(() => undefined);
    assert.match(listener.notices[0] ?? "", /^Fixture stopped responding\./);
  });

  it("does not keep a stop from reaching its provider", async () => {
    const { fixture: playing, chat } = await fixture();
    playing.play([{ pieces: ["Well"] }]);
    const before = playing.cancelled();
    const stop = new AbortController();
    await createLmModel(chat)
      .complete(HELLO, { signal: stop.signal, delta: () => stop.abort() })
      .catch(() => undefined);
    while (playing.cancelled() === before) await new Promise((resolve) => setTimeout(resolve, 10));
    assert.equal(playing.cancelled(), before + 1);
  });
});

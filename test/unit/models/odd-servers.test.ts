import assert from "node:assert/strict";
import type { Model, ReplyFormat } from "../../../src/core/ports/model.ts";
import { FormatChoice } from "../../../src/core/reply/formats.ts";
import { createChatModel } from "../../../src/models/chat/chat-model.ts";
import { findModelFamily } from "../../../src/models/chat/families.ts";
import { createOpenAiServer } from "../../../src/models/http/endpoint.ts";
import { openAiModel } from "../../../src/models/providers/openai.ts";
import { addRetries, RETRY_POLICY } from "../../../src/models/retries.ts";
import { reply, trouble, WITH_TOOLS } from "../../support/completing.ts";
import {
  type Answering,
  callChunk,
  chunk,
  DONE,
  finish,
  json,
  refusal,
  type SeenRequest,
  type ServerAnswer,
  saying,
  serverForSuite,
  stream,
  textChunks,
} from "../../support/fake-model-server.ts";
import { ofType, rehearse } from "../../support/rehearsal.ts";

const plain = (baseUrl: string): Model =>
  openAiModel({ baseUrl, apiKey: "k", model: "m", contextWindow: 64_000, timeoutSeconds: 60 });

const ALL = ["tools", "jsonSchema", "text"] as const;
const NO_TOOLS = refusal(400, "tools are not supported by this model");
const NO_SCHEMA = refusal(400, "response_format is not supported by this model");

const args = (title: string): string => JSON.stringify({ thoughts: { text: "On I go." }, title });

/** A tool call as one chunk. */
const calling = (name: string, title: string): ServerAnswer =>
  stream(callChunk({ index: 0, id: "c1", name, arguments: args(title) }), finish("tool_calls"), DONE);

const asText = (name: string, title: string): string =>
  JSON.stringify({ thoughts: { text: "On I go." }, command: { name, args: { title } } });

describe("a run with a server", () => {
  const server = serverForSuite();

  const plain = (): Model =>
    openAiModel({
      ...{ apiKey: "k", model: "m", contextWindow: 64_000, timeoutSeconds: 60 },
      baseUrl: server().baseUrl,
    });

  async function run(answers: readonly Answering[], formats: readonly ReplyFormat[] = ALL, model = plain()) {
    server().plan(...answers);
    const { log, end, deeds } = await rehearse({
      answers: [],
      thinking: { model, formats: new FormatChoice(formats) },
    });
    return {
      end: end.reason === "failed" ? end.error : end.reason,
      formats: ofType(log.events, "replied").flatMap(({ of, format }) => (of === undefined ? [format] : [])),
      deeds,
    };
  }

  it("that changes its mind about formats continues in the next one", async () =>
    assert.deepEqual(
      await run([
        calling("write_note", "a"),
        NO_TOOLS,
        saying(asText("read_note", "b")),
        // Every form of a schema is refused before the format is given up.
        ...[NO_SCHEMA, NO_SCHEMA, NO_SCHEMA, NO_SCHEMA, NO_SCHEMA],
        saying(asText("task_complete", "Done.")),
      ]),
      {
        end: "finished",
        formats: ["tools", "jsonSchema", "text"],
        deeds: ["write a", "read b", "finish"],
      },
    ));

  it("that mixes text and calls runs the call alone", async () =>
    assert.deepEqual(
      await run([
        stream(
          chunk({ content: `First I write.\n${asText("write_note", "from the text")}` }),
          callChunk({ index: 0, id: "c1", name: "read_note", arguments: args("from the call") }),
          finish("tool_calls"),
          DONE,
        ),
        calling("task_complete", "Done."),
      ]),
      { end: "finished", formats: ["tools", "tools"], deeds: ["read from the call", "finish"] },
    ));

  it("that answers a request for tools in text is understood", async () =>
    assert.deepEqual(await run([saying(asText("write_note", "a")), calling("task_complete", "Done.")]), {
      end: "finished",
      formats: ["tools", "tools"],
      deeds: ["write a", "finish"],
    }));

  it("that sends two calls of which one writes has both run, one after the other", async () =>
    assert.deepEqual(
      await run([
        stream(
          callChunk({ index: 0, id: "c1", name: "read_note", arguments: args("a") }),
          callChunk({ index: 1, id: "c2", name: "write_note", arguments: args("b") }),
          finish("tool_calls"),
          DONE,
        ),
        calling("task_complete", "Done."),
      ]),
      { end: "finished", formats: ["tools", "tools"], deeds: ["read a", "write b", "finish"] },
    ));

  it("that streams the arguments of several calls by turns, and the later one first, runs the first one first", async () => {
    const [first, second] = [args("first"), args("second")];
    const piece = (index: number, text: string): object => callChunk({ index, arguments: text });
    assert.deepEqual(
      await run([
        stream(
          callChunk({ index: 1, id: "c2", name: "write_note", arguments: second.slice(0, 10) }),
          callChunk({ index: 0, id: "c1", name: "read_note", arguments: first.slice(0, 7) }),
          piece(1, second.slice(10, 30)),
          piece(0, first.slice(7)),
          piece(1, second.slice(30)),
          finish("tool_calls"),
          DONE,
        ),
        calling("task_complete", "Done."),
      ]),
      { end: "finished", formats: ["tools", "tools"], deeds: ["read first", "write second", "finish"] },
    );
  });

  const LONG = "x".repeat(300);
  for (const [name, ids] of Object.entries({
    "the same": ["x1", "x1"],
    empty: ["", ""],
    "half characters": ["call_\ud83d", "call_\ude00"],
    "very long": [`${LONG}a`, `${LONG}b`],
  }))
    it(`whose ids are ${name} in each reply keeps both calls, with tools to the end`, async () => {
      const both = stream(
        ...ids.map((id, index) => callChunk({ index, id, name: "read_note", arguments: args(`n${index}`) })),
        finish("tool_calls"),
        DONE,
      );
      const checked =
        (answer: ServerAnswer): Answering =>
        ({ body }) => {
          const messages: { tool_calls?: { id: string }[]; tool_call_id?: string }[] = body.messages;
          const own = messages.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id));
          const results = messages.flatMap(({ tool_call_id: id }) => (id === undefined ? [] : [id]));
          const isFine =
            own.length % 2 === 0 &&
            new Set(own).size === own.length &&
            own.every((id) => id.isWellFormed() && /^[\w-]{1,40}$/.test(id)) &&
            JSON.stringify(own) === JSON.stringify(results);
          return isFine ? answer : refusal(400, `Invalid ids of tool calls: ${own} and ${results}`);
        };
      assert.deepEqual(await run([checked(both), checked(both), checked(calling("task_complete", "Done."))]), {
        end: "finished",
        formats: ["tools", "tools", "tools"],
        deeds: ["read n0", "read n1", "read n0", "read n1", "finish"],
      });
    });

  it("that buffers everything and sends it at once is waited for", async () => {
    const [content] = [asText("task_complete", "Done.")];
    const whole = { ...{ id: "1", object: "chat.completion", created: 1, model: "served-model" } };
    assert.deepEqual(
      await run(
        [
          {
            headers: { "content-type": "application/json" },
            pieces: [
              { pauseMs: 300 },
              JSON.stringify({
                ...whole,
                choices: [{ index: 0, message: { content }, finish_reason: "stop" }],
              }),
            ],
          },
        ],
        ["text"],
      ),
      { end: "finished", formats: ["text"], deeds: ["finish"] },
    );
  });

  it("whose model withholds a reply runs nothing of it, and continues", async () => {
    const withheld = stream(
      callChunk({ index: 0, id: "c1", name: "write_note", arguments: args("half") }),
      finish("content_filter"),
      DONE,
    );
    const refused = stream(chunk({ refusal: asText("write_note", "never") }), finish(), DONE);
    assert.deepEqual(await run([withheld, refused, calling("task_complete", "Done.")]), {
      ...{ end: "finished", formats: ["tools", "tools", "tools"], deeds: ["finish"] },
    });
  });

  it("whose model reasons unexpectedly until its limit gets more room for that", async () => {
    const before = server().requests.length;
    const lost = stream(chunk({ reasoning_content: "Hm. ".repeat(50) }), finish("length"), DONE);
    const { end, deeds } = await run([lost, calling("task_complete", "Done.")], ["tools"]);
    const [first, second] = server()
      .requests.slice(before)
      .map(({ body }) => body.max_tokens);
    assert.deepEqual([end, deeds, second - first], ["finished", ["finish"], 8_000]);
  });

  it("whose model refuses again and again ends with what to do", async () => {
    const before = server().requests.length;
    const refused = stream(chunk({ refusal: "I can't help with that." }), finish(), DONE);
    server().plan(refused);
    const { end } = await rehearse({
      answers: [],
      thinking: { model: plain(), formats: new FormatChoice(["tools"]) },
    });
    assert.deepEqual(
      [end, server().requests.length - before],
      [
        {
          reason: "stuck",
          why: "The model or its provider's content filter withheld the last 5 replies. Change the task or what it reads, or choose another model.",
          text: { code: "trouble.repliesWithheld", parameters: { withheld: 5 } },
        },
        5,
      ],
    );
  });

  it("whose filter refuses the prompt ends with what to do", async () => {
    const { end, deeds } = await run([
      json(400, {
        error: {
          code: "content_filter",
          message: "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
        },
      }),
    ]);
    assert.deepEqual(
      [end, deeds],
      [
        `The provider's content filter withheld the prompt or the reply. Change the task or what it reads, or choose another model with "AutoGPT: Select Model…". It said: "The response was filtered due to the prompt triggering Azure OpenAI's content management policy".`,
        [],
      ],
    );
  });

  it("that always cuts after a while ends with the likely reason", async () => {
    const { baseUrl } = server();
    let minutes = 0;
    const cut = createChatModel({
      ...{ name: "m", contextWindow: 64_000, problem: undefined },
      server: createOpenAiServer(baseUrl, { model: "m", apiKey: "k", timeoutSeconds: 60 }),
      family: findModelFamily("m", baseUrl),
      connection: { baseUrl, apiKey: "k" },
      getNow: () => 60_000 * minutes++,
    });
    const model = addRetries(cut, { ...RETRY_POLICY, attempts: 2, wait: async () => undefined });
    const answers = [stream(...textChunks("{"), "cut!")];
    assert.deepEqual(await run(answers, ["text"], model), {
      end: `The connection to ${baseUrl} was cut after 60 seconds. It was tried 2 times. If that happens again after the same time, the server or a proxy before it limits how long a reply may take. Raise that limit, or choose a faster model with "AutoGPT: Select Model…".`,
      formats: [],
      deeds: [],
    });
  });

  it("that answers in another language is understood where its JSON is, and asked again where it isn't", async () =>
    assert.deepEqual(
      await run(
        [
          saying("我先读一下笔记。"),
          saying(
            JSON.stringify({
              thoughts: { text: "先读笔记" },
              command: { name: "read_note", args: { title: "笔记" } },
            }),
          ),
          saying(asText("task_complete", "完成")),
        ],
        ["text"],
      ),
      { end: "finished", formats: ["text", "text", "text"], deeds: ["read 笔记", "finish"] },
    ));
});

/** How a server names the reasoning that it wants back: in its replies, in requests, and in its complaint. */
const WANTED_BACK: readonly {
  readonly name: string;
  readonly given: object;
  readonly wanted: object;
  readonly refused: ServerAnswer;
  readonly effort?: "high";
}[] = [
  {
    name: "as DeepSeek does",
    given: { reasoning_content: "I look first." },
    wanted: { reasoning_content: "I look first." },
    refused: refusal(400, "The `reasoning_content` in the thinking mode must be passed back to the API."),
  },
  {
    name: "in a validator's path, while an effort is asked for",
    given: { reasoning: "I look first." },
    wanted: { reasoning: "I look first." },
    refused: json(422, {
      detail: [{ loc: ["body", "messages", 2, "assistant", "reasoning"], msg: "Field required" }],
    }),
    effort: "high",
  },
  {
    name: "under another name than it gave it",
    given: { reasoning_content: "I look first." },
    wanted: { thinking: "I look first." },
    refused: refusal(400, "assistant message with tool_calls: field 'thinking' is empty"),
  },
  {
    name: "in another language",
    given: { reasoning: "I look first." },
    wanted: { reasoning_content: "I look first." },
    refused: refusal(400, "assistant 消息中缺少 reasoning_content 字段"),
  },
  {
    name: "under a name of its own",
    given: { thought_trace: "I look first.\n" },
    wanted: { thought_trace: "I look first.\n" },
    refused: refusal(400, "messages[2]: thought_trace of the tool calls was not returned"),
  },
  {
    name: "under a name that says nothing",
    given: { opaque: "AZ09==" },
    wanted: { opaque: "AZ09==" },
    refused: refusal(400, 'Assistant turns need "opaque" as it was sent'),
  },
  {
    name: "under a plain word of its own",
    given: { Chain: "I look first." },
    wanted: { Chain: "I look first." },
    refused: refusal(400, "Turns with tool calls must have their Chain"),
  },
  {
    name: "under a name with a hyphen",
    given: { "inner-voice": "I look first." },
    wanted: { "inner-voice": "I look first." },
    refused: refusal(400, "'inner-voice' is missing in message 2"),
  },
  {
    name: "in parts",
    given: { reasoning_details: [{ type: "reasoning.text", text: "I look first.", index: 0 }] },
    wanted: { reasoning_details: [{ type: "reasoning.text", text: "I look first.", index: 0 }] },
    refused: refusal(400, "reasoning_details: required for assistant messages with tool calls"),
  },
];

describe("a server that wants reasoning back", () => {
  const server = serverForSuite();

  for (const { name, given, wanted, refused, effort } of WANTED_BACK)
    it(`${name}, gets it as it was, and tools stay in use`, async () => {
      const before = server().requests.length;
      let step = 0;
      const lacks = (message: SeenRequest["body"]): boolean =>
        message.tool_calls &&
        Object.entries(wanted).some(([field, value]) => JSON.stringify(message[field]) !== JSON.stringify(value));
      server().plan(({ body }) => {
        if (body.messages.some(lacks)) return refused;
        step += 1;
        const [tool, title] = step < 4 ? ["read_note", `note ${step}`] : ["task_complete", "Done."];
        return stream(
          chunk(given),
          callChunk({ index: 0, id: `c${step}`, name: tool, arguments: args(title) }),
          finish("tool_calls"),
          DONE,
        );
      });
      const model = openAiModel({
        ...{ apiKey: "k", model: "corp-large", contextWindow: 64_000, timeoutSeconds: 60 },
        ...{ baseUrl: server().baseUrl, ...(effort ? { reasoningEffort: effort } : {}) },
      });
      const { log, end } = await rehearse({
        answers: [],
        thinking: { model, formats: new FormatChoice(ALL) },
      });
      assert.deepEqual(
        [end.reason, ofType(log.events, "replied").map(({ format }) => format), server().requests.length - before],
        ["finished", ["tools", "tools", "tools", "tools"], 5],
      );
    });

  it("and then not, is refused in the end, instead of asked forever", async () => {
    const before = server().requests.length;
    let asked = 0;
    server().plan(({ body }) => {
      if (!body.messages.some((message: SeenRequest["body"]) => message.tool_calls)) return calling("read_note", "a");
      asked += 1;
      return refusal(
        400,
        asked % 2 === 1 ? "reasoning_content is missing in messages" : "reasoning_content is not allowed",
      );
    });
    const { end } = await rehearse({
      answers: [],
      thinking: { model: plain(server().baseUrl), formats: new FormatChoice(["tools"]) },
    });
    assert.deepEqual([end.reason, server().requests.length - before < 70], ["failed", true]);
  });
});

describe("a server that counts no tokens", () => {
  const server = serverForSuite();

  it("gives a reply without a count, which isn't taken for zero", async () => {
    server().plan(calling("read_file", "a"));
    const model = openAiModel({
      ...{ apiKey: "k", model: "m", contextWindow: 64_000, timeoutSeconds: 60 },
      baseUrl: server().baseUrl,
    });
    assert.equal((await reply(model, WITH_TOOLS)).usage, undefined);
  });
});

describe("a server that stalls", () => {
  const server = serverForSuite();

  it("in the middle of a reply is given up after the time limit, with what to do", async () => {
    server().plan(stream(...textChunks("One"), "hang!"));
    const { baseUrl } = server();
    const model = createChatModel({
      ...{ name: "m", contextWindow: 64_000, problem: undefined },
      server: createOpenAiServer(baseUrl, { model: "m", apiKey: "k", timeoutSeconds: 0.2 }),
      family: findModelFamily("m", baseUrl),
      connection: { baseUrl, apiKey: "k" },
    });
    assert.deepEqual(await trouble(model), {
      trouble: "busy",
      message: `${baseUrl} sent nothing for 0.2 seconds. Try again, choose a faster model, or give it more time in autogpt.model.timeoutSeconds.`,
    });
  });
});

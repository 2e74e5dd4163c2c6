import assert from "node:assert/strict";
import type { ModelRequest } from "../../../../src/core/ports/model.ts";
import { FormatChoice } from "../../../../src/core/reply/formats.ts";
import { openAiModel } from "../../../../src/models/providers/openai.ts";
import { HELLO, Listener, reply, trouble, WITH_SCHEMA, WITH_TOOLS } from "../../../support/completing.ts";
import {
  callChunk,
  chunk,
  DONE,
  event,
  finish,
  json,
  refusal,
  type ServerAnswer,
  saying,
  serverForSuite,
  stream,
} from "../../../support/fake-model-server.ts";
import { ofType, rehearse } from "../../../support/rehearsal.ts";

const settings = { apiKey: "test-key", model: "my-model", contextWindow: 8_000, timeoutSeconds: 60 };
const FULL: ModelRequest = { ...WITH_TOOLS, maxReplyTokens: 500, temperature: 0.5 };

/** What a server refuses, and what is sent instead. */
const REFUSALS: readonly [name: string, status: number, words: string, change: object, param?: string][] = [
  ["the count of tokens", 400, "Unrecognized request argument supplied: stream_options", { stream_options: undefined }],
  [
    "the count of tokens, as a validator says it",
    422,
    "body.stream_options: Extra inputs are not permitted",
    { stream_options: undefined },
  ],
  [
    "a temperature",
    400,
    "Unsupported value: 'temperature' does not support 0.5 with this model. Only the default (1) value is supported.",
    { temperature: undefined },
  ],
  [
    "a temperature, named as the parameter alone",
    400,
    "This value is not supported.",
    { temperature: undefined },
    "temperature",
  ],
  [
    "the older name of the reply's limit",
    400,
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    { max_tokens: undefined, max_completion_tokens: 500 },
  ],
  [
    "a reply so long",
    400,
    "max_tokens is too large: 500. This model supports at most 100 completion tokens.",
    { max_tokens: undefined },
  ],
  [
    "the ban on parallel calls",
    400,
    "Unsupported parameter: 'parallel_tool_calls' is not supported with this model.",
    { parallel_tool_calls: undefined },
  ],
  [
    "to be asked for a call explicitly",
    400,
    "tool_choice 'required' is incompatible with thinking enabled",
    { tool_choice: "auto" },
  ],
];

describe("a server that refuses", () => {
  const server = serverForSuite();
  const model = () => openAiModel({ ...settings, baseUrl: server().baseUrl });

  for (const [name, status, words, change, param] of REFUSALS) {
    it(`${name} is asked again without it, and never bothered with it any more`, async () => {
      const before = server().requests.length;
      server().plan(refusal(status, words, { ...(param ? { param } : {}) }), saying("Hi."));
      const learning = model();
      await reply(learning, FULL);
      await reply(learning, FULL);
      const [first, ...later] = server()
        .requests.slice(before)
        .map(({ body }) => body);
      const wanted = JSON.parse(JSON.stringify({ ...first, ...change }));
      assert.deepEqual(later, [wanted, wanted]);
    });
  }

  for (const [how, error] of [
    ["by its number", { code: 400 }],
    ["by its kind", { type: "invalid_request_error" }],
  ] as const)
    it(`a part within a stream, ${how}, is asked again without it`, async () => {
      const before = server().requests.length;
      const message = "Unknown parameter: 'temperature'.";
      server().plan(stream(event({ error: { ...error, message } })), saying("Hi."));
      await reply(model(), FULL);
      const sent = server()
        .requests.slice(before)
        .map(({ body }) => body.temperature);
      assert.deepEqual(sent, [0.5, undefined]);
    });

  it("everything that can be left out still replies", async () => {
    const before = server().requests.length;
    const no = (name: string) => refusal(400, `Unknown parameter: ${name}`);
    server().plan(
      no("max_tokens"),
      no("max_completion_tokens"),
      no("temperature"),
      no("stream_options"),
      no("tool_choice"),
      no("parallel_tool_calls"),
      saying("Hi."),
    );
    await reply(model(), FULL);
    const { messages: _, tools: __, ...rest } = server().requests.at(-1)?.body ?? {};
    assert.deepEqual(
      [server().requests.length - before, rest],
      [7, { model: "my-model", stream: true, tool_choice: "auto" }],
    );
  });

  it("each form of a schema is asked for it in the next one, to llama.cpp's own field", async () => {
    const before = server().requests.length;
    const no = refusal(422, "body.response_format: Extra inputs are not permitted");
    server().plan(no, no, no, no, saying("{}"));
    await reply(model(), WITH_SCHEMA);
    const schema = { type: "object" };
    assert.deepEqual(
      server()
        .requests.slice(before)
        .map(({ body: { response_format, guided_json, json_schema } }) => ({
          response_format,
          guided_json,
          json_schema,
        })),
      [
        { response_format: { type: "json_schema", json_schema: { name: "reply", schema } } },
        { response_format: { type: "json_object", schema } },
        { response_format: { type: "json_object" } },
        { guided_json: schema },
        { json_schema: schema },
      ].map((form) => ({
        response_format: undefined,
        guided_json: undefined,
        json_schema: undefined,
        ...form,
      })),
    );
  });

  it("a schema that an older vLLM refuses there is given in its own field", async () => {
    const before = server().requests.length;
    server().plan(
      refusal(
        400,
        "[{'type': 'literal_error', 'loc': ('body', 'response_format', 'type'), 'msg': \"Input should be 'text' or 'json_object'\"}]",
      ),
      refusal(
        400,
        "[{'type': 'extra_forbidden', 'loc': ('body', 'response_format', 'schema'), 'msg': 'Extra inputs are not permitted'}]",
      ),
      saying("{}"),
    );
    await reply(model(), WITH_SCHEMA);
    assert.deepEqual(
      server()
        .requests.slice(before)
        .map(({ body }) => body.guided_json),
      [undefined, undefined, { type: "object" }],
    );
  });

  it("a schema in OpenAI's form is asked in JSON mode with the schema, and then in JSON mode alone", async () => {
    const before = server().requests.length;
    const no = refusal(422, "body.response_format: Extra inputs are not permitted");
    server().plan(no, no, saying("{}"));
    const learning = model();
    await reply(learning, WITH_SCHEMA);
    await reply(learning, WITH_SCHEMA);
    assert.deepEqual(
      server()
        .requests.slice(before)
        .map(({ body }) => body.response_format),
      [
        { type: "json_schema", json_schema: { name: "reply", schema: { type: "object" } } },
        { type: "json_object", schema: { type: "object" } },
        { type: "json_object" },
        { type: "json_object" },
      ],
    );
  });

  it("a schema is said to do so, unless it takes the schema in another form", async () => {
    const no = refusal(422, "body.response_format: Extra inputs are not permitted");
    const said = async (refusals: number): Promise<readonly string[]> => {
      server().plan(...Array.from({ length: refusals }, () => no), saying("{}"));
      const listener = new Listener();
      const learning = model();
      await learning.complete(WITH_SCHEMA, listener);
      await learning.complete(WITH_SCHEMA, listener);
      return listener.notices;
    };
    const given = `${server().baseUrl} takes no JSON schema for my-model, so the model replies with JSON in a form that nothing enforces. Change autogpt.model.replyFormat, or choose another model with "AutoGPT: Select Model…". It said: "body.response_format: Extra inputs are not permitted".`;
    assert.deepEqual([await said(1), await said(2), await said(3)], [[], [given], []]);
  });

  it("two user messages in a row gets them as one", async () => {
    server().plan(
      refusal(500, "Jinja Exception: Conversation roles must alternate user/assistant/user/assistant/..."),
      saying("Hi."),
    );
    await reply(model(), {
      messages: [
        { role: "system", content: "Be good." },
        { role: "user", content: "One." },
        { role: "user", content: "Two." },
        { role: "assistant", content: "Three." },
      ],
    });
    assert.deepEqual(server().requests.at(-1)?.body.messages, [
      { role: "system", content: "Be good." },
      { role: "user", content: "One.\n\nTwo." },
      { role: "assistant", content: "Three." },
    ]);
  });
});

describe("the first request", () => {
  it("to OpenAI's own API is in the newer words", async () => {
    const original = globalThis.fetch;
    const bodies: unknown[] = [];
    globalThis.fetch = async (_, init) => {
      bodies.push(JSON.parse(String(init?.body)).max_completion_tokens);
      return new Response(JSON.stringify({ choices: [{ message: { content: "Hi." }, finish_reason: "stop" }] }), {
        headers: { "content-type": "application/json" },
      });
    };
    try {
      await reply(openAiModel({ ...settings, baseUrl: "https://api.openai.com/v1" }), FULL);
    } finally {
      globalThis.fetch = original;
    }
    assert.deepEqual(bodies, [500]);
  });
});

/** How servers say that they do not take a reply format. */
const NO_TOOLS: readonly [string, number, string][] = [
  ["Ollama", 400, "registry.ollama.ai/library/gemma:2b does not support tools"],
  ["vLLM", 400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'],
  ["llama.cpp", 500, "tools param requires --jinja flag"],
  ["OpenRouter", 404, 'No endpoints found that support tool use. Try disabling "read_file".'],
  ["OpenAI, of a schema", 400, "Invalid schema for function 'read_file': schema must have a type"],
  ["a validator", 422, "body.tools: Extra inputs are not permitted"],
  ["an older model", 400, "This model does not support function calling."],
  ["a failing validator", 500, "1 validation error for ChatRequest: body -> tool_choice"],
  ["a failing server that names the field", 500, "KeyError: 'tools'"],
];

const NO_SCHEMA: readonly [string, number, string][] = [
  ["DeepSeek", 400, "This response_format type is unavailable now"],
  ["OpenAI", 400, "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model."],
  ["llama.cpp", 400, "Failed to parse grammar"],
  ["a validator", 422, "body.response_format.type: Input should be 'text' or 'json_object'"],
  [
    "llama-cpp-python",
    500,
    "1 validation error:\n  {'type': 'literal_error', 'loc': ('body', 'response_format', 'type'), 'msg': \"Input should be 'text' or 'json_object'\", 'input': 'json_schema'}",
  ],
  ["a failing server that names the field", 500, "TypeError: unexpected keyword argument 'response_format'"],
  [
    "LiteLLM before llama-cpp-python",
    500,
    "litellm.InternalServerError: InternalServerError: OpenAIException - 1 validation error:\n  {'type': 'literal_error', 'loc': ('body', 'response_format', 'type'), 'msg': \"Input should be 'text' or 'json_object'\", 'input': 'json_schema'}\n\nLiteLLM: model group 'smol' failed with the error above. No fallback was attempted.",
  ],
  ["a gateway", 501, "Structured output is not implemented for this model"],
];

describe("a server that does not take a reply format", () => {
  const server = serverForSuite();
  const model = () => openAiModel({ ...settings, baseUrl: server().baseUrl });

  for (const [name, status, words] of NO_TOOLS) {
    it(`${name} is known by its words about tools`, async () => {
      server().plan(refusal(status, words));
      assert.equal((await trouble(model(), WITH_TOOLS)).trouble, "format");
    });
  }

  for (const [name, status, words] of NO_SCHEMA) {
    it(`${name} is known by its words about schemas`, async () => {
      server().plan(refusal(status, words));
      assert.equal((await trouble(model(), WITH_SCHEMA)).trouble, "format");
    });
  }

  it("is not suspected where no format was asked for", async () => {
    server().plan(refusal(400, "tools and response_format are bad words"));
    assert.equal((await trouble(model(), HELLO)).trouble, "other");
  });

  it("is not suspected when the model wrote a bad call this time", async () => {
    server().plan(refusal(500, "error parsing tool call: raw='{\"a' err=unexpected end of JSON input"));
    assert.equal((await trouble(model(), WITH_TOOLS)).trouble, "busy");
  });
});

const CALL = '{"name": "read_file", "arguments": {"filename": 7}}';
const FAILED = {
  message: "Failed to call a function. Please adjust your prompt. See 'failed_generation' for more details.",
  type: "invalid_request_error",
  code: "tool_use_failed",
  failed_generation: CALL,
};

/** Replies that Groq withholds with an error, and the reply's text. */
const WITHHELD: readonly [name: string, answer: ServerAnswer, text: string][] = [
  ["with its words", json(400, { error: FAILED }), CALL],
  ["in the middle of a stream", stream(chunk({ content: "" }), { error: FAILED }), CALL],
  [
    "for want of a call",
    refusal(400, "Tool choice is required, but model did not call a tool", { code: "tool_use_failed" }),
    "",
  ],
  [
    "through LiteLLM",
    refusal(
      400,
      `litellm.BadRequestError: GroqException - ${JSON.stringify({ error: FAILED })}. Received Model Group=llama`,
    ),
    CALL,
  ],
];

describe("a server that withholds a reply because its call is wrong", () => {
  const server = serverForSuite();

  for (const [name, answer, text] of WITHHELD)
    it(`${name}, gets the same format again, and its model is shown what was wrong`, async () => {
      const before = server().requests.length;
      server().plan(answer, saying("Hi."));
      const model = openAiModel({ ...settings, baseUrl: server().baseUrl });
      const completions = [await reply(model, WITH_TOOLS), await reply(model, WITH_TOOLS)];
      assert.deepEqual(
        {
          replies: completions.map((completion) => [completion.text, completion.finish]),
          toolChoices: server()
            .requests.slice(before)
            .map(({ body }) => body.tool_choice),
        },
        {
          replies: [
            [text, "stop"],
            ["Hi.", "stop"],
          ],
          toolChoices: ["required", "required"],
        },
      );
    });

  it("is asked for a step's reply again in the same format", async () => {
    const model = openAiModel({ ...settings, baseUrl: server().baseUrl });
    const done = { name: "task_complete", arguments: '{"title": "Done."}' };
    server().plan(
      json(400, { error: { ...FAILED, failed_generation: "<function=read_note>" } }),
      stream(callChunk({ index: 0, id: "1", ...done }), finish("tool_calls"), DONE),
    );
    const { log, end } = await rehearse({
      answers: [],
      thinking: { model, formats: new FormatChoice(["tools", "jsonSchema", "text"]) },
    });
    assert.deepEqual(
      {
        end: end.reason,
        replies: ofType(log.events, "replied").map(({ format, reply }) => [format, reply.kind]),
      },
      {
        end: "finished",
        replies: [
          ["tools", "unreadable"],
          ["tools", "proposal"],
        ],
      },
    );
  });
});

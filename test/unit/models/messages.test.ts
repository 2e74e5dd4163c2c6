import assert from "node:assert/strict";
import type { Completion, Model, ModelRequest, ReasoningEffort } from "../../../src/core/ports/model.ts";
import { ModelError } from "../../../src/core/ports/model.ts";
import { createChatModel } from "../../../src/models/chat/chat-model.ts";
import { findModelFamily } from "../../../src/models/chat/families.ts";
import { createOpenAiServer } from "../../../src/models/http/endpoint.ts";
import { addRetries, RETRY_POLICY } from "../../../src/models/retries.ts";
import { createChatRequest } from "../../../src/models/wire/chat-completions.ts";
import { createMessagesRequest } from "../../../src/models/wire/messages.ts";
import { HELLO, Listener, WITH_SCHEMA, WITH_TOOLS } from "../../support/completing.ts";
import { json, type Piece, type SeenRequest, serverForSuite } from "../../support/fake-model-server.ts";
import { errorAnswer, eventsOf, MessagesService, SERVED } from "../../support/messages-service.ts";

type Body = SeenRequest["body"];

const ANTHROPIC = "https://api.anthropic.com/v1";
const MODEL = SERVED.sonnet46;
const USAGE = {
  input_tokens: 10,
  cache_read_input_tokens: 30,
  cache_creation_input_tokens: 5,
  output_tokens: 7,
};
const CALL = { type: "tool_use", id: "toolu_1", name: "read_file", input: { filename: "a.ts" } };
const LOOK = { type: "text", text: "I look." };

const message = (content: readonly object[], stop_reason: string, more: object = {}): Body => ({
  ...{ id: "msg_1", type: "message", role: "assistant", model: "claude-x", content, stop_reason },
  ...{ stop_sequence: null, stop_details: null, usage: USAGE, ...more },
});

describe("Messages", () => {
  const server = serverForSuite();

  function modelOf(baseUrl = server().baseUrl, apiKey = "sk-ant-test", effort?: ReasoningEffort): Model {
    return addRetries(
      createChatModel({
        ...{ name: MODEL.name, contextWindow: 200_000, reasoningEffort: effort, problem: undefined },
        server: createOpenAiServer(baseUrl, { model: MODEL.name, apiKey, timeoutSeconds: 60 }),
        family: findModelFamily(MODEL.name, ANTHROPIC, effort, "messages"),
        api: "messages",
        connection: { baseUrl, apiKey },
      }),
      { ...RETRY_POLICY, firstDelayMs: 1 },
    );
  }

  async function ask(
    pieces: readonly Piece[] | { readonly whole: Body },
    request: ModelRequest = WITH_TOOLS,
  ): Promise<Completion> {
    server().plan("whole" in pieces ? json(200, pieces.whole) : { pieces });
    return modelOf().complete(request, new Listener());
  }

  for (const [how, sent] of [
    ["streamed", (reply: Body) => eventsOf(reply)],
    ["in one piece", (reply: Body) => ({ whole: reply })],
  ] as const) {
    it(`reads words, calls and tokens, ${how}`, async () => {
      const usage = {
        ...USAGE,
        cache_creation: { ephemeral_1h_input_tokens: 5, ephemeral_5m_input_tokens: 0 },
      };
      assert.deepEqual(
        await ask(sent(message([LOOK, CALL, { ...CALL, id: "toolu_2", input: {} }], "tool_use", { usage }))),
        {
          text: "I look.",
          calls: [
            { id: "toolu_1", name: "read_file", arguments: '{"filename":"a.ts"}' },
            { id: "toolu_2", name: "read_file", arguments: "{}" },
          ],
          finish: "tool_calls",
          model: "claude-x",
          usage: { input: 45, output: 7, cached: 30, written: 5, writtenForHour: 5 },
        },
      );
    });

    it(`keeps thinking as it came, and its place, ${how}`, async () => {
      const thinking = { type: "thinking", thinking: "Hm, so.", signature: "seal==" };
      const redacted = { type: "redacted_thinking", data: "xyz" };
      const { reasoning, sentBack } = await ask(sent(message([thinking, LOOK, redacted, CALL], "tool_use")));
      assert.deepEqual(
        { reasoning, sentBack },
        {
          reasoning: "Hm, so.",
          sentBack: {
            thinking_blocks: [thinking, { type: "after", chars: 7, calls: 0 }, redacted],
            from: MODEL.name,
          },
        },
      );
    });

    for (const [reason, finish] of [
      ["end_turn", "stop"],
      ["stop_sequence", "stop"],
      ["max_tokens", "length"],
      ["model_context_window_exceeded", "length"],
      ["refusal", "content_filter"],
    ] as const)
      it(`ends with "${finish}" for "${reason}", ${how}`, async () => {
        assert.equal((await ask(sent(message([LOOK], reason)))).finish, finish);
      });

    it(`quotes why the model refuses, ${how}`, async () => {
      const stop_details = { type: "refusal", category: "cyber", explanation: "This looks like malware." };
      const { text, finish } = await ask(sent(message([], "refusal", { stop_details })));
      assert.deepEqual({ text, finish }, { text: "This looks like malware.", finish: "content_filter" });
    });

    it(`continues from what was received when a reply is paused, ${how}`, async () => {
      const paused = sent(message([LOOK], "pause_turn"));
      const rest = sent(message([CALL], "tool_use"));
      const answer = (one: ReturnType<typeof sent>) => ("whole" in one ? json(200, one.whole) : { pieces: one });
      server().plan(answer(paused), answer(rest));
      const before = server().requests.length;
      const { text, calls, usage } = await modelOf().complete(WITH_TOOLS, new Listener());
      assert.deepEqual(
        [
          text,
          calls.length,
          usage,
          server()
            .requests.slice(before)
            .map(({ body }) => body.messages.slice(1)),
        ],
        [
          ...["I look.", 1, { input: 90, output: 14, cached: 60, written: 10 }],
          [[], [{ role: "assistant", content: [LOOK] }]],
        ],
      );
    });
  }

  it("counts what is cached by its time alone, and no zeros that repeat a count", async () => {
    const counted = message([LOOK], "end_turn", {
      usage: {
        ...{ input_tokens: 10, cache_read_input_tokens: 30, output_tokens: 1 },
        cache_creation: { ephemeral_5m_input_tokens: 2, ephemeral_1h_input_tokens: 3 },
      },
    });
    const pieces = eventsOf(counted).map((piece) =>
      piece.replace('"input_tokens":null', '"input_tokens":0,"cache_read_input_tokens":0'),
    );
    assert.deepEqual((await ask(pieces)).usage, {
      ...{ input: 45, output: 1, cached: 30, written: 5, writtenForHour: 3 },
    });
  });

  it("asks again when the service is overloaded, before or after the first words", async () => {
    const busy = 'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n';
    server().plan(
      errorAnswer(529, "overloaded_error", "Overloaded"),
      { pieces: [...eventsOf(message([LOOK], "end_turn")).slice(0, 4), busy] },
      { pieces: eventsOf(message([LOOK], "end_turn")) },
    );
    const listener = new Listener();
    const { text } = await modelOf().complete(HELLO, listener);
    assert.deepEqual({ text, restarts: listener.restarts }, { text: "I look.", restarts: 1 });
  });

  for (const [where, count] of [
    ["in the middle of thinking", 4],
    ["right after thinking", 5],
  ] as const)
    it(`asks again when a stream ends ${where}`, async () => {
      const whole = message([{ type: "thinking", thinking: "Hm, so.", signature: "s" }, CALL], "tool_use");
      server().plan({ pieces: eventsOf(whole).slice(0, count) }, { pieces: eventsOf(whole) });
      const { calls, sentBack } = await modelOf().complete(WITH_TOOLS, new Listener());
      assert.deepEqual([calls.length, sentBack?.thinking_blocks?.length], [1, 1]);
    });

  for (const [what, words, change, notice] of [
    [
      "marks that are too many beside those of a gateway",
      "A maximum of 4 blocks with cache_control may be provided. Found 5.",
      (body: Body) => !JSON.stringify(body).includes("cache_control"),
      /takes no cache marks for claude-sonnet-4-6.*Select Model.*Found 5/,
    ],
    [
      "an hour in its cache",
      "system.0.cache_control.ephemeral.ttl: Extra inputs are not permitted",
      (body: Body) =>
        JSON.stringify(body)
          .match(/"ttl"|"cache_control"/g)
          ?.join() === '"cache_control"',
      /for five minutes only.*autogpt\.model\.cacheMinutes/,
    ],
    [
      "a limit that leaves no room for all of an effort",
      "max_tokens: 68096 > 64000, which is the maximum allowed number of output tokens for claude-opus-4-5",
      (body: Body) => body.max_tokens === 64_000,
    ],
  ] as const)
    it(`gives up ${what} and nothing else, and says once what is lost`, async () => {
      server().plan(errorAnswer(400, "invalid_request_error", words), {
        pieces: eventsOf(message([LOOK], "end_turn")),
      });
      const listener = new Listener();
      const cached = { key: "r", messages: 1, isAttended: true };
      const before = server().requests.length;
      const model = modelOf(server().baseUrl, "sk-ant-test", "max");
      for (const _ of [1, 2]) await model.complete({ ...WITH_TOOLS, cached, maxReplyTokens: 4_096 }, listener);
      const bodies = server().requests.slice(before);
      assert.deepEqual(
        [bodies.length, bodies.slice(1).map(({ body }) => change(body)), listener.notices.length],
        [3, [true, true], notice ? 1 : 0],
      );
      assert.match(listener.notices.join(), notice ?? /^$/);
    });

  it("asks once more without thinking that the service refuses, and says so", async () => {
    const listener = new Listener();
    const service = new MessagesService();
    server().plan((request) => service.answer(request, MODEL, [LOOK]));
    const sentBack = {
      thinking_blocks: [{ type: "thinking", thinking: "Hm.", signature: "of another account" }],
      from: MODEL.name,
    };
    const call = { id: "toolu_1", name: "read_file", arguments: "{}" };
    const { text } = await modelOf().complete(
      {
        ...WITH_TOOLS,
        messages: [
          ...HELLO.messages,
          { role: "assistant", content: "", calls: [call], sentBack },
          { role: "tool", callId: "toolu_1", content: "let a = 1;" },
        ],
      },
      listener,
    );
    assert.deepEqual(
      [text, service.refusals, listener.notices.length],
      ["I look.", ["messages.1.content.0: Invalid `signature` in `thinking` block"], 1],
    );
    assert.match(listener.notices.join(), /refused earlier reasoning of claude-sonnet-4-6.*Select Model.*signature/);
  });

  for (const [what, answer, trouble] of [
    ["a key of another provider", errorAnswer(401, "authentication_error", "invalid x-api-key"), "setup"],
    [
      "a model that the organization can't use",
      errorAnswer(403, "permission_error", "Your API key does not have permission to use the specified resource."),
      "setup",
    ],
    [
      "no credit",
      errorAnswer(
        400,
        "invalid_request_error",
        "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.",
      ),
      "setup",
    ],
    ["an unknown model", errorAnswer(404, "not_found_error", "model: claude-x"), "setup"],
    [
      "a long prompt",
      errorAnswer(400, "invalid_request_error", "prompt is too long: 208310 tokens > 200000 maximum"),
      "context",
    ],
    [
      "a web page",
      { pieces: ["<!doctype html><title>Sign in</title>"], headers: { "content-type": "text/html" } },
      "setup",
    ],
    ["a redirect", { status: 302, headers: { location: "https://example.com/" }, pieces: [] }, "setup"],
  ] as const)
    it(`is trouble of the kind "${trouble}" for ${what}`, async () => {
      server().plan(answer);
      const before = server().requests.length;
      const error = await modelOf()
        .complete(HELLO, new Listener())
        .catch((each: unknown) => each);
      assert.ok(error instanceof ModelError, String(error));
      assert.deepEqual([error.trouble, server().requests.length - before], [trouble, 1]);
    });

  it("takes nothing from the environment and reveals nothing about this machine", async () => {
    const variables = {
      ANTHROPIC_API_KEY: "sk-of-the-environment",
      ANTHROPIC_AUTH_TOKEN: "token-of-the-environment",
      ANTHROPIC_BASE_URL: "http://127.0.0.1:9",
      ANTHROPIC_CUSTOM_HEADERS: "x-secret: 1\nauthorization: from-the-environment",
    };
    Object.assign(process.env, variables);
    try {
      server().plan({ pieces: eventsOf(message([LOOK], "end_turn")) });
      for (const [baseUrl, key] of [
        [server().baseUrl, "k"],
        [server().origin, ""],
      ] as const) {
        await modelOf(baseUrl, key).complete(HELLO, new Listener());
        const { path, headers } = server().requests.at(-1) as SeenRequest;
        const own = Object.keys(headers).filter((name) => /^(x-|auth|anthropic)/.test(name));
        assert.deepEqual(
          [path, own.toSorted(), headers["x-api-key"], headers.authorization],
          [
            "/v1/messages",
            [...(key ? ["anthropic-version", "authorization", "x-api-key"] : ["anthropic-version"])],
            key || undefined,
            key ? `Bearer ${key}` : undefined,
          ],
        );
      }
    } finally {
      for (const name of Object.keys(variables)) delete process.env[name];
    }
  });
});

describe("a request over Messages", () => {
  const bodyOf = (model: string, effort: ReasoningEffort, request: ModelRequest = WITH_TOOLS): Body =>
    createMessagesRequest(
      model,
      { ...request, temperature: 0.2, reasoningEffort: effort, maxReplyTokens: 4_000 },
      findModelFamily(model, ANTHROPIC, effort, "messages").dialect,
    );

  const summarized = { type: "adaptive", display: "summarized" };
  for (const [model, effort, wanted] of [
    ["claude-haiku-4-5-20251001", "auto", [undefined, undefined, "any", 4_000]],
    ["claude-haiku-4-5", "none", [undefined, undefined, "any", 4_000]],
    ["claude-3-7-sonnet-20250219", "low", [{ type: "enabled", budget_tokens: 2_048 }, undefined, "auto", 6_048]],
    ["claude-sonnet-4-20250514", "high", [{ type: "enabled", budget_tokens: 24_000 }, undefined, "auto", 28_000]],
    ["claude-opus-4-6", "xhigh", [summarized, "high", "auto", 36_000]],
    ["claude-opus-4-8", "xhigh", [summarized, "xhigh", "auto", 36_000]],
    ["claude-opus-4.8", "none", [undefined, undefined, "any", 4_000]],
    ["claude-sonnet-5", "auto", [summarized, undefined, "auto", 28_000]],
    ["claude-sonnet-5", "minimal", [{ type: "disabled" }, undefined, "any", 28_000]],
    ["claude-opus-5-5", "none", [summarized, "low", "auto", 28_000]],
    ["claude-sonnet-5-5", "none", [{ type: "between_tools" }, undefined, "auto", 28_000]],
    ["claude-haiku-5-5", "none", [{ type: "disabled" }, undefined, "auto", 28_000]],
    ["claude-fable-6", "max", [summarized, "max", "auto", 68_000]],
    ["claude-next", "medium", [summarized, "medium", "auto", 28_000]],
  ] as const)
    it(`thinks as ${model} can with the effort "${effort}"`, () => {
      const { thinking, output_config, tool_choice, max_tokens } = bodyOf(model, effort);
      assert.deepEqual([thinking, output_config?.effort, tool_choice.type, max_tokens], wanted);
    });

  it("has a temperature only at other addresses, for models that take one, and while they don't think", () => {
    const at = (address: string, model: string, effort: ReasoningEffort): unknown =>
      (
        createMessagesRequest(
          model,
          { ...HELLO, temperature: 0.2, reasoningEffort: effort },
          findModelFamily(model, address, effort, "messages").dialect,
        ) as Body
      ).temperature;
    const gateway = "http://127.0.0.1:4000/v1";
    assert.deepEqual(
      [
        at(ANTHROPIC, "claude-haiku-4-5", "auto"),
        at(gateway, "claude-haiku-4-5", "auto"),
        at(gateway, "claude-haiku-4-5", "low"),
        at(gateway, "claude-opus-5", "auto"),
        at(gateway, "qwen3:8b", "auto"),
      ],
      [undefined, 0.2, undefined, undefined, 0.2],
    );
  });

  it("leaves out blank text, and joins turns of the same side", () => {
    const { system, messages } = bodyOf("claude-opus-4-8", "auto", {
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "One." },
        { role: "assistant", content: " \n" },
        { role: "user", content: "Two." },
      ],
    });
    assert.deepEqual(
      { system, messages },
      {
        system: [{ type: "text", text: "Be brief." }],
        messages: [
          {
            role: "user",
            content: [
              { type: "text", text: "One." },
              { type: "text", text: "Two." },
            ],
          },
        ],
      },
    );
  });

  it("asks for an object by its schema and ends replies at texts", () => {
    const { output_config, stop_sequences } = bodyOf("claude-opus-4-8", "low", {
      ...WITH_SCHEMA,
      stop: ["\nObservation:"],
    });
    assert.deepEqual(
      { output_config, stop_sequences },
      {
        output_config: { effort: "low", format: { type: "json_schema", schema: { type: "object" } } },
        stop_sequences: ["\nObservation:"],
      },
    );
  });
});

describe("marks for a cache over chat completions", () => {
  const request: ModelRequest = {
    ...WITH_TOOLS,
    messages: [
      { role: "system", content: "Be brief." },
      { role: "user", content: "Look." },
      { role: "assistant", content: "", calls: [{ id: "c1", name: "read_file", arguments: "{}" }] },
      { role: "tool", callId: "c1", content: "a" },
      { role: "assistant", content: "", calls: [{ id: "c2", name: "read_file", arguments: "{}" }] },
      { role: "tool", callId: "c2", content: "b" },
      { role: "user", content: "Now?" },
    ],
    cached: { key: "run", messages: 6, minutes: 60 },
  };
  const marked = (model: string, address: string): readonly string[] =>
    createChatRequest(model, request, findModelFamily(model, address).dialect).messages.flatMap((message) => {
      const text = JSON.stringify(message);
      return text.includes('"cache_control":{"type":"ephemeral","ttl":"1h"}') ? text.slice(0, 45) : [];
    });

  for (const [model, address, count] of [
    ["anthropic/claude-sonnet-5", "https://openrouter.ai/api/v1", 3],
    ["claude-sonnet-5", "http://127.0.0.1:4000/v1", 3],
    ["claude-sonnet-5", ANTHROPIC, 0],
    ["gpt-5.1", "https://openrouter.ai/api/v1", 0],
    ["google/gemini-2.5-pro", "https://openrouter.ai/api/v1", 0],
  ] as const)
    it(`are ${count} for ${model} at ${new URL(address).host}`, () =>
      assert.equal(marked(model, address).length, count));

  it("are at the ends of messages that later prompts begin with, too", () =>
    assert.deepEqual(marked("claude-sonnet-5", "http://127.0.0.1:4000/v1"), [
      '{"role":"system","content":[{"type":"text","t',
      '{"role":"user","content":[{"type":"text","tex',
      '{"role":"tool","tool_call_id":"c1","content":',
    ]));
});

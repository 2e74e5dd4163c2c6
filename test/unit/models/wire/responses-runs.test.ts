import assert from "node:assert/strict";
import type { Api } from "../../../../src/models/chat/dialect.ts";
import { findModelFamily } from "../../../../src/models/chat/families.ts";
import { Lessons } from "../../../../src/models/chat/lessons.ts";
import { addRetries, RETRY_POLICY } from "../../../../src/models/retries.ts";
import { reply } from "../../../support/completing.ts";
import {
  json,
  refusal,
  type SeenRequest,
  type ServerAnswer,
  serverForSuite,
} from "../../../support/fake-model-server.ts";
import { ofType } from "../../../support/rehearsal.ts";
import { scriptedResponses } from "../../../support/responses-rules.ts";
import { FORMATS, modelAt, OPENAI, resumed, run, STEPS } from "../../../support/responses-runs.ts";

type Body = SeenRequest["body"];

const ANTHROPIC = "https://api.anthropic.com/v1";

describe("a run over Responses with a server that enforces the published rules", () => {
  const server = serverForSuite();

  for (const format of FORMATS)
    for (const contextWindow of [64_000, 2_000])
      it(`has ${STEPS} steps without a refusal in the format ${format}, in a window of ${contextWindow} tokens`, async () => {
        const model = modelAt(server().baseUrl, { contextWindow });
        const { end, events, rules, replies } = await run(server(), model, { format });
        assert.deepEqual(
          { end, replies, refused: rules.refused, compacted: ofType(events, "compacted").length > 0 },
          { end: "finished", replies: STEPS, refused: [], compacted: contextWindow < 64_000 },
        );
      });

  for (const format of FORMATS)
    it(`continues a stopped run, and over another model and another API, in the format ${format}`, async () => {
      const rules = scriptedResponses();
      const { baseUrl } = server();
      const start = await run(server(), modelAt(baseUrl), { format, rules, steps: 8 });
      const same = await run(server(), modelAt(baseUrl), {
        format,
        rules,
        steps: 12,
        events: resumed(start),
      });
      const other = modelAt(baseUrl, { name: "gpt-5.4" });
      const others = await run(server(), other, { format, rules, steps: 16, events: resumed(same) });
      const chat = modelAt(baseUrl, { api: "chat" });
      const overChat = await run(server(), chat, { format, rules, steps: 20, events: resumed(others) });
      const { end, replies } = await run(server(), modelAt(baseUrl), {
        format,
        rules,
        events: resumed(overChat),
      });
      assert.deepEqual({ end, replies, refused: rules.refused }, { end: "finished", replies: STEPS, refused: [] });
    });

  for (const format of FORMATS)
    it(`has pictures in its results, is compacted and resumed, in the format ${format}`, async () => {
      const rules = scriptedResponses();
      const model = () => modelAt(server().baseUrl, { contextWindow: 3_500 });
      const shared = { format, rules, hasPictures: true } as const;
      const start = await run(server(), model(), { ...shared, steps: 13 });
      const { end, events, replies } = await run(server(), model(), { ...shared, events: resumed(start) });
      const sent = rules.bodies.map(({ input }) =>
        input.flatMap(({ type = "message", output, content }: Body) =>
          [output ?? content].flat().flatMap((part: Body) => (part?.type === "input_image" ? type : [])),
        ),
      );
      assert.deepEqual(
        {
          ...{ end, replies, refused: rules.refused, compacted: ofType(events, "compacted").length > 0 },
          places: [...new Set(sent.flat())],
        },
        {
          ...{ end: "finished", replies: STEPS, refused: [], compacted: true },
          places: [format === "tools" ? "function_call_output" : "message"],
        },
      );
    });

  it("reads in parallel, and sends the results in the order of the calls, with the reasoning between them", async () => {
    const { rules, deeds } = await run(server(), modelAt(server().baseUrl), { steps: 8 });
    const items: readonly Body[] = (rules.bodies[7] ?? assert.fail()).input;
    const from = items.findIndex(({ id }) => id === "rs_0000000000007");
    const ids = Array.from({ length: 12 }, (_, index) => `call_7_${index}`);
    assert.deepEqual(
      {
        kinds: items.slice(from, from + 24).map(({ type }) => type),
        calls: items.slice(from, from + 24).flatMap(({ call_id: id = [] }) => id),
        results: items.slice(from + 24, -1).map(({ type, call_id: id }) => `${type} ${id}`),
        read: deeds.filter((deed) => deed.startsWith("read note 7")),
      },
      {
        kinds: ids.flatMap(() => ["reasoning", "function_call"]),
        calls: ids,
        results: ids.map((id) => `function_call_output ${id}`),
        // A step runs ten of them at most.
        read: ids.slice(0, 10).map((_, index) => (index === 0 ? "read note 7" : `read note 7, page ${index}`)),
      },
    );
  });

  it("sends reasoning back unchanged, before its words and calls", async () => {
    const { rules } = await run(server(), modelAt(server().baseUrl), { steps: 3 });
    const { input, prompt_cache_key: key } = rules.bodies[2] ?? assert.fail();
    assert.match(key, /^\S{1,64}$/);
    assert.deepEqual(
      input.map(({ type, role, id, phase }: Body) => [type ?? role, id ?? phase].join(" ").trim()),
      [
        ...["system", "user", "reasoning rs_0000000000001", "message commentary"],
        ...["function_call", "function_call_output", "reasoning rs_0000000000002", "function_call"],
        ...["function_call", "function_call_output", "function_call_output", "user"],
      ],
    );
  });

  for (const api of ["responses", "chat"] as const)
    it(`has each step's prompt begin with the bytes of the one before over ${api}`, async () => {
      const { baseUrl } = server();
      const begun = server().requests.length;
      const model = modelAt(baseUrl, { api });
      await run(server(), model, {});
      const sent = server()
        .requests.slice(begun)
        .map(({ body }) => body);
      const differing = sent.slice(1).filter((body, index) => {
        const [before, after] = [sent[index], body].map((each) => unmarked(each.input ?? each.messages));
        // The end of a prompt is new at each step.
        const kept = unmarked((sent[index].input ?? sent[index].messages).slice(0, -1)).slice(0, -1);
        const sameTools = JSON.stringify(sent[index].tools) === JSON.stringify(body.tools);
        return !before?.startsWith(kept) || !after?.startsWith(kept) || !sameTools;
      });
      assert.deepEqual({ steps: sent.length, differing }, { steps: STEPS, differing: [] });
    });

  it("leaves out expired reasoning once, and loses nothing else", async () => {
    const rules = scriptedResponses();
    const first = (_seen: SeenRequest, turn: number): undefined => {
      if (turn === 6 && rules.refused.length === 0) rules.expire();
    };
    const { end, replies } = await run(server(), modelAt(server().baseUrl), { rules, first });
    assert.deepEqual({ end, replies, refused: rules.refused.length }, { end: "finished", replies: STEPS, refused: 1 });
  });

  it("asks again after a stream that ended in the middle", async () => {
    let cut = false;
    const first = (_seen: SeenRequest, turn: number): ServerAnswer | undefined => {
      if (turn !== 4 || cut) return undefined;
      cut = true;
      const added = {
        type: "response.output_item.added",
        output_index: 0,
        item: { type: "reasoning", id: "rs_x" },
      };
      return { pieces: [`data: ${JSON.stringify(added)}\n\n`, "cut!"] };
    };
    const model = addRetries(modelAt(server().baseUrl), { ...RETRY_POLICY, wait: async () => undefined });
    const { end, replies, rules } = await run(server(), model, { first });
    assert.deepEqual({ end, replies, refused: rules.refused }, { end: "finished", replies: STEPS, refused: [] });
  });
});

const NOT_FOUND = { status: 404, pieces: ['{"detail":"Not Found"}'] };
const ADVICE =
  "Function tools with reasoning_effort are not supported for gpt-5.6-terra in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.";

/** Public texts of servers that serve a model over another API. */
const ELSEWHERE: readonly (readonly [name: string, from: Api, answer: ServerAnswer, to?: Api])[] = [
  ["OpenAI: tools with an effort", "chat", refusal(400, ADVICE, { param: "reasoning_effort" })],
  [
    "OpenAI: Responses only",
    "chat",
    refusal(404, "This model is only supported in v1/responses and not in v1/chat/completions.", {
      param: "model",
    }),
  ],
  [
    "OpenAI: no chat model",
    "chat",
    refusal(
      404,
      "This is not a chat model and thus not supported in the v1/chat/completions endpoint. Did you mean to use v1/completions?",
    ),
  ],
  [
    "Azure: Responses only",
    "chat",
    refusal(
      400,
      "The chatCompletion operation does not work with the specified model, o3-pro. Please choose different model and try again.",
      {
        code: "OperationNotSupported",
      },
    ),
  ],
  [
    "GitHub: Responses only",
    "chat",
    refusal(400, "model gpt-5.3-codex is not accessible via the /chat/completions endpoint", {
      code: "unsupported_api_for_model",
    }),
  ],
  ["Azure: another version", "responses", refusal(400, "API version not supported", { code: "BadRequest" })],
  [
    "Azure: no such operation",
    "responses",
    refusal(400, "The requested operation is unsupported.", { code: "OperationNotSupported" }),
  ],
  ["LiteLLM: OpenAI's words", "chat", refusal(400, `litellm.BadRequestError: OpenAIException - ${ADVICE}`)],
  ["FastAPI: no such path", "responses", NOT_FOUND],
  ["Go: no such path", "responses", { status: 404, pieces: ["404 page not found"] }],
  ["another method", "responses", { status: 405, pieces: ['{"detail":"Method Not Allowed"}'] }],
  ["a web page", "responses", { status: 200, pieces: ["<!doctype html><p>Welcome</p>"] }],
  [
    "LM Studio: 200 with an error",
    "responses",
    json(200, { error: "Unexpected endpoint or method. (POST /v1/responses). Returning 200 anyway" }),
  ],
  [
    "Azure: an old version",
    "responses",
    refusal(400, "Azure OpenAI Responses API is enabled only for api-version 2025-03-01-preview and later"),
  ],
  [
    "Azure: chat only",
    "responses",
    refusal(
      400,
      "The responses operation does not work with the specified model, gpt-4. Please choose different model.",
      {
        code: "OperationNotSupported",
      },
    ),
  ],
  ["a word at any path", "responses", { status: 200, pieces: ["OK"] }],
  ["JSON of its own at any path", "responses", json(200, { status: "ok" })],
  ["a word at any path, not Messages", "messages", { status: 200, pieces: ["OK"] }],
  ["JSON at any path, not Messages", "messages", json(200, { status: "ok" })],
  ...(["responses", "messages"] as const).flatMap((api) =>
    ([["Not Found"], [{ message: `Route POST:/v1/${api} not found` }]] as const).map(
      ([error]) => [`200 with an error: ${JSON.stringify(error)}`, api, json(200, { error })] as const,
    ),
  ),
  ["a server of one API only", "responses", refusal(500, "NotImplementedError: responses")],
  ["a gateway: no such path", "messages", NOT_FOUND],
  ["a page instead of Messages", "messages", { status: 200, pieces: ["<!doctype html><p>Welcome</p>"] }],
  ["Messages by another method", "messages", { status: 405, pieces: ['{"detail":"Method Not Allowed"}'] }],
  [
    "Responses instead of Messages",
    "messages",
    refusal(400, "This model is only supported in v1/responses and not in v1/messages."),
    "responses",
  ],
  ["Messages only", "chat", refusal(400, "This model is only available via /v1/messages."), "messages"],
  ["Messages named", "responses", refusal(404, "Use the Messages API for this model."), "messages"],
];

/** Labels of the APIs for people. */
const LABELS = { chat: "chat completions", responses: "Responses", messages: "Messages" } as const;

describe("a server that has a model over another API", () => {
  const server = serverForSuite();
  const pathOf = {
    chat: "/v1/chat/completions",
    responses: "/v1/responses",
    messages: "/v1/messages",
  } as const;

  for (const [name, from, answer, to = from === "chat" ? "responses" : "chat"] of ELSEWHERE) {
    const isClaude = from === "messages" || to === "messages";
    const model = isClaude ? "claude-sonnet-4-6" : "gpt-5.6-terra";
    const address = { chat: "http://127.0.0.1:4000/v1", responses: OPENAI, messages: ANTHROPIC }[from];

    it(`is asked over that with tools and effort, which people see once: ${name}`, async () => {
      const lessons = new Lessons();
      const api = from === "responses" && isClaude ? "responses" : "auto";
      const family = findModelFamily(model, address, "high", api);
      const first = ({ path }: SeenRequest) => (path === pathOf[from] ? answer : undefined);
      const played = async () => {
        const begun = server().requests.length;
        const asked = modelAt(server().baseUrl, { name: model, effort: "high", family, lessons });
        const { end, replies, notices, paths, rules, refusedMessages } = await run(server(), asked, {
          first,
        });
        const seen = server().requests.slice(begun);
        const last = seen.at(-1)?.body;
        return {
          ...{ end, replies, notices: notices.map((text) => text.replace(/ so requests.*/s, "")) },
          paths: [...new Set(paths)],
          // An empty stream is asked for once more in one piece.
          refusals: seen.filter(({ path, body }) => path === pathOf[from] && body.stream).length,
          others: [...rules.refused, ...refusedMessages],
          effort: effortIn(last),
          tools: last.tools.length > 0,
        };
      };
      const usual = { end: "finished", replies: STEPS, effort: "high", tools: true, others: [] };
      assert.deepEqual(
        [await played(), await played()],
        [
          {
            ...{ ...usual, paths: [pathOf[from], pathOf[to]], refusals: 1 },
            notices: [`warning: ${server().baseUrl} doesn't serve ${model} over ${LABELS[from]},`],
          },
          { ...usual, paths: [pathOf[to]], refusals: 0, notices: [] },
        ],
      );
    });

    it(`isn't asked over that if the user demands the other: ${name}`, async () => {
      const asked = modelAt(server().baseUrl, { name: model, effort: "high", api: from, address });
      const { end, paths } = await run(server(), asked, { first: () => answer });
      assert.deepEqual(
        [paths.length <= 2, end.includes(`Set autogpt.model.api to "${to}" or "auto".`)],
        [true, true],
        end,
      );
    });
  }

  for (const [name, other, trouble] of [
    ["the other isn't there, either", NOT_FOUND, /reply format.*It said: "Function tools with/],
    ["the other has trouble of its own", refusal(401, "Missing scopes"), /rejected the API key/],
  ] as const)
    it(`is said once, and only after it has worked: ${name}`, async () => {
      const model = modelAt(server().baseUrl, { effort: "high", address: "http://127.0.0.1:4000/v1" });
      const first = ({ path }: SeenRequest) => (path === pathOf.chat ? refusal(400, ADVICE) : other);
      const { end, notices, paths } = await run(server(), model, { first });
      assert.deepEqual([paths.length, notices, trouble.test(end)], [2, [], true], end);
    });

  for (const api of ["responses", "messages"] as const)
    it(`is asked again over ${api} after a proxy's page about a server that is down`, async () => {
      const model = addRetries(
        modelAt(server().baseUrl, { api: "auto", family: findModelFamily("m", OPENAI, "auto", api) }),
        {
          ...RETRY_POLICY,
          wait: async () => undefined,
        },
      );
      const begun = server().requests.length;
      server().plan(
        { status: 502, headers: { "content-type": "text/html" }, pieces: ["<html>Bad Gateway</html>"] },
        NOT_FOUND,
      );
      await reply(model).catch(() => undefined);
      const paths = server()
        .requests.slice(begun)
        .map(({ path }) => path);
      assert.deepEqual(paths.slice(0, 2), [pathOf[api], pathOf[api]]);
    });

  it("answers in one piece where it doesn't stream for an account", async () => {
    const words = "Your organization must be verified to stream this model. Please go to: https://openai.com";
    const whole = {
      status: "completed",
      output: [{ type: "message", content: [{ type: "output_text", text: "Hi." }] }],
    };
    server().plan(({ body }) => (body.stream ? refusal(400, words, { param: "stream" }) : json(200, whole)));
    const begun = server().requests.length;
    const model = modelAt(server().baseUrl);
    for (const _ of [1, 2]) assert.equal((await reply(model)).text, "Hi.");
    assert.equal(server().requests.length - begun, 3);
  });

  it("is left at its own trouble where an account has no access to the model", async () => {
    const answer = refusal(404, "The model `gpt-5.6-terra` does not exist or you do not have access to it.", {
      code: "model_not_found",
    });
    const { end, paths, notices } = await run(server(), modelAt(server().baseUrl), { first: () => answer });
    assert.deepEqual([paths.length, notices, /has no model "gpt-5\.6-terra"/.test(end)], [1, [], true], end);
  });

  it("takes fewer parts where it refuses them, and people see the effort that is used", async () => {
    const rules = scriptedResponses();
    const first = ({ body }: SeenRequest): ServerAnswer | undefined => {
      if (body.reasoning?.summary)
        return refusal(400, "Your organization must be verified to generate reasoning summaries.", {
          ...{ param: "reasoning.summary", code: "unsupported_value" },
        });
      return undefined;
    };
    const model = modelAt(server().baseUrl, { effort: "max" });
    const { end, notices } = await run(server(), model, { first, rules });
    assert.deepEqual(
      { end, notices: notices.map((text) => text.replace(/ Change.*/s, "")), refused: rules.refused.length },
      {
        end: "finished",
        notices: ['warning: gpt-5.6-terra doesn\'t know the effort "max", so "xhigh" is used.'],
        refused: 1,
      },
    );
  });
});

/** JSON without the marks of a cache, which move on. */
function unmarked(value: unknown): string {
  return JSON.stringify(value, (name, inner) => (name === "prompt_cache_breakpoint" ? undefined : inner));
}

/** The effort of a request over any API. */
function effortIn({ reasoning, reasoning_effort: effort, output_config: output, thinking }: Body): unknown {
  const counted = thinking?.budget_tokens === 24_000 ? "high" : undefined;
  return reasoning?.effort ?? effort ?? output?.effort ?? counted;
}

import assert from "node:assert/strict";
import { openAiModel } from "../../../src/models/providers/openai.ts";
import { reply } from "../../support/completing.ts";
import {
  chunk,
  DONE,
  event,
  finish,
  json,
  type ServerAnswer,
  serverForSuite,
  stream,
  textChunks,
  usage,
} from "../../support/fake-model-server.ts";
import { skipWithout } from "../../support/skips.ts";

const HI = { text: "Hi Zoë 👋.", calls: [], finish: "stop", model: "served-model" };
const USED_IN_CHOICE = { usage: { input_tokens: 12, output_tokens: 3 } };
const USED = { usage: { input: 12, output: 3 } };
const words = textChunks("Hi ", "Zoë ", "👋", ".");
const whole = Buffer.from([...words, finish(), usage(12, 3)].map((each) => event(each)).join("") + DONE);
const message = { role: "assistant", content: "Hi Zoë 👋." };
const answer = {
  model: "served-model",
  choices: [{ index: 0, message, finish_reason: "stop" }],
  usage: { prompt_tokens: 12, completion_tokens: 3 },
};

const CASES: readonly (readonly [string, ServerAnswer, object])[] = [
  ["a plain stream", stream(...words, finish(), usage(12, 3), DONE), { ...HI, ...USED }],
  ["no count of tokens", stream(...words, finish(), DONE), HI],
  ["no [DONE]", stream(...words, finish(), usage(12, 3)), { ...HI, ...USED }],
  ["no finish reason", stream(...words, DONE), { ...HI, finish: "" }],
  ["no finish reason and no [DONE]", stream(...words), { ...HI, finish: "" }],
  [
    "a count of tokens in every piece",
    stream(
      chunk({ content: "Hi Zoë 👋." }, null, { usage: { prompt_tokens: 12, completion_tokens: 1 } }),
      chunk({}, "stop", { usage: { prompt_tokens: 12, completion_tokens: 3 } }),
    ),
    { ...HI, ...USED },
  ],
  [
    "a count of tokens in two pieces",
    stream(
      chunk({}, null, { usage: { prompt_tokens: 12, completion_tokens: 0 } }),
      ...words,
      chunk({}, "stop", { usage: { prompt_tokens: 0, completion_tokens: 3 } }),
    ),
    { ...HI, ...USED },
  ],
  [
    "a count of tokens in the choice",
    stream(...words, { choices: [{ index: 0, delta: {}, finish_reason: "stop", ...USED_IN_CHOICE }] }),
    { ...HI, ...USED },
  ],
  ["null choices", stream({ model: "served-model", choices: null }, ...words, finish()), HI],
  ["empty choices", stream({ model: "served-model", choices: [], prompt_filter_results: [] }, ...words, finish()), HI],
  [
    "empty and null deltas",
    stream(chunk({}), chunk(null), chunk({ content: null }), chunk({ content: "" }), ...words, finish()),
    HI,
  ],
  [
    "private reasoning beside the reply",
    stream(chunk({ reasoning_content: "Hm." }), chunk({ reasoning: "Hm." }), ...words, finish()),
    { ...HI, reasoning: "Hm.Hm." },
  ],
  [
    "text in parts",
    stream(
      chunk({
        content: [
          { type: "thinking", thinking: [] },
          { type: "text", text: "Hi Zoë 👋." },
        ],
      }),
      finish(),
    ),
    HI,
  ],
  [
    "a refusal in place of text",
    stream(chunk({ refusal: "Hi Zoë 👋." }), finish()),
    { ...HI, finish: "content_filter" },
  ],
  ["CRLF", { pieces: [...words, finish()].map((each) => event(each, "\r\n")) }, HI],
  [
    "comments and empty lines",
    {
      pieces: [": waiting\n\n", "\n\n", ...words.map((each) => `: still here\n${event(each)}`), event(finish())],
    },
    HI,
  ],
  ["named events", { pieces: [...words, finish()].map((each) => `event: message\nid: 7\n${event(each)}`) }, HI],
  ["bytes that come one by one", { pieces: [...whole].map((byte) => Uint8Array.of(byte)) }, { ...HI, ...USED }],
  [
    "events under another content type",
    { headers: { "content-type": "text/plain" }, pieces: [whole] },
    { ...HI, ...USED },
  ],
  [
    "another choice in between",
    stream(
      {
        ...chunk({ content: "no" }),
        choices: [
          { index: 1, delta: { content: "no" } },
          { index: 0, delta: { content: "Hi Zoë 👋." } },
        ],
      },
      finish(),
    ),
    HI,
  ],
  ["a reply that does not stream", json(200, answer), { ...HI, ...USED }],
  ["a reply that does not stream, as a stream", { pieces: [JSON.stringify(answer)] }, { ...HI, ...USED }],
  ["a reply that does not stream, in a list", json(200, [answer]), { ...HI, ...USED }],
  ["pieces in lines of JSON", json(200, [...words, finish()].map((each) => JSON.stringify(each)).join("\n")), HI],
  [
    "no empty lines between the pieces",
    { pieces: [...words, finish()].map((each) => event(each).replace("\n\n", "\n")) },
    HI,
  ],
  [
    "data of nothing",
    { pieces: ["data:\n\n", "data: \r\n\r\n", ...words.map((each) => event(each)), event(finish())] },
    HI,
  ],
  ["a finish reason of nothing", stream(...words, finish("null")), { ...HI, finish: "" }],
  [
    "a message at the end that repeats it",
    stream(...words, { model: "served-model", choices: [{ index: 0, message, finish_reason: "stop" }] }),
    HI,
  ],
  [
    "other parts of text",
    stream(
      chunk({ content: ["Hi ", { text: "Zoë " }] }),
      chunk({ content: { type: "output_text", text: "👋." } }),
      finish(),
    ),
    HI,
  ],
  ["a reply that does not stream, in lines", json(200, JSON.stringify(answer, null, 2)), { ...HI, ...USED }],
  ["a connection cut after the end was told", stream(...words, finish(), "cut!"), HI],
  ["garbage after the end was told", stream(...words, finish(), "data: {nonsense\n\n"), HI],
  ["a finish reason in capitals", stream(...words, finish("MAX_TOKENS")), { ...HI, finish: "length" }],
  [
    "cached and reasoning tokens",
    stream(
      ...words,
      finish(),
      usage(12, 3, {
        prompt_tokens_details: { cached_tokens: 8 },
        completion_tokens_details: { reasoning_tokens: 2 },
      }),
    ),
    { ...HI, usage: { input: 12, output: 3, cached: 8, reasoning: 2 } },
  ],
  [
    "cached tokens as Kimi tells them",
    stream(...words, finish(), usage(12, 3, { cached_tokens: 8 })),
    { ...HI, usage: { input: 12, output: 3, cached: 8 } },
  ],
  ...(
    [
      ["cached tokens as Mistral names them", { num_cached_tokens: 8 }, { input: 12, output: 3, cached: 8 }],
      ["cached tokens as Google names them", { cachedContentTokenCount: 8 }, { input: 12, output: 3, cached: 8 }],
      [
        "cached tokens under two names, of which one is empty",
        { prompt_tokens_details: { cached_tokens: 0 }, prompt_cache_hit_tokens: 8 },
        { input: 12, output: 3, cached: 8 },
      ],
      [
        "tokens that LiteLLM wrote for an hour",
        {
          prompt_tokens_details: {
            ...{ cached_tokens: 0, cache_creation_tokens: 9 },
            cache_creation_token_details: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 9 },
          },
        },
        { input: 12, output: 3, cached: 0, written: 9, writtenForHour: 9 },
      ],
      [
        "cached tokens apart from the input",
        { cache_creation_input_tokens: 100, cache_read_input_tokens: 300 },
        { input: 412, output: 3, cached: 300, written: 100 },
      ],
      [
        "cached tokens apart from the input, as the total says",
        { total_tokens: 23, prompt_tokens_details: { cached_tokens: 8 } },
        { input: 20, output: 3, cached: 8 },
      ],
      [
        "reasoning apart from the output",
        { total_tokens: 20, completion_tokens_details: { reasoning_tokens: 5 } },
        { input: 12, output: 8, reasoning: 5 },
      ],
      ["reasoning in the total alone", { total_tokens: 20 }, { input: 12, output: 8 }],
    ] as const
  ).map(
    ([name, counts, expected]) =>
      [name, stream(...words, finish(), usage(12, 3, counts)), { ...HI, usage: expected }] as const,
  ),
  [
    "a fee of a gateway beside the cost of a key of one's own",
    stream(...words, finish(), usage(12, 3, { cost: 0.05, cost_details: { upstream_inference_cost: 1 } })),
    { ...HI, ...USED, costUsd: 1.05 },
  ],
  [
    "a gateway that tells the cost",
    stream(...words, finish(), usage(12, 3, { cost: 0.25 })),
    { ...HI, ...USED, costUsd: 0.25 },
  ],
];

describe("a reply survives", () => {
  const server = serverForSuite();

  for (const [name, planned, expected] of CASES) {
    it(name, async () => {
      if (name.startsWith("bytes")) skipWithout("connections that keep their end");
      server().plan(planned);
      const model = openAiModel({
        baseUrl: server().baseUrl,
        apiKey: "test-key",
        model: "my-model",
        contextWindow: 8_000,
        timeoutSeconds: 60,
      });
      assert.deepEqual(await reply(model), expected);
    });
  }
});

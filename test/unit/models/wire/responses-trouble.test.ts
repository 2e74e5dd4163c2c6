import assert from "node:assert/strict";
import { join } from "node:path";
import { createLessonFile } from "../../../../src/models/chat/lesson-file.ts";
import { Lessons } from "../../../../src/models/chat/lessons.ts";
import { type Piece, refusal, type SeenRequest, serverForSuite } from "../../../support/fake-model-server.ts";
import { ofType } from "../../../support/rehearsal.ts";
import { type ItemEvent, scriptedResponses } from "../../../support/responses-rules.ts";
import { modelAt, patient, resumed, run, STEPS } from "../../../support/responses-runs.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

type Events = readonly ItemEvent[];
type Spoil = (events: Events) => readonly (ItemEvent | Piece)[];
type Response = Readonly<Record<string, unknown>> & { readonly output: readonly object[] };

/** The step whose reply is spoiled: twelve reads with reasoning between them. */
const SPOILED = 7;
const PAGE = "<!doctype html><p>Please sign in</p>";

const whole = (events: Events): Response => events.at(-1)?.response as Response;

/** The events up to the first of a type. */
const upTo = (events: Events, type: string): Events =>
  events.slice(0, events.findIndex((event) => event.type === type) + 1);

const insideCall = (events: Events): Events => upTo(events, "response.function_call_arguments.delta");

/** A reply that is given up in its middle, in one of the ways that `status` names. */
const givenUp =
  (status: string, more: object): Spoil =>
  (events) => [
    ...insideCall(events),
    { type: `response.${status}`, response: { ...whole(events), status, output: [], usage: null, ...more } },
  ];

const failed = (code: string, message: string): Spoil => givenUp("failed", { error: { code, message } });

const errorEvent =
  (more: object): Spoil =>
  (events) => [...insideCall(events), { type: "error", ...more }];

/** A reply that stops where the service lets it think or say no more. */
const incomplete =
  (reason: string, cut: (events: Events) => Events): Spoil =>
  (events) => [
    ...cut(events),
    {
      type: "response.incomplete",
      response: { ...whole(events), status: "incomplete", output: [], incomplete_details: { reason } },
    },
  ];

const NO = "I'm sorry, but I can't help with that.";

const refusing: Spoil = (events) => {
  const item = { id: "msg_no", type: "message", role: "assistant", status: "completed" };
  const content = [{ type: "refusal", refusal: NO }];
  const at = { output_index: 1, item_id: "msg_no", content_index: 0 };
  const output = [...whole(events).output.slice(0, 1), { ...item, content }];
  return [
    ...upTo(events, "response.output_item.done"),
    { type: "response.output_item.added", output_index: 1, item: { ...item, content: [] } },
    { type: "response.refusal.delta", ...at, delta: NO.slice(0, 9) },
    { type: "response.refusal.delta", ...at, delta: NO.slice(9) },
    { type: "response.refusal.done", ...at, refusal: NO },
    { type: "response.output_item.done", output_index: 1, item: { ...item, content } },
    { type: "response.completed", response: { ...whole(events), output } },
  ];
};

/** Spoiled once, the reply is asked for once more, and nothing else changes. */
const PASSING: readonly (readonly [name: string, spoil: Spoil])[] = [
  ["failure of the server", failed("server_error", "An error occurred while processing your request.")],
  ["failure without a word", givenUp("failed", { error: null })],
  ["limit on a rate", failed("rate_limit_exceeded", "Rate limit reached. Please try again in 20ms.")],
  ["failure in words of its own", failed("vector_store_timeout", "Timed out.")],
  ["demand to slow down", failed("slow_down", "Please slow down.")],
  ["prompt that is too long", failed("context_length_exceeded", "Your input exceeds the context window.")],
  ["cancellation", givenUp("cancelled", {})],
  ["error in its fields", errorEvent({ code: "server_error", message: "Sorry about that!", param: null })],
  ["error in an object", errorEvent({ error: { code: "internal_error", message: "Sorry.", param: null } })],
  ["error of an unknown kind", errorEvent({ code: "ERR_X", message: "It went wrong.", param: null })],
  ["end before its first item", (events) => events.slice(0, 1)],
  ["end of all", () => []],
  ["end in its reasoning", (events) => upTo(events, "response.output_item.added")],
  ["end after its reasoning", (events) => upTo(events, "response.output_item.done")],
  ["end in its arguments", insideCall],
  ["cut in its arguments", (events) => [...insideCall(events), "cut!"]],
  ["cut before its end is said", (events) => [...events.slice(0, -1), "cut!"]],
  [
    "limit on its length, in its reasoning",
    incomplete("max_output_tokens", (events) => upTo(events, "response.output_item.added")),
  ],
  ["limit on its length, in its arguments", incomplete("max_output_tokens", insideCall)],
];

/** The run stops at these with a sentence, and goes on from there once it's resumed. */
const STOPPING: readonly (readonly [name: string, spoil: Spoil, sentence: RegExp])[] = [
  ["no credit", failed("insufficient_quota", "You exceeded your current quota."), /out of credit/],
  [
    "a prompt against the rules",
    failed(
      "invalid_prompt",
      "Invalid prompt: your prompt was flagged as potentially violating our usage policy. Please try again with a different prompt.",
    ),
    /content filter withheld .*choose another model with "AutoGPT: Select Model…"/,
  ],
  ["a web page", () => [PAGE], /is a web page, not a chat API\. Correct autogpt\.model\.baseUrl/],
];

/** The model reads that its reply was withheld, and goes on with the next step. */
const WITHHELD: readonly (readonly [name: string, spoil: Spoil])[] = [
  ["a filter, before a word", incomplete("content_filter", (events) => events.slice(0, 1))],
  ["a filter, in a call", incomplete("content_filter", insideCall)],
  ["the model itself", refusing],
];

describe("a spoiled reply over Responses", () => {
  const server = serverForSuite();

  async function spoiled(spoil: Spoil, times = 1) {
    let left = times;
    const begun = server().requests.length;
    const rules = scriptedResponses();
    const shared = {
      rules,
      spoil: (events: Events, step: number) => (step === SPOILED && left-- > 0 ? spoil(events) : events),
    };
    const played = await run(server(), patient(modelAt(server().baseUrl)), shared);
    return { ...played, shared, requests: server().requests.length - begun };
  }

  const deedsOf = async (): Promise<readonly string[]> => (await run(server(), modelAt(server().baseUrl))).deeds;

  for (const [name, spoil] of PASSING)
    it(`is asked for once more after this: ${name}`, async () => {
      const { end, deeds, rules, requests, paths } = await spoiled(spoil);
      assert.deepEqual(
        { end, deeds, refused: rules.refused, requests, paths: [...new Set(paths)] },
        {
          ...{ end: "finished", deeds: await deedsOf(), refused: [], requests: STEPS + 1 },
          paths: ["/v1/responses"],
        },
      );
    });

  for (const [name, spoil, sentence] of STOPPING)
    it(`stops the run with a sentence, and loses nothing: ${name}`, async () => {
      const stopped = await spoiled(spoil);
      const { events, shared } = stopped;
      const model = modelAt(server().baseUrl);
      const { end, deeds, rules } = await run(server(), model, { ...shared, events: resumed({ events }) });
      assert.match(stopped.end, sentence);
      assert.deepEqual(
        { end, deeds: [...stopped.deeds, ...deeds], refused: rules.refused },
        { end: "finished", deeds: await deedsOf(), refused: [] },
      );
    });

  for (const [name, spoil] of WITHHELD)
    it(`that is withheld costs a step and nothing else: ${name}`, async () => {
      const { end, deeds, rules, requests, events } = await spoiled(spoil);
      const [reply] = ofType(events, "replied").filter(({ step }) => step === SPOILED);
      assert.deepEqual(
        {
          ...{ end, refused: rules.refused, requests, finish: reply?.finish, kind: reply?.reply.kind },
          deeds,
        },
        {
          ...{ end: "finished", refused: [], requests: STEPS, finish: "content_filter", kind: "unreadable" },
          deeds: (await deedsOf()).filter((deed) => !deed.startsWith(`read note ${SPOILED}`)),
        },
      );
    });

  it("that is a web page isn't taken for the lack of an API that has answered and that the user demands", async () => {
    const spoil = (events: Events, step: number) => (step === SPOILED ? [PAGE] : events);
    const { end } = await run(server(), modelAt(server().baseUrl, { api: "responses" }), { spoil });
    assert.match(end, /is a web page, not a chat API\. Correct autogpt\.model\.baseUrl/);
  });

  it("that lacks only the word for its end runs, as some servers leave it out", async () => {
    const { end, deeds, requests } = await spoiled((events) => events.slice(0, -1));
    assert.deepEqual({ end, deeds, requests }, { end: "finished", deeds: await deedsOf(), requests: STEPS });
  });

  it("that never comes whole ends the run with a sentence, and half a call never runs", async () => {
    const { end, deeds } = await spoiled(insideCall, Number.POSITIVE_INFINITY);
    assert.match(end, /was lost\. It said: "The reply ended in the middle of an item"\. It was tried 6 times/);
    assert.equal(deeds.filter((deed) => deed.startsWith(`read note ${SPOILED}`)).length, 0);
  });
});

/** Words of services that take their own reasoning no longer. */
const STALE: readonly (readonly [name: string, status: number, message: string, more: object])[] = [
  ["OpenAI", 400, "The encrypted content gAAA...DQ== could not be verified.", { code: "invalid_encrypted_content" }],
  [
    "OpenAI, of an item",
    404,
    "Item with id 'rs_0000000000003' not found. Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input.",
    { param: "input" },
  ],
  [
    "OpenAI, of its follower",
    400,
    "Item 'rs_0000000000003' of type 'reasoning' was provided without its required following item.",
    { param: "input" },
  ],
  [
    "Azure",
    400,
    "The encrypted content for item rs_0000000000003 could not be verified. Reason: Encrypted content organization_id did not match the target organization.",
    { code: "invalid_encrypted_content" },
  ],
];

describe("what a server over Responses doesn't take", () => {
  const server = serverForSuite();
  const newFolder = tempFolders();

  for (const [name, status, message, more] of STALE)
    it(`is left out once if it's old reasoning, and new reasoning goes back: ${name}`, async () => {
      let refused = 0;
      const rules = scriptedResponses();
      const model = modelAt(server().baseUrl);
      const { end, deeds, notices } = await run(server(), model, {
        rules,
        first: ({ body }, step) =>
          step >= 10 && JSON.stringify(body.input).includes("rs_0000000000003") && ++refused > 0
            ? refusal(status, message, more)
            : undefined,
      });
      const last = JSON.stringify(rules.bodies.at(-1)?.input);
      assert.deepEqual(
        {
          ...{ end, refused, deeds },
          notices: notices.map((text) => text.replace(/.* (?=refused)|, so .*/gs, "")),
          others: rules.refused,
          isNewSent: /rs_0{12}20/.test(last),
        },
        {
          ...{ end: "finished", refused: 1, others: [], isNewSent: true },
          notices: ["refused earlier reasoning of gpt-5.6-terra"],
          deeds: (await run(server(), modelAt(server().baseUrl))).deeds,
        },
      );
    });

  it("isn't asked for any more if it's the server's own reasoning each time, which is said once", async () => {
    const asked: boolean[] = [];
    const { end, notices } = await run(server(), modelAt(server().baseUrl), {
      first: ({ body }) => {
        if (/"encrypted_content"/.test(JSON.stringify(body.input)))
          return refusal(400, "The encrypted content gAAA could not be verified.");
        asked.push((body.include ?? []).length > 0);
        return undefined;
      },
    });
    assert.deepEqual(
      [end, notices.length, asked.slice(0, 3), asked.slice(3).some(Boolean)],
      ["finished", 1, [true, true, false], false],
    );
  });

  const GATEWAY = "http://127.0.0.1:4000/v1";
  const PLAIN_OUTPUTS: readonly (readonly [name: string, message: string])[] = [
    ["OpenAI's words", "Invalid type for 'input[3].output': expected a string, but got an array instead."],
    ["vLLM's", "body.input.3.FunctionCallOutput.output: Input should be a valid string"],
  ];
  for (const [name, message] of PLAIN_OUTPUTS)
    it(`follows in a message if it's a picture in a result: ${name}`, async () => {
      let refused = 0;
      const rules = scriptedResponses();
      const hasList = ({ input }: SeenRequest["body"]): boolean =>
        input.some(({ output }: { output?: unknown }) => Array.isArray(output));
      const { end, notices } = await run(server(), modelAt(server().baseUrl, { address: GATEWAY, api: "responses" }), {
        ...{ rules, hasPictures: true },
        first: ({ body }) => (hasList(body) && ++refused > 0 ? refusal(400, message) : undefined),
      });
      const last = rules.bodies.at(-1)?.input.flatMap(({ content }: { content?: unknown }) => content ?? []);
      assert.deepEqual(
        {
          ...{ end, notices, refused, others: rules.refused },
          pictures: last.some(({ type }: { type?: string }) => type === "input_image"),
        },
        { end: "finished", notices: [], refused: 1, others: [], pictures: true },
      );
    });

  it("is left out once if it's the phase of earlier words", async () => {
    let refused = 0;
    const message = "Unknown parameter: 'input[2].phase'.";
    const rules = scriptedResponses();
    const start = await run(server(), modelAt(server().baseUrl), { steps: 5, rules });
    const { end, replies, events } = await run(server(), modelAt(server().baseUrl), {
      ...{ events: resumed(start), rules },
      // Its server gives none.
      spoil: (events) => JSON.parse(JSON.stringify(events).replaceAll(/,"phase":"\w+"/g, "")),
      first: ({ body }) =>
        JSON.stringify(body.input).includes('"phase"') && ++refused > 0
          ? refusal(400, message, { code: "unknown_parameter" })
          : undefined,
    });
    assert.deepEqual(
      { end, replies, refused, compactions: ofType(events, "compacted").length },
      { end: "finished", replies: STEPS, refused: 1, compactions: 0 },
    );
  });

  /** Two processes, one after the other, with lessons in the same folder. */
  async function twice(
    options: Parameters<typeof modelAt>[1],
    running: Pick<NonNullable<Parameters<typeof run>[2]>, "first" | "format" | "thoughts">,
  ) {
    const folder = join(await newFolder(), "data");
    const play = async () => {
      const lessons = new Lessons(createLessonFile(folder));
      const begun = server().requests.length;
      const { end, notices, paths } = await run(server(), modelAt(server().baseUrl, { ...options, lessons }), running);
      await lessons.waitUntilSaved();
      const asked = server().requests.slice(begun);
      return { end, asked: asked.length, notices: notices.length, paths: [...new Set(paths)], asked_: asked };
    };
    const [first, second] = [await play(), await play()];
    return [first, second].map(({ asked_: requests, ...each }) => ({
      ...each,
      last: requests.at(-1)?.body as SeenRequest["body"],
    }));
  }

  it("is known to the next process: another API", async () => {
    const [first, second] = await twice(
      {},
      {
        first: ({ path }) => (path === "/v1/responses" ? { status: 404, pieces: ["404 page not found"] } : undefined),
      },
    );
    assert.deepEqual(
      [first, second].map((each) => each && { ...each, last: each.last.tools.length > 0 }),
      [
        {
          ...{ end: "finished", asked: STEPS + 1, notices: 1, last: true },
          paths: ["/v1/responses", "/v1/chat/completions"],
        },
        { end: "finished", asked: STEPS, notices: 0, paths: ["/v1/chat/completions"], last: true },
      ],
    );
  });

  const NO_VERBOSITY = refusal(
    400,
    "Unsupported value: 'low' is not supported with the 'gpt-5.6-terra' model. Supported values are: 'medium'.",
    { param: "text.verbosity", code: "unsupported_value" },
  );
  const NO_KEY = refusal(400, "Unknown parameter: 'prompt_cache_key'.", { param: "prompt_cache_key" });
  const NO_SCHEMA = refusal(
    400,
    "Invalid parameter: 'text.format' of type 'json_schema' is not supported with this model.",
    { param: "text.format" },
  );
  const NO_EFFORT = refusal(
    400,
    "Unsupported value: 'xhigh' is not supported with the 'gpt-5.6-terra' model. Supported values are: 'low', 'medium', and 'high'.",
    { param: "reasoning.effort", code: "unsupported_value" },
  );
  const LEARNED: readonly (readonly [
    name: string,
    isRefused: (body: SeenRequest["body"]) => boolean,
    answer: typeof NO_KEY,
    notices: number,
    left: object,
  ])[] = [
    ["few words", ({ text }) => text?.verbosity !== undefined, NO_VERBOSITY, 0, { verbosity: undefined }],
    ["a key for its cache", ({ prompt_cache_key: key }) => key !== undefined, NO_KEY, 0, { key: false }],
    ["a schema", ({ text }) => text?.format?.type === "json_schema", NO_SCHEMA, 1, { format: "json_object" }],
    ["an effort", ({ reasoning }) => reasoning?.effort === "xhigh", NO_EFFORT, 1, { effort: "high" }],
  ];
  for (const [name, isRefused, answer, notices, left] of LEARNED)
    it(`is known to the next process, and said where it matters: ${name}`, async () => {
      const processes = await twice(
        { effort: "xhigh" },
        {
          ...{ format: "jsonSchema", thoughts: "short" },
          first: ({ body }) => (isRefused(body) ? answer : undefined),
        },
      );
      const seen = processes.map(({ end, asked, notices: count, last }) => ({
        ...{ end, asked, notices: count, verbosity: last.text.verbosity, format: last.text.format.type },
        ...{ effort: last.reasoning.effort, key: last.prompt_cache_key !== undefined },
      }));
      const usual = { verbosity: "low", format: "json_schema", effort: "xhigh", key: true };
      assert.deepEqual(seen, [
        { end: "finished", asked: STEPS + 1, notices, ...usual, ...left },
        { end: "finished", asked: STEPS, notices: 0, ...usual, ...left },
      ]);
    });
});

import assert from "node:assert/strict";
import { createAllCommands } from "../../../src/commands/all.ts";
import { ContextBudget } from "../../../src/core/context/context-budget.ts";
import { recordModels } from "../../../src/core/events/run.ts";
import { rebuildStepPrompt } from "../../../src/core/prompt/prompt.ts";
import { FormatChoice } from "../../../src/core/reply/formats.ts";
import { openAiModel } from "../../../src/models/providers/openai.ts";
import { createNodeWorkspace } from "../../../src/node/workspace.ts";
import { replay } from "../../../src/runs/replay/replay.ts";
import { HELLO, reply, trouble } from "../../support/completing.ts";
import {
  type Answering,
  chunk,
  event,
  finish,
  json,
  llamaCppPython,
  refusal,
  type ServerAnswer,
  saying,
  serverForSuite,
  stream,
  whole,
} from "../../support/fake-model-server.ts";
import { ofType, rehearsal, rehearse } from "../../support/rehearsal.ts";

const COMMANDS = createAllCommands({ workspace: createNodeWorkspace({ folders: [] }) }).map(
  ({ name, description, parameters }) => ({ name, description, parameters }),
);
const TOLD = 16_000;
const REAL = 4_096;
const START = { commands: COMMANDS, model: { smart: "m", fast: "m", contextWindow: TOLD } };
const DONE = JSON.stringify({
  thoughts: { text: "Done." },
  command: { name: "task_complete", args: { title: "Done." } },
});
const look = (step: number) =>
  JSON.stringify({
    thoughts: { text: "n".repeat(1_500) },
    command: { name: "read_note", args: { title: `note ${step}` } },
  });

describe("a stock llama-cpp-python server with a smaller window than was guessed", () => {
  const server = serverForSuite();
  const model = () =>
    openAiModel({
      ...{ apiKey: "", model: "m", contextWindow: TOLD, timeoutSeconds: 60 },
      baseUrl: server().baseUrl,
    });
  const thinking = () => ({ model: model(), formats: new FormatChoice(["jsonSchema", "text", "tools"]) });

  it("is worked with: its JSON mode is used, and the run remembers the window", async () => {
    let steps = 0;
    server().plan(llamaCppPython(REAL, () => (++steps < 12 ? look(steps) : DONE)));
    const before = server().requests.length;
    const { log, end, run } = await rehearse({ answers: [], start: START, thinking: thinking() });
    const { maxReplyTokens: _, ...sent } = rebuildStepPrompt(log.events, 12) ?? { messages: [] };
    assert.deepEqual(
      {
        end: end.reason,
        window: run.state.model,
        isRarelyRefused:
          server()
            .requests.slice(before)
            .filter(({ body }) => body.stream === false).length <= 3,
        recorded: ofType(log.events, "changed").length,
        form: server().requests.at(-1)?.body.response_format.type,
        isRebuilt: JSON.stringify(server().requests.at(-1)?.body.messages) === JSON.stringify(sent.messages),
      },
      {
        end: "finished",
        window: { smart: "m", fast: "m", contextWindow: REAL, statedWindow: TOLD },
        isRarelyRefused: true,
        recorded: 1,
        form: "json_object",
        isRebuilt: true,
      },
    );
  });

  it("is asked for no more than its window after the run was resumed", async () => {
    let steps = 0;
    server().plan(llamaCppPython(REAL, () => (++steps < 5 ? look(steps) : DONE)));
    const first = await rehearse({ answers: [], start: START, thinking: thinking() });
    const later = first.log.events.slice(0, -1);
    const resumed = await rehearsal({ answers: [], events: later, thinking: thinking() });
    await recordModels(resumed.run, { smart: model(), fast: model() });
    const before = server().requests.length;
    await resumed.live.resume();
    await resumed.live.end;
    assert.deepEqual(
      [
        resumed.run.state.model.contextWindow,
        server()
          .requests.slice(before)
          .map(({ body }) => body.stream),
      ],
      [
        REAL,
        server()
          .requests.slice(before)
          .map(() => true),
      ],
    );
  });

  it("gives way to another window that the user sets", async () => {
    server().plan(llamaCppPython(REAL, () => DONE));
    const { run } = await rehearse({ answers: [], start: START, thinking: thinking() });
    const larger = { ...model(), contextWindow: 32_000 };
    await recordModels(run, { smart: larger, fast: larger });
    assert.deepEqual(run.state.model, { smart: "m", fast: "m", contextWindow: 32_000 });
  });

  it("leaves a recording that can be played again", async () => {
    let steps = 0;
    server().plan(llamaCppPython(REAL, () => (++steps < 6 ? look(steps) : DONE)));
    const { log } = await rehearse({ answers: [], start: START, thinking: thinking() });
    assert.equal((await replay(log.events)).differs, undefined);
  });
});

/** A server that takes so many characters of messages, and refuses longer ones. */
const taking =
  (most: number, refused: ServerAnswer, answer: () => string): Answering =>
  ({ body }) =>
    JSON.stringify(body.messages).length > most ? refused : saying(answer());

/** Answers to a prompt that is too long which don't say so in known words. */
const UNCLEAR: readonly (readonly [string, ServerAnswer])[] = [
  ["of a range", refusal(400, "Range of input length should be [1, 98304]")],
  [
    "of a sum that has the reply's limit in it",
    refusal(400, "input length and max_tokens exceed context limit: 186433 + 20000 > 200000"),
  ],
  ["of another parameter", refusal(400, "max_tokens plus the messages come to 9000, allowed are 8192")],
  ["in another language", refusal(400, "输入过长，请缩短后重试")],
  ["without a word", { status: 400, pieces: [] }],
  ["of 422", json(422, { detail: [{ loc: ["body", "messages"], msg: "Value error" }] })],
  ["of 500", refusal(500, "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 4200")],
  ["of 413 in JSON", json(413, { message: "Request size limit exceeded" })],
  [
    "of a proxy's page",
    { status: 413, headers: { "content-type": "text/html" }, pieces: ["<html>413 Too Large</html>"] },
  ],
  ["of 500 in another language", refusal(500, "输入过长")],
  ["of 503 by a machine that is full", refusal(503, "CUDA out of memory")],
  ["of 403", refusal(403, "Input of 131393 tokens is above the limit of 131072.")],
  ["of 431", { status: 431, pieces: [] }],
  ["of 429 that no minute ends", refusal(429, "Extra usage is required for long context requests.")],
  ["that names the schema, too", refusal(400, "Die Eingabe ist zu lang (Schema und Nachrichten)")],
  ["under a name of its own", json(200, { code: 1261, msg: "Prompt 超长" })],
  [
    "beside empty choices",
    json(200, { choices: null, base_resp: { status_code: 2013, status_msg: "Nicht angenommen" } }),
  ],
  ["in a list", json(200, { errors: [{ message: "AiError: 5007" }], success: false })],
  ["in place of a choice", stream({ choices: [{ index: 0, error: { code: 400, message: "Provider error" } }] })],
  ["as the reason of an end", stream(finish("model_context_window_exceeded"))],
  [
    "as the reason of an end after some words",
    stream(chunk({ content: '{"thoughts": {"te' }), finish("MODEL_CONTEXT_WINDOW_EXCEEDED")),
  ],
  ["by an empty stream", { pieces: [] }],
  ["by two replies without a word", stream(finish())],
  ["by two replies that end at a limit before a word", stream(finish("length"))],
  ["within the stream", { pieces: [event({ error: { message: "Request rejected by the upstream." } })] }],
];

describe("a prompt that is refused while it's the longest so far", () => {
  const server = serverForSuite();
  const model = () =>
    openAiModel({
      ...{ apiKey: "", model: "m", contextWindow: 64_000, timeoutSeconds: 60 },
      baseUrl: server().baseUrl,
    });
  const start = { commands: COMMANDS, model: { smart: "m", fast: "m", contextWindow: 64_000 } };
  const rehearsed = (answering: Answering) => {
    server().plan(answering);
    const formats = new FormatChoice(["jsonSchema", "text"]);
    const thinking = { model: model(), formats, contextBudget: new ContextBudget() };
    return rehearse({ answers: [], start, thinking });
  };

  for (const [name, refused] of UNCLEAR)
    it(`is compacted and sent once more, after a refusal ${name}`, async () => {
      let steps = 0;
      const before = server().requests.length;
      const { log, end } = await rehearsed(taking(20_000, refused, () => (++steps < 12 ? look(steps) : DONE)));
      assert.deepEqual(
        {
          end: end.reason,
          compacted: ofType(log.events, "compacted").length > 0,
          formats: new Set(ofType(log.events, "asked").map(({ format }) => format)),
          limits: new Set(
            server()
              .requests.slice(before)
              .map(({ body }) => "max_tokens" in body),
          ),
          replayed: (await replay(log.events)).differs,
        },
        {
          ...{ end: "finished", compacted: true, replayed: undefined },
          formats: new Set(["jsonSchema"]),
          limits: new Set([true]),
        },
      );
    });

  it("is compacted once for a server that says nothing anymore", async () => {
    let steps = 0;
    const { log, end } = await rehearsed(() => (++steps < 9 ? saying(look(steps)) : stream(finish())));
    assert.deepEqual([end.reason, ofType(log.events, "compacted").length], ["stuck", 1]);
  });

  it("and then as well ends with the server's words", async () => {
    let steps = 0;
    const broken = refusal(400, "Nichts geht mehr.");
    const { end } = await rehearsed(() => (++steps < 9 ? saying(look(steps)) : broken));
    assert.deepEqual(
      [end.reason, end.reason === "failed" && /Nichts geht mehr/.test(end.error), steps < 14],
      ["failed", true, true],
    );
  });

  it("is compacted even where its steps are short", async () => {
    let steps = 0;
    const short = JSON.stringify({
      thoughts: { text: "Go on." },
      command: { name: "read_note", args: { title: "note" } },
    });
    const { end, log } = await rehearsed(() => {
      steps += 1;
      if (steps === 6) return refusal(400, "No.");
      return saying(steps < 9 ? short.replace('note"', `note ${steps}"`) : DONE);
    });
    assert.deepEqual([end.reason, ofType(log.events, "compacted").length > 0], ["finished", true]);
  });

  it("for its bytes, twice, ends with advice about them", async () => {
    let steps = 0;
    const page = { status: 413, headers: { "content-type": "text/html" }, pieces: ["<html>413</html>"] };
    const { end } = await rehearsed(() => (++steps < 9 ? saying(look(steps)) : page));
    assert.deepEqual(
      end.reason === "failed" && end.error,
      `The request has too many bytes for ${server().baseUrl} or a proxy in front of it (413). Raise the size of requests that it accepts, or have the agent work with fewer and smaller files.`,
    );
  });

  it("is no reason to shorten a prompt if one as long was answered", async () => {
    let steps = 0;
    const { log, end } = await rehearsed(({ body }) => {
      if (steps === 9) return refusal(400, "Something else is wrong.");
      if (JSON.stringify(body.messages).length > 20_000) return refusal(400, "Too much.");
      return saying(++steps < 13 ? look(steps) : DONE);
    });
    const last = (type: string) => log.events.findLastIndex((one) => one.type === type);
    assert.deepEqual([end.reason, last("compacted") > 0, last("compacted") < last("ended")], ["failed", true, true]);
  });
});

describe("a stream that ends without a word", () => {
  const server = serverForSuite();
  const model = () =>
    openAiModel({
      ...{ apiKey: "k", model: "m", contextWindow: 8_000, timeoutSeconds: 60 },
      baseUrl: server().baseUrl,
    });

  it("is asked for again as a whole, which says why it was empty", async () => {
    server().plan(llamaCppPython(10, () => "never"));
    const { trouble: kind, message } = await trouble(model(), {
      messages: [{ role: "user", content: "word ".repeat(100) }],
      maxReplyTokens: 20,
    });
    assert.deepEqual([kind, /maximum context length is 10 tokens/.test(message)], ["context", true]);
  });

  it("is asked for again as a whole behind LiteLLM, which gives the stream an end", async () => {
    server().plan(
      stream(finish()),
      refusal(
        400,
        "litellm.ContextWindowExceededError: litellm.BadRequestError: ContextWindowExceededError: OpenAIException - This model's maximum context length is 2048 tokens. However, you requested 3291 tokens (3231 in the messages, 60 in the completion). Please reduce the length of the messages or completion.\nmodel=smol. context_window_fallbacks=None. fallbacks=None.",
        { type: "invalid_request_error", code: "400" },
      ),
    );
    const { trouble: kind, message } = await trouble(model());
    assert.deepEqual([kind, /maximum context length is 2048 tokens/.test(message)], ["context", true]);
  });

  it("and its reply as a whole, too, is an empty reply, and nothing is asked twice any more", async () => {
    const before = server().requests.length;
    server().plan(stream(finish()), json(200, whole("")), stream(finish()));
    const learning = model();
    const replies = [await reply(learning), await reply(learning)];
    assert.deepEqual(
      [replies.map(({ text, finish: end }) => [text, end]), server().requests.length - before],
      [
        [
          ["", "stop"],
          ["", "stop"],
        ],
        3,
      ],
    );
  });

  it("is asked for again as a whole, which may be the reply", async () => {
    server().plan(stream(), json(200, whole("Hi.")));
    const { text, finish, usage } = await reply(model(), HELLO);
    assert.deepEqual([text, finish, usage], ["Hi.", "stop", { input: 12, output: 3 }]);
  });

  it("is asked for as a whole no more once that was empty as well", async () => {
    const before = server().requests.length;
    server().plan(stream(), json(200, { choices: [] }), stream(), saying("Hi."));
    const learning = model();
    const kinds = [await trouble(learning), await trouble(learning)].map((told) => told.trouble);
    assert.deepEqual(
      [
        kinds,
        server()
          .requests.slice(before)
          .map(({ body }) => body.stream),
      ],
      [
        ["busy", "busy"],
        [true, false, true],
      ],
    );
  });
});

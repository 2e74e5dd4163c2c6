import assert from "node:assert/strict";
import { createCommandSet } from "../../../src/core/commands/command-set.ts";
import { ContextBudget } from "../../../src/core/context/context-budget.ts";
import type { Model, ReasoningEffort, ReplyFormat } from "../../../src/core/ports/model.ts";
import { FormatChoice } from "../../../src/core/reply/formats.ts";
import { createChatModel } from "../../../src/models/chat/chat-model.ts";
import type { Api } from "../../../src/models/chat/dialect.ts";
import { findModelFamily } from "../../../src/models/chat/families.ts";
import { Lessons } from "../../../src/models/chat/lessons.ts";
import { createOpenAiServer } from "../../../src/models/http/endpoint.ts";
import type { AgentEvent } from "../../../src/schema/events.ts";
import { writeInEnglish } from "../../../src/texts/display-text.ts";
import { readingCommands } from "../../support/fake-commands.ts";
import {
  callChunk,
  DONE,
  finish,
  type SeenRequest,
  type ServerAnswer,
  serverForSuite,
  stream,
} from "../../support/fake-model-server.ts";
import { MessagesService, SERVED, type ServedModel } from "../../support/messages-service.ts";
import { PICTURES } from "../../support/picture-files.ts";
import { allowReads, ofType, rehearsal } from "../../support/rehearsal.ts";
import { skipWithout } from "../../support/skips.ts";

type Body = SeenRequest["body"];
type Block = Parameters<MessagesService["answer"]>[2][number];

const ANTHROPIC = "https://api.anthropic.com/v1";
const STEPS = 30;
const picture = {
  name: "plan.png",
  file: "a.png",
  mediaType: "image/png",
  ...{ width: 5, height: 3, bytes: 80 },
  data: PICTURES.png,
} as const;

/** What the model does in turn: calls, with thinking before and between, or words that are no call. */
const KINDS = ["read", "reads", "write", "words first", "unreadable", "between", "redacted"] as const;

function blocksAt(step: number, body: Body, thinks: boolean): readonly Block[] {
  const kind = step >= STEPS - 1 ? "finish" : KINDS[step % KINDS.length];
  const thought = { type: "thinking", thinking: `Thought ${step}.` };
  const before = thinks ? [kind === "redacted" ? { type: "redacted_thinking" } : thought] : [];
  if (kind === "unreadable") return [...before, { type: "text", text: "No call today." }];
  const reads = kind === "reads" ? "read_file" : "read_note";
  const name = kind === "finish" ? "task_complete" : kind === "write" ? "write_note" : reads;
  const thoughts = { text: "On I go." };
  const title = `note ${step} ${"ü".repeat(body.tools ? 300 : 900)}`;
  if (!body.tools)
    return [...before, { type: "text", text: JSON.stringify({ thoughts, command: { name, args: { title } } }) }];
  const call = (index: number) => ({
    ...{ type: "tool_use", id: `toolu_${step}_${index}`, name },
    input: index === 0 ? { thoughts, title } : { title: `${title} ${index}` },
  });
  const words = { type: "text", text: "Let me look." };
  switch (kind) {
    case "reads":
      return [...before, ...Array.from({ length: 12 }, (_, index) => call(index))];
    case "words first":
      return [...before, words, call(0)];
    case "between":
      return thinks ? [...before, words, { ...thought, thinking: "And then?" }, call(0)] : [words, call(0)];
    default:
      return [...before, call(0)];
  }
}

/** True where the service thinks for a request. */
const thinksIn = ({ thinking }: Body, { thinksUnasked }: ServedModel): boolean =>
  thinking ? ["adaptive", "enabled"].includes(thinking.type) : thinksUnasked === true;

interface Playing {
  readonly model: ServedModel;
  readonly format: ReplyFormat;
  readonly effort?: ReasoningEffort;
  readonly window?: number;
  readonly service?: MessagesService;
  readonly events?: readonly AgentEvent[];
  readonly lessons?: Lessons;
  readonly wire?: Api;
  readonly cacheMinutes?: "auto" | "5" | "60";
  /** Minutes between two requests. */
  readonly pause?: number;
}

describe("a run of 30 steps over Messages", () => {
  const server = serverForSuite();
  before(() => skipWithout("connections that keep their end"));

  function modelOf({ model, effort, window = 200_000, lessons, wire = "messages", ...more }: Playing): Model {
    const { baseUrl } = server();
    const at = wire === "messages" ? ANTHROPIC : "http://127.0.0.1:4000/v1";
    return createChatModel({
      ...{ name: model.name, contextWindow: window, temperature: 0.2, reasoningEffort: effort, lessons },
      problem: undefined,
      server: createOpenAiServer(baseUrl, { model: model.name, apiKey: "sk-ant-test", timeoutSeconds: 60 }),
      family: findModelFamily(model.name, at, effort, wire),
      ...(more.cacheMinutes ? { cacheMinutes: more.cacheMinutes } : {}),
      connection: { baseUrl, apiKey: "sk-ant-test" },
    });
  }

  /** Plays a run, or goes on with one. */
  async function play(playing: Playing) {
    const { model: served, format, service = new MessagesService(), window = 200_000, events, pause = 0 } = playing;
    const model = modelOf(playing);
    const notices: string[] = [];
    const done = await rehearsal({
      answers: [],
      approver: allowReads,
      parts: { commands: createCommandSet(readingCommands([])) },
      start: { model: { smart: "m", fast: "m", contextWindow: window }, attached: [picture] },
      ...(events ? { events } : {}),
      thinking: {
        model,
        formats: new FormatChoice([format]),
        contextBudget: new ContextBudget({ getFastModel: () => model }),
        notice: (text, kind) => void notices.push(`${kind}: ${writeInEnglish(text)}`),
      },
    });
    server().plan((request): ServerAnswer => {
      const { body } = request;
      service.minutes += pause;
      const isStep = JSON.stringify(body.system ?? body.messages[0]).includes("You are Scribe");
      const step = ofType(done.log.events, "replied").length;
      if (request.path.endsWith("/chat/completions")) return chatReply(step, body);
      const blocks = isStep
        ? blocksAt(step, body, thinksIn(body, served))
        : [{ type: "text", text: "They read some notes." }];
      return service.answer(request, served, blocks);
    });
    done.live.resume();
    const end = await done.live.end;
    const ofKind = (type: "replied" | "compacted"): number => ofType(done.log.events, type).length;
    return {
      end: end.reason === "failed" ? end.error : end.reason,
      steps: ofKind("replied"),
      compactions: ofKind("compacted"),
      refusals: service.refusals,
      notices,
      service,
      log: done.log.events,
      formats: [...new Set(ofType(done.log.events, "replied").map((each) => each.format))],
    };
  }

  function chatReply(step: number, body: Body): ServerAnswer {
    const [block] = blocksAt(step, body, false).filter(({ type }) => type === "tool_use") as Body[];
    if (!block) return stream({ choices: [{ index: 0, delta: { content: "No call today." } }] }, finish(), DONE);
    const call = { index: 0, id: block.id, name: block.name, arguments: JSON.stringify(block.input) };
    return stream(callChunk(call), finish("tool_calls"), DONE);
  }

  const EFFORTS = {
    haiku45: "low",
    sonnet46: "xhigh",
    opus48: "max",
    sonnet5: "auto",
    opus55: "none",
  } as const;
  const CASES: readonly (readonly [ServedModel, ReasoningEffort])[] = [
    ...Object.entries(EFFORTS).map(([name, effort]) => [SERVED[name as keyof typeof EFFORTS], effort] as const),
    [SERVED.haiku45, "auto"],
    [SERVED.sonnet46, "auto"],
    [SERVED.opus48, "none"],
    [SERVED.sonnet5, "none"],
    [SERVED.sonnet55, "none"],
    [SERVED.sonnet55, "medium"],
    [SERVED.fable52, "high"],
  ];

  for (const [model, effort] of CASES)
    for (const format of ["tools", "jsonSchema", "text"] as const)
      it(`needs no refusal: ${model.name} with the effort "${effort}", ${format}`, async () => {
        const { end, steps, refusals, formats, service } = await play({ model, effort, format });
        const share = service.readShare(2 * model.minimum);
        assert.deepEqual(
          { end, steps, refusals, formats, isRead: share > 0.85 },
          { end: "finished", steps: STEPS, refusals: [], formats: [format], isRead: true },
          `read ${share}`,
        );
      });

  for (const format of ["tools", "jsonSchema", "text"] as const)
    it(`needs no refusal with a window that is too small for it, ${format}`, async () => {
      for (const model of [SERVED.sonnet46, SERVED.opus48]) {
        const { end, steps, refusals, compactions } = await play({
          ...{ model, format, effort: "low", window: 9_000 },
        });
        assert.deepEqual(
          { end, steps, refusals, isCompacted: compactions > 0 },
          { end: "finished", steps: STEPS, refusals: [], isCompacted: true },
        );
      }
    });

  it("needs no refusal when it is resumed, and continues over another API and with another model and back", async () => {
    for (const [model, other] of [
      [SERVED.sonnet46, SERVED.opus48],
      [SERVED.haiku45, SERVED.sonnet5],
    ] as const) {
      const service = new MessagesService();
      const shared = { format: "tools", effort: "low", service } as const;
      const upTo = (log: readonly AgentEvent[], step: number): readonly AgentEvent[] =>
        log.slice(0, log.findIndex((each) => each.type === "ended" && each.step === step) + 1);
      let events = upTo((await play({ ...shared, model })).log, 5);
      const path = [
        [model, "messages"],
        [model, "chat"],
        [model, "messages"],
        [other, "messages"],
        [model, "messages"],
      ] as const;
      for (const [index, [next, wire]] of path.entries())
        events = upTo((await play({ ...shared, model: next, wire, events })).log, 10 + index * 4);
      const { end, steps } = await play({ ...shared, model, events });
      assert.deepEqual({ end, steps, refusals: service.refusals }, { end: "finished", steps: STEPS, refusals: [] });
    }
  });

  it("sends back thinking in its place among words and calls, and leaves that of another model out", async () => {
    const { log, service } = await play({ model: SERVED.sonnet46, format: "tools", effort: "low" });
    const kinds = (body: Body): string =>
      body.messages
        .filter(({ role }: Body) => role === "assistant")
        .map(({ content }: Body) => content.map(({ type }: Block) => type.replace(/_?thinking/, "T")).join(" "))
        .join(", ");
    const other = new MessagesService();
    const half = log.slice(0, log.findIndex((each) => each.type === "ended" && each.step === 7) + 1);
    await play({ model: SERVED.opus48, format: "tools", effort: "low", service: other, events: half });
    const own = kinds(service.bodies[7]);
    assert.deepEqual(
      [own, kinds(other.bodies[0])],
      [
        "T tool_use, T tool_use tool_use tool_use tool_use tool_use tool_use tool_use tool_use tool_use tool_use tool_use tool_use, T tool_use, T text tool_use, text, T text T tool_use, redactedT tool_use",
        own.replaceAll(/(redacted)?T /g, ""),
      ],
    );
  });

  it("learns once that thinking is bound to the bytes before it", async () => {
    const model = { ...SERVED.opus55, bindsThinking: true } as const;
    const lessons = new Lessons();
    const first = await play({ model, format: "tools", lessons });
    const second = await play({ model, format: "tools", lessons });
    assert.deepEqual(
      [first.end, first.steps, first.refusals.length, second.end, second.refusals],
      ["finished", STEPS, 1, "finished", []],
    );
  });

  it("learns that a server takes no marks, or none for an hour, and says so once", async () => {
    const played = async (refuses: "all" | "hours") => {
      const service = new MessagesService();
      service.refusesMarks = refuses;
      const { end, refusals, notices } = await play({ model: SERVED.sonnet46, format: "tools", service });
      const marks = JSON.stringify(service.bodies.at(-1)).match(/"cache_control":\{[^}]*\}/g) ?? [];
      const said = notices.map(
        (text) => /^warning: .* (may cost their full price|for five minutes only)\b/.exec(text)?.[1],
      );
      return [end, refusals.length, said, ...marks];
    };
    const short = '"cache_control":{"type":"ephemeral"}';
    assert.deepEqual(
      [await played("all"), await played("hours")],
      [
        ["finished", 1, ["may cost their full price"]],
        ["finished", 1, ["for five minutes only"], short, short, short, short],
      ],
    );
  });

  it("begins each prompt with all that the prompt before it marked, byte for byte", async () => {
    for (const format of ["tools", "jsonSchema", "text"] as const) {
      const { service } = await play({ model: SERVED.sonnet46, format, effort: "low" });
      const prompts = service.bodies.map(blocksOf);
      const broken = prompts.flatMap((blocks, step) => {
        const marked = blocks.slice(0, blocks.findLastIndex(({ mark }) => mark !== undefined) + 1);
        const next = prompts[step + 1];
        return !next || marked.every(({ text }, index) => next[index]?.text === text) ? [] : [step];
      });
      assert.deepEqual({ broken, prompts: prompts.length }, { broken: [], prompts: STEPS });
    }
  });

  it("is read from the cache even after many blocks in one step, and after a person's break", async () => {
    const share = async (more: Partial<Playing>): Promise<number> => {
      const { service } = await play({ model: SERVED.opus48, format: "tools", ...more });
      return service.readShare(2 * SERVED.opus48.minimum);
    };
    const shares = {
      quick: await share({}),
      withBreaks: await share({ pause: 20 }),
      shortWithBreaks: await share({ pause: 20, cacheMinutes: "5" }),
      longBreaks: await share({ pause: 90 }),
    };
    assert.deepEqual(
      {
        quick: shares.quick > 0.85,
        withBreaks: shares.withBreaks > 0.85,
        shortWithBreaks: shares.shortWithBreaks,
        longBreaks: shares.longBreaks,
      },
      { quick: true, withBreaks: true, shortWithBreaks: 0, longBreaks: 0 },
      JSON.stringify(shares),
    );
  });
});

/** The blocks of a prompt in their order, and their marks. */
function blocksOf({ tools = [], system, messages }: Body) {
  const all = [...tools, ...system, ...messages.flatMap(({ content }: Body) => content)];
  return all.map(({ cache_control: mark, ...block }: Body) => ({ text: JSON.stringify(block), mark }));
}

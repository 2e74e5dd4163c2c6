import { PauseGate } from "../../core/base/async.ts";
import { omitUndefined } from "../../core/base/objects.ts";
import { NOTHING_RESERVED } from "../../core/budget/reserved-budget.ts";
import type { PreparedCall } from "../../core/commands/command.ts";
import type { CommandSet } from "../../core/commands/command-set.ts";
import { getOutcomeText, type Outcome, setOutcomeText } from "../../core/commands/outcome.ts";
import { Run } from "../../core/events/run.ts";
import { OPENING } from "../../core/events/run-state.ts";
import { runAgent } from "../../core/loop/agent.ts";
import type { ThinkDependencies } from "../../core/loop/think.ts";
import type { Approver } from "../../core/ports/approver.ts";
import { type Completion, type Model, ModelError } from "../../core/ports/model.ts";
import type { RunLog } from "../../core/ports/storage.ts";
import type { FormatSelector } from "../../core/reply/formats.ts";
import { type Proposal, REPLY_FORMATS } from "../../core/reply/reply.ts";
import { getStrategy } from "../../core/strategies/strategies.ts";
import type { AgentEvent, AgentEventBody } from "../../schema/events.ts";
import { Tape } from "./tape.ts";

/** The result of a replay. */
export interface Replayed {
  /** The events of the replay. */
  readonly events: readonly AgentEvent[];
  /** The number of the first event that differs from the recording; undefined if all are equal. */
  readonly differs?: number;
}

/** The recording was cut off here, by a crash or a stop, and continues with the next attempt. */
class CutOff extends Error {}

/**
 * Replays a recorded run: the same loop, with recorded replies, decisions and outcomes in place of model, user and commands.
 * Nothing is asked, sent or changed. The events equal the recorded ones, unless the program's behavior has changed.
 */
export async function replay(events: readonly AgentEvent[]): Promise<Replayed> {
  const tape = new Tape(events);
  const [started] = events;
  if (started?.type !== "started") throw new Error("The recording doesn't begin with the start of a run.");
  const replayed: AgentEvent[] = [started];
  const log = createRecorder(replayed, events, tape);
  const run = Run.openStored(log, [started], () => new Date(tape.next?.at ?? started.at));
  const findDifferenceIndex = () => replayed.findIndex((event, index) => !isSame(event, events[index]));
  const { signal } = new AbortController();
  while (tape.next && findDifferenceIndex() === -1) {
    const before = replayed.length;
    await playOn(run, tape, signal);
    if (replayed.length === before) break;
  }
  const first = findDifferenceIndex();
  const at = first === -1 && replayed.length < events.length ? replayed.length : first;
  return { events: replayed, ...(at === -1 ? {} : { differs: at }) };
}

/** A gate that opens again immediately, because a replay doesn't wait for the user. */
class OpenGate extends PauseGate {
  override async waitUntilOpen(): Promise<void> {
    this.open();
  }
}

/** Plays until the recording ends, was cut off, or was resumed after an end. */
async function playOn(run: Run, tape: Tape, signal: AbortSignal): Promise<void> {
  try {
    await recordSideEvents(run, tape);
    if (tape.next && tape.next.type !== "over") await runAgent(run, createReplayParts(run, tape), signal);
  } catch (error) {
    if (!(error instanceof CutOff)) throw error;
  }
  if (tape.next?.type === "over") await run.record(getEventBody(tape.next));
}

/** Records the events that came from outside at this moment. */
async function recordSideEvents(run: Run, tape: Tape): Promise<void> {
  while (tape.isBeside && tape.next) await run.record(getEventBody(tape.next));
}

/** The number of times that the user has changed the arguments of the current call. */
interface Edits {
  count: number;
}

function createReplayParts(run: Run, tape: Tape) {
  const replaySideEvents = () => recordSideEvents(run, tape);
  const edits: Edits = { count: 0 };
  return {
    thinking: createThinking(run, tape, replaySideEvents),
    commands: createCommands(tape, edits, replaySideEvents),
    approver: createApprover(tape, edits, replaySideEvents),
    gate: new OpenGate(),
    selectOpeningCalls: async () => {
      await replaySideEvents();
      const { next } = tape;
      if (next?.type !== "replied" || next.of !== OPENING || next.reply.kind !== "proposal") return [];
      return [next.reply.call, ...(next.reply.also ?? [])];
    },
    prepareNextCall: async () => {
      await replaySideEvents();
      const { next } = tape;
      if (run.state.next && !(next?.type === "replied" && next.of !== undefined)) throw new CutOff();
    },
    pausesOnTrouble: tape.hasHelp,
    reportOutput: () => undefined,
  };
}

function createThinking(run: Run, tape: Tape, beside: () => Promise<void>): ThinkDependencies {
  const { smart: name, contextWindow } = run.state.model;
  const { listRemarks } = getStrategy(run.head.strategy);
  const findAskedEvent = () => (tape.nextStage?.type === "asked" ? tape.nextStage : undefined);
  const model: Model = {
    name,
    contextWindow,
    formats: REPLY_FORMATS,
    async complete(): Promise<Completion> {
      await beside();
      const replied = tape.next;
      if (replied?.type === "compacted") throw new ModelError("context", "recorded");
      if (replied?.type !== "replied") throw new CutOff();
      const { text, calls, reasoning, sentBack, finish, model: of, usage, costUsd } = replied;
      return {
        text,
        calls,
        ...omitUndefined({ reasoning, sentBack }),
        finish,
        model: of,
        ...omitUndefined({ usage, costUsd }),
      };
    },
  };
  return {
    model,
    formats: createFormatSelector(tape),
    get thoughts() {
      return tape.nextAsked?.thoughts ?? "full";
    },
    ...omitUndefined({ listStrategyRemarks: listRemarks }),
    understand: (reply) => applyRecordedCalls(tape.next, reply),
    findPromptTime: () => findAskedEvent()?.tail.time,
    recall: async () => {
      await beside();
      if (!tape.next) throw new CutOff();
      return findAskedEvent()?.tail.recalled ?? [];
    },
    contextBudget: createContextBudget(tape, beside),
  };
}

/** The recorded formats; a failed request is played as one that was cut off. */
function createFormatSelector(tape: Tape): FormatSelector {
  return {
    get current() {
      return tape.nextAsked?.format ?? "text";
    },
    get doWordsEnd() {
      return tape.next?.type !== "replied" || tape.next.reply.kind === "proposal";
    },
    handleTrouble(error) {
      throw error;
    },
    handleAnswer: () => undefined,
    handleReply: () => undefined,
    handleEndlessReply: () => false,
    fit: () => undefined,
  };
}

/** Compacts and stops where the recording did, because token counts aren't recorded. */
function createContextBudget(tape: Tape, beside: () => Promise<void>): NonNullable<ThinkDependencies["contextBudget"]> {
  const fold = async (run: Run): Promise<boolean> => {
    if (tape.next?.type !== "compacted") return false;
    await run.record(getEventBody(tape.next));
    return true;
  };
  return {
    async fit(run, { tail }) {
      do await beside();
      while (await fold(run));
      const { next } = tape;
      if (next?.type === "over" && next.end.reason === "exhausted") return next.end.limit;
      const { time: _, ...rest } = tail;
      const { time, recalled } = next?.type === "asked" ? next.tail : { time: tail.time, recalled: [] };
      const size = next?.type === "asked" && next.tokens !== undefined ? { tokens: next.tokens } : {};
      return {
        tail: { ...omitUndefined({ time }), ...rest, recalled },
        maxReplyTokens: 0,
        ...size,
      };
    },
    learn: () => undefined,
    isSilent: false,
    getReservedBudget: () => NOTHING_RESERVED,
    handleRefusal: async (run) => void (await fold(run)),
    narrowModelWindow: () => undefined,
    close: async () => undefined,
  };
}

function createApprover(tape: Tape, edits: Edits, beside: () => Promise<void>): Approver {
  return {
    decideWithoutAsking: async () => ({ decision: { allow: true }, by: "rule", reason: "recorded" }),
    async decide({ step, approved }) {
      await beside();
      if (approved && wasGivenUp(tape, edits.count, step)) return "again";
      const decided = tape.next;
      if (decided?.type !== "decided" || decided.step !== step) throw new CutOff();
      const { allow, by, rule, reason, feedback = "", args, edited } = decided;
      if (args) edits.count += 1;
      const decision = allow
        ? { allow, ...omitUndefined({ args }), ...(edited ? { accepted: "" } : {}) }
        : { allow, feedback };
      return { decision, by, reason, ...omitUndefined({ rule }) };
    },
  };
}

function createCommands(tape: Tape, edits: Edits, beside: () => Promise<void>): CommandSet {
  const replayOutcome = async (step: number, further?: number): Promise<Outcome> => {
    await beside();
    const ended = tape.next;
    if (ended?.type !== "ended" || ended.step !== step) throw new CutOff();
    if (further === undefined) return stripNotes(ended.outcome, edits.count);
    const outcome = ended.also?.[further];
    if (!outcome) throw new CutOff();
    return outcome;
  };
  return {
    specs: [],
    withheld: [],
    add: () => undefined,
    resolve: () => {
      const { next } = tape;
      return next?.type === "replied" && next.reply.kind === "proposal" ? next.reply.call.name : undefined;
    },
    understand(call) {
      edits.count = 0;
      const began = tape.nextStage?.type === "decided" ? tape.findNextEvent("began", tape.nextStage.step) : undefined;
      const edited = tape.nextStage?.type === "decided" && tape.nextStage.args !== undefined;
      return { call: began ? { name: began.command, args: edited ? call.args : began.args } : call };
    },
    async prepare(_call, { step, further }) {
      await beside();
      const getOutcome = () => replayOutcome(step, further);
      return tape.nextStage?.type === "ended" ? getOutcome() : createPreparedCall(tape, getOutcome);
    },
    run: (prepared, running) => prepared.run(running),
  };
}

/** Applies the recorded calls to a reply, as they were understood. */
function applyRecordedCalls(next: AgentEvent | undefined, reply: Proposal): Proposal {
  if (next?.type !== "replied" || next.reply.kind !== "proposal") return reply;
  const { thoughts: _thoughts, ...calls } = next.reply;
  return { ...calls, thoughts: reply.thoughts };
}

function createPreparedCall(tape: Tape, outcome: () => Promise<Outcome>): PreparedCall {
  return {
    effect: "read",
    preview: { kind: "details", text: "" },
    touches: [],
    fresh: async () => tape.nextStage?.type === "began",
    run: outcome,
  };
}

/** True if the user's changed arguments were shown once more: the outcome mentions fewer changes than were made. */
function wasGivenUp(tape: Tape, edits: number, step: number): boolean {
  const ended = tape.findNextEvent("ended", step);
  const text = ended ? getOutcomeText(ended.outcome) : "";
  const told = NOTES.exec(text)?.[0].split("The user changed your arguments to ").length ?? 1;
  return edits + tape.countEdits(step) > told - 1;
}

const NOTES = /^(?:The user changed your arguments to .*?\.[\n ])*/s;

/** The recorded outcome without notes on changed arguments, because the loop adds them itself. */
function stripNotes(outcome: Outcome, notes: number): Outcome {
  if (notes === 0 || (outcome.status !== "done" && outcome.status !== "failed")) return outcome;
  const note = /^The user changed your arguments to .*?\.[\n ]/s;
  return stripNotes(setOutcomeText(outcome, getOutcomeText(outcome).replace(note, "")), notes - 1);
}

/** Collects the events, with the recorded hashes of previews: previews aren't stored, so they can't be hashed again. */
function createRecorder(replayed: AgentEvent[], recorded: readonly AgentEvent[], tape: Tape): RunLog {
  return {
    async append(event) {
      const before = recorded[replayed.length];
      const hash = before?.type === "decided" ? before.hash : undefined;
      const kept = event.type === "decided" && hash !== undefined ? { ...event, hash } : event;
      replayed.push(kept);
      tape.advance();
      return kept;
    },
    sync: async () => undefined,
    close: async () => undefined,
  };
}

function getEventBody({ seq: _seq, at: _at, ...body }: AgentEvent): AgentEventBody {
  return body as AgentEventBody;
}

function isSame(one: AgentEvent, other: AgentEvent | undefined): boolean {
  return other !== undefined && JSON.stringify(sortFields(one)) === JSON.stringify(sortFields(other));
}

/** A value with sorted fields, so that JSON texts can be compared. */
function sortFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortFields);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return fields.toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([name, field]) => [name, sortFields(field)]);
}

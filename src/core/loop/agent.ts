import { convertToStoredText, type DisplayText, displayText, writeInEnglish } from "../../texts/display-text.ts";
import type { PauseGate } from "../base/async.ts";
import { computeTimeLeftMs, findExhaustedLimit } from "../budget/budget.ts";
import { isPrepared, type PrepareContext } from "../commands/command.ts";
import type { CommandSet } from "../commands/command-set.ts";
import { COMMAND } from "../commands/command-traits.ts";
import type { Outcome, RunEnd } from "../commands/outcome.ts";
import type { CompactionRequests } from "../context/compaction-requests.ts";
import { listAnswerPages } from "../events/read-pages.ts";
import type { Run } from "../events/run.ts";
import { getCurrentStep, wasAllRefused } from "../events/run-state.ts";
import { BudgetSpent, ModelError } from "../ports/model.ts";
import { addTestsCall, normalizeReply } from "../reply/further-calls.ts";
import type { Call, Proposal } from "../reply/reply.ts";
import { type ActDependencies, decideAndAct, resolveInterruptedStep } from "./act.ts";
import { correctEndClaim, findDoubtAboutEnd, findEndAfterFailure, findRepeatOutcome } from "./ending.ts";
import { explainLoopPause, explainMissedSteps, explainStuckRun, findLoop, selectGuardedSteps } from "./loop-guard.ts";
import { NextCalls } from "./next-calls.ts";
import { requestStepReply, type ThinkDependencies } from "./think.ts";

/** The parts of an agent. Everything else wraps one of them or reads the run's events. */
export interface AgentDependencies extends ActDependencies {
  readonly thinking: ThinkDependencies;
  readonly gate: PauseGate;
  readonly compactions?: CompactionRequests;
  /** Trouble pauses the run instead of ending it, because a person can help. */
  readonly pausesOnTrouble: boolean;
  /** Selects calls that read files before asking a model that replies in whole files; none if there are no files to read. */
  selectOpeningCalls?(): Promise<readonly Call[]>;
  /** Called before the next call of a reply is proposed; a replay ends there if the recording does. */
  prepareNextCall?(): Promise<void>;
  /** Sub-agents, which stop before the end of this run is written. */
  readonly agents?: { stop(): Promise<void> };
}

/** Why a run stops without an end, so that it can be resumed later. */
export class SuspensionError extends Error {
  constructor() {
    super("The program is closing.");
  }
}

/** Thinks, gets the proposal approved, acts and records until the run is over. Resumes wherever the events left off. */
export async function runAgent(run: Run, parts: AgentDependencies, signal: AbortSignal): Promise<RunEnd> {
  const next = new NextCalls();
  for (;;) {
    await pauseWhileAsked(run, parts.gate, signal);
    const { open } = run.state;
    const reply = open?.reply;
    if (open?.stage === "began") {
      const outcomes = await resolveInterruptedStep(run, open, parts, signal);
      await run.record({ type: "ended", step: open.step, ...outcomes });
    } else if (open && reply?.kind === "unreadable") {
      await run.record({
        type: "ended",
        step: open.step,
        outcome: { status: "failed", error: reply.problem },
      });
    } else if (open && reply?.kind === "proposal") {
      await next.look(open, parts.commands, signal);
      const stale = await next.findStaleOutcome(open);
      const end = await settle(run, open.step, reply, parts, signal, stale);
      if (end) return end;
    } else {
      const end = open ? undefined : endOrPauseBeforeStep(run, parts);
      if (end) return end;
      if (parts.gate.reason !== undefined) continue;
      if (run.state.next) await parts.prepareNextCall?.();
      if (await next.propose(run)) continue;
      const isOpening = parts.thinking.formats.current === "files" && !run.state.isOpened;
      if (isOpening && (await next.proposeOpening(run, parts.selectOpeningCalls))) continue;
      const spent = await thinkOrPause(run, parts, signal);
      if (spent) return spent;
    }
  }
}

/** Ends the run before the next step if the task is complete, the budget is spent or the agent is stuck. */
function endOrPauseBeforeStep(run: Run, { gate, pausesOnTrouble }: AgentDependencies): RunEnd | undefined {
  const { totals, limits } = run.state;
  const steps = selectGuardedSteps(run.state);
  const last = steps.at(-1)?.outcome;
  if (last?.status === "finished") return createFinishedEnd(run, last.summary);
  const limit = findExhaustedLimit(totals, limits);
  if (limit) return { reason: "exhausted", limit };
  const why = explainMissedSteps(steps);
  if (why !== undefined) return createStuckEnd(why);
  const finding = findLoop(steps);
  if (finding?.kind !== "pause") return undefined;
  if (!pausesOnTrouble) return createStuckEnd(explainStuckRun(finding));
  gate.close(explainLoopPause(finding));
  return undefined;
}

/** Thinks, or pauses on a model error. Returns the end if the call could exceed a limit; in that case the model isn't asked. */
async function thinkOrPause(run: Run, parts: AgentDependencies, signal: AbortSignal): Promise<RunEnd | undefined> {
  try {
    const { thinking, commands, compactions } = parts;
    const at = { step: getCurrentStep(run.state), signal };
    const tests = thinking.formats.current === "files" ? await findTestsCall(commands, at) : undefined;
    const understand = (reply: Proposal): Proposal => normalizeReply(addTestsCall(reply, tests), commands.understand);
    const requests = compactions ? { compactions } : {};
    const hooks = parts.hooks ? { hooks: parts.hooks } : {};
    const all = { understand, resolve: commands.resolve, ...thinking, ...requests, ...hooks };
    const limit = await requestStepReply(run, getCurrentStep(run.state), mergeChangingParts(all, thinking), signal);
    return limit && { reason: "exhausted", limit };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof BudgetSpent) return { reason: "exhausted", limit: "usd", budget: error.budget };
    if (!(error instanceof ModelError)) throw error;
    if (!parts.pausesOnTrouble && (error.waitMs ?? 0) > (computeTimeLeftMs(run.state) ?? Number.POSITIVE_INFINITY)) {
      parts.thinking.notice?.(error.text);
      return { reason: "exhausted", limit: "minutes" };
    }
    if (!parts.pausesOnTrouble) throw error;
    parts.gate.close(error.text);
    return undefined;
  }
}

/** A call that runs the tests of the workspace; undefined if there are none. */
async function findTestsCall(commands: CommandSet, at: PrepareContext): Promise<Call | undefined> {
  const call = { name: COMMAND.tests, args: {} };
  const isOffered = commands.specs.some(({ name }) => name === call.name);
  return isOffered && isPrepared(await commands.prepare(call, at)) ? call : undefined;
}

/** Merges the parts that can change while a step thinks, because another model may take over. */
function mergeChangingParts(all: ThinkDependencies, changing: ThinkDependencies): ThinkDependencies {
  return {
    ...all,
    get model() {
      return changing.model;
    },
    get formats() {
      return changing.formats;
    },
    get thoughts() {
      return changing.thoughts;
    },
  };
}

async function settle(
  run: Run,
  step: number,
  proposal: Proposal,
  parts: AgentDependencies,
  signal: AbortSignal,
  stale: Outcome | undefined,
): Promise<RunEnd | undefined> {
  const { call } = parts.commands.understand(proposal.call);
  const repeat = proposal.also ? undefined : findRepeatOutcome(selectGuardedSteps(run.state), call);
  const isInFiles = parts.thinking.formats.current === "files";
  const known = stale ?? repeat ?? (isInFiles ? findEndAfterFailure(selectGuardedSteps(run.state), call) : undefined);
  const outcomes = known ? { outcome: known } : await decideAndAct(run, step, proposal, call, parts, signal);
  if (!outcomes) return undefined;
  // The user didn't stop the command. It's declared as interrupted when the run continues, as after a crash.
  if (outcomes.outcome.status === "failed" && signal.reason instanceof SuspensionError) throw signal.reason;
  const outcome = await reviewEnd(run, outcomes.outcome, parts, signal);
  await run.record({ type: "ended", step, ...outcomes, outcome });
  return outcome.status === "finished" ? createFinishedEnd(run, outcome.summary) : undefined;
}

/** Returns the outcome, or refuses the end if a hook or a doubt asks the run to go on. */
async function reviewEnd(
  { state }: Run,
  outcome: Outcome,
  { hooks, thinking }: AgentDependencies,
  signal: AbortSignal,
): Promise<Outcome> {
  if (outcome.status !== "finished") return outcome;
  const doubt = findDoubtAboutEnd(state, thinking.formats.current === "files");
  if (doubt !== undefined) return { status: "refused", feedback: doubt };
  const why = await hooks?.goOn(outcome.summary, signal);
  if (why !== undefined) return { status: "refused", feedback: `The run isn't over yet.\n${why}` };
  return thinking.formats.doWordsEnd ? correctEndClaim(state, outcome) : outcome;
}

function createStuckEnd(why: DisplayText): RunEnd {
  return { reason: "stuck", why: writeInEnglish(why), text: why };
}

/** Creates the end with the pages that the answer may be based on. A run whose every command was refused isn't finished. */
function createFinishedEnd({ state }: Run, summary: string): RunEnd {
  if (wasAllRefused(state)) return createStuckEnd(displayText("approval.allRefused", { text: summary }));
  const pages = listAnswerPages(summary, state);
  return { reason: "finished", summary, ...(pages.length > 0 ? { pages } : {}) };
}

async function pauseWhileAsked(run: Run, gate: PauseGate, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const { reason } = gate;
  if (reason === undefined) return;
  await run.record({ type: "paused", reason: writeInEnglish(reason), ...convertToStoredText(reason) });
  await gate.waitUntilOpen(signal);
  await run.record({ type: "resumed", reason: "continued by the user" });
}

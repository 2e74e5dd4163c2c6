import { assertNever } from "../../core/base/errors.ts";
import type { Outcome, Source } from "../../core/commands/outcome.ts";
import { Run, type StartedBody } from "../../core/events/run.ts";
import { applyEvent, NO_RUN, type RunState } from "../../core/events/run-state.ts";
import type { RunLog } from "../../core/ports/storage.ts";
import type { AgentEvent } from "../../schema/events.ts";

/** What a fork takes from the run it branches off. */
export interface ForkPoint {
  /** The other run's events. */
  readonly events: readonly AgentEvent[];
  /** The last step that belongs to the fork's past too; 0: none does. */
  readonly step: number;
  /** Another machine or user wrote the run, so that all it tells is a stranger's word. */
  readonly foreign: boolean;
}

/**
 * A fork's log: its own start, then what happened in the other run up to a step, as it happened. What the past cost was paid by the
 * other run; grants, pauses, ends, and modes stay behind. A branch that names another profile leaves changed goals behind as well. What of
 * others the other run was given with its task stays known.
 */
export function forkEvents(branch: ForkPoint, started: StartedBody, at: string): readonly AgentEvent[] {
  const [first] = branch.events;
  const parent = first?.type === "started" ? first : undefined;
  const sameProfile = JSON.stringify(parent?.profile) === JSON.stringify(started.profile);
  const stranger = branch.foreign && parent ? strangerOf(parent.id) : undefined;
  const sources = [...(parent?.sources ?? []), ...(stranger ? [stranger] : [])];
  const past = branch.events
    .slice(1, endOfStep(branch.events, branch.step))
    .flatMap((event) => taken(event, stranger, sameProfile));
  const from = sources.length > 0 ? { sources } : {};
  return [{ ...started, ...from, seq: 0, at }, ...past.map((event, index) => ({ ...event, seq: index + 1 }))];
}

/** How many events there are up to the end of a step. Throws a sentence when the step has not ended. */
export function endOfStep(events: readonly AgentEvent[], step: number): number {
  if (step === 0) {
    const asked = events.findIndex((event) => event.type === "asked");
    return asked === -1 ? events.length : asked;
  }
  const end = events.findLastIndex((event) => event.type === "ended" && event.step === step);
  if (end === -1) throw new Error(`Step ${step} has not ended in that run. Choose one that has.`);
  return end + 1;
}

/** The event as the fork keeps it; nothing for one that stays behind. */
function taken(event: AgentEvent, stranger: Source | undefined, sameProfile: boolean): AgentEvent[] {
  switch (event.type) {
    case "replied":
    case "compacted": {
      const { usage: _usage, ...rest } = event;
      return [{ ...rest, costUsd: 0 }];
    }
    case "ended":
      return [{ ...event, outcome: stranger ? strangersWord(event.outcome, stranger) : event.outcome }];
    case "changed":
      return sameProfile && event.goals ? [{ ...base(event), type: "changed", goals: event.goals }] : [];
    case "asked":
    case "decided":
    case "began":
    case "said":
    case "planned":
    case "recalled":
    case "undone":
    // Or else the time before it would count as active.
    case "resumed":
      return [event];
    case "started":
    case "granted":
    case "paused":
    case "spent":
    case "child":
    case "over":
    case "unknown":
      return [];
    default:
      return assertNever(event);
  }
}

function base({ seq, at }: AgentEvent): Pick<AgentEvent, "seq" | "at"> {
  return { seq, at };
}

/** What a run of another machine tells is quoted as data, like any text of others. */
function strangersWord(outcome: Outcome, source: Source): Outcome {
  const isTold = outcome.status === "done" || outcome.status === "failed";
  return isTold && !outcome.source ? { ...outcome, source } : outcome;
}

function strangerOf(id: string): Source {
  return { kind: "agent", name: `of another machine (${id})` };
}

/** Writes a fork's first events into its log, and opens it. */
export async function startFork(log: RunLog, events: readonly AgentEvent[]): Promise<Run> {
  const written: AgentEvent[] = [];
  for (const event of events) written.push(await log.append(event));
  await log.sync();
  return Run.from(log, written);
}

/** The run as it stood right after a step. */
export function stateAfterStep(events: readonly AgentEvent[], step: number): RunState {
  return events.slice(0, endOfStep(events, step)).reduce(applyEvent, NO_RUN);
}

/** The limits of a fork: its past's steps and minutes do not count against it. */
export function forkLimits(
  limits: StartedBody["limits"],
  spent: { readonly steps: number; readonly activeMs: number },
): StartedBody["limits"] {
  const minutes = Math.ceil(spent.activeMs / 60_000);
  return {
    ...limits,
    steps: limits.steps === 0 ? 0 : limits.steps + spent.steps,
    minutes: limits.minutes === 0 ? 0 : limits.minutes + minutes,
  };
}

/** What a step's end leaves to be said before a fork can go on from it: a task that is complete needs a new word. */
export function needsInstruction(events: readonly AgentEvent[], step: number): boolean {
  const end = events.findLast((event) => event.type === "ended" && event.step === step);
  return end?.type === "ended" && end.outcome.status === "finished";
}

import { assertNever } from "../../core/base/errors.ts";
import { omitUndefined } from "../../core/base/objects.ts";
import { countStepsForLimit, type Totals } from "../../core/budget/budget.ts";
import { type Source, setOutcomeSource } from "../../core/commands/outcome.ts";
import { Run, type StartedBody } from "../../core/events/run.ts";
import { applyEvent, NO_RUN, type RunState } from "../../core/events/run-state.ts";
import type { RunLog } from "../../core/ports/storage.ts";
import type { AgentEvent } from "../../schema/events.ts";
import type { AttachedPicture, Profile } from "../../schema/run-values.ts";
import { fail } from "../../texts/display-text.ts";

/** The point of a run where a fork starts. */
export interface ForkPoint {
  /** The other run's events. */
  readonly events: readonly AgentEvent[];
  /** The last step that belongs to the fork's past; 0: none. */
  readonly step: number;
  /** Another machine or user wrote the run, so its contents are untrusted. */
  readonly foreign: boolean;
  /** Events from this one on aren't the fork's, even if they are before the end of the step. */
  readonly until?: number | undefined;
}

/**
 * The events of a fork's log: its own start, and the other run's events up to a step. The other run paid for its past. Grants,
 * pauses, ends and modes aren't copied, nor are changed goals if the fork has another profile. The untrusted sources of the
 * other run's task are kept.
 */
export function createForkEvents(branch: ForkPoint, started: StartedBody, at: string): readonly AgentEvent[] {
  const [first] = branch.events;
  const parent = first?.type === "started" ? first : undefined;
  const sameProfile = formatWithoutModel(parent?.profile) === formatWithoutModel(started.profile);
  const { until = Number.POSITIVE_INFINITY } = branch;
  const upToStep = branch.events.slice(1, countEventsUpToStep(branch.events, branch.step));
  const before = upToStep.filter(({ seq }) => seq < until);
  // Missing events may have read anything.
  const isForeign = branch.foreign || before.some(({ type }) => type === "lost");
  const stranger = isForeign && parent ? createForeignSource(parent.id) : undefined;
  const sources = [...(parent?.sources ?? []), ...(stranger ? [stranger] : [])];
  const past = before.flatMap((event) => copyEvent(event, stranger, sameProfile));
  const from = {
    ...(parent?.attached ? { attached: parent.attached } : {}),
    ...(sources.length > 0 ? { sources } : {}),
  };
  return [{ ...started, ...from, seq: 0, at }, ...past.map((event, index) => ({ ...event, seq: index + 1 }))];
}

/** Formats a profile for a comparison, without the model, because each run has its own. */
function formatWithoutModel(profile: Profile | undefined): string {
  const { model: _model, ...rest } = profile ?? {};
  return JSON.stringify(rest);
}

/** The number of events up to the end of a step. Throws a sentence if the step hasn't ended. */
export function countEventsUpToStep(events: readonly AgentEvent[], step: number): number {
  if (step === 0) {
    const asked = events.findIndex((event) => event.type === "asked");
    return asked === -1 ? events.length : asked;
  }
  const end = events.findLastIndex((event) => event.type === "ended" && event.step === step);
  if (end === -1) fail("trouble.stepNotEnded", { step });
  return end + 1;
}

/** An earlier message of the user, and where a fork that has it in other words begins. */
export interface MessagePoint {
  readonly step: number;
  /** The messages of the user since that step, before this one. */
  readonly before: readonly string[];
  /** The pictures of all these messages, and the untrusted sources of their texts. */
  readonly attached: readonly AttachedPicture[];
  readonly sources: readonly Source[];
}

/** Finds a message of the user by its event. Throws a sentence if there is none. */
export function findMessagePoint(events: readonly AgentEvent[], seq: number): MessagePoint {
  const index = events.findIndex((event) => event.seq === seq);
  const message = events[index];
  if (message?.type === "started") return { step: 0, before: [], attached: message.attached ?? [], sources: [] };
  if (message?.type !== "said" || message.by !== "user") fail("runs.fork.messageGone");
  const last = events.slice(0, index).findLast((event) => event.type === "ended");
  const step = last?.type === "ended" ? last.step : 0;
  const since = events.slice(countEventsUpToStep(events, step), index);
  const before = since.flatMap((event) => (event.type === "said" && event.by === "user" ? [event] : []));
  const all = [...before, message];
  return {
    step,
    before: before.map(({ text }) => text),
    attached: all.flatMap(({ attached = [] }) => attached),
    sources: all.flatMap(({ sources = [] }) => sources),
  };
}

/** The event in the fork's form; empty if it isn't copied. */
function copyEvent(event: AgentEvent, stranger: Source | undefined, sameProfile: boolean): AgentEvent[] {
  switch (event.type) {
    case "replied":
    case "compacted": {
      const { usage: _usage, ...rest } = event;
      return [{ ...rest, costUsd: 0 }];
    }
    case "ended":
      if (!stranger) return [event];
      return [
        {
          ...event,
          outcome: setOutcomeSource(event.outcome, stranger),
          ...(event.also ? { also: event.also.map((one) => setOutcomeSource(one, stranger)) } : {}),
        },
      ];
    case "changed":
      return sameProfile && (event.goals || event.profile) ? [copyProfileChange(event)] : [];
    case "asked":
    case "decided":
    case "began":
    case "said":
    case "planned":
    case "recalled":
    case "undone":
    case "lost":
    // Without it, the time before it would count as active.
    case "resumed":
      return [event];
    case "started":
    case "granted":
    case "reviewed":
    case "paused":
    case "spent":
    case "hooked":
    case "child":
    case "over":
    case "unknown":
      return [];
    default:
      return assertNever(event);
  }
}

/** Copies a change of the profile, and no other change. */
function copyProfileChange(event: Extract<AgentEvent, { readonly type: "changed" }>): AgentEvent {
  const { goals, profile } = event;
  return {
    ...getEventBase(event),
    type: "changed",
    ...omitUndefined({ goals, profile }),
  };
}

function getEventBase({ seq, at }: AgentEvent): Pick<AgentEvent, "seq" | "at"> {
  return { seq, at };
}

function createForeignSource(id: string): Source {
  return { kind: "agent", name: `of another machine (${id})` };
}

/** Writes a fork's first events to its log, and opens the fork. */
export async function startFork(log: RunLog, events: readonly AgentEvent[]): Promise<Run> {
  const written: AgentEvent[] = [];
  for (const event of events) written.push(await log.append(event));
  await log.sync();
  return Run.openStored(log, written);
}

/** The state of a run right after a step. */
export function computeStateAfterStep(events: readonly AgentEvent[], step: number): RunState {
  return events.slice(0, countEventsUpToStep(events, step)).reduce(applyEvent, NO_RUN);
}

/** The limits of a fork: the steps, replies and minutes of its past don't count. */
export function computeForkLimits(
  limits: StartedBody["limits"],
  spent: Pick<Totals, "steps" | "missed" | "replies" | "activeMs">,
): StartedBody["limits"] {
  const minutes = Math.ceil(spent.activeMs / 60_000);
  return {
    ...limits,
    steps: limits.steps === 0 ? 0 : limits.steps + countStepsForLimit(spent),
    ...(limits.replies ? { replies: limits.replies + spent.replies } : {}),
    minutes: limits.minutes === 0 ? 0 : limits.minutes + minutes,
  };
}

/** True if a fork at this step needs a new instruction, because the task was complete. */
export function isInstructionNeeded(events: readonly AgentEvent[], step: number): boolean {
  const end = events.findLast((event) => event.type === "ended" && event.step === step);
  return end?.type === "ended" && end.outcome.status === "finished";
}

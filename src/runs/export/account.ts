import { assertNever } from "../../core/base/errors.ts";
import { addPictureNames } from "../../core/base/pictures.ts";
import { applyEvent, listPastSteps, NO_RUN, type RunState, type StepView } from "../../core/events/run-state.ts";
import type { AgentEvent } from "../../schema/events.ts";
import { describeMissingEvents, getEventTypeName } from "../../schema/formats.ts";
import type { StepDiffs } from "./step-diffs.ts";

/** A run for a report: its final state, and all its steps. */
export interface RunReport {
  readonly state: RunState;
  readonly steps: readonly StepView[];
  /** The user's messages and undos as sentences, by the step that they follow. */
  readonly notes: ReadonlyMap<number, readonly string[]>;
  /** The file changes of the steps. */
  readonly diffs: StepDiffs;
}

/** Reads a run's events for a report. */
export function createRunReport(events: readonly AgentEvent[], diffs: StepDiffs = new Map()): RunReport {
  const notes = new Map<number, string[]>();
  let state = NO_RUN;
  for (const event of events) {
    state = applyEvent(state, event);
    const note = describeEvent(event);
    if (note === undefined) continue;
    const after = state.totals.steps;
    notes.set(after, [...(notes.get(after) ?? []), note]);
  }
  const all = Number.MAX_SAFE_INTEGER;
  return { state, steps: listPastSteps(events, all, all), notes, diffs };
}

function describeEvent(event: AgentEvent): string | undefined {
  switch (event.type) {
    case "child":
      return `Agent ${event.name} ${event.what}`;
    case "said":
      return describeSaidEvent(event);
    case "undone":
      return `Step ${event.step} was ${event.redone ? "redone" : "undone"}: ${event.files.join(", ")}.`;
    case "reviewed":
      return describeReviewEvent(event);
    case "started":
      return event.attached && `The user attached: ${addPictureNames("", event.attached)}`;
    case "unknown":
      return `Unknown event "${getEventTypeName(event)}", written by a newer version of AutoGPT.`;
    case "lost":
      return describeMissingEvents(event);
    case "asked":
    case "replied":
    case "decided":
    case "began":
    case "ended":
    case "planned":
    case "recalled":
    case "compacted":
    case "granted":
    case "paused":
    case "resumed":
    case "changed":
    case "spent":
    case "hooked":
    case "over":
      return undefined;
    default:
      return assertNever(event);
  }
}

const REVIEWED = {
  accepted: "merged into the workspace",
  branch: "committed to the branch",
  discarded: "discarded",
  withdrawn: "undone in the workspace",
} as const;

function describeReviewEvent({
  what,
  files,
  branch,
  conflicts = [],
}: Extract<AgentEvent, { type: "reviewed" }>): string {
  const to = branch === undefined ? REVIEWED[what] : `${REVIEWED[what]} ${branch}`;
  const left = conflicts.length > 0 ? ` Conflicts: ${conflicts.join(", ")}.` : "";
  return `The changes of the isolated run were ${to}: ${files.join(", ")}.${left}`;
}

function describeSaidEvent(event: Extract<AgentEvent, { type: "said" }>): string | undefined {
  const { by, text } = event;
  switch (by) {
    case "user":
      return `The user said: ${addPictureNames(text, event.attached)}`;
    case "agent":
      return `The parent agent said: ${text}`;
    case "self":
      return undefined;
    default:
      return assertNever(by);
  }
}

/** The run's key facts, as label and value. */
export function listRunFacts({ state, steps }: RunReport): readonly (readonly [string, string])[] {
  const { profile, model, totals, startedAt, end } = state;
  const price = totals.unpriced > 0 ? " and some calls without a known price" : "";
  return [
    ["Agent", `${profile.name}, ${profile.role}`],
    ["Model", model.smart],
    ["Started", startedAt],
    ["Steps", String(steps.length)],
    ["Cost", `$${totals.usd.toFixed(4)}${price}`],
    ["End", end?.reason ?? "not over"],
  ];
}

/** A step's title. */
export function formatReportTitle({ step, reply, outcome }: StepView): string {
  const name = reply?.kind === "proposal" ? reply.call.name : "a reply that could not be read";
  return `Step ${step}: ${name} (${outcome?.status ?? "open"})`;
}

/** The decision on a step, as a sentence; undefined if none was needed. */
export function describeDecision({ decided }: StepView): string | undefined {
  if (!decided) return undefined;
  return `${decided.allow ? "Allowed" : "Refused"} (${decided.by}): ${decided.reason}${decided.edited ? ", with the user's changes" : ""}.`;
}

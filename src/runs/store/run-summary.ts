import { assertNever } from "../../core/base/errors.ts";
import { omitUndefined } from "../../core/base/objects.ts";
import { addUsage, NOTHING_SPENT } from "../../core/budget/budget.ts";
import type { RunEnd } from "../../core/commands/outcome.ts";
import type { ProcessHolder } from "../../core/ports/process-locks.ts";
import type { AgentEvent } from "../../schema/events.ts";
import { LOG_VERSION } from "../../schema/formats.ts";
import type { RunDigest } from "../../schema/stored-files.ts";
import { type DisplayText, displayText, type Sentence } from "../../texts/display-text.ts";

import { FLEET_MARK } from "./fleet-marks.ts";

export type { RunDigest } from "../../schema/stored-files.ts";

/** The state of a run according to its log; an `open` run is active somewhere, or was interrupted. */
type StoredState = "open" | "paused" | RunEnd["reason"];

/** A summary of a run. */
export interface RunSummary {
  /** Also the name of the run's folder. */
  readonly id: string;
  readonly task: string;
  /** The agent's name. */
  readonly name: string;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly state: StoredState;
  /** The number of finished steps. */
  readonly steps: number;
  readonly usd: number;
  /** Some of its model calls have an unknown price. */
  readonly unpriced: boolean;
  /** Why the run can be read but not resumed, as a sentence. */
  readonly readOnly?: Sentence;
  /** The run's own folder, with its log. */
  readonly folder: string;
  /** The last change of the log, in ms since 1970. */
  readonly writtenMs: number;
  readonly logBytes: number;
  /** The run that it was forked from, or that it works for as a sub-agent. */
  readonly parent?: string;
  /** The run is a sub-agent of its parent; absent for a fork. */
  readonly isAgent?: true;
  /** Result of the last review after the run's last step, if the run works in a copy; `none` if there was none. */
  readonly isolated?: RunDigest["isolated"];
  /** Number of events whose type this version doesn't know. */
  readonly unknownEvents?: number;
  /** The user's own name for it. */
  readonly title?: string;
  readonly pinned?: boolean;
  /** The other process that works on it; absent if none does. */
  readonly holder?: ProcessHolder;
}

/** True for a run that is over and left changes in its copy that await a decision. */
export function isWaitingForReview({
  state,
  isolated,
  readOnly,
}: Pick<RunSummary, "state" | "isolated" | "readOnly">): boolean {
  return isolated === "none" && readOnly === undefined && state !== "open" && state !== "paused";
}

/** The digest after one more event; undefined before the start. */
export function applyToDigest(brief: RunDigest | undefined, event: AgentEvent): RunDigest | undefined {
  if (event.type === "started") return createDigest(event);
  if (!brief) return undefined;
  if (event.type === "compacted" && event.model === undefined) return brief;
  switch (event.type) {
    case "replied":
    case "compacted":
    case "spent": {
      const { usd, unpriced } = addUsage({ ...NOTHING_SPENT, ...brief }, event);
      return { ...brief, usd, unpriced };
    }
    case "ended":
      return {
        ...brief,
        steps: Math.max(brief.steps, event.step),
        ...(brief.isolated && brief.isolated !== "discarded" ? { isolated: "none" } : {}),
      };
    case "paused":
      return { ...brief, state: "paused" };
    case "resumed":
      return { ...brief, state: "open" };
    case "over":
      return { ...brief, state: event.end.reason };
    case "reviewed":
      return { ...brief, isolated: event.what };
    case "unknown":
      return { ...brief, unknownEvents: (brief.unknownEvents ?? 0) + 1 };
    case "asked":
    case "decided":
    case "began":
    case "said":
    case "planned":
    case "recalled":
    case "granted":
    case "changed":
    case "undone":
    case "hooked":
    case "child":
    case "lost":
      return brief;
    default:
      return assertNever(event);
  }
}

function createDigest(event: Extract<AgentEvent, { type: "started" }>): RunDigest {
  return {
    id: event.id,
    task: event.task,
    name: event.profile.name,
    startedAt: event.at,
    machine: event.machine,
    schema: event.schema,
    state: "open",
    steps: 0,
    usd: 0,
    unpriced: 0,
    ...omitUndefined({ parent: event.parent, isAgent: event.isAgent || undefined }),
    ...(event.isolated ? { isolated: "none" } : {}),
  };
}

/** Why a run can be read but not resumed, as a sentence; undefined if it can. `isOwn`: this user wrote it on this machine. */
export function explainReadOnly(
  run: { readonly schema: number; readonly isAgent?: true; readonly machine: string },
  isOwn: boolean,
): DisplayText | undefined {
  if (run.schema > LOG_VERSION) return displayText("trouble.runFromNewerVersion");
  if (!isOwn) return displayText(run.machine.startsWith(FLEET_MARK) ? "fleet.runOfOthers" : "trouble.runFromElsewhere");
  return run.isAgent ? displayText("trouble.runOfSubAgent") : undefined;
}

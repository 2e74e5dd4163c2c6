import { assertNever } from "../../core/base/errors.ts";
import { addUsage, NOTHING_SPENT } from "../../core/budget/budget.ts";
import type { RunEnd } from "../../core/commands/outcome.ts";
import type { AgentEvent } from "../../schema/events.ts";
import { LOG_VERSION } from "../../schema/formats.ts";
import type { RunDigest } from "../../schema/stored-files.ts";

export type { RunDigest } from "../../schema/stored-files.ts";

/** What can be told of a run's state by its log alone: `open` is a run that goes on somewhere, or was interrupted. */
type StoredState = "open" | "paused" | RunEnd["reason"];

/** A run in brief. */
export interface RunSummary {
  /** Also the name of its folder. */
  readonly id: string;
  readonly task: string;
  /** The agent's name. */
  readonly name: string;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly state: StoredState;
  /** Steps that ended. */
  readonly steps: number;
  readonly usd: number;
  /** Some of its model calls have no known price. */
  readonly unpriced: boolean;
  /** Why it can be read but not gone on with, as a sentence. */
  readonly readOnly?: string;
  /** The run's own folder, with its log. */
  readonly folder: string;
  /** When its log was last written, in ms since 1970. */
  readonly writtenMs: number;
  readonly logBytes: number;
  /** The run it was forked from, or works for. */
  readonly parent?: string;
  /** It works for its parent; absent for a fork. */
  readonly isAgent?: true;
  /** Number of events whose type this version doesn't know. */
  readonly unknownEvents?: number;
  /** The user's own name for it. */
  readonly title?: string;
  readonly pinned?: boolean;
}

/** A run in brief after one more event; undefined before its start. */
export function applyToDigest(brief: RunDigest | undefined, event: AgentEvent): RunDigest | undefined {
  if (event.type === "started") return digestOf(event);
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
      return { ...brief, steps: Math.max(brief.steps, event.step) };
    case "paused":
      return { ...brief, state: "paused" };
    case "resumed":
      return { ...brief, state: "open" };
    case "over":
      return { ...brief, state: event.end.reason };
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
    case "child":
      return brief;
    default:
      return assertNever(event);
  }
}

function digestOf(event: Extract<AgentEvent, { type: "started" }>): RunDigest {
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
    ...(event.parent === undefined ? {} : { parent: event.parent }),
    ...(event.isAgent ? { isAgent: true } : {}),
  };
}

/** Why this machine may read a run but not go on with it, as a sentence; undefined when it may. */
export function whyReadOnly(
  run: { readonly machine: string; readonly schema: number; readonly isAgent?: true },
  machine: string,
): string | undefined {
  if (run.schema > LOG_VERSION)
    return "A newer version of AutoGPT wrote this run. It can be read here; update the extension to go on with it.";
  if (run.machine !== machine)
    return "Another machine or user wrote this run. It can be read here, and forked to go on from it.";
  return run.isAgent
    ? "This agent worked for another run and goes on with it alone. It can be read here, and forked to go on from it."
    : undefined;
}

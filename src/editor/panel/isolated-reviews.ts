import { omitUndefined } from "../../core/base/objects.ts";
import { escapeInvisible } from "../../core/base/text.ts";
import { COMMAND } from "../../core/commands/command-traits.ts";
import type { AgentEvent } from "../../schema/events.ts";
import type { ReviewPage, SandboxFacts } from "../../schema/review-page.ts";
import { type Outcome, SANDBOX_LIMITS } from "../../schema/run-values.ts";
import type { Sentence } from "../../texts/display-text.ts";
import type { HostedRun } from "./hosted-runs.ts";

/** Reviews of isolated runs: the changes in their copies, and the user's decisions on them. */
export interface IsolatedReviews {
  /** Compares the copy with the workspace as it is now. */
  buildPage(hosted: HostedRun): Promise<ReviewPage>;
  /** Merges these files into the workspace, or one side of a conflict. Throws a sentence when the review that was shown is out of date. */
  accept(hosted: HostedRun, version: string, files: readonly string[], side?: "mine" | "run"): Promise<void>;
  /** Opens a file's diff, whose right side the user can edit before accepting it. Returns a sentence if there is none to show. */
  showChange(hosted: HostedRun, file: string): Promise<Sentence | undefined>;
  /** Opens all changes in one editor. */
  showAll(hosted: HostedRun): Promise<void>;
  /** Shows a file of the copy as a text that can't be edited; `line` counts from 1. */
  showFile(hosted: HostedRun, label: string, line?: number): Promise<void>;
  keepAsBranch(hosted: HostedRun): Promise<void>;
  /** Asks first. The run can only be read afterward. */
  discard(hosted: HostedRun): Promise<void>;
  /** Undoes the last accept. */
  withdraw(hosted: HostedRun): Promise<void>;
  /** Calls back if a run's changes need another comparison. */
  onChange(listener: (run: string) => void): { dispose(): void };
}

/** The sandbox of an isolated run; undefined for any other run, and where its copy is gone. */
export function findSandboxFacts({ isolation }: Pick<HostedRun, "isolation">): SandboxFacts | undefined {
  if (!isolation) return undefined;
  const { limits } = isolation.walls;
  return { limits: SANDBOX_LIMITS.filter((name) => limits[name]) };
}

/** The run's steps contain the others. */
const MOST_LINES = 50;
const MAX_LINE = 2_000;

/** The last command lines that a run has executed, with their exit codes. */
export function collectShellLines(events: readonly AgentEvent[]): Pick<ReviewPage, "lines" | "lineCount"> {
  const begun = new Map<number, string>();
  const lines: ReviewPage["lines"][number][] = [];
  for (const event of events) {
    if (event.type === "began" && event.command === COMMAND.shell)
      begun.set(event.step, String(event.args.command_line ?? ""));
    if (event.type !== "ended") continue;
    const line = begun.get(event.step);
    if (line === undefined) continue;
    const code = findExitCode(event.outcome);
    lines.push({ line: escapeInvisible(line).slice(0, MAX_LINE), ...omitUndefined({ code }) });
  }
  return { lines: lines.slice(-MOST_LINES), lineCount: lines.length };
}

/** Undefined for a line that was killed or didn't start. */
function findExitCode(outcome: Outcome): number | undefined {
  if (outcome.status !== "done") return undefined;
  return outcome.exitCode === undefined ? 0 : (outcome.exitCode ?? undefined);
}

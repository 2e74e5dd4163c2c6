import { createCallTitle } from "../../core/commands/call-title.ts";
import { COMMAND } from "../../core/commands/command-traits.ts";
import { hasProgramFailed } from "../../core/commands/outcome.ts";
import type { AgentEvent } from "../../schema/events.ts";
import type { ChangedLines, RunCheck } from "../../schema/panel-values.ts";
import type { Call, Outcome } from "../../schema/run-values.ts";

/** Detects checks by the program that a command line runs. */
const CHECK =
  /\b(?:tests?|lint|check|typecheck|tsc|eslint|pytest|jest|vitest|mocha|ava|biome|ruff|mypy|phpunit|rspec|clippy|vet|ctest)\b/;

/** Number of checks that fit at the end of a run. */
const MOST_CHECKS = 4;

/** The lines that a run's steps have changed in each file, unless they were undone, and its checks with their last results. */
export function collectRunResult(
  events: readonly AgentEvent[],
  standing: ReadonlySet<number>,
): { readonly lines: readonly ChangedLines[]; readonly checks: readonly RunCheck[] } {
  const begun = new Map<number, Call>();
  const lines = new Map<string, ChangedLines>();
  const checks = new Map<string, RunCheck>();
  for (const event of events) {
    if (event.type === "began") begun.set(event.step, { name: event.command, args: event.args });
    if (event.type !== "ended") continue;
    const { step, outcome } = event;
    if (standing.has(step)) addLines(lines, outcome);
    const call = begun.get(step);
    if (call && isCheck(call)) addCheck(checks, call, outcome);
  }
  return { lines: [...lines.values()], checks: [...checks.values()].slice(-MOST_CHECKS) };
}

function addLines(lines: Map<string, ChangedLines>, outcome: Outcome): void {
  if (outcome.status !== "done") return;
  for (const { file, added = 0, removed = 0 } of outcome.files ?? []) {
    const before = lines.get(file) ?? { file, added: 0, removed: 0 };
    lines.set(file, { file, added: before.added + added, removed: before.removed + removed });
  }
}

function isCheck({ name, args }: Call): boolean {
  if (name === COMMAND.tests) return true;
  return name === COMMAND.shell && CHECK.test(String(args.command_line ?? ""));
}

/** Replaces earlier results of a check by its last one. */
function addCheck(checks: Map<string, RunCheck>, call: Call, outcome: Outcome): void {
  if (outcome.status !== "done" && outcome.status !== "failed") return;
  const title = createCallTitle(call).before;
  const key = JSON.stringify(title);
  checks.delete(key);
  checks.set(key, { title, passed: outcome.status === "done" && !hasProgramFailed(outcome) });
}

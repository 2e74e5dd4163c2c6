import { formatQuantity } from "../../core/base/text.ts";
import type { LateProblems, Problem, Symbols } from "../../core/ports/workspace.ts";

/** Limit on listed problems. */
const MOST_PROBLEMS = 50;
/** Limit on problems in a prompt's remark. */
const MOST_LATE = 10;

/** A remark for the next prompt on problems that came too late for an outcome; undefined when there are none. */
export function describeLateProblems({ problems, areNew }: LateProblems): string | undefined {
  if (problems.length === 0) return undefined;
  const what = areNew
    ? "Since your last changes the editor reports new problems"
    : "In files that you changed the editor reports problems";
  return `${what}:\n${formatProblemList(problems, MOST_LATE)}`;
}

/** Problems as the model reads them, errors first, one per line. */
export function formatProblemList(problems: readonly Problem[], most = MOST_PROBLEMS): string {
  const ranked = [...problems].sort(
    (one, other) =>
      RANK[one.severity] - RANK[other.severity] || one.label.localeCompare(other.label) || one.line - other.line,
  );
  const lines = ranked
    .slice(0, most)
    .map(
      ({ label, line, severity, message, source }) =>
        `${label}:${line}: ${severity}: ${message}${source ? ` (${source})` : ""}`,
    );
  const rest = ranked.length - lines.length;
  return [...lines, ...(rest > 0 ? [`… and ${formatQuantity(rest, "more problem")}.`] : [])].join("\n");
}

/** Numbers of problems, as `2 errors, 1 warning`. */
export function formatProblemCounts(problems: readonly Pick<Problem, "severity">[]): string {
  const kinds = [
    ["error", "error"],
    ["warning", "warning"],
    ["info", "note"],
  ] as const;
  return kinds
    .map(([severity, noun]) => [problems.filter((one) => one.severity === severity).length, noun] as const)
    .filter(([count]) => count > 0)
    .map(([count, noun]) => formatQuantity(count, noun))
    .join(", ");
}

const RANK: Readonly<Record<Problem["severity"], number>> = { error: 0, warning: 1, info: 2 };

/** A sentence on why names can't be looked up; undefined when they can. */
export function explainWithheldSymbols(symbols: Symbols | undefined): string | undefined {
  return symbols ? undefined : "There is no language service here. Look for names with search_files.";
}

import type { Problem } from "../core/ports.ts";
import { counted } from "./units.ts";

/** Of more problems only the first so many are told. */
const MOST = 50;

/** Problems as the model reads them, errors first, one a line. */
export function problemList(problems: readonly Problem[]): string {
  const ranked = [...problems].sort(
    (one, other) =>
      RANK[one.severity] - RANK[other.severity] ||
      one.label.localeCompare(other.label) ||
      one.line - other.line,
  );
  const lines = ranked
    .slice(0, MOST)
    .map(
      ({ label, line, severity, message, source }) =>
        `${label}:${line}: ${severity}: ${message}${source ? ` (${source})` : ""}`,
    );
  const rest = ranked.length - lines.length;
  return [...lines, ...(rest > 0 ? [`… and ${counted(rest, "more problem")}.`] : [])].join("\n");
}

const RANK: Readonly<Record<Problem["severity"], number>> = { error: 0, warning: 1, info: 2 };

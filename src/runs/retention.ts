import type { RunSummary } from "./summary.ts";

const DAY_MS = 86_400_000;

/** The runs that nobody has touched for so many days and that may go: neither pinned ones, nor those that others wrote. 0 days: none. */
export function expiredRuns(
  runs: readonly RunSummary[],
  { days, now }: { readonly days: number; readonly now: number },
): readonly RunSummary[] {
  if (days <= 0) return [];
  return runs.filter(
    ({ pinned, readOnly, writtenMs }) => !pinned && readOnly === undefined && writtenMs < now - days * DAY_MS,
  );
}

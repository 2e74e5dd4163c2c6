import type { EvalReport } from "../../../../src/headless/library.ts";
import {
  computeRepliesPerStep,
  explainResult,
  formatAmount,
  formatFailures,
  formatMoney,
  formatPercent,
  formatSeconds,
  listTaskTallies,
  type Tally,
  tallyResults,
} from "./tally.ts";

/** The columns of a report. */
export const COLUMNS = [
  { title: "task", cell: ({ name }: Tally) => name },
  { title: "passed", cell: ({ passed, runs }: Tally) => `${passed}/${runs}` },
  { title: "steps", cell: ({ steps }: Tally) => formatAmount(steps) },
  { title: "replies", cell: ({ replies }: Tally) => formatAmount(replies) },
  { title: "input", cell: ({ input }: Tally) => formatAmount(input) },
  { title: "cached", cell: ({ cached, input }: Tally) => formatPercent(cached, input) },
  { title: "output", cell: ({ output }: Tally) => formatAmount(output) },
  { title: "money", cell: ({ usd }: Tally) => formatMoney(usd) },
  { title: "time", cell: ({ seconds }: Tally) => formatSeconds(seconds) },
  { title: "failures", cell: formatFailures },
] as const;

/** The report as a table for a terminal. */
export function renderReport(report: EvalReport): string {
  const total = tallyResults("all", report.results);
  const rows = [...listTaskTallies(report), total].map((tally) => COLUMNS.map(({ cell }) => cell(tally)));
  return [
    `${renderReportTitle(report)}\n`,
    renderTextTable([COLUMNS.map(({ title }) => title), ...rows]),
    "",
    describeReplies(total),
    ...(report.skipped ?? []).map(({ task, why }) => `${task} was skipped: ${why}`),
    ...report.results
      .filter(({ passed }) => !passed)
      .map((result) => `${result.task} ${result.run}: ${explainResult(result)}`),
  ].join("\n");
}

/** The title of a report: suite, model, server. */
export function renderReportTitle(report: EvalReport): string {
  const { suite, model, server, player, strategy, spoil = 0, isPartial } = report;
  const who = player ? `the ${player} player` : `${model}${server === "" ? "" : ` at ${server}`}`;
  const spoiled = spoil > 0 ? `, ${Math.round(spoil * 100)}% of the replies spoiled` : "";
  const how = strategy ? `, strategy ${strategy}` : "";
  return `${suite}: ${who}${how}${spoiled}${isPartial ? " (stopped before its end)" : ""}`;
}

/** A sentence about the replies. */
export function describeReplies(total: Tally): string {
  const { replies, unreadable, invalid, refused } = total;
  return `Of ${formatAmount(replies)} replies ${unreadable} were unreadable, ${invalid} had an invalid call and ${refused} were refused: ${computeRepliesPerStep(total).toFixed(2)} replies per step.`;
}

/** Rows in columns: the first and the last one aligned left, numbers right. */
export function renderTextTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => {
          const width = widths[column] ?? 0;
          return column === 0 || column === row.length - 1 ? cell.padEnd(width) : cell.padStart(width);
        })
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

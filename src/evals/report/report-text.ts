import type { EvalReport } from "../../schema/eval-report.ts";
import {
  amount,
  failuresText,
  money,
  percent,
  reasonText,
  repliesPerStep,
  secondsText,
  type Tally,
  tallyOf,
  taskTallies,
} from "./tally.ts";

/** The columns of a report. */
export const COLUMNS = [
  { title: "task", cell: ({ name }: Tally) => name },
  { title: "passed", cell: ({ passed, runs }: Tally) => `${passed}/${runs}` },
  { title: "steps", cell: ({ steps }: Tally) => amount(steps) },
  { title: "replies", cell: ({ replies }: Tally) => amount(replies) },
  { title: "input", cell: ({ input }: Tally) => amount(input) },
  { title: "cached", cell: ({ cached, input }: Tally) => percent(cached, input) },
  { title: "output", cell: ({ output }: Tally) => amount(output) },
  { title: "money", cell: ({ usd }: Tally) => money(usd) },
  { title: "time", cell: ({ seconds }: Tally) => secondsText(seconds) },
  { title: "failures", cell: failuresText },
] as const;

/** The report as a table for a terminal. */
export function reportText(report: EvalReport): string {
  const total = tallyOf("all", report.results);
  const rows = [...taskTallies(report), total].map((tally) => COLUMNS.map(({ cell }) => cell(tally)));
  return [
    `${measuredWhat(report)}\n`,
    tableText([COLUMNS.map(({ title }) => title), ...rows]),
    "",
    repliesText(total),
    ...(report.skipped ?? []).map(({ task, why }) => `${task} was skipped: ${why}`),
    ...report.results
      .filter(({ passed }) => !passed)
      .map((result) => `${result.task} ${result.run}: ${reasonText(result)}`),
  ].join("\n");
}

/** The title of a report: suite, model, server. */
export function measuredWhat(report: EvalReport): string {
  const { suite, model, server, player, strategy, spoil = 0, isPartial } = report;
  const who = player ? `the ${player} player` : `${model}${server === "" ? "" : ` at ${server}`}`;
  const spoiled = spoil > 0 ? `, ${Math.round(spoil * 100)}% of the replies spoiled` : "";
  const how = strategy ? `, strategy ${strategy}` : "";
  return `${suite}: ${who}${how}${spoiled}${isPartial ? " (stopped before its end)" : ""}`;
}

/** A sentence about the replies. */
export function repliesText(total: Tally): string {
  const { replies, unreadable, invalid, refused } = total;
  return `Of ${amount(replies)} replies ${unreadable} were unreadable, ${invalid} had an invalid call and ${refused} were refused: ${repliesPerStep(total).toFixed(2)} replies per step.`;
}

/** Rows in columns: the first and the last one aligned left, numbers right. */
export function tableText(rows: readonly (readonly string[])[]): string {
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

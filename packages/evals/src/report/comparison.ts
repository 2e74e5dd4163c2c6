import type { EvalReport } from "../../../../src/headless/library.ts";
import { type Cell, createJudgedCell, renderEvalPage, renderFactList, renderHtmlTable } from "./page.ts";
import { renderReportTitle, renderTextTable } from "./report-text.ts";
import { formatAmount, formatMoney, formatSeconds, listTaskTallies, type Tally, tallyResults } from "./tally.ts";

type Results = Pick<EvalReport, "results">;

/** A task in two reports; undefined where a report doesn't have it. */
interface Pair {
  readonly name: string;
  readonly before: Tally | undefined;
  readonly after: Tally | undefined;
}

interface ComparedColumn {
  readonly title: string;
  /** The number to compare, averaged per run; undefined if there is none. */
  readonly computeValue: (tally: Tally) => number | undefined;
  readonly show: (value: number) => string;
}

const createRunAverage = (sum: (tally: Tally) => number) => (tally: Tally) => sum(tally) / Math.max(1, tally.runs);

const COMPARED: readonly ComparedColumn[] = [
  {
    title: "passed",
    computeValue: createRunAverage(({ passed }) => passed),
    show: (share) => `${Math.round(share * 100)}%`,
  },
  { title: "steps", computeValue: createRunAverage(({ steps }) => steps), show: formatOneDigit },
  { title: "replies", computeValue: createRunAverage(({ replies }) => replies), show: formatOneDigit },
  { title: "input", computeValue: createRunAverage(({ input }) => input), show: formatRounded },
  { title: "cached", computeValue: createRunAverage(({ cached }) => cached), show: formatRounded },
  { title: "output", computeValue: createRunAverage(({ output }) => output), show: formatRounded },
  {
    title: "money",
    computeValue: ({ usd, runs }) => (usd === undefined ? undefined : usd / Math.max(1, runs)),
    show: formatMoney,
  },
  { title: "time", computeValue: createRunAverage(({ seconds }) => seconds), show: formatSeconds },
];

const TITLES = ["task", ...COMPARED.map(({ title }) => title)];

/** Differences between two reports as a table for a terminal; all numbers are per run. */
export function renderComparisonText(before: EvalReport, after: EvalReport): string {
  return [
    `before  ${renderReportTitle(before)}`,
    `after   ${renderReportTitle(after)}`,
    "",
    renderDifferenceText(before, after),
    "",
    "All numbers are per run.",
  ].join("\n");
}

/** Differences between two measurements, a row for each task. */
export function renderDifferenceText(before: Results, after: Results): string {
  const pairs = [...listPairs(before, after), sumTotals(before, after)];
  const rows = pairs.map((pair) => [pair.name, ...COMPARED.map((column) => formatDifference(column, pair))]);
  return renderTextTable([TITLES, ...rows]);
}

/** Differences between two reports as a page. */
export function renderComparisonHtml(before: EvalReport, after: EvalReport): string {
  return renderEvalPage("Comparison", [
    renderFactList([
      ["Before", renderReportTitle(before)],
      ["After", renderReportTitle(after)],
    ]),
    renderDifferenceHtml("Tasks, per run", before, after),
  ]);
}

/** The same differences as an HTML table. */
export function renderDifferenceHtml(caption: string, before: Results, after: Results): string {
  return renderHtmlTable(
    caption,
    TITLES,
    listPairs(before, after).map(buildCells),
    buildCells(sumTotals(before, after)),
  );
}

function buildCells(pair: Pair): readonly Cell[] {
  return [pair.name, ...COMPARED.map((column) => buildComparedCell(column, pair))];
}

function buildComparedCell(column: ComparedColumn, pair: Pair): Cell {
  const text = formatDifference(column, pair);
  const [before, after] = [pair.before, pair.after].map((tally) => tally && column.computeValue(tally));
  if (column.title !== "passed" || before === undefined || after === undefined || before === after) return text;
  return createJudgedCell(text, after > before);
}

function listPairs(before: Results, after: Results): readonly Pair[] {
  const [old, now] = [before, after].map((report) => new Map(listTaskTallies(report).map((one) => [one.name, one])));
  const names = new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])]);
  return [...names].map((name) => ({ name, before: old?.get(name), after: now?.get(name) }));
}

/** Sums over the tasks in both reports, since others can't be compared. */
function sumTotals(before: Results, after: Results): Pair {
  const tallyShared = (report: Results, other: Results) => {
    const names = new Set(other.results.map(({ task }) => task));
    return tallyResults(
      "all",
      report.results.filter(({ task }) => names.has(task)),
    );
  };
  return { name: "all in both", before: tallyShared(before, after), after: tallyShared(after, before) };
}

function formatDifference({ computeValue, show }: ComparedColumn, { before, after }: Pair): string {
  const [old, now] = [before, after].map((tally) => {
    const found = tally && computeValue(tally);
    return found === undefined ? "–" : show(found);
  });
  return old === now ? `${old}` : `${old} → ${now}`;
}

function formatOneDigit(value: number): string {
  return value.toFixed(1);
}

function formatRounded(value: number): string {
  return formatAmount(Math.round(value));
}

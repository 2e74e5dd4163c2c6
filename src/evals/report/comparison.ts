import type { EvalReport } from "../../schema/eval-report.ts";
import { type Cell, evalPage, factList, htmlTable, judged } from "./page.ts";
import { measuredWhat, tableText } from "./report-text.ts";
import { amount, money, secondsText, type Tally, tallyOf, taskTallies } from "./tally.ts";

type Results = Pick<EvalReport, "results">;

/** A task in two reports; undefined where a report doesn't have it. */
interface Pair {
  readonly name: string;
  readonly before: Tally | undefined;
  readonly after: Tally | undefined;
}

interface ComparedColumn {
  readonly title: string;
  /** The number to compare, on average for a run; undefined where there is none. */
  readonly value: (tally: Tally) => number | undefined;
  readonly show: (value: number) => string;
}

const perRun = (sum: (tally: Tally) => number) => (tally: Tally) => sum(tally) / Math.max(1, tally.runs);

const COMPARED: readonly ComparedColumn[] = [
  { title: "passed", value: perRun(({ passed }) => passed), show: (share) => `${Math.round(share * 100)}%` },
  { title: "steps", value: perRun(({ steps }) => steps), show: oneDigit },
  { title: "replies", value: perRun(({ replies }) => replies), show: oneDigit },
  { title: "input", value: perRun(({ input }) => input), show: rounded },
  { title: "cached", value: perRun(({ cached }) => cached), show: rounded },
  { title: "output", value: perRun(({ output }) => output), show: rounded },
  {
    title: "money",
    value: ({ usd, runs }) => (usd === undefined ? undefined : usd / Math.max(1, runs)),
    show: money,
  },
  { title: "time", value: perRun(({ seconds }) => seconds), show: secondsText },
];

const TITLES = ["task", ...COMPARED.map(({ title }) => title)];

/** Differences between two reports as a table for a terminal; all numbers are per run. */
export function comparisonText(before: EvalReport, after: EvalReport): string {
  return [
    `before  ${measuredWhat(before)}`,
    `after   ${measuredWhat(after)}`,
    "",
    comparedText(before, after),
    "",
    "All numbers are per run.",
  ].join("\n");
}

/** Differences between two measurements, a row for each task. */
export function comparedText(before: Results, after: Results): string {
  const pairs = [...pairsOf(before, after), totals(before, after)];
  const rows = pairs.map((pair) => [pair.name, ...COMPARED.map((column) => difference(column, pair))]);
  return tableText([TITLES, ...rows]);
}

/** Differences between two reports as a page. */
export function comparisonHtml(before: EvalReport, after: EvalReport): string {
  return evalPage("Comparison", [
    factList([
      ["Before", measuredWhat(before)],
      ["After", measuredWhat(after)],
    ]),
    comparedHtml("Tasks, per run", before, after),
  ]);
}

/** The same differences as a table of a page. */
export function comparedHtml(caption: string, before: Results, after: Results): string {
  return htmlTable(caption, TITLES, pairsOf(before, after).map(cells), cells(totals(before, after)));
}

function cells(pair: Pair): readonly Cell[] {
  return [pair.name, ...COMPARED.map((column) => comparedCell(column, pair))];
}

function comparedCell(column: ComparedColumn, pair: Pair): Cell {
  const text = difference(column, pair);
  const [before, after] = [pair.before, pair.after].map((tally) => tally && column.value(tally));
  if (column.title !== "passed" || before === undefined || after === undefined || before === after)
    return text;
  return judged(text, after > before);
}

function pairsOf(before: Results, after: Results): readonly Pair[] {
  const [old, now] = [before, after].map(
    (report) => new Map(taskTallies(report).map((one) => [one.name, one])),
  );
  const names = new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])]);
  return [...names].map((name) => ({ name, before: old?.get(name), after: now?.get(name) }));
}

/** Sums over the tasks that both reports have, since others can't be compared. */
function totals(before: Results, after: Results): Pair {
  const inBoth = (report: Results, other: Results) => {
    const names = new Set(other.results.map(({ task }) => task));
    return tallyOf(
      "all",
      report.results.filter(({ task }) => names.has(task)),
    );
  };
  return { name: "all in both", before: inBoth(before, after), after: inBoth(after, before) };
}

function difference({ value, show }: ComparedColumn, { before, after }: Pair): string {
  const [old, now] = [before, after].map((tally) => {
    const found = tally && value(tally);
    return found === undefined ? "–" : show(found);
  });
  return old === now ? `${old}` : `${old} → ${now}`;
}

function oneDigit(value: number): string {
  return value.toFixed(1);
}

function rounded(value: number): string {
  return amount(Math.round(value));
}

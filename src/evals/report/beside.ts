import type { EvalReport, EvalResult } from "../../schema/eval-report.ts";
import { comparedHtml, comparedText } from "./comparison.ts";
import { htmlTable } from "./page.ts";
import { tableText } from "./report-text.ts";
import { amount, reasonText, secondsText, type Tally, tallyOf } from "./tally.ts";

interface BesideColumn {
  readonly title: string;
  readonly cell: (results: readonly EvalResult[], tally: Tally) => string;
}

const BESIDE: readonly BesideColumn[] = [
  { title: "solved", cell: (_, { passed, runs }) => `${passed} of ${runs}` },
  {
    title: "ended by themselves",
    cell: (results) => amount(results.filter(({ end }) => end === "finished").length),
  },
  { title: "median time", cell: (results) => middle(results.map(({ seconds }) => seconds)) },
  { title: "tokens read", cell: (_, { input }) => amount(input) },
  { title: "written", cell: (_, { output }) => amount(output) },
  {
    title: "per solved task",
    cell: (_, { passed, input, output }) =>
      passed === 0 ? "none solved" : amount(Math.round((input + output) / passed)),
  },
  { title: "first text, median", cell: (results) => middle(firstTexts(results)) },
  {
    title: "longest",
    cell: (results) => (firstTexts(results).length > 0 ? secondsText(Math.max(...firstTexts(results))) : "–"),
  },
];

/** The agent and the model alone in numbers, under a row of titles. Empty if the model alone wasn't measured. */
export function besideRows({ results, alone }: EvalReport): readonly (readonly string[])[] {
  if (!alone) return [];
  const row = (name: string, runs: readonly EvalResult[]) => [
    name,
    ...BESIDE.map(({ cell }) => cell(runs, tallyOf(name, runs))),
  ];
  return [
    ["", ...BESIDE.map(({ title }) => title)],
    row("the model alone", alone),
    row("the agent", results),
  ];
}

/** The agent beside the model alone, as tables for a terminal; "" if that wasn't measured. */
export function besideText(report: EvalReport): string {
  const { alone } = report;
  if (!alone) return "";
  return [
    "\n\nThe model alone is one request with all files, whose reply has whole files.\n",
    tableText(besideRows(report)),
    "\nFrom the model alone to the agent, per run:\n",
    comparedText({ results: alone }, report),
    ...alone
      .filter(({ passed }) => !passed)
      .map((result) => `${result.task} ${result.run}, alone: ${reasonText(result)}`),
  ].join("\n");
}

/** The same as tables of a page. */
export function besideHtml(report: EvalReport): readonly string[] {
  const { alone } = report;
  const [titles = [], ...rows] = besideRows(report);
  if (!alone) return [];
  return [
    htmlTable("Beside the model alone", titles, rows),
    comparedHtml("From the model alone to the agent, per run", { results: alone }, report),
  ];
}

function firstTexts(results: readonly EvalResult[]): readonly number[] {
  return results.flatMap(({ firstTextSeconds }) => firstTextSeconds ?? []);
}

/** The median of some seconds; of two in the middle, the longer. */
function middle(seconds: readonly number[]): string {
  const found = seconds.toSorted((one, other) => one - other)[Math.floor(seconds.length / 2)];
  return found === undefined ? "–" : secondsText(found);
}

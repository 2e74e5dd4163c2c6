import type { EvalReport, EvalResult } from "../../../../src/headless/library.ts";
import { renderDifferenceHtml, renderDifferenceText } from "./comparison.ts";
import { renderHtmlTable } from "./page.ts";
import { renderTextTable } from "./report-text.ts";
import { explainResult, formatAmount, formatSeconds, type Tally, tallyResults } from "./tally.ts";

interface BesideColumn {
  readonly title: string;
  readonly renderCell: (results: readonly EvalResult[], tally: Tally) => string;
}

const BESIDE: readonly BesideColumn[] = [
  { title: "solved", renderCell: (_, { passed, runs }) => `${passed} of ${runs}` },
  {
    title: "ended by themselves",
    renderCell: (results) => formatAmount(results.filter(({ end }) => end === "finished").length),
  },
  { title: "median time", renderCell: (results) => formatMedian(results.map(({ seconds }) => seconds)) },
  { title: "tokens read", renderCell: (_, { input }) => formatAmount(input) },
  { title: "written", renderCell: (_, { output }) => formatAmount(output) },
  {
    title: "per solved task",
    renderCell: (_, { passed, input, output }) =>
      passed === 0 ? "none solved" : formatAmount(Math.round((input + output) / passed)),
  },
  { title: "first text, median", renderCell: (results) => formatMedian(listFirstTextSeconds(results)) },
  {
    title: "longest",
    renderCell: (results) =>
      listFirstTextSeconds(results).length > 0 ? formatSeconds(Math.max(...listFirstTextSeconds(results))) : "–",
  },
];

/** Figures for the agent and the model alone, below a row of titles. Empty if the model alone wasn't measured. */
export function buildAgentModelRows({ results, alone }: EvalReport): readonly (readonly string[])[] {
  if (!alone) return [];
  const buildRow = (name: string, runs: readonly EvalResult[]) => [
    name,
    ...BESIDE.map(({ renderCell }) => renderCell(runs, tallyResults(name, runs))),
  ];
  return [
    ["", ...BESIDE.map(({ title }) => title)],
    buildRow("the model alone", alone),
    buildRow("the agent", results),
  ];
}

/** Compares the agent with the model alone, as tables for a terminal; "" if the model alone wasn't measured. */
export function renderAgentModelText(report: EvalReport): string {
  const { alone } = report;
  if (!alone) return "";
  return [
    "\n\nThe model alone is one request with all files, whose reply has whole files.\n",
    renderTextTable(buildAgentModelRows(report)),
    "\nFrom the model alone to the agent, per run:\n",
    renderDifferenceText({ results: alone }, report),
    ...alone
      .filter(({ passed }) => !passed)
      .map((result) => `${result.task} ${result.run}, alone: ${explainResult(result)}`),
  ].join("\n");
}

/** The same as HTML tables. */
export function renderAgentModelHtml(report: EvalReport): readonly string[] {
  const { alone } = report;
  const [titles = [], ...rows] = buildAgentModelRows(report);
  if (!alone) return [];
  return [
    renderHtmlTable("Beside the model alone", titles, rows),
    renderDifferenceHtml("From the model alone to the agent, per run", { results: alone }, report),
  ];
}

function listFirstTextSeconds(results: readonly EvalResult[]): readonly number[] {
  return results.flatMap(({ firstTextSeconds }) => firstTextSeconds ?? []);
}

/** The median of seconds; the higher of the two middle values. */
function formatMedian(seconds: readonly number[]): string {
  const found = seconds.toSorted((one, other) => one - other)[Math.floor(seconds.length / 2)];
  return found === undefined ? "–" : formatSeconds(found);
}

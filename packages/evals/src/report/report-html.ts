import type { EvalReport, EvalResult } from "../../../../src/headless/library.ts";
import { renderAgentModelHtml } from "./beside.ts";
import {
  type Cell,
  createJudgedCell,
  createLinkCell,
  renderEvalPage,
  renderFactList,
  renderHtmlTable,
} from "./page.ts";
import { COLUMNS, describeReplies, renderReportTitle } from "./report-text.ts";
import {
  explainResult,
  formatAmount,
  formatMoney,
  formatPercent,
  formatResult,
  formatSeconds,
  listTaskTallies,
  type Tally,
  tallyResults,
} from "./tally.ts";

/** The report as a page, for writing next to its logs. */
export function renderReportHtml(report: EvalReport): string {
  const total = tallyResults("all", report.results);
  return renderEvalPage(renderReportTitle(report), [
    renderFactList(listFacts(report, total)),
    renderHtmlTable(
      "Tasks",
      COLUMNS.map(({ title }) => title),
      listTaskTallies(report).map(tallyCells),
      tallyCells(total),
    ),
    ...renderAgentModelHtml(report),
    renderHtmlTable("Runs", RUN_TITLES, report.results.map(createRunCells)),
    ...(report.alone ? [renderHtmlTable("Runs of the model alone", RUN_TITLES, report.alone.map(createRunCells))] : []),
    ...renderSkippedTasks(report),
  ]);
}

function renderSkippedTasks({ skipped = [] }: EvalReport): readonly string[] {
  if (skipped.length === 0) return [];
  return [
    renderHtmlTable(
      "Skipped",
      ["task", "why"],
      skipped.map(({ task, why }) => [task, why]),
    ),
  ];
}

function listFacts(report: EvalReport, total: Tally): readonly (readonly [string, string])[] {
  const { model, server, startedAt, seconds, seed, settings } = report;
  return [
    ["Model", model],
    ...(server === "" ? [] : [["Server", server] as const]),
    ["Passed", `${total.passed} of ${total.runs} runs (${formatPercent(total.passed, total.runs)})`],
    ["Replies", describeReplies(total)],
    [
      "Tokens",
      `${formatAmount(total.input)} in, ${formatPercent(total.cached, total.input)} of them cached; ${formatAmount(total.output)} out`,
    ],
    ["Money", formatMoney(total.usd)],
    ["Time", `${formatSeconds(seconds)}, started ${startedAt.slice(0, 16).replace("T", " ")} UTC`],
    ["Seed", String(seed)],
    ...Object.entries(settings).map(([name, value]) => [name, JSON.stringify(value)] as const),
  ];
}

function tallyCells(tally: Tally): readonly Cell[] {
  return COLUMNS.map(({ title, cell }) =>
    title === "passed" ? createJudgedCell(cell(tally), tally.passed === tally.runs) : cell(tally),
  );
}

const RUN_TITLES = ["run", "result", "steps", "replies", "unreadable", "invalid", "refused", "time", "why"];

function createRunCells(result: EvalResult): readonly Cell[] {
  const { task, run, steps, replies, unreadable, invalid, refused, seconds, log } = result;
  return [
    createLinkCell(log, `${task} ${run}`),
    createJudgedCell(formatResult(result), result.passed),
    ...[steps, replies, unreadable, invalid, refused].map(formatAmount),
    formatSeconds(seconds),
    explainResult(result),
  ];
}

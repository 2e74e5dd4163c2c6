import type { EvalReport, EvalResult } from "../../schema/eval-report.ts";
import { besideHtml } from "./beside.ts";
import { type Cell, evalPage, factList, htmlTable, judged, linkTo } from "./page.ts";
import { COLUMNS, measuredWhat, repliesText } from "./report-text.ts";
import {
  amount,
  money,
  percent,
  reasonText,
  resultWord,
  secondsText,
  type Tally,
  tallyOf,
  taskTallies,
} from "./tally.ts";

/** The report as a page, to be written beside its logs. */
export function reportHtml(report: EvalReport): string {
  const total = tallyOf("all", report.results);
  return evalPage(measuredWhat(report), [
    factList(factsOf(report, total)),
    htmlTable(
      "Tasks",
      COLUMNS.map(({ title }) => title),
      taskTallies(report).map(tallyCells),
      tallyCells(total),
    ),
    ...besideHtml(report),
    htmlTable("Runs", RUN_TITLES, report.results.map(runCells)),
    ...(report.alone ? [htmlTable("Runs of the model alone", RUN_TITLES, report.alone.map(runCells))] : []),
    ...skippedHtml(report),
  ]);
}

function skippedHtml({ skipped = [] }: EvalReport): readonly string[] {
  if (skipped.length === 0) return [];
  return [
    htmlTable(
      "Skipped",
      ["task", "why"],
      skipped.map(({ task, why }) => [task, why]),
    ),
  ];
}

function factsOf(report: EvalReport, total: Tally): readonly (readonly [string, string])[] {
  const { model, server, startedAt, seconds, seed, settings } = report;
  return [
    ["Model", model],
    ...(server === "" ? [] : [["Server", server] as const]),
    ["Passed", `${total.passed} of ${total.runs} runs (${percent(total.passed, total.runs)})`],
    ["Replies", repliesText(total)],
    [
      "Tokens",
      `${amount(total.input)} in, ${percent(total.cached, total.input)} of them cached; ${amount(total.output)} out`,
    ],
    ["Money", money(total.usd)],
    ["Time", `${secondsText(seconds)}, started ${startedAt.slice(0, 16).replace("T", " ")} UTC`],
    ["Seed", String(seed)],
    ...Object.entries(settings).map(([name, value]) => [name, JSON.stringify(value)] as const),
  ];
}

function tallyCells(tally: Tally): readonly Cell[] {
  return COLUMNS.map(({ title, cell }) =>
    title === "passed" ? judged(cell(tally), tally.passed === tally.runs) : cell(tally),
  );
}

const RUN_TITLES = ["run", "result", "steps", "replies", "unreadable", "invalid", "refused", "time", "why"];

function runCells(result: EvalResult): readonly Cell[] {
  const { task, run, steps, replies, unreadable, invalid, refused, seconds, log } = result;
  return [
    linkTo(log, `${task} ${run}`),
    judged(resultWord(result), result.passed),
    ...[steps, replies, unreadable, invalid, refused].map(amount),
    secondsText(seconds),
    reasonText(result),
  ];
}

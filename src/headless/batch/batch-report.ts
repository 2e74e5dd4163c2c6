import { formatQuantity } from "../../core/base/text.ts";
import type { RunEnd } from "../../core/commands/outcome.ts";
import { quoteWord } from "../../node/processes/programs.ts";
import type { AttemptEnd, AttemptRow, BatchReport } from "../../schema/fleet/batches.ts";

/** How many rows are in each state, and what they have cost. */
export function countRows(rows: readonly AttemptRow[]): string {
  const count = (has: (row: AttemptRow) => boolean): number => rows.filter(has).length;
  const finished = count(({ end }) => end === "finished");
  const others = count(({ state, end }) => state === "ended" && end !== "finished");
  const parts = [
    `${finished} of ${rows.length} finished`,
    ...(others > 0 ? [`${others} ended otherwise`] : []),
    ...[
      ["working", "working"],
      ["waiting", "waiting for you"],
      ["short", "waiting for more of the budget"],
      ["unsent", "not sent"],
      ["pending", "not begun"],
    ].flatMap(([state, words]) => {
      const number = count((row) => row.state === state);
      return number > 0 ? [`${number} ${words}`] : [];
    }),
  ];
  return parts.join(", ");
}

export function sumUsd(rows: readonly AttemptRow[]): number {
  return rows.reduce((sum, { usd }) => sum + usd, 0);
}

/** The ways of each task with several, the best first: finished, checked, with the fewest failed tests, cheapest, shortest. */
export function rankWays(rows: readonly AttemptRow[]): ReadonlyMap<string, number> {
  const ranks = new Map<string, number>();
  for (const ways of Map.groupBy(rows, ({ line }) => line).values()) {
    if (ways.length < 2) continue;
    for (const [at, { attempt }] of ways.toSorted(compareWays).entries()) ranks.set(attempt, at + 1);
  }
  return ranks;
}

/** The worst end, for the exit code of the program. What isn't over counts as failed or exhausted. */
export function findWorstEnd(rows: readonly AttemptRow[]): RunEnd["reason"] {
  const found = new Set(rows.map(({ state, end }) => (state === "ended" && end ? REASONS[end] : OPEN[state])));
  return WORST_FIRST.find((reason) => found.has(reason)) ?? "finished";
}

const WORST_FIRST = ["crashed", "failed", "stuck", "exhausted", "stopped", "finished"] as const;

const REASONS: Readonly<Record<AttemptEnd, RunEnd["reason"]>> = {
  ...{ finished: "finished", stopped: "stopped", stuck: "stuck", crashed: "crashed" },
  ...{ provider: "failed", setup: "failed", lost: "failed", limit: "exhausted", budget: "exhausted" },
};

const OPEN: Readonly<Record<AttemptRow["state"], RunEnd["reason"]>> = {
  ...{ unsent: "failed", working: "failed", waiting: "failed", ended: "failed" },
  ...{ pending: "exhausted", short: "exhausted" },
};

function compareWays(one: AttemptRow, other: AttemptRow): number {
  const measureWorth = ({ end, check = 0, failedTests = 0.5 }: AttemptRow): readonly number[] => [
    end === "finished" ? 0 : 1,
    check === 0 ? 0 : 1,
    failedTests,
  ];
  const [a, b] = [
    [...measureWorth(one), one.usd, one.steps],
    [...measureWorth(other), other.usd, other.steps],
  ];
  const at = a.findIndex((value, index) => value !== b[index]);
  return at === -1 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}

const HEAD = ["task", "way", "model", "state", "steps", "cost", "time", "changes", "tests", "run"];

/** The report for people, as Markdown. */
export function renderBatchReport({ place, startedAt, updatedAt, budgetUsd, spentUsd, attempts }: BatchReport): string {
  const ranks = rankWays(attempts);
  const budget = budgetUsd === undefined ? "" : ` of $${budgetUsd.toFixed(2)}`;
  const lines = [
    "# Many runs",
    "",
    `${countRows(attempts)}. $${spentUsd.toFixed(4)}${budget} spent, on ${place}. Begun ${startedAt}, as of ${updatedAt}.`,
    "",
    `| ${HEAD.join(" | ")} |`,
    `|${HEAD.map(() => "---").join("|")}|`,
    ...attempts.map((row) => `| ${listCells(row, ranks).map(escapeCell).join(" | ")} |`),
  ];
  const waiting = attempts.filter(({ state }) => state === "waiting");
  if (waiting.length > 0) lines.push("", "## Waiting for you", "", ...waiting.flatMap(renderQuestion));
  const troubled = attempts.filter(
    ({ state, end, why }) => why !== undefined && (state === "unsent" || end !== undefined),
  );
  if (troubled.length > 0) lines.push("", "## Why", "", ...troubled.map(renderTrouble));
  const brought = attempts.filter(({ end, attempt }) => end === "finished" && (ranks.get(attempt) ?? 1) === 1);
  if (brought.length > 0)
    lines.push(
      "",
      "## To bring a result here",
      "",
      "Then `autogpt runs changes RUN` and `autogpt runs accept RUN`, as for any isolated run.",
      "",
      "```",
      ...brought.map(
        ({ run = "", folder }) => `autogpt fleet fetch ${run} --on ${place} --workspace ${quoteWord(folder)}`,
      ),
      "```",
    );
  return `${lines.join("\n")}\n`;
}

function listCells(row: AttemptRow, ranks: ReadonlyMap<string, number>): readonly string[] {
  const { attempt, name, way, model = "", steps, usd, unpriced, seconds, files, added, removed } = row;
  const rank = ranks.get(attempt);
  const { check, failedTests } = row;
  const tests = [
    ...(check === undefined ? [] : [check === 0 ? "check passed" : `check failed (${check})`]),
    ...(failedTests === undefined ? [] : [failedTests === 0 ? "tests passed" : `${failedTests} tests failed`]),
  ].join(", ");
  return [
    name,
    rank === undefined ? "" : `${way} (place ${rank})`,
    model,
    describeState(row),
    steps > 0 ? String(steps) : "",
    usd > 0 || steps > 0 ? `$${usd.toFixed(4)}${unpriced > 0 ? " and more" : ""}` : "",
    seconds > 0 ? `${seconds} s` : "",
    files > 0 ? `${formatQuantity(files, "file")}, +${added} −${removed}` : "",
    tests,
    row.run ?? "",
  ];
}

/** The state of an attempt, for people. */
export function describeState({ state, end = "finished" }: Pick<AttemptRow, "state" | "end">): string {
  return state === "ended" ? end : STATES[state];
}

const STATES: Readonly<Record<Exclude<AttemptRow["state"], "ended">, string>> = {
  pending: "not begun",
  unsent: "not sent",
  working: "working",
  waiting: "waits for you",
  short: "waits for budget",
};

function renderQuestion({ name, run = "", question = "" }: AttemptRow): readonly string[] {
  const fence = "`".repeat(Math.max(3, ...[...question.matchAll(/`+/g)].map(([ticks]) => ticks.length + 1)));
  return [
    `${escapeCell(name)}: answer with \`autogpt fleet decide ${run} yes\`, \`no\` or words.`,
    "",
    fence,
    question,
    fence,
    "",
  ];
}

function renderTrouble({ name, way, why = "" }: AttemptRow): string {
  return `- ${escapeCell(name)}, way ${way}: ${escapeCell(why)}`;
}

/** A text that can't end its cell, begin markup or hide anything. */
function escapeCell(text: string): string {
  return text.replace(/\s+/g, " ").replace(/[\\|`*_[\]<>&]/g, "\\$&");
}

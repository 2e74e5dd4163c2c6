import type { EvalReport, EvalResult } from "../../../../src/headless/library.ts";

/** Sums over some runs. */
export interface Tally {
  readonly name: string;
  readonly runs: number;
  readonly passed: number;
  readonly steps: number;
  readonly replies: number;
  readonly unreadable: number;
  readonly invalid: number;
  readonly refused: number;
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  /** US dollars; undefined where the price of a call isn't known. */
  readonly usd: number | undefined;
  readonly seconds: number;
  /** Number of failed runs, by kind of failure. */
  readonly failures: ReadonlyMap<string, number>;
}

/** The sums over some runs, under a name. */
export function tallyResults(name: string, results: readonly EvalResult[]): Tally {
  const sum = (amount: (result: EvalResult) => number): number =>
    results.reduce((total, result) => total + amount(result), 0);
  const failures = new Map<string, number>();
  for (const result of results)
    if (!result.passed) failures.set(formatResult(result), (failures.get(formatResult(result)) ?? 0) + 1);
  return {
    name,
    runs: results.length,
    passed: sum(({ passed }) => (passed ? 1 : 0)),
    steps: sum(({ steps }) => steps),
    replies: sum(({ replies }) => replies),
    unreadable: sum(({ unreadable }) => unreadable),
    invalid: sum(({ invalid }) => invalid),
    refused: sum(({ refused }) => refused),
    input: sum(({ input }) => input),
    cached: sum(({ cached }) => cached),
    output: sum(({ output }) => output),
    usd: results.some(({ usd }) => usd === undefined) ? undefined : sum(({ usd = 0 }) => usd),
    seconds: sum(({ seconds }) => seconds),
    failures,
  };
}

/** A tally for each task, in the report's order. */
export function listTaskTallies({ results }: Pick<EvalReport, "results">): readonly Tally[] {
  const tasks = Map.groupBy(results, ({ task }) => task);
  return [...tasks].map(([name, runs]) => tallyResults(name, runs));
}

/** How a run ended, in a word or two. */
export function formatResult({ passed, end, endDetail }: EvalResult): string {
  if (passed) return "passed";
  switch (end) {
    case "finished":
      return "finished but wrong";
    case "exhausted":
      return `limit of ${endDetail ?? "the run"}`;
    case "timedOut":
      return "timed out";
    default:
      return end;
  }
}

/** Why a run didn't pass: how it ended, unless the agent finished, and its grader's findings. */
export function explainResult({ why, end, endDetail }: EvalResult): string {
  const detail = end === "exhausted" ? `limit of ${endDetail}` : endDetail;
  return [detail, why].filter((text) => text !== undefined).join(" · ");
}

/** Failures as people read them: "2 stuck, 1 timed out". */
export function formatFailures({ failures }: Tally): string {
  return [...failures].map(([word, count]) => `${count} ${word}`).join(", ");
}

/** A share of something, in percent. */
export function formatPercent(part: number, whole: number): string {
  return whole === 0 ? "–" : `${Math.round((100 * part) / whole)}%`;
}

/** Replies per step whose call ran; 1 if every reply was useful. */
export function computeRepliesPerStep({ replies, steps }: Tally): number {
  return replies / Math.max(1, steps);
}

/** Money, or a remark on a missing price. */
export function formatMoney(usd: number | undefined): string {
  if (usd === 0) return "$0";
  return usd === undefined ? "no price" : `$${usd.toFixed(usd < 0.1 ? 4 : 2)}`;
}

/** Formats a number of tokens for display. */
export function formatAmount(count: number): string {
  return count.toLocaleString("en");
}

/** Seconds with one digit. */
export function formatSeconds(seconds: number): string {
  return `${seconds.toFixed(1)} s`;
}

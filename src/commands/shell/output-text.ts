import { formatQuantity } from "../../core/base/text.ts";
import type { FailedTest } from "../../core/ports/tests.ts";
import { type DisplayText, displayText } from "../../texts/display-text.ts";
import { numberLines } from "../line-texts.ts";

/** Characters of an output that an outcome shows whole, by whether the program succeeded. */
const WHOLE = { succeeded: 20_000, failed: 6_000 };
/** Characters of the failures, and of the beginning and the end around them. */
const FAILURES = 6_000;
const HEAD = 1_000;
const TAIL = 3_000;
/** Lines of one failure, and characters of a line. */
const MOST_LINES = 12;
const ENOUGH_LINES = 4;
const LONGEST_LINE = 500;

/** Lines with which test runners, compilers and programs report a failure. */
const FAILURE = new RegExp(
  [
    // Compilers and linters: "a.ts(1,2): error TS1", "a.c:1:2: error: ...", "error[E0308]: ...", "ERROR in ./a.js"
    /\b(?:fatal )?error(?: ?[A-Z]{1,4}\d+|\[\w+\])?:/,
    /^\s*(?:ERROR|FATAL)\b(?! ?[:=]? ?0\b)/,
    /^\s*\d+:\d+\s+error\b/,
    /\bundefined reference to\b|^make(?:\[\d+\])?: \*\*\*|^npm (?:ERR!|error)/,
    // Test runners: pytest, jest, vitest, mocha, node, tap, go, cargo, rspec, phpunit
    /^(?:E {3}|FAILED |FAIL\b|--- FAIL:|not ok\b|failures:$|thread '.*' panicked| {2}● | *[✕✗✘×✖] )/,
    /^ {2,}\d+\) \S|^test .* \.\.\. FAILED$|^_{5,} .+ _{5,}$/,
    // Exceptions
    /^\s*(?:[\w.]*(?:Error|Exception)\b(?: \[\w+\])?:|Traceback \(most recent call last\)|panic:|Caused by:|Uncaught )/,
    /\bAssertion ?(?:Error|failed)\b/i,
  ]
    .map(({ source }) => `(?:${source})`)
    .join("|"),
);
/** The same words where they report no failure. */
const HARMLESS = /\b(?:0|no) (?:errors?|failures?|failed)\b|\berrors?: 0\b/i;

/** An output as the model reads it. */
export interface OutputText {
  readonly text: string;
  /** It isn't all of the output. */
  readonly isCut: boolean;
  /** The output in a few words for people. */
  readonly summary?: DisplayText;
  readonly failures?: readonly FailedTest[];
}

/** The last lines of a test runner: mocha, jest, vitest, pytest, node, cargo, go. */
const COUNTS = {
  failed: /\b(\d+) (?:failing|failed|failures?)\b|^(?:ℹ|#) fail (\d+)$/gm,
  passed: /\b(\d+) (?:passing|passed)\b|^(?:ℹ|#) pass (\d+)$/gm,
};
/** Number of final characters that are searched for a test runner's summary. */
const SUMMED_UP = 3_000;

/** The numbers of tests at the end of an output; undefined for another program. */
export function summarizeTests(output: string): DisplayText | undefined {
  const end = output.slice(-SUMMED_UP);
  const [failed, passed] = [COUNTS.failed, COUNTS.passed].map((pattern) => {
    const last = [...end.matchAll(pattern)].at(-1);
    return last && Number(last[1] ?? last[2]);
  });
  return describeTestCounts({ failed, passed });
}

/** Numbers of tests for people. */
export function describeTestCounts({
  failed = 0,
  passed = 0,
}: {
  readonly failed?: number | undefined;
  readonly passed?: number | undefined;
}): DisplayText | undefined {
  if (failed > 0) return displayText("timeline.testsFailed", { count: failed });
  return passed > 0 ? displayText("timeline.testsPassed", { count: passed }) : undefined;
}

/** Shortens an output to fit into an outcome. In a long output of a failed program, the failures come first, with their line numbers. */
export function shortenOutput(output: string, hasFailed: boolean): OutputText {
  const whole = output.trimEnd();
  if (whole.length <= (hasFailed ? WHOLE.failed : WHOLE.succeeded)) return { text: whole, isCut: false };
  const failures = hasFailed ? extractFailures(whole) : "";
  if (failures === "") return cutOutputMiddle(whole, WHOLE.succeeded / 4, (WHOLE.succeeded * 3) / 4);
  const rest = cutOutputMiddle(whole, HEAD, TAIL).text;
  return {
    text: `Failures, with their line numbers in the output:\n${failures}\n\nOutput:\n${rest}`,
    isCut: true,
  };
}

/** The first and last lines of an output, of about so many characters. */
export function cutOutputMiddle(output: string, head: number, tail: number): OutputText {
  if (output.length <= head + tail) return { text: output, isCut: false };
  const headEnd = output.lastIndexOf("\n", head);
  const tailStart = output.indexOf("\n", output.length - tail) + 1;
  const first = output.slice(0, headEnd > 0 ? headEnd : head);
  const last = output.slice(tailStart > 0 ? tailStart : output.length - tail);
  const left = output.slice(first.length, output.length - last.length).trim();
  return {
    text: `${first}\n[… ${formatQuantity(left.split("\n").length, "line")} left out …]\n${last}`,
    isCut: true,
  };
}

/** Extracts lines that report failures in order, each with the lines that explain it; "" if there are none. */
function extractFailures(output: string): string {
  const lines = output.split("\n");
  const blocks: string[] = [];
  let room = FAILURES;
  let next = 0;
  for (const [index, line] of lines.entries()) {
    if (index < next || !FAILURE.test(line) || HARMLESS.test(line)) continue;
    const end = findFailureEnd(lines, index);
    const block = numberLines(lines.slice(index, end).map(shortenLine), index + 1);
    room -= block.length;
    if (room < 0 && blocks.length > 0) break;
    blocks.push(block.slice(0, FAILURES));
    next = end;
  }
  return blocks.join("\n");
}

/** End of the lines that belong to a failure: an empty line after enough others, or the limit. */
function findFailureEnd(lines: readonly string[], start: number): number {
  const most = Math.min(lines.length, start + MOST_LINES);
  let told = 0;
  for (let end = start; end < most; end++) {
    const isEmpty = (lines[end] ?? "").trim() === "";
    if (isEmpty && told >= ENOUGH_LINES) return end;
    told += isEmpty ? 0 : 1;
  }
  return most;
}

function shortenLine(line: string): string {
  return line.length <= LONGEST_LINE ? line : `${line.slice(0, LONGEST_LINE)}…`;
}

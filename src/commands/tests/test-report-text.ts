import { formatQuantity } from "../../core/base/text.ts";
import type { FailedTest, TestReport } from "../../core/ports/tests.ts";
import { cutOutputMiddle, describeTestCounts, type OutputText } from "../shell/output-text.ts";

/** Characters of all failures, and of the output around them. */
const MOST_CHARS = 10_000;
const HEAD = 500;
const TAIL = 2_000;
/** Failures that are only named, after those with their messages. */
const MOST_NAMED = 50;
/** The heading under which `node --test` prints the failures once more. */
const REPEATED = /^✖ failing tests:$/m;

/** A test run as the model reads it: failures first, then the ends of the output. */
export function renderTestReport(report: TestReport, output: string, folder: string, hasFailed: boolean): OutputText {
  const isClean = report.failed === 0;
  const head = `${formatTestCounts(report)} (${report.format})`;
  const counts = describeTestCounts(report);
  const summary = counts ? { summary: counts } : {};
  if (isClean && !hasFailed) return { text: `${head}.`, isCut: false, ...summary };
  const [printed = ""] = output.split(REPEATED, 1);
  const ends = cutOutputMiddle(printed.trimEnd(), HEAD, TAIL);
  const failures = isClean ? "No test failed, so look at the output for the cause." : renderFailures(report);
  const shown = ends.text === "" ? "" : `\n\nOutput:\n${ends.text}`;
  return {
    text: `${head}${isClean ? "." : ":"}\n${shortenPathsBelow(folder, failures)}${shown}`,
    isCut: ends.isCut,
    ...summary,
    failures: report.failures,
  };
}

/** Numbers of tests, as `2 tests failed, 3 passed, 1 skipped`. */
function formatTestCounts({ failed, passed, skipped }: TestReport): string {
  if (failed === 0 && passed !== undefined && passed > 0)
    return [passed === 1 ? "1 test passed" : `All ${passed} tests passed`, ...listSkippedCounts(skipped)].join(", ");
  if (failed === 0 && passed === 0) return ["No test ran", ...listSkippedCounts(skipped)].join(", ");
  return [
    failed === 0 ? "No test failed" : `${formatQuantity(failed, "test")} failed`,
    ...(passed === undefined ? [] : [`${passed} passed`]),
    ...listSkippedCounts(skipped),
  ].join(", ");
}

function listSkippedCounts(skipped = 0): readonly string[] {
  return skipped === 0 ? [] : [`${skipped} skipped`];
}

/** Failures with their messages as far as there is room, the others by their names. */
function renderFailures({ failures, failed }: TestReport): string {
  const lines: string[] = [];
  let room = MOST_CHARS;
  for (const [index, failure] of failures.entries()) {
    const text = renderFailure(failure, index + 1);
    room -= text.length;
    if (room < 0 && index > 0) break;
    lines.push(text);
  }
  const named = failures.slice(lines.length, lines.length + MOST_NAMED).map(formatTestName);
  const rest = failed - lines.length - named.length;
  return [
    ...lines,
    ...(named.length > 0 ? [`Also failed: ${named.join("; ")}`] : []),
    ...(rest > 0 ? [`… and ${formatQuantity(rest, "more failure")}.`] : []),
  ].join("\n");
}

function renderFailure(failure: FailedTest, number: number): string {
  const message = failure.message.replace(/^(?=.)/gm, "   ");
  return `${number}. ${formatTestName(failure)}${message === "" ? "" : `\n${message}`}`;
}

function formatTestName({ name, location }: FailedTest): string {
  return location === undefined ? name : `${name} (${location})`;
}

/** Shortens the paths in a text to names below the folder. */
function shortenPathsBelow(folder: string, text: string): string {
  const root = folder.replace(/[\\/]+$/, "");
  return root === ""
    ? text
    : text.replaceAll(`file://${root}/`, "").replaceAll(`${root}/`, "").replaceAll(`${root}\\`, "");
}

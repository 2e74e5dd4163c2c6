import { cutMiddle } from "../../core/base/text.ts";
import type { TestReport } from "../../core/ports/tests.ts";
import { createYielder } from "../processes/event-loop.ts";

/** The most failures to keep of a report; all are counted. */
export const MOST_FAILURES = 200;
/** Characters of one failure's message. */
const LONGEST_MESSAGE = 4_000;

/** A longer message is cut before its lines are examined. */
const LONGEST_READ = 20_000;

/** Lines of a stack trace in Node's own code. */
const OF_NODE = /node:(?:internal|async_hooks|timers|events)\b/;
const OF_ARRAYS =
  /^\s*(?:at )?(?:new (?:Safe)?Promise \(|Array\.map \(|async Promise\.all \()(?:<anonymous>|index \d+)\)(?: \{)?$/;

/** A failure's message without the uninformative lines of its stack trace. */
export function cutMessage(message: string): string {
  const lines = cutMiddle(message, LONGEST_READ)
    .split("\n")
    .flatMap((line) => {
      if (!OF_NODE.test(line) && !OF_ARRAYS.test(line)) return [line];
      // Node shows the error's properties behind the last line.
      return line.endsWith("{") ? [line.replace(/\S.*/, "{")] : [];
    });
  return cutMiddle(lines.join("\n").trim(), LONGEST_MESSAGE);
}

/** The number of characters to parse before the event loop gets a turn. */
const PIECE = 8 * 1024;

/** Yields a long text in pieces, with turns of the event loop in between. Throws on an abort. */
export async function* splitWithPauses(text: string, signal: AbortSignal): AsyncGenerator<string> {
  const breathe = createYielder(signal);
  for (let at = 0; at < text.length; at += PIECE) {
    yield text.slice(at, at + PIECE);
    await breathe();
  }
}

/** Numbers of tests by result. */
export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** Combines the reports of one run; undefined if there are none. */
export function mergeReports(reports: readonly TestReport[]): TestReport | undefined {
  const [first] = reports;
  if (!first) return undefined;
  const sum = (of: keyof TestCounts): number => reports.reduce((total, report) => total + (report[of] ?? 0), 0);
  return {
    format: first.format,
    passed: sum("passed"),
    failed: sum("failed"),
    skipped: sum("skipped"),
    failures: reports.flatMap(({ failures }) => failures).slice(0, MOST_FAILURES),
  };
}

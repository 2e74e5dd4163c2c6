import type { FailedTest } from "../../core/ports/tests.ts";
import { cutMessage, MOST_FAILURES } from "./counts.ts";

/** A list of failures as a test runner prints it for people: `name` and `message` are groups, and `file` and `line` where it has them. */
interface PrintedList {
  /** The failures are below this line, if the runner prints one. */
  readonly below?: RegExp;
  readonly entry: RegExp;
}

/** Each takes time in proportion to the output. By the runner whose output has them, in the order in which they are tried. */
const LISTS: Readonly<Record<string, PrintedList>> = {
  vitest: {
    entry: /^ ?FAIL {1,2}(?<file>\S+) > (?<name>.+)\n(?<message>[\s\S]*?)(?=^⎯|^ ?FAIL |^ *Test Files )/gm,
  },
  jest: { entry: /^ {2}● (?<name>.+ › .+)\n(?<message>[\s\S]*?)(?=^ {2}● |^(?:Test Suites|PASS|FAIL)\b|(?![\s\S]))/gm },
  mocha: {
    below: /^ *\d+ failing$/m,
    entry: /^ {2,}\d+\) (?<name>.+(?:\n {5,}\S.*){0,20}?):\n(?<message>[\s\S]*?)(?=^ {2,}\d+\) |(?![\s\S]))/gm,
  },
  pytest: { entry: /^_{3,} (?<name>\S+) _{3,}\n(?<message>[\s\S]*?)(?=^_{3,} |^={3,}|(?![\s\S]))/gm },
  cargo: { entry: /^---- (?<name>.+) stdout ----\n(?<message>[\s\S]*?)(?=^---- |^failures:$|(?![\s\S]))/gm },
  go: { entry: /^ *--- FAIL: (?<name>\S+) \([\d.]+s\)\n(?<message>(?: {4,}(?!--- ).*\n?)*)/gm },
};

/** Longer outputs are read from near their end, where runners list failures. */
const LONGEST_READ = 200_000;

/** Reads the failed tests in the text that mocha, jest, vitest, pytest, go and cargo print for people. */
export function readPrintedFailures(output: string): readonly FailedTest[] {
  const text = output.slice(-LONGEST_READ);
  for (const { below, entry } of Object.values(LISTS)) {
    const list = below ? text.slice(text.search(below)) : text;
    const found = below && !below.test(text) ? [] : [...list.matchAll(entry)].map(createPrintedFailure);
    const own = omitParents(dedupeByName(found));
    if (own.length > 0) return own.slice(0, MOST_FAILURES);
  }
  return [];
}

function createPrintedFailure({ groups = {} }: RegExpMatchArray): FailedTest {
  const { name = "", message = "", file } = groups;
  return {
    name: name
      .split(/\s*\n\s*| > /)
      .map((part) => part.trim())
      .join(" › "),
    message: cutMessage(message),
    ...(file === undefined ? {} : { location: file }),
  };
}

/** Some runners list the failures once more at their end. */
function dedupeByName(failures: readonly FailedTest[]): readonly FailedTest[] {
  return [...new Map(failures.map((failure) => [failure.name, failure])).values()];
}

/** A test of go that has failed by its subtests says nothing of its own. */
function omitParents(failures: readonly FailedTest[]): readonly FailedTest[] {
  return failures.filter(
    ({ name, message }) => message !== "" || !failures.some((other) => other.name.startsWith(`${name}/`)),
  );
}

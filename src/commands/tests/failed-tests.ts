import { cutText } from "../../core/base/text.ts";
import type { FailedTest } from "../../core/ports/tests.ts";
import type { ResolvedPath } from "../../core/ports/workspace.ts";
import type { ShownTest } from "../../schema/run-values.ts";

/** The most failed tests that a step shows; its line counts all. */
const MOST_SHOWN = 20;
const LONGEST_NAME = 200;
const LONGEST_VALUE = 60;
const LONGEST_MESSAGE = 160;

/** Where a program ran. Places are named from the workspace folder on. */
type TestFolder = Pick<ResolvedPath, "path" | "label">;

/** Failed tests as people read them: name, difference and place. */
export function describeFailedTests(failures: readonly FailedTest[], folder: TestFolder): readonly ShownTest[] {
  return failures.slice(0, MOST_SHOWN).map((failure) => ({
    name: cutText(failure.name, LONGEST_NAME),
    ...(findDifference(failure.message) ?? { message: findFirstWords(failure.message) }),
    ...findPlace(failure, folder),
  }));
}

/** How assertion libraries write what they compared; the groups are `expected` and `actual`. */
const DIFFERENCES: readonly RegExp[] = [
  // jest
  /^\s*Expected:? +(?<expected>\S.*)\n\s*Received:? +(?<actual>\S.*)$/m,
  // node, in the properties of its error, and in TAP
  /^\s*actual: (?<actual>.+?),?\n(?:.*\n)*?\s*expected: (?<expected>.+?),?$/m,
  /^\s*expected: (?<expected>.+?),?\n(?:.*\n)*?\s*actual: (?<actual>.+?),?$/m,
  // chai and vitest
  /\bexpected (?<actual>.+?) to (?:deeply |strictly |deep |loosely )?(?:equal|be|eql) (?<expected>.+?)(?: \/\/.*)?$/m,
  // rust
  /^\s*left: (?<actual>.+)\n\s*right: (?<expected>.+)$/m,
  // pytest, and the first line of node's error
  /^E? *(?:AssertionError[^:\n]*: )?assert (?<actual>.+?) == (?<expected>.+)$/m,
  /^(?:AssertionError[^:\n]*: )?(?<actual>\S+) (?:===?|!==?) (?<expected>\S+)$/m,
  // mocha's own difference
  /^\s*\+ expected - actual\n\s*\n\s*-(?<actual>.+)\n\s*\+(?<expected>.+)$/m,
  // words of people, as in tests of go
  /\bgot:? *(?<actual>.+?)[,;] *(?:want|wanted|expected):? *(?<expected>.+?)\.?$/im,
  /\b(?:want|wanted|expected):? *(?<expected>.+?),? *(?:but )?(?:got|received|was):? *(?<actual>.+?)\.?$/im,
];

function findDifference(message: string): Pick<ShownTest, "expected" | "actual"> | undefined {
  for (const form of DIFFERENCES) {
    const { expected, actual } = form.exec(message)?.groups ?? {};
    if (expected !== undefined && actual !== undefined)
      return { expected: cutText(expected.trim(), LONGEST_VALUE), actual: cutText(actual.trim(), LONGEST_VALUE) };
  }
  return undefined;
}

/** The first line of a message, without the name of the error's class. */
function findFirstWords(message: string): string {
  const lines = message
    .split("\n")
    .map((line) => line.replace(/^\s*(?:E {2,})?(?:[\w.]*Error(?: \[\w+\])?: )?/, "").trim());
  return cutText(lines.find((line) => line !== "") ?? "", LONGEST_MESSAGE);
}

/** Places in a message: frames of a stack, and the lines that pytest, go and cargo print. */
const PLACE = /(?:^|[\s(])(?:file:\/\/)?((?:[A-Za-z]:)?[^\s():]+\.\w+):(\d+)(?::\d+)?/gm;

function findPlace({ location, message }: FailedTest, folder: TestFolder): Pick<ShownTest, "file" | "line"> {
  const named = location === undefined ? [] : [...` ${location}`.matchAll(PLACE)];
  const [, path, line] =
    [...named, ...message.matchAll(PLACE)].find(([text]) => !/node_modules|node:/.test(text)) ?? [];
  const file = path ?? location;
  if (file === undefined) return {};
  const known = line === undefined ? {} : { line: Number(line) };
  return { file: formatPlace(file.replaceAll("\\", "/"), folder), ...known };
}

/** A path as the run names it: from the workspace folder on. */
function formatPlace(path: string, { path: root, label }: TestFolder): string {
  const start = `${root.replaceAll("\\", "/").replace(/\/+$/, "")}/`;
  const inside = path.startsWith(start) ? path.slice(start.length) : path.replace(/^\.\//, "");
  const isAbsolute = /^(?:\/|[A-Za-z]:)/.test(inside);
  return isAbsolute || label === "." ? inside : `${label}/${inside}`;
}

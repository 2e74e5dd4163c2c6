import type { FailedTest, TestReport } from "../../core/ports/tests.ts";
import { cutMessage, MOST_FAILURES } from "./counts.ts";

const COUNT = /^ℹ (pass|fail|cancelled|skipped|todo) (\d+)$/gm;
const FAILURES = /^✖ failing tests:$/m;
/** One entry in the list of failures: its location, its name, and its indented message. */
const ENTRY = /^test at (.+)\n([✖⚠]) (.*)\n((?: {2}.*\n|\s*\n)*)/gm;

/** True for the human-readable output of `node --test`. */
export function isNodeTest(output: string): boolean {
  return /^ℹ tests \d+$/m.test(output) && /^ℹ pass \d+$/m.test(output);
}

/** Reads the human-readable output of `node --test`, and adds up several runs. */
export function readNodeTest(output: string): TestReport {
  const counts = { pass: 0, fail: 0, cancelled: 0, skipped: 0, todo: 0 };
  for (const [, name, count] of output.matchAll(COUNT)) if (isCount(name, counts)) counts[name] += Number(count);
  const failures = parseFailures(output);
  const { pass, fail, cancelled, skipped, todo } = counts;
  return {
    format: "node:test",
    passed: pass,
    // A suite or test that fails by its subtests is counted, too, but not listed.
    failed: failures.length === 0 ? fail + cancelled : failures.length,
    skipped: skipped + todo,
    failures: failures.slice(0, MOST_FAILURES),
  };
}

function isCount<T extends object>(name: string | undefined, counts: T): name is keyof T & string {
  return name !== undefined && Object.hasOwn(counts, name);
}

function parseFailures(output: string): readonly FailedTest[] {
  const [, ...lists] = output.split(FAILURES);
  return lists.flatMap((list) =>
    [...`${list}\n`.matchAll(ENTRY)].flatMap(([, location = "", mark, name = "", message = ""]) =>
      mark === "⚠" || / # TODO\b/.test(name)
        ? []
        : [{ name: stripTime(name), location, message: cutMessage(message.replace(/^ {2}/gm, "")) }],
    ),
  );
}

function stripTime(name: string): string {
  return name.replace(/ \(\d[\d.]*m?s\)$/, "");
}

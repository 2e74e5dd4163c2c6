import { isObject } from "../../core/base/json.ts";
import type { FailedTest, TestReport } from "../../core/ports/tests.ts";
import { cutMessage, MOST_FAILURES, type TestCounts, together } from "./counts.ts";

const VERSION = /^TAP version 1[34]$/m;
const PLAN = /^1\.\.\d+/m;
const POINT = /^(?:not )?ok\b/m;

/** True for an output that holds results in the Test Anything Protocol. */
export function isTap(output: string): boolean {
  return VERSION.test(output) || (PLAN.test(output) && POINT.test(output));
}

/** Reads results in the Test Anything Protocol, of one runner after another, with other text between them. */
export async function readTap(output: string): Promise<TestReport | undefined> {
  const { Parser } = await import("tap-parser");
  const parts = output.split(/^(?=TAP version 1[34]$)/m).filter(isTap);
  return together(parts.map((part) => reportOf(Parser.parse(part))));
}

/** Results while they are collected. */
interface Collected {
  readonly counts: { -readonly [Key in keyof TestCounts]: number };
  readonly failures: FailedTest[];
}

function reportOf(events: readonly unknown[]): TestReport {
  const collected: Collected = { counts: { passed: 0, failed: 0, skipped: 0 }, failures: [] };
  collect(events, collected);
  return { format: "TAP", ...collected.counts, failures: collected.failures };
}

/** A test point that closes subtests only repeats their result. */
function collect(events: readonly unknown[], collected: Collected): void {
  for (const event of events) {
    if (!Array.isArray(event)) continue;
    const [type, value]: readonly unknown[] = event;
    if (type === "child" && Array.isArray(value)) collect(value, collected);
    if (type === "bailout") addFailure({ fullname: "Bail out!", diag: { error: value } }, collected);
    if (type === "assert" && isObject(value) && value.closingTestPoint !== true) addPoint(value, collected);
  }
}

function addPoint(point: Readonly<Record<string, unknown>>, collected: Collected): void {
  const { counts } = collected;
  if (isGiven(point.skip) || isGiven(point.todo)) counts.skipped++;
  else if (point.ok === true) counts.passed++;
  else addFailure(point, collected);
}

/** A directive is `false`, `true` or its reason. */
function isGiven(directive: unknown): boolean {
  return directive !== false && directive !== undefined;
}

function addFailure(
  { fullname, name, diag }: Readonly<Record<string, unknown>>,
  { counts, failures }: Collected,
): void {
  counts.failed++;
  if (failures.length >= MOST_FAILURES) return;
  const details = isObject(diag) ? diag : {};
  const location = locationOf(details);
  failures.push({
    name: nameOf(fullname, name),
    ...(location === undefined ? {} : { location }),
    message: cutMessage(messageOf(details)),
  });
}

function nameOf(fullname: unknown, name: unknown): string {
  const known = [fullname, name].find((one) => typeof one === "string" && one !== "");
  return typeof known === "string" ? known.replaceAll(" > ", " › ") : "A test without a name";
}

/** Runners write a place as `file:line:column`, or as an object. */
function locationOf({ location, at }: Readonly<Record<string, unknown>>): string | undefined {
  if (typeof location === "string") return location;
  if (typeof at === "string") return at;
  const { fileName, file, lineNumber, line } = isObject(at) ? at : {};
  const name = [fileName, file].find((one) => typeof one === "string");
  const row = [lineNumber, line].find((one) => typeof one === "number");
  if (typeof name !== "string") return undefined;
  return typeof row === "number" ? `${name}:${row}` : name;
}

const MESSAGES = ["error", "message", "diff", "stack"] as const;

function messageOf(details: Readonly<Record<string, unknown>>): string {
  const compared = ["expected", "actual"].flatMap((name) =>
    details[name] === undefined ? [] : [`${name}: ${JSON.stringify(details[name])}`],
  );
  const [first, ...rest] = MESSAGES.flatMap((name) => {
    const text = details[name];
    return typeof text === "string" && text.trim() !== "" ? [text.trim()] : [];
  });
  return [first, ...compared, ...rest].filter((part) => part !== undefined).join("\n");
}

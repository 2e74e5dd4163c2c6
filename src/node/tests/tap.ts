import type { Parser } from "tap-parser";
import { isObject } from "../../core/base/json.ts";
import { omitUndefined } from "../../core/base/objects.ts";
import type { FailedTest, TestReport } from "../../core/ports/tests.ts";
import { cutMessage, MOST_FAILURES, mergeReports, splitWithPauses, type TestCounts } from "./counts.ts";

const VERSION = /^TAP version 1[34]$/m;
const PLAN = /^1\.\.\d+/m;
const POINT = /^(?:not )?ok\b/m;

/** True for an output with results in the Test Anything Protocol. */
export function isTap(output: string): boolean {
  return VERSION.test(output) || (PLAN.test(output) && POINT.test(output));
}

/** Reads results in the Test Anything Protocol, from several runners in sequence, with other text in between. */
export async function readTap(output: string, signal: AbortSignal): Promise<TestReport | undefined> {
  const { Parser } = await import("tap-parser");
  const reports: TestReport[] = [];
  for (const part of output.split(/^(?=TAP version 1[34]$)/m).filter(isTap)) {
    const collected: Collected = { counts: { passed: 0, failed: 0, skipped: 0 }, failures: [] };
    const parser = new Parser();
    collect(parser, collected);
    for await (const piece of splitWithPauses(shortenDetails(part), signal)) parser.write(piece);
    parser.end();
    reports.push({ format: "TAP", ...collected.counts, failures: collected.failures });
  }
  return mergeReports(reports);
}

/** The most lines of a test's details to read. */
const MOST_DETAILS = 300;

/** Shortens details, because parsing long ones as YAML takes very long. */
function shortenDetails(text: string): string {
  let indent = 0;
  let count = 0;
  const lines = text.split("\n").filter((line) => {
    const own = line.search(/\S/);
    if (indent > 0 && own >= 0 && own < indent) indent = 0;
    if (indent > 0) return line.trim() === "..." || ++count <= MOST_DETAILS;
    if (own > 0 && line.trim() === "---") [indent, count] = [own, 0];
    return true;
  });
  return lines.join("\n");
}

/** Results that are being collected. */
interface Collected {
  readonly counts: { -readonly [Key in keyof TestCounts]: number };
  readonly failures: FailedTest[];
}

/** Collects results. A test point that closes subtests only repeats their result. */
function collect(parser: Parser, collected: Collected): void {
  parser.on("child", (child) => collect(child, collected));
  parser.on("bailout", (reason) => addFailure({ fullname: "Bail out!", diag: { error: reason } }, collected));
  parser.on("assert", (point: unknown) => {
    if (isObject(point) && point.closingTestPoint !== true) addPoint(point, collected);
  });
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
  const location = findLocation(details);
  failures.push({
    name: chooseTestName(fullname, name),
    ...omitUndefined({ location }),
    message: cutMessage(getMessage(details)),
  });
}

function chooseTestName(fullname: unknown, name: unknown): string {
  const known = [fullname, name].find((one) => typeof one === "string" && one !== "");
  return typeof known === "string" ? known.replaceAll(" > ", " › ") : "A test without a name";
}

/** Runners write a location as `file:line:column`, or as an object. */
function findLocation({ location, at }: Readonly<Record<string, unknown>>): string | undefined {
  if (typeof location === "string") return location;
  if (typeof at === "string") return at;
  const { fileName, file, lineNumber, line } = isObject(at) ? at : {};
  const name = [fileName, file].find((one) => typeof one === "string");
  const row = [lineNumber, line].find((one) => typeof one === "number");
  if (typeof name !== "string") return undefined;
  return typeof row === "number" ? `${name}:${row}` : name;
}

/** Formats a YAML value, which may contain itself, or numbers that JSON lacks. */
function formatValue(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return String(value);
  }
}

const MESSAGES = ["error", "message", "diff", "stack"] as const;

function getMessage(details: Readonly<Record<string, unknown>>): string {
  const compared = ["expected", "actual"].flatMap((name) =>
    details[name] === undefined ? [] : [`${name}: ${formatValue(details[name])}`],
  );
  const [first, ...rest] = MESSAGES.flatMap((name) => {
    const text = details[name];
    return typeof text === "string" && text.trim() !== "" ? [text.trim()] : [];
  });
  return [first, ...compared, ...rest].filter((part) => part !== undefined).join("\n");
}

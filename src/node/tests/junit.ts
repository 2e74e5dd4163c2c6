import type { FailedTest, TestReport } from "../../core/ports/tests.ts";
import { cutMessage, MOST_FAILURES, splitWithPauses } from "./counts.ts";

/** A test case that is being read. */
interface OpenCase {
  readonly names: readonly string[];
  readonly location: string;
  readonly messages: string[];
  state: "passed" | "failed" | "skipped";
}

type Attributes = Readonly<Record<string, string>>;

/** The limits for stored names of suites and parts of a test's messages. */
const MOST_SUITES = 20;
const MOST_MESSAGES = 40;

/** Elements whose text belongs to a failure. */
const FAILURES = new Set(["failure", "error", "rerunFailure", "flakyFailure"]);
/** Elements that make a test fail. A flaky test has passed in the end. */
const FAILS = new Set(["failure", "error"]);

/** Reads a report in the JUnit format. Throws for text that isn't well-formed XML. */
export async function readJUnit(xml: string, signal: AbortSignal): Promise<TestReport | undefined> {
  const { SaxesParser } = await import("saxes");
  const suites: string[] = [];
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const failures: FailedTest[] = [];
  let isJUnit = false;
  let open: OpenCase | undefined;
  let text: string | undefined;
  const parser = new SaxesParser();
  parser.on("error", (error) => {
    throw error;
  });
  parser.on("opentag", ({ name, attributes }) => {
    const values: Attributes = attributes;
    if (name === "testsuites" || name === "testsuite") isJUnit = true;
    if (name === "testsuite") suites.push(values.name ?? "");
    if (name === "testcase") open = openCase(values, suites);
    if (!open) return;
    // Runners report a failed test that is only planned as both.
    if (name === "skipped") open.state = "skipped";
    if (FAILS.has(name) && open.state === "passed") open.state = "failed";
    if (!FAILURES.has(name)) return;
    keepMessage(open, values.message);
    text = "";
  });
  const addText = (more: string): void => {
    if (text !== undefined) text += more;
  };
  parser.on("text", addText);
  parser.on("cdata", addText);
  parser.on("closetag", ({ name }) => {
    if (name === "testsuite") suites.pop();
    if (FAILURES.has(name) && open) {
      keepMessage(open, text);
      text = undefined;
    }
    if (name !== "testcase" || !open) return;
    counts[open.state]++;
    if (open.state === "failed" && failures.length < MOST_FAILURES) failures.push(createFailedTest(open));
    open = undefined;
  });
  for await (const piece of splitWithPauses(xml, signal)) parser.write(piece);
  parser.close();
  return isJUnit ? { format: "JUnit", ...counts, failures } : undefined;
}

function keepMessage({ messages }: OpenCase, message = ""): void {
  if (messages.length < MOST_MESSAGES) messages.push(message);
}

/** Begins a test case. A class name already contains the suites' names. */
function openCase(
  { name = "", classname = "", file = "", line = "" }: Attributes,
  suites: readonly string[],
): OpenCase {
  const around = classname === "" || classname === "test" ? suites.slice(0, MOST_SUITES) : [classname];
  return {
    names: [...around.filter((suite) => suite !== "" && !name.startsWith(suite)), name],
    location: file === "" || line === "" ? file : `${file}:${line}`,
    messages: [],
    state: "passed",
  };
}

function createFailedTest({ names, location, messages }: OpenCase): FailedTest {
  const parts = messages.map((message) => message.trim()).filter((message) => message !== "");
  // The text usually begins with the message of the attribute.
  const told = parts.filter((part) => !parts.some((other) => other !== part && other.includes(part)));
  return {
    name: names.join(" › "),
    ...(location === "" ? {} : { location }),
    message: cutMessage([...new Set(told)].join("\n")),
  };
}

/** The JUnit document in an output; undefined if there is none. */
export function findJunitDocument(output: string): string | undefined {
  const start = output.search(/<testsuites?[\s>]/);
  const end = Math.max(...["</testsuites>", "</testsuite>"].map((tag) => findTagEnd(output, tag)));
  return start === -1 || end <= start ? undefined : output.slice(start, end);
}

function findTagEnd(output: string, tag: string): number {
  const at = output.lastIndexOf(tag);
  return at === -1 ? -1 : at + tag.length;
}

import { assertNever } from "../../core/base/errors.ts";
import { formatQuantity } from "../../core/base/text.ts";
import { createPreparedCall, type PreparedCall } from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import type { FailedTest, TestExplorer, TestExplorerResult, TestReport } from "../../core/ports/tests.ts";
import { displayText } from "../../texts/display-text.ts";
import { createFailure, createSuccess } from "../outcomes.ts";
import { createTouch } from "../places.ts";
import { cutOutputMiddle, describeTestCounts } from "../shell/output-text.ts";
import { renderTestReport } from "./test-report-text.ts";
import type { TestRequest } from "./test-script-call.ts";

/** Characters of the output of tests that passed. */
const HEAD = 500;
const TAIL = 1_000;

const NOT_KNOWN =
  'Which tests passed isn\'t known: VS Code reports only failures. For all results call run_tests with runner "script".';

/** Prepares a call that runs tests in the editor's Test Explorer. A person decides, because it isn't known what that starts. */
export function prepareExplorerCall(
  explorer: TestExplorer,
  controllers: readonly string[],
  { folder, file, seconds }: TestRequest,
): PreparedCall {
  const what = file ? `the tests of ${file.label}` : "all tests";
  const list = controllers.join(", ");
  return createPreparedCall(
    "run",
    `Run ${what} in VS Code's Test Explorer, by ${list}, for ${formatQuantity(seconds, "second")} at most.`,
    async ({ signal }) => {
      const result = await explorer.run({ file, timeoutSeconds: seconds, signal });
      return createExplorerOutcome(result, folder.path, seconds);
    },
    {
      cwd: folder.path,
      touches: file ? [createTouch(file, "read")] : [],
      onlyByUser: {
        rule: "unknown-line",
        reason: `The programs that ${list} would start can't be known in advance.`,
      },
      fresh: async () => String(await explorer.listControllers(file)) === String(controllers),
    },
  );
}

function createExplorerOutcome(result: TestExplorerResult, folder: string, seconds: number): Outcome {
  const { report, output } = readExplorerFailures(result.failures);
  const text =
    report.failed > 0
      ? renderTestReport(report, output, folder, true).text
      : `No test failed.${output === "" ? "" : `\n\nOutput:\n${cutOutputMiddle(output, HEAD, TAIL).text}`}`;
  switch (result.ended) {
    case "exit":
      return createSuccess(
        `${text}\n[${[NOT_KNOWN, ...(result.isSame ? [SAME] : [])].join(" ")}]`,
        describeTestCounts(report),
      );
    case "timeout":
      return createFailure(
        `The tests were canceled after ${formatQuantity(seconds, "second")}. Give more timeout_seconds, or name a file.\n${text}`,
        displayText("timeline.timedOut", { seconds }),
      );
    case "stopped":
      return createFailure(`The user stopped the tests.\n${text}`, displayText("timeline.stoppedByUser"));
    default:
      return assertNever(result.ended);
  }
}

const SAME = "VS Code reported the same before this run, so if this is unexpected, no test may have run.";

const FAILURE = /<testFailure name=("(?:[^"\\]|\\.)*"|undefined) path=("(?:[^"\\]|\\.)*")>\n([\s\S]*?)<\/testFailure>/g;
const PART = /<(message|expectedOutput|actualOutput)>\n([\s\S]*?)\n<\/\1>/g;
const PLACE = /<(?:location|stackFrame) path="([^"]*)" line="(\d+)"(?: col="(\d+)")? \/>/;
const OUTPUT = /<output>\n([\s\S]*)\n<\/output>/;

const PART_NAMES = { message: "", expectedOutput: "expected: ", actualOutput: "actual: " } as const;

/** Reads the failed tests that VS Code's tool reports. It doesn't report how many tests passed. */
function readExplorerFailures(text: string): { readonly report: TestReport; readonly output: string } {
  const failures = [...text.matchAll(FAILURE)].map(([, name = '""', path = '""', body = ""]) =>
    parseFailedTest([path, name].map(stripQuotes), body),
  );
  return {
    report: { format: "Test Explorer", failed: failures.length, failures },
    output: OUTPUT.exec(text)?.[1] ?? "",
  };
}

function parseFailedTest(names: readonly string[], body: string): FailedTest {
  const parts = [...body.matchAll(PART)].map(([, part, text = ""]) =>
    isPart(part) ? `${PART_NAMES[part]}${text}` : text,
  );
  const [, file, line, column] = PLACE.exec(body) ?? [];
  const location = [file, line, column].filter((one) => one !== undefined).join(":");
  return {
    name: names
      .filter((name) => name !== "")
      .join(" › ")
      .replaceAll(" > ", " › "),
    ...(location === "" ? {} : { location }),
    message: parts.join("\n").trim(),
  };
}

function isPart(name: string | undefined): name is keyof typeof PART_NAMES {
  return name !== undefined && Object.hasOwn(PART_NAMES, name);
}

function stripQuotes(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    return "";
  }
}

import { assertNever } from "../../core/base/errors.ts";
import { formatQuantity } from "../../core/base/text.ts";
import { createPreparedCall, type PreparedCall } from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import type { TestExplorer, TestExplorerResult } from "../../core/ports/tests.ts";
import { displayText } from "../../texts/display-text.ts";
import { createFailure, createSuccess } from "../outcomes.ts";
import { createTouch } from "../places.ts";
import { cutOutputMiddle, describeTestCounts } from "../shell/output-text.ts";
import { readExplorerFailures } from "./explorer-failures.ts";
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

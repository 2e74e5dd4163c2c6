import { assertNever } from "../../core/base/errors.ts";
import { counted } from "../../core/base/text.ts";
import { type PreparedCall, prepared } from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import type { TestExplorer, TestExplorerResult } from "../../core/ports/tests.ts";
import { displayText } from "../../texts/display-text.ts";
import { done, failed } from "../outcomes.ts";
import { touchOf } from "../places.ts";
import { outputEnds, testCounts } from "../shell/output-text.ts";
import { readExplorerFailures } from "./explorer-failures.ts";
import { testReportText } from "./test-report-text.ts";
import type { TestRequest } from "./test-script-call.ts";

/** Characters of the output of tests that passed. */
const HEAD = 500;
const TAIL = 1_000;

const NOT_KNOWN =
  'Which tests passed isn\'t known: VS Code reports only failures. For all results call run_tests with runner "script".';

/** A call that runs tests in the editor's Test Explorer. What that starts isn't known, so a person decides. */
export function explorerCall(
  explorer: TestExplorer,
  controllers: readonly string[],
  { folder, file, seconds }: TestRequest,
): PreparedCall {
  const what = file ? `the tests of ${file.label}` : "all tests";
  const list = controllers.join(", ");
  return prepared(
    "run",
    `Run ${what} in VS Code's Test Explorer, by ${list}, for ${counted(seconds, "second")} at most.`,
    async ({ signal }) => {
      const result = await explorer.run({ file, timeoutSeconds: seconds, signal });
      return outcomeOf(result, folder.path, seconds);
    },
    {
      cwd: folder.path,
      touches: file ? [touchOf(file, "read")] : [],
      onlyByUser: {
        rule: "unknown-line",
        reason: `The programs that ${list} would start can't be known in advance.`,
      },
      fresh: async () => String(await explorer.controllers(file)) === String(controllers),
    },
  );
}

function outcomeOf(result: TestExplorerResult, folder: string, seconds: number): Outcome {
  const { report, output } = readExplorerFailures(result.failures);
  const text =
    report.failed > 0
      ? testReportText(report, output, folder, true).text
      : `No test failed.${output === "" ? "" : `\n\nOutput:\n${outputEnds(output, HEAD, TAIL).text}`}`;
  switch (result.ended) {
    case "exit":
      return done(
        `${text}\n[${[NOT_KNOWN, ...(result.isSame ? [SAME] : [])].join(" ")}]`,
        testCounts(report),
      );
    case "timeout":
      return failed(
        `The tests were canceled after ${counted(seconds, "second")}. Give more timeout_seconds, or name a file.\n${text}`,
        displayText("timeline.timedOut", { seconds }),
      );
    case "stopped":
      return failed(`The user stopped the tests.\n${text}`, displayText("timeline.stoppedByUser"));
    default:
      return assertNever(result.ended);
  }
}

const SAME = "VS Code reported the same before this run, so if this is unexpected, no test may have run.";

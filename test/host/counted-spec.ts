import { appendFileSync } from "node:fs";
import { type MochaOptions, type Runner, reporters } from "mocha";

/**
 * Mocha's spec reporter that also writes down how many tests ran and which failed: one JSON line at the end, in the
 * file named by TEST_COUNTS. That is how a run made of many processes can be summed up, and how one that ran
 * nothing is found.
 */
class CountedSpec extends reporters.Spec {
  constructor(runner: Runner, options: MochaOptions) {
    super(runner, options);
    const failed: string[] = [];
    runner.on("fail", (test, { message }) => failed.push(`${test.titlePath().join(" › ")}: ${firstLine(message)}`));
    runner.once("end", () => {
      const { passes = 0, failures = 0, pending = 0 } = runner.stats ?? {};
      const file = process.env.TEST_COUNTS;
      if (file) appendFileSync(file, `${JSON.stringify({ passes, failures, pending, failed })}\n`);
    });
  }
}

function firstLine(text: string): string {
  return (text.split("\n", 1)[0] ?? "").slice(0, 300);
}

/** Both names are for loading: the first by our own code, the second by mocha's `require`. */
export { CountedSpec, CountedSpec as "module.exports" };

import assert from "node:assert/strict";
import type { CommandDependencies } from "../../../../src/commands/all.ts";
import { quoteArguments } from "../../../../src/commands/shell/run-python.ts";
import { isPrepared } from "../../../../src/core/commands/command.ts";
import type { EditorTask, Tasks } from "../../../../src/core/ports/tasks.ts";
import type { TestExplorer, TestExplorerResult } from "../../../../src/core/ports/tests.ts";
import { chooseShellProgram } from "../../../../src/node/processes/programs.ts";
import { createNodeTestReports } from "../../../../src/node/tests/test-reports.ts";
import { plantedBenches } from "../../../support/planted-bench.ts";

const FAILURES = `<testFailure name="adds \\"two\\"" path="math > sums">
<message>
expected 3
</message>
<stackFrame path="/w/math.ts" line="4" col="7" />
<location path="/w/math.test.ts" line="9" col="1" />
</testFailure>
<testFailure name="compares" path="">
<expectedOutput>
1
</expectedOutput>
<actualOutput>
2
</actualOutput>
</testFailure>
`;
const PASSED = "<output>\n2 tests ran\n</output>\n";
const NOTE =
  'Which tests passed isn\'t known: VS Code reports only failures. For all results call run_tests with runner "script".';

const TASK: EditorTask = {
  name: "check",
  source: "Workspace",
  folder: "",
  runs: { text: "make check", cwd: "." },
  definition: "",
  tests: "default",
  isBackground: false,
};

function explorer(result: Partial<TestExplorerResult> = {}, controllers = ["vitest"]): TestExplorer {
  return {
    listControllers: async () => controllers,
    run: async () => ({ ended: "exit", failures: PASSED, isSame: false, ...result }),
  };
}

function tasks(...all: readonly EditorTask[]): Tasks {
  return {
    list: async () => all,
    run: async () => ({ ended: "exit", code: 0, output: "1..1\nok 1\n", bytes: 9 }),
  };
}

describe("run_tests in the editor", () => {
  const planted = plantedBenches();
  const bench = async (parts: Partial<CommandDependencies>) => {
    const tree = { "package.json": '{"scripts": {"test": "vitest run"}}', "a.test.ts": "" };
    return (await planted(tree, { reports: createNodeTestReports(() => []), ...parts })).bench;
  };

  it("runs the tests of the Test Explorer, which only a person can allow", async () => {
    const { prepare } = await bench({ testExplorer: explorer() }).then((one) => ({
      prepare: one.prepare.bind(one),
    }));
    const call = await prepare("run_tests", {});
    assert.ok(isPrepared(call));
    const { effect, shell, preview, onlyByUser } = call;
    assert.deepEqual(
      { effect, shell, preview, onlyByUser },
      {
        effect: "run",
        shell: undefined,
        preview: {
          kind: "details",
          text: "Run all tests in VS Code's Test Explorer, by vitest, for 600 seconds at most.",
        },
        onlyByUser: {
          rule: "unknown-line",
          reason: "The programs that vitest would start can't be known in advance.",
        },
      },
    );
  });

  for (const [what, result, outcome] of [
    [
      "the failures with their places",
      { failures: FAILURES },
      {
        status: "done",
        output: `2 tests failed (Test Explorer):\n1. math › sums › adds "two" (/w/math.ts:4:7)\n   expected 3\n2. compares\n   expected: 1\n   actual: 2\n[${NOTE}]`,
      },
    ],
    [
      "the output where no test failed",
      {},
      { status: "done", output: `No test failed.\n\nOutput:\n2 tests ran\n[${NOTE}]` },
    ],
    [
      "that nothing may have run",
      { isSame: true, failures: "" },
      {
        status: "done",
        output: `No test failed.\n[${NOTE} VS Code reported the same before this run, so if this is unexpected, no test may have run.]`,
      },
    ],
    [
      "that time is over",
      { ended: "timeout", failures: "" },
      {
        status: "failed",
        error: "The tests were canceled after 600 seconds. Give more timeout_seconds, or name a file.\nNo test failed.",
      },
    ],
    [
      "that the user stopped them",
      { ended: "stopped", failures: "" },
      { status: "failed", error: "The user stopped the tests.\nNo test failed." },
    ],
  ] as const)
    it(`reports ${what}`, async () => {
      const one = await bench({ testExplorer: explorer(result) });
      assert.deepEqual(await one.call("run_tests", { filename: "a.test.ts" }), outcome);
    });

  /** What a call runs, by the parts that there are. */
  const ways: readonly (readonly [string, object, Partial<CommandDependencies>, string])[] = [
    ["the explorer first", {}, { testExplorer: explorer(), tasks: tasks(TASK) }, "explorer"],
    [
      "the test task without tests in the explorer",
      {},
      { testExplorer: explorer({}, []), tasks: tasks(TASK) },
      "make check",
    ],
    ["the script without either", {}, { testExplorer: explorer({}, []), tasks: tasks() }, "npm test"],
    [
      "no one of several test tasks",
      {},
      { tasks: tasks({ ...TASK, tests: "some" }, { ...TASK, tests: "some" }) },
      "npm test",
    ],
    ["no test task that was only found", {}, { tasks: tasks({ ...TASK, source: "npm" }) }, "npm test"],
    ["no test task that doesn't end", {}, { tasks: tasks({ ...TASK, isBackground: true }) }, "npm test"],
    [
      "the script when tasks can't be listed",
      {},
      { tasks: { ...tasks(), list: async () => Promise.reject(new Error("slow")) } },
      "npm test",
    ],
    ["the script in the sandbox", {}, { testExplorer: explorer(), sandboxed: true }, "npm test"],
    [
      "what needs no person while no one decides",
      {},
      { testExplorer: explorer(), isUnattended: () => true },
      "npm test",
    ],
    [
      "the script for further arguments",
      { args: ["-t", "x"] },
      { testExplorer: explorer(), tasks: tasks(TASK) },
      `npm test -- ${quoteArguments(["-t", "x"], chooseShellProgram().name).join(" ")}`,
    ],
    [
      "the script when it's asked for",
      { runner: "script" },
      { testExplorer: explorer(), tasks: tasks(TASK) },
      "npm test",
    ],
    [
      "the task when it's asked for",
      { runner: "task" },
      { testExplorer: explorer(), tasks: tasks(TASK) },
      "make check",
    ],
    [
      "the explorer when it's asked for",
      { runner: "vscode" },
      { testExplorer: explorer(), isUnattended: () => true },
      "explorer",
    ],
  ];
  for (const [what, args, parts, line] of ways)
    it(`takes ${what}`, async () => {
      const call = await (await bench(parts)).prepare("run_tests", args);
      assert.ok(isPrepared(call));
      assert.equal(call.onlyByUser ? "explorer" : call.shell, line);
    });

  it("reads the results of a test task, too", async () => {
    const one = await bench({ tasks: tasks(TASK) });
    const call = await one.prepare("run_tests", {});
    assert.ok(isPrepared(call));
    const outcome = await one.commands.run(call, {
      step: 1,
      signal: new AbortController().signal,
      approvedByUser: true,
      output: () => undefined,
      record: async () => undefined,
    });
    assert.deepEqual(outcome, {
      ...{ status: "done", output: "Exit code 0.\n1 test passed (TAP)." },
      summary: { code: "timeline.testsPassed", parameters: { count: 1 } },
    });
  });

  for (const [runner, error] of [
    ["explorer", 'The Test Explorer has no such tests. Call run_tests with runner "script".'],
    ["task", 'There is no task for tests. Call run_tests with runner "script".'],
  ] as const)
    it(`says what to do without the ${runner} that was asked for`, async () => {
      const one = await bench({});
      assert.deepEqual(await one.try("run_tests", { runner }), { outcome: { status: "failed", error } });
    });
});

import assert from "node:assert/strict";
import { join } from "node:path";
import { isPrepared } from "../../../../src/core/commands/command.ts";
import type { PythonStart, Shell, ShellResult } from "../../../../src/core/ports/programs.ts";
import { createNodeTestReports } from "../../../../src/node/tests/test-reports.ts";
import { createNodeWorkspace } from "../../../../src/node/workspace.ts";
import { createUnsavedWorkspace } from "../../../../src/runtime/unsaved-workspace.ts";
import { displayText } from "../../../../src/texts/display-text.ts";
import { CommandBench } from "../../../support/command-bench.ts";
import { FakeEditors } from "../../../support/fake-editors.ts";
import { type PlantedBench, plantedBenches } from "../../../support/planted-bench.ts";
import { plant, type Tree } from "../../../support/trees.ts";

const npm = (script: string, more: object = {}): string => JSON.stringify({ scripts: { test: script }, ...more });

/** The files of a project, with the line that runs its tests. */
const PROJECTS: readonly (readonly [string, Tree, string])[] = [
  ["an npm script", { "package.json": npm("node --test") }, "npm test"],
  ["pnpm by its lock file", { "package.json": npm("jest"), "pnpm-lock.yaml": "" }, "pnpm test"],
  ["yarn by the manifest", { "package.json": npm("jest", { packageManager: "yarn@4.1.0" }) }, "yarn test"],
  ["bun, whose own runner isn't the script", { "package.json": npm("jest"), "bun.lock": "" }, "bun run test"],
  ["vitest without watching", { "package.json": npm("tsc && vitest") }, "npm test -- --run"],
  ["vitest that doesn't watch", { "package.json": npm("vitest run") }, "npm test"],
  ["jest without watching", { "package.json": npm("jest --watch"), "yarn.lock": "" }, "yarn test --watchAll=false"],
  ["pytest by its settings", { "pyproject.toml": "[tool.pytest.ini_options]\n" }, "/py/bin/python -m pytest"],
  ["pytest by its requirements", { "requirements.txt": "pytest==8\n" }, "/py/bin/python -m pytest"],
  ["Python's own runner", { "tests/__init__.py": "" }, "/py/bin/python -m unittest"],
  ["Rust", { "Cargo.toml": "" }, "cargo test"],
  ["Go", { "go.mod": "" }, "go test ./..."],
  ["Maven with its wrapper", { "pom.xml": "", mvnw: "" }, "./mvnw -B test"],
  ["Gradle", { "build.gradle.kts": "" }, "gradle test"],
  ["Composer", { "composer.json": npm("phpunit") }, "composer test"],
  ["a Makefile", { Makefile: "all:\n\ttrue\n\ncheck: all\n\t./check.sh\n" }, "make check"],
  ["Deno", { "deno.json": "{}" }, "deno test"],
  ["the first of several", { "package.json": npm("jest"), Makefile: "test:\n\tnpm test\n" }, "npm test"],
];

const TAP = "TAP version 13\nok 1 - a\nnot ok 2 - b\n  ---\n  at: FOLDER/b.js:3\n  message: no\n  ...\n1..2\n";

describe("run_tests", () => {
  const planted = plantedBenches();

  const project = async (tree: Tree, result: Partial<ShellResult> = {}): Promise<PlantedBench> => {
    const shell: Shell = {
      name: "bash",
      run: async () => ({ ended: "exit", code: 0, output: "", bytes: 0, ...result }),
    };
    const start = async (file: string): Promise<PythonStart> => ({
      words: ["/py/bin/python", "-u", file],
      where: displayText("approval.onMachine"),
    });
    const python = { getCodePath: () => "", keep: async () => undefined, drop: async () => undefined, start };
    return planted(tree, { shell, python, reports: createNodeTestReports(() => []) });
  };

  for (const [what, tree, line] of PROJECTS)
    it(`runs the tests of ${what}`, async () => {
      const { bench, folder } = await project(tree);
      const prepared = await bench.prepare("run_tests", {});
      assert.ok(isPrepared(prepared));
      const { effect, shell, cwd } = prepared;
      assert.deepEqual({ effect, shell, cwd }, { effect: "run", shell: line, cwd: folder });
    });

  it("shows the line with the script that it runs, and names the manifest to the policy", async () => {
    const { bench, folder } = await project({ "app/package.json": npm("node --test") });
    const prepared = await bench.prepare("run_tests", { folder: "app", timeout_seconds: 9 });
    assert.ok(isPrepared(prepared));
    const { preview, touches } = prepared;
    assert.deepEqual(
      { preview, touches },
      {
        preview: {
          kind: "details",
          text: `npm test\n\nScript in app/package.json:\nnode --test\n\nRuns with bash in ${join(folder, "app")}, for 9 seconds at most.`,
        },
        touches: [{ path: join(folder, "app", "package.json"), how: "read" }],
      },
    );
  });

  it("shows the scripts that npm runs around the test script", async () => {
    const scripts = { posttest: "rm -r tmp", pretest: "tsc -b", test: "mocha" };
    const { bench } = await project({ "package.json": JSON.stringify({ scripts }) });
    const prepared = await bench.prepare("run_tests", {});
    assert.ok(isPrepared(prepared) && prepared.preview.kind === "details");
    assert.match(prepared.preview.text, /\n\nScript in package\.json:\ntsc -b\nmocha\nrm -r tmp\n\n/);
  });

  it("shows every rule of the file that make reads", async () => {
    const { bench } = await project({
      Makefile: "test:\n\techo harmless\n",
      GNUmakefile: "test: first\n\techo a\n\nfirst:\n\ttrue\n\ntest:\n\trm -r tmp\n",
    });
    const prepared = await bench.prepare("run_tests", {});
    assert.ok(isPrepared(prepared) && prepared.preview.kind === "details");
    assert.match(
      prepared.preview.text,
      /^make test\n\nScript in GNUmakefile:\ntest: first\n\techo a\ntest:\n\trm -r tmp\n\n/,
    );
  });

  it("doesn't show a script that is only in an editor, because another one may run", async () => {
    const { folder } = await planted({ "package.json": npm("rm -r tmp") });
    const editors = new FakeEditors();
    editors.type(join(folder, "package.json"), npm("mocha"));
    const disk = createNodeWorkspace({ folders: [{ name: "project", path: folder }] });
    const workspace = createUnsavedWorkspace(disk, editors);
    const parts = { workspace, reports: createNodeTestReports(() => []) };
    const prepared = await new CommandBench(folder, `${folder}/.autogpt`, parts).prepare("run_tests", {});
    assert.ok(isPrepared(prepared) && prepared.preview.kind === "details");
    assert.match(
      prepared.preview.text,
      /^npm test\n\nFound by package\.json\. It has edits .* what runs is the file on disk\. Runs with /,
    );
  });

  it("passes on a file and further arguments, quoted", async () => {
    const { bench } = await project({ "package.json": npm("mocha"), "test/a b.js": "" });
    const prepared = await bench.prepare("run_tests", { file: "test/a b.js", args: ["-g", "it's"] });
    assert.ok(isPrepared(prepared));
    assert.equal(prepared.shell, `npm test -- '${join("test", "a b.js")}' -g 'it'\\''s'`);
  });

  it("is outdated once the script changes", async () => {
    const { bench, folder } = await project({ "package.json": npm("mocha") });
    const prepared = await bench.prepare("run_tests", {});
    assert.ok(isPrepared(prepared));
    const before = await prepared.fresh();
    await plant(folder, { "package.json": npm("rm -rf src") });
    assert.deepEqual([before, await prepared.fresh()], [true, false]);
  });

  it("lists the failures first, with the paths below the folder", async () => {
    const printed: Shell["run"] = async (_line, { cwd }) => {
      const output = TAP.replace("FOLDER", cwd);
      return { ended: "exit", code: 1, output, bytes: output.length };
    };
    const { bench, folder } = await planted(
      { "package.json": npm("tap") },
      { shell: { name: "bash", run: printed }, reports: createNodeTestReports(() => []) },
    );
    assert.deepEqual(await bench.call("run_tests", {}), {
      status: "done",
      output: `Exit code 1.\n1 test failed, 1 passed (TAP):\n1. b (b.js:3)\n   no\n\nOutput:\n${TAP.replace("FOLDER", folder).trimEnd()}`,
      exitCode: 1,
      failedTests: [{ name: "b", message: "no", file: "b.js", line: 3 }],
    });
  });

  it("leaves out of the output the failures that it lists itself", async () => {
    const output =
      "✖ b (1ms)\nℹ tests 1\nℹ pass 0\nℹ fail 1\n\n✖ failing tests:\n\ntest at b.js:3:1\n✖ b (1ms)\n  no\n";
    const { bench } = await project({ "package.json": npm("node --test") }, { code: 1, output });
    assert.deepEqual(await bench.call("run_tests", {}), {
      status: "done",
      output:
        "Exit code 1.\n1 test failed, 0 passed (node:test):\n1. b (b.js:3:1)\n   no\n\nOutput:\n✖ b (1ms)\nℹ tests 1\nℹ pass 0\nℹ fail 1",
      exitCode: 1,
      failedTests: [{ name: "b", message: "no", file: "b.js", line: 3 }],
    });
  });

  it("says in a line that all passed", async () => {
    const { bench } = await project({ "package.json": npm("tap") }, { output: "1..3\nok 1\nok 2\nok 3 # SKIP\n" });
    assert.deepEqual(await bench.call("run_tests", {}), {
      status: "done",
      output: "Exit code 0.\nAll 2 tests passed, 1 skipped (TAP).",
    });
  });

  it("shows the output where no test failed but the run did", async () => {
    const { bench } = await project(
      { "package.json": npm("tap") },
      { code: 1, output: "1..1\nok 1\nERROR: coverage 80%\n" },
    );
    assert.deepEqual(await bench.call("run_tests", {}), {
      status: "done",
      output:
        "Exit code 1.\n1 test passed (TAP).\nNo test failed, so look at the output for the cause.\n\nOutput:\n1..1\nok 1\nERROR: coverage 80%",
      exitCode: 1,
    });
  });

  it("shows an output in no known format as a command line's", async () => {
    const { bench } = await project({ "Cargo.toml": "" }, { code: 101, output: "test a ... FAILED\n" });
    assert.deepEqual(await bench.call("run_tests", {}), {
      status: "done",
      output: "Exit code 101.\ntest a ... FAILED",
      exitCode: 101,
    });
  });

  it("names the runners whose tests it left out, by names that it takes", async () => {
    const tree = { "package.json": npm("jest"), Makefile: "test:\n\ttrue\n" };
    const { bench } = await project(tree, { output: "1..1\nok 1\n" });
    const outcome = await bench.call("run_tests", { runner: "jest" });
    const other = await bench.prepare("run_tests", { runner: "make" });
    assert.deepEqual(
      [outcome, isPrepared(other) && other.shell],
      [
        {
          status: "done",
          output:
            'Exit code 0.\n1 test passed (TAP).\n[Only the npm tests ran. For others call it again with runner "make".]',
        },
        "make test",
      ],
    );
  });

  for (const [what, tree, args, error] of [
    [
      "there are no tests",
      { "package.json": npm('echo "Error: no test specified" && exit 1') },
      {},
      'No test command was found in ".": no manifest there has one. Look at how the project is tested, and run that with execute_shell.',
    ],
    [
      "only folders below have tests",
      { "web/package.json": npm("jest"), "api/go.mod": "" },
      {},
      'No test command was found in ".": no manifest there has one. Other projects are in "api", "web": name one as folder.',
    ],
    [
      "the named runner isn't there",
      { "go.mod": "" },
      { runner: "pytest" },
      'There are no pytest tests in ".". Use runner "go".',
    ],
    ["the folder is missing", {}, { folder: "lib" }, 'There is no folder "lib" to run tests in.'],
    [
      "the file is missing",
      { "test/a.js": "" },
      { filename: "a.js" },
      'There is no file "a.js". Nearest: "test/a.js".',
    ],
  ] as const)
    it(`says what to do when ${what}`, async () => {
      const { bench } = await project(tree);
      assert.deepEqual(await bench.try("run_tests", args), { outcome: { status: "failed", error } });
    });
});

import assert from "node:assert/strict";
import type { CommandDependencies } from "../../../../src/commands/all.ts";
import { isPrepared, type PreparedCall } from "../../../../src/core/commands/command.ts";
import type { Outcome } from "../../../../src/core/commands/outcome.ts";
import type { Shell } from "../../../../src/core/ports/programs.ts";
import type { EditorTask, Tasks } from "../../../../src/core/ports/tasks.ts";
import { type DisplayText, displayText } from "../../../../src/texts/display-text.ts";
import { type PlantedBench, plantedBenches } from "../../../support/planted-bench.ts";

const TASK = { source: "Workspace", folder: "app", definition: '{"label": "x"}', isBackground: false };

/** What ran a task, in place of the editor and of the clean child process. */
interface Ran {
  readonly by: "task" | "shell";
  readonly what: string;
}

describe("run_task", () => {
  const planted = plantedBenches();

  const project = async (
    tasks: (folder: string) => readonly EditorTask[],
    { remark, ...options }: Partial<CommandDependencies> & { readonly remark?: DisplayText } = {},
  ): Promise<PlantedBench & { readonly ran: Ran[]; change(tasks: readonly EditorTask[]): void }> => {
    const ran: Ran[] = [];
    const known: { all: readonly EditorTask[] } = { all: [] };
    const result = { ended: "exit", code: 0, output: "built\n", bytes: 6 } as const;
    const port: Tasks = {
      list: async () => known.all,
      describeEnvironment: () => remark,
      run: async ({ name }) => {
        ran.push({ by: "task", what: name });
        return result;
      },
    };
    const shell: Shell = {
      name: "bash",
      run: async (what) => {
        ran.push({ by: "shell", what });
        return result;
      },
    };
    const bench = await planted({ "sub/a.txt": "" }, { tasks: port, shell, ...options });
    known.all = tasks(bench.folder);
    const change = (all: readonly EditorTask[]): void => {
      known.all = all;
    };
    return { ...bench, ran, change };
  };

  const build = (folder: string): EditorTask => ({
    ...TASK,
    name: "build",
    runs: { text: "make", cwd: folder },
  });
  const hidden: EditorTask = { ...TASK, name: "deploy", runs: { why: "It runs other tasks first." } };

  /** Runs a call as it would be after a decision of a person, or of a rule. */
  const run = (bench: PlantedBench["bench"], call: PreparedCall, byUser: boolean): Promise<Outcome> =>
    bench.commands.run(call, {
      step: 1,
      signal: new AbortController().signal,
      output: () => undefined,
      record: async () => undefined,
      ...(byUser ? { approvedByUser: true } : {}),
    });

  it("is judged by its line, and shows the line, the task and what it sees", async () => {
    const { bench, folder } = await project((root) => [build(root)]);
    const call = await bench.prepare("run_task", { task: "Build", timeout_seconds: 9 });
    assert.ok(isPrepared(call));
    const { effect, shell, cwd, preview, onlyByUser } = call;
    assert.deepEqual(
      { effect, shell, cwd, preview, onlyByUser },
      {
        effect: "run",
        shell: "make",
        cwd: folder,
        preview: {
          kind: "details",
          text: `make\n\nTask "build" (Workspace). Runs with bash in ${folder}, in a terminal whose environment it sees, for 9 seconds at most.`,
        },
        onlyByUser: undefined,
      },
    );
  });

  it("shows what is unusual about terminals here, unless it stays out of them", async () => {
    for (const [options, ends] of [
      [{}, /for 9 seconds at most\. This workspace's settings change the shell or the environment of terminals\.$/],
      [{ withoutTerminal: true }, /for 9 seconds at most\.$/],
    ] as const) {
      const remark = displayText("approval.terminalSettings");
      const { bench } = await project((root) => [build(root)], { remark, ...options });
      const call = await bench.prepare("run_task", { name: "build", timeout_seconds: 9 });
      assert.ok(isPrepared(call) && call.preview.kind === "details");
      assert.match(call.preview.text, ends);
    }
  });

  it("quotes a name, so that it can't continue as a sentence of the card", async () => {
    const name = 'x" (Workspace). Runs in the sandbox.\n\nTask "x';
    const { bench } = await project((root) => [{ ...build(root), name }]);
    const call = await bench.prepare("run_task", { name });
    assert.ok(isPrepared(call) && call.preview.kind === "details");
    const [, , task] = call.preview.text.split("\n");
    assert.ok(task?.startsWith(`Task ${JSON.stringify(name)} (Workspace). Runs with bash in `), task);
  });

  it("runs in the editor when a person approved it, and in the clean child process otherwise", async () => {
    const { bench, ran } = await project((root) => [build(root)]);
    const call = await bench.prepare("run_task", { name: "build" });
    assert.ok(isPrepared(call));
    const outcomes = [await run(bench, call, true), await run(bench, call, false)];
    assert.deepEqual(
      { ran, outcomes },
      {
        ran: [
          { by: "task", what: "build" },
          { by: "shell", what: "make" },
        ],
        outcomes: Array(2).fill({ status: "done", output: "Exit code 0.\nbuilt" }),
      },
    );
  });

  for (const [what, options] of [
    ["stays in the sandbox", { sandboxed: true }],
    ["stays out of terminals that the user doesn't want", { withoutTerminal: true }],
  ] as const)
    it(`${what}, whoever approved it`, async () => {
      const { bench, ran } = await project((root) => [build(root)], options);
      const call = await bench.prepare("run_task", { name: "build" });
      assert.ok(isPrepared(call));
      await run(bench, call, true);
      assert.deepEqual(ran, [{ by: "shell", what: "make" }]);
    });

  it("is up to a person when its line isn't known, and shows its definition", async () => {
    const { bench, folder, ran } = await project(() => [hidden]);
    const call = await bench.prepare("run_task", { name: "Workspace: deploy" });
    assert.ok(isPrepared(call));
    const { shell, onlyByUser, preview } = call;
    await run(bench, call, true);
    assert.deepEqual(
      { shell, onlyByUser, preview, ran, cwd: call.cwd },
      {
        shell: undefined,
        onlyByUser: {
          rule: "unknown-line",
          reason: "Its command line can't be known in advance. It runs other tasks first.",
        },
        preview: {
          kind: "details",
          text: 'Task "deploy" (Workspace):\n{"label": "x"}\n\nIt runs other tasks first. VS Code runs it in a terminal whose environment it sees, for 600 seconds at most.',
        },
        ran: [{ by: "task", what: "deploy" }],
        cwd: folder,
      },
    );
  });

  it("is shown again once the task has changed", async () => {
    const { bench, folder, change } = await project((root) => [build(root)]);
    const call = await bench.prepare("run_task", { name: "build" });
    assert.ok(isPrepared(call));
    const before = await call.fresh();
    change([{ ...build(folder), runs: { text: "rm -rf src", cwd: folder } }]);
    assert.deepEqual([before, await call.fresh()], [true, false]);
  });

  it("lists the tasks without a name, with what they run", async () => {
    const { bench } = await project((root) => [
      { ...build(root), tests: "default" },
      hidden,
      { ...build(root), name: "watch", source: "npm", folder: "", isBackground: true },
    ]);
    assert.deepEqual(await bench.call("run_task", {}), {
      status: "done",
      output: [
        '"build" (Workspace, app) [tests]: make',
        '"deploy" (Workspace, app): It runs other tasks first.',
        '"watch" (npm) [in the background]: make',
      ].join("\n"),
    });
  });

  for (const [what, args, error, options] of [
    ["no such task", { name: "biuld" }, 'There is no task "biuld". Nearest: "build".', {}],
    [
      "several of one name",
      { name: "twice" },
      'There are several tasks "twice": "twice" (Workspace, app), "twice" (npm, app). Name its folder, or its source as in "Workspace: twice".',
      {},
    ],
    [
      "a task that doesn't end",
      { name: "watch" },
      'The task "watch" runs in the background and doesn\'t end. Start its command line with execute_shell_popen: make',
      {},
    ],
    [
      "a task whose line isn't known, in the sandbox",
      { name: "deploy" },
      'The task "deploy" can\'t run in the sandbox (autogpt.shell.sandbox). It runs other tasks first. Run its command line with execute_shell, or ask the user to run the task.',
      { sandboxed: true },
    ],
  ] as const)
    it(`says what to do about ${what}`, async () => {
      const { bench } = await project(
        (root) => [
          build(root),
          hidden,
          { ...build(root), name: "twice" },
          { ...build(root), name: "twice", source: "npm" },
          { ...build(root), name: "watch", isBackground: true },
        ],
        options,
      );
      assert.deepEqual(await bench.try("run_task", args), { outcome: { status: "failed", error } });
    });
});

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are VS Code's variables
import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import * as vscode from "vscode";
import type { ShellResult } from "../../../src/core/ports/programs.ts";
import type { EditorTask, Tasks } from "../../../src/core/ports/tasks.ts";
import { EditorTools } from "../../../src/vscode/host/editor-tools.ts";
import { createEditorTasks } from "../../../src/vscode/tasks/editor-tasks.ts";
import { createTestExplorer } from "../../../src/vscode/tasks/test-explorer.ts";
import { SharedTerminals } from "../../../src/vscode/terminal/shared-terminals.ts";
import { inWorkspace, until } from "./workspace-files.ts";

const LINE =
  "echo '!!' \"$PAGER\"; export -f nothing 2>/dev/null; printf 'a\\tb\\n' >&2; trap '' HUP; sleep 300 & exit 3";

/** One task of each kind, as in tasks.json. */
const TASKS = [
  { label: "exact", type: "shell", command: LINE },
  { label: "words", type: "process", command: "/bin/echo", args: ["a b", "c"] },
  { label: "first", type: "shell", command: "echo first" },
  { label: "both", type: "shell", command: "echo second", dependsOn: ["first"] },
  { label: "endless", type: "shell", command: "trap '' INT HUP TERM; while :; do sleep 1; done" },
  {
    label: "waits",
    type: "shell",
    command: "until [ -e over.tmp ]; do sleep 0.1; done; echo over",
    options: { env: { A: "1" } },
    presentation: { panel: "new" },
  },
  { label: "asks", type: "shell", command: "echo ${input:name}", group: { kind: "test", isDefault: true } },
];

/** It runs a command of the editor. */
const INPUT = { id: "name", type: "command", command: "workbench.action.files.newUntitledFile" };

/** Waits until something that has to be asked for holds. */
async function eventually(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 60; tries++) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  throw new Error(`In vain waited until ${what}.`);
}

describe("the editor's tasks", () => {
  const file = inWorkspace(".vscode/tasks.json");
  const outputFolder = fs.mkdtempSync(path.join(os.tmpdir(), "tasks-"));
  const signal = new AbortController().signal;
  let tasks: Tasks;
  let known: readonly EditorTask[] = [];
  let step = 0;

  const named = (name: string): EditorTask => {
    const found = known.find((task) => task.name === name);
    assert.ok(found, `There is no task ${name}.`);
    return found;
  };
  const run = (name: string, more: { timeoutSeconds?: number; signal?: AbortSignal } = {}): Promise<ShellResult> => {
    step++;
    return tasks.run(named(name), {
      cwd: inWorkspace("."),
      step,
      timeoutSeconds: 60,
      signal,
      reportOutput: () => undefined,
      ...more,
    });
  };

  before(async () => {
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, JSON.stringify({ version: "2.0.0", tasks: TASKS, inputs: [INPUT] }));
    tasks = createEditorTasks()({ outputFolder, redact: (text) => text });
    await eventually("the tasks are known", async () => {
      known = (await tasks.list()).filter(({ source }) => source === "Workspace");
      return known.length === TASKS.length;
    });
  });

  after(() => {
    fs.rmSync(path.dirname(file), { recursive: true });
    fs.rmSync(outputFolder, { recursive: true });
    for (const terminal of vscode.window.terminals) terminal.dispose();
  });

  it("are listed with all that they run, or why that isn't known", () => {
    const cwd = inWorkspace(".");
    assert.deepEqual(
      known.map(({ name, runs, tests }) => ({ name, runs, ...(tests ? { tests } : {}) })),
      [
        { name: "exact", runs: { text: LINE, cwd } },
        { name: "words", runs: { text: "/bin/echo 'a b' c", cwd } },
        { name: "first", runs: { text: "echo first", cwd } },
        { name: "both", runs: { why: "It runs other tasks first." } },
        { name: "endless", runs: { text: "trap '' INT HUP TERM; while :; do sleep 1; done", cwd } },
        { name: "waits", runs: { why: "It sets environment variables." } },
        { name: "asks", runs: { why: "VS Code fills in ${input:name} when it runs." }, tests: "default" },
      ],
    );
  });

  it("show the tasks that one of them runs first", () => {
    assert.deepEqual(JSON.parse(named("both").definition), [TASKS[3], TASKS[2]]);
  });

  it("show what gives the values that one of them asks for", () => {
    assert.deepEqual(JSON.parse(named("asks").definition), [TASKS.at(-1), INPUT]);
  });

  it("run exactly their line, again and again, and leave nothing running", async () => {
    const results = [await run("exact"), await run("exact"), await run("words")];
    const told = results.map(({ seconds = -1, bytes, ...rest }) => ({
      ...rest,
      ran: seconds >= 0 && bytes > 0,
    }));
    const exact = { ended: "exit", code: 3, output: "!! cat\na\tb\n", leftBehind: 1, ran: true };
    assert.deepEqual(told, [exact, exact, { ended: "exit", code: 0, output: "a b c\n", ran: true }]);
  });

  it("report the output of the tasks that run first, too", async () => {
    const { code, output } = await run("both");
    assert.deepEqual({ code, output }, { code: 0, output: "first\nsecond\n" });
  });

  it("aren't mixed with what the user does in a new terminal meanwhile", async () => {
    const running = run("waits");
    await until("it runs", () => vscode.tasks.taskExecutions.some(({ task }) => task.name === "waits"));
    const own = vscode.window.createTerminal({ name: "own", shellPath: "/bin/bash" });
    await until("its shell is ready", () => own.shellIntegration !== undefined);
    const ended = new Promise((resolve) => {
      const listener = vscode.window.onDidEndTerminalShellExecution(({ terminal }) => {
        if (terminal === own) resolve(listener.dispose());
      });
    });
    own.shellIntegration?.executeCommand("echo private");
    await ended;
    fs.writeFileSync(inWorkspace("over.tmp"), "");
    const { code, output } = await running;
    own.dispose();
    fs.rmSync(inWorkspace("over.tmp"));
    assert.deepEqual({ code, output }, { code: 0, output: "over\n" });
  });

  it("end at their time limit with all their processes", async () => {
    const { ended, leftBehind = 0 } = await run("endless", { timeoutSeconds: 2 });
    assert.deepEqual({ ended, hasEndedSome: leftBehind > 0 }, { ended: "timeout", hasEndedSome: true });
  });

  it("end when the user stops them", async () => {
    const stop = new AbortController();
    const running = run("endless", { signal: stop.signal });
    await until("it runs", () => vscode.tasks.taskExecutions.some(({ task }) => task.name === "endless"));
    stop.abort();
    assert.equal((await running).ended, "stopped");
  });
});

describe("the user's terminals", () => {
  const shared = new SharedTerminals(new EditorTools());
  let terminal: vscode.Terminal;

  before(async () => {
    terminal = vscode.window.createTerminal({ name: "my shell", shellPath: "/bin/bash" });
    terminal.show(true);
    await until("its shell is ready", () => terminal.shellIntegration !== undefined);
  });
  after(() => {
    terminal.dispose();
    shared.dispose();
  });

  /** Runs a line as the user does, and waits for its end. */
  const typed = async (line: string): Promise<void> => {
    const ended = new Promise<void>((resolve) => {
      const listener = vscode.window.onDidEndTerminalShellExecution((event) => {
        if (event.terminal !== terminal) return;
        listener.dispose();
        resolve();
      });
    });
    terminal.shellIntegration?.executeCommand(line);
    await ended;
  };

  it("aren't read before one is shared, and then report its last command and each one after that", async () => {
    await typed("echo before; false");
    const unread = await shared.read("my-shell");
    shared.share("my-shell");
    await eventually("VS Code knows the last command", async () => (await shared.read("my-shell"))?.length === 1);
    const last = await shared.read("my-shell");
    await typed("echo after");
    const cwd = inWorkspace(".");
    assert.deepEqual(
      { unread, last, next: await shared.read("my-shell"), list: shared.list() },
      {
        unread: undefined,
        last: [{ line: "echo before; false", cwd, state: "ended", code: 1, output: "before" }],
        next: [{ line: "echo after", cwd, state: "ended", code: 0, output: "after" }],
        list: [{ label: "my-shell", isActive: true, isShared: true }],
      },
    );
  });

  it("keep their names, so that none is taken for another one", async () => {
    const labels = () => shared.list().map(({ label }) => label);
    const second = vscode.window.createTerminal({ name: "my shell", shellPath: "/bin/bash" });
    const third = vscode.window.createTerminal({ name: "my shell", shellPath: "/bin/bash" });
    const before = labels();
    second.dispose();
    await until("it's closed", () => !vscode.window.terminals.includes(second));
    const after = labels();
    third.dispose();
    await until("it's closed", () => !vscode.window.terminals.includes(third));
    assert.deepEqual(
      { before, after },
      {
        before: ["my-shell", "my-shell-2", "my-shell-3"],
        after: ["my-shell", "my-shell-3"],
      },
    );
    terminal.show(true);
    await until("it's in front", () => vscode.window.activeTerminal === terminal);
  });

  it("are forgotten once the user takes them back", async () => {
    shared.revoke("my-shell");
    assert.deepEqual(
      [await shared.read("my-shell"), shared.list()],
      [undefined, [{ label: "my-shell", isActive: true, isShared: false }]],
    );
  });
});

describe("the Test Explorer", () => {
  const uri = vscode.Uri.file(inWorkspace("explored.test.js"));

  it("runs the tests of extensions and reports what failed", async () => {
    fs.writeFileSync(uri.fsPath, "one\ntwo\n");
    const controller = vscode.tests.createTestController("explored", "Explored");
    const [bad, good] = ["bad", "good"].map((id) => controller.createTestItem(id, id, uri));
    assert.ok(bad && good);
    controller.items.replace([bad, good]);
    controller.createRunProfile(
      "Run",
      vscode.TestRunProfileKind.Run,
      (request) => {
        const run = controller.createTestRun(request);
        const message = new vscode.TestMessage("expected 1");
        message.location = new vscode.Location(uri, new vscode.Position(1, 0));
        run.failed(bad, message);
        run.passed(good);
        run.end();
      },
      true,
    );
    const explorer = createTestExplorer(new EditorTools());
    try {
      await eventually("the tests are known", async () => (await explorer.listControllers()).length > 0);
      const { ended, failures } = await explorer.run({
        timeoutSeconds: 20,
        signal: new AbortController().signal,
      });
      assert.deepEqual(
        { controllers: await explorer.listControllers(), ended, failures },
        {
          controllers: ["explored"],
          ended: "exit",
          failures: `<testFailure name="bad" path="">\n<message>\nexpected 1\n</message>\n<location path="${uri.fsPath}" line="2" col="1" />\n</testFailure>\n`,
        },
      );
    } finally {
      controller.dispose();
      fs.rmSync(uri.fsPath);
    }
  });
});

import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import * as vscode from "vscode";
import type { ShellResult } from "../../../src/core/ports/programs.ts";
import { isAtPrompt } from "../../../src/node/processes/process-tree.ts";
import { createNodeShell } from "../../../src/node/processes/shell.ts";
import { LineTerminals } from "../../../src/node/terminal/line-terminals.ts";
import { createTerminalShell, findLinePreparation } from "../../../src/node/terminal/terminal-shell.ts";
import { editorTerminals } from "../../../src/vscode/terminal/editor-terminals.ts";
import { inWorkspace, until } from "./workspace-files.ts";

describe("approved lines in VS Code's terminal", () => {
  let terminals: LineTerminals;
  let outputFolder: string;

  beforeEach(() => {
    terminals = new LineTerminals(editorTerminals);
    outputFolder = fs.mkdtempSync(path.join(os.tmpdir(), "terminal-run-"));
  });

  afterEach(async () => {
    terminals.dispose();
    fs.rmSync(outputFolder, { recursive: true, force: true });
    await vscode.workspace.getConfiguration("terminal.integrated").update("env.linux", undefined, true);
    await until("our terminals are closed", () => own().length === 0);
  });

  async function run(line: string, heard?: (terminal: vscode.Terminal | undefined) => void): Promise<ShellResult> {
    const prepare = await findLinePreparation("integrated");
    if (!prepare) throw new Error("This system has no bash, or no script(1) of util-linux.");
    const clean = createNodeShell({ outputFolder });
    const redact = (text: string): string => text;
    const shell = createTerminalShell(clean, { outputFolder, terminals, prepare, use: "integrated", redact });
    const { signal } = new AbortController();
    const output = (): void => heard?.(own()[0]);
    const cwd = inWorkspace(".");
    return shell.run(line, {
      cwd,
      step: 1,
      timeoutSeconds: 60,
      signal,
      reportOutput: output,
      approvedByUser: true,
    });
  }

  it("run one after the other in one visible terminal, as they are, with the user's own environment", async () => {
    const settings = vscode.workspace.getConfiguration("terminal.integrated");
    await settings.update("env.linux", { OWN_VARIABLE: "of the terminal", HISTFILE: "/dev/null" }, true);

    const results = [];
    for (const line of [
      'echo "$OWN_VARIABLE"; tty | cut -c1-5',
      'echo "!!"; (exit 4)',
      "printf '\\033]633;D;0\\007forged\\n'; sleep 0.2; echo still on; exit 5",
    ])
      results.push(await run(line));
    const history = path.join(outputFolder, "history");
    await type(` history >${history}.new; mv ${history}.new ${history}`);
    await until("the history is written", () => fs.existsSync(history));

    assert.deepEqual(
      [
        results.map(({ output, code }) => [output, code]),
        own().length,
        fs.readFileSync(history, "utf8").includes("autogpt-line"),
      ],
      [
        [
          ["of the terminal\n/dev/\n", 0],
          ["!!\n", 4],
          ["forged\nstill on\n", 5],
        ],
        1,
        false,
      ],
    );
  });

  it("are what VS Code's lists of commands name, and not what starts them", async () => {
    // VS Code may end a short command before it reads the mark, and then keeps the text that was typed.
    const lines = ["echo one; sleep 0.3", "echo 'two;'; sleep 0.3; (exit 3)"];
    const named: string[] = [];
    const listener = vscode.window.onDidEndTerminalShellExecution(({ execution }) => {
      named.push(execution.commandLine.value);
    });
    for (let tries = 0; tries < 5 && !lines.every((line) => named.includes(line)); tries++)
      for (const line of lines) {
        const before = named.length;
        await run(line);
        await until("it has ended", () => named.length > before);
      }
    listener.dispose();

    assert.deepEqual(
      lines.filter((line) => !named.includes(line)),
      [],
    );
  });

  it("read what the user types, and end when the user closes the terminal", async () => {
    const typed = { isDone: false };
    const answered = await run('read -r -s -p "Password: " word; echo; echo "${#word} letters"', (terminal) => {
      if (!typed.isDone) terminal?.sendText("hunter22");
      typed.isDone = true;
    });
    const closed = await run("echo on; sleep 600", (terminal) => terminal?.dispose());

    assert.deepEqual([answered.output, closed.ended, closed.output], ["Password: \n8 letters\n", "closed", "on\n"]);
  });

  it("are never typed into a terminal in which the user runs something", async () => {
    await run("true");
    const started = path.join(outputFolder, "started");
    // One program: between two of them, the shell looks as if it were at its prompt.
    await type(`sh -c 'touch ${started}; exec sleep 600'`);
    await until("the user's command runs", () => fs.existsSync(started));
    const { output } = await run("echo elsewhere");

    assert.deepEqual([output, own().length], ["elsewhere\n", 2]);
    for (const terminal of own()) terminal.dispose();
  });
});

/** Types a line as the user does, once the terminal is at its prompt: before that, the agent's own runner would take it. */
async function type(line: string): Promise<void> {
  const [terminal] = own();
  const shell = await terminal?.processId;
  while (shell !== undefined && !(await isAtPrompt(shell))) await setTimeout(10);
  terminal?.sendText(line);
}

function own(): readonly vscode.Terminal[] {
  return vscode.window.terminals.filter(({ name }) => name === "AutoGPT");
}

import { existsSync } from "node:fs";
import { basename } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import * as vscode from "vscode";
import { isAtPrompt } from "../../node/processes/process-tree.ts";
import type { HostTerminals, LineTerminal } from "../../node/terminal/line-terminals.ts";
import { type DisplayText, displayText } from "../../texts/display-text.ts";

/** Time for a shell to load VS Code's integration. Otherwise, lines are sent without it. */
const READY_MS = 5000;
/** For a shell that may not load the integration. */
const UNKNOWN_READY_MS = 500;
/** Time for a terminal to return to its prompt. */
const SETTLED_MS = 500;
const LOOK_EVERY_MS = 10;
/** Time for a shell to clear the text at its prompt. */
const DROP_MS = 50;

/** Time for VS Code to find the user's shell after a window has opened. */
const KNOWN_MS = 5000;

const INTEGRATED = /^(?:bash|zsh|fish|pwsh|powershell)(?:\.exe)?$/i;

/** The window's terminals for lines of the agent, in the user's own shell. */
export const editorTerminals: HostTerminals = {
  get shell() {
    return basename(vscode.env.shell).replace(/\.exe$/i, "") || "your shell";
  },
  async waitForShell() {
    if (vscode.env.shell !== "") return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const listener = vscode.env.onDidChangeShell(() => resolve());
    await Promise.race([promise, wait(KNOWN_MS, undefined, { ref: false })]);
    listener.dispose();
  },
  describeEnvironment: findWorkspaceRemark,
  async open(folder) {
    const terminal = vscode.window.createTerminal({
      name: "AutoGPT",
      ...(existsSync(folder) ? { cwd: folder } : {}),
      iconPath: new vscode.ThemeIcon("terminal"),
      // Lines that begin with a space then stay out of the shell's history.
      env: { VSCODE_PREVENT_SHELL_HISTORY: "1" },
      isTransient: true,
    });
    terminal.show(true);
    const line = new EditorTerminal(terminal);
    await line.waitUntilReady();
    return line;
  },
};

/** Workspace settings that affect the terminal, for the user to know. */
export function findWorkspaceRemark(): DisplayText | undefined {
  const settings = vscode.workspace.getConfiguration("terminal.integrated");
  const system = { win32: "windows", darwin: "osx" }[process.platform as string] ?? "linux";
  const isSet = ["env", "defaultProfile", "profiles", "automationProfile"].some((name) => {
    const { workspaceValue, workspaceFolderValue } = settings.inspect(`${name}.${system}`) ?? {};
    return [workspaceValue, workspaceFolderValue].some((value) => value !== undefined && value !== null);
  });
  return isSet ? displayText("approval.terminalSettings") : undefined;
}

class EditorTerminal implements LineTerminal {
  readonly closed: Promise<void>;
  private readonly terminal: vscode.Terminal;
  private readonly listeners: vscode.Disposable;
  /** Command lines that the shell has reported to run. */
  private running = 0;
  private wasUsed = false;
  private ended = Promise.withResolvers<void>();

  constructor(terminal: vscode.Terminal) {
    this.terminal = terminal;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.closed = promise;
    this.listeners = vscode.Disposable.from(
      vscode.window.onDidCloseTerminal((closed) => {
        if (closed !== terminal) return;
        this.listeners.dispose();
        resolve();
      }),
      vscode.window.onDidStartTerminalShellExecution((event) => {
        if (event.terminal === terminal) this.running++;
      }),
      vscode.window.onDidEndTerminalShellExecution((event) => {
        if (event.terminal !== terminal) return;
        this.running = 0;
        this.ended.resolve();
      }),
    );
  }

  get isClosed(): boolean {
    return this.terminal.exitStatus !== undefined;
  }

  /** Resolves when the shell has loaded VS Code's integration, or when it won't load. */
  async waitUntilReady(): Promise<void> {
    const isOn = vscode.workspace
      .getConfiguration("terminal.integrated.shellIntegration")
      .get<boolean>("enabled", true);
    const mayCome = isOn && INTEGRATED.test(basename(vscode.env.shell));
    const until = performance.now() + (mayCome ? READY_MS : UNKNOWN_READY_MS);
    while (!this.terminal.shellIntegration && !this.isClosed && performance.now() < until) await wait(LOOK_EVERY_MS);
    // Another extension may have run something to set up the shell.
    while (this.running > 0 && !this.isClosed && performance.now() < until) await wait(LOOK_EVERY_MS);
  }

  get isReadable(): boolean {
    return this.terminal.shellIntegration !== undefined;
  }

  type(line: string): AsyncIterable<string> | undefined {
    const { shellIntegration } = this.terminal;
    this.ended = Promise.withResolvers();
    const execution = shellIntegration?.executeCommand(line);
    if (!execution) void this.typeBlindly(line);
    this.wasUsed = true;
    return process.platform === "win32" ? execution?.read() : undefined;
  }

  interrupt(): void {
    this.terminal.sendText("\u0003", false);
  }

  async isFree(): Promise<boolean> {
    const pid = await this.terminal.processId;
    const atPrompt = pid === undefined ? undefined : await isAtPrompt(pid);
    return atPrompt ?? (this.terminal.shellIntegration !== undefined && this.running === 0);
  }

  async waitUntilSettled(): Promise<void> {
    const until = performance.now() + SETTLED_MS;
    if (this.terminal.shellIntegration) await Promise.race([this.ended.promise, this.closed, wait(SETTLED_MS)]);
    while (performance.now() < until && !this.isClosed && !(await this.isFree())) await wait(LOOK_EVERY_MS);
  }

  show(): void {
    this.terminal.show(true);
  }

  dispose(): void {
    this.terminal.dispose();
  }

  /** Types a line without the shell's integration. Ctrl+C first clears what the user typed at the prompt. */
  private async typeBlindly(line: string): Promise<void> {
    if (this.wasUsed) {
      this.interrupt();
      await wait(DROP_MS);
    }
    this.terminal.sendText(line);
  }
}

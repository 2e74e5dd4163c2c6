import * as vscode from "vscode";
import type { TerminalCommand, UserTerminals } from "../../core/ports/terminals.ts";
import { readLastCommand, SharedTerminal } from "../../node/processes/shared-terminal.ts";
import { fail } from "../../texts/display-text.ts";
import type { EditorTools } from "../host/editor-tools.ts";

/** VS Code's tool that reports the last command of the active terminal. */
const LAST_COMMAND = "terminal_last_command";
const ANSWER_MS = 3_000;
const LONGEST_LABEL = 60;

/** The user's terminals in this window, with those that agents may read. */
export class SharedTerminals implements UserTerminals, vscode.Disposable {
  private readonly tools: EditorTools;
  private readonly shared = new Map<vscode.Terminal, SharedTerminal>();
  private readonly listeners = new Set<vscode.Disposable>();

  constructor(tools: EditorTools) {
    this.tools = tools;
  }

  list() {
    return [...mapTerminalLabels()].map(([terminal, label]) => ({
      label,
      isActive: terminal === vscode.window.activeTerminal,
      isShared: this.shared.has(terminal),
    }));
  }

  share(label: string): void {
    const terminal = findTerminal(label);
    if (!terminal) fail("trouble.noTerminal", { label });
    if (this.shared.has(terminal)) return;
    this.shared.set(terminal, new SharedTerminal());
    this.listen();
  }

  /** Stops reading a terminal and forgets its text. */
  revoke(label: string): void {
    const terminal = findTerminal(label);
    if (terminal) this.forget(terminal);
  }

  async read(label: string): Promise<readonly TerminalCommand[] | undefined> {
    const terminal = findTerminal(label);
    const shared = terminal && this.shared.get(terminal);
    if (!shared) return undefined;
    const { commands } = shared;
    const latest = commands.at(-1);
    // VS Code may lose the output of a command that ends at once.
    const isKnown = latest && (latest.state === "running" || latest.output !== "");
    if (isKnown || terminal !== vscode.window.activeTerminal) return commands;
    const last = await fetchLastCommand(this.tools);
    // Another terminal may have become the active one meanwhile.
    if (!last || terminal !== vscode.window.activeTerminal) return commands;
    if (!latest) return [last];
    return last.line === latest.line ? [...commands.slice(0, -1), { ...latest, output: last.output }] : commands;
  }

  dispose(): void {
    for (const listener of this.listeners) listener.dispose();
    this.listeners.clear();
    this.shared.clear();
  }

  private forget(terminal: vscode.Terminal): void {
    this.shared.delete(terminal);
    if (this.shared.size === 0) this.dispose();
  }

  private listen(): void {
    if (this.listeners.size > 0) return;
    this.listeners.add(
      vscode.window.onDidStartTerminalShellExecution(({ terminal, execution }) => {
        const { commandLine, cwd } = execution;
        const started = this.shared.get(terminal)?.start(execution, commandLine.value, cwd?.fsPath ?? "");
        if (started) void follow(execution.read(), started);
      }),
    );
    this.listeners.add(
      vscode.window.onDidEndTerminalShellExecution(({ terminal, execution, exitCode }) => {
        this.shared.get(terminal)?.end(execution, execution.commandLine.value, exitCode);
      }),
    );
    this.listeners.add(vscode.window.onDidCloseTerminal((terminal) => this.forget(terminal)));
  }
}

async function follow(stream: AsyncIterable<string>, add: (chunk: string) => void): Promise<void> {
  for await (const chunk of stream) add(chunk);
}

/** The terminal of each label. A label is never reused for another terminal, which the user didn't mean. */
const owners = new Map<string, vscode.Terminal>();

/** All terminals except ours, each with a unique name without spaces. */
function mapTerminalLabels(): ReadonlyMap<vscode.Terminal, string> {
  const others = vscode.window.terminals.filter(({ name }) => !name.startsWith("AutoGPT"));
  return new Map(others.map((terminal) => [terminal, chooseTerminalLabel(terminal)]));
}

/** Programs can rename their terminal, even to another terminal's name. */
function chooseTerminalLabel(terminal: vscode.Terminal): string {
  const name = terminal.name.replace(/[\s@]+/g, "-").slice(0, LONGEST_LABEL) || "terminal";
  let label = name;
  for (let number = 2; (owners.get(label) ?? terminal) !== terminal; number++) label = `${name}-${number}`;
  owners.set(label, terminal);
  return label;
}

function findTerminal(label: string): vscode.Terminal | undefined {
  return [...mapTerminalLabels()].find(([, name]) => name === label)?.[0];
}

async function fetchLastCommand(tools: EditorTools): Promise<TerminalCommand | undefined> {
  if (!tools.list().some(({ name }) => name === LAST_COMMAND)) return undefined;
  return readLastCommand(await tools.readToolText(LAST_COMMAND, AbortSignal.timeout(ANSWER_MS)).catch(() => ""));
}

import * as vscode from "vscode";
import { escapeInvisible } from "../../core/base/text.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import { createTerminalFilter, OutputTail } from "../../editor/panel/terminal-text.ts";
import { fail } from "../../texts/display-text.ts";
import { t } from "../../texts/language.ts";

/** Shows the output of commands in one terminal per run. A terminal opens only on request and doesn't take the focus. */
export interface OutputTerminal extends vscode.Disposable {
  begin(run: string, step: number, commandLine: string): void;
  /** Adds output, which is sanitized for display. */
  write(run: string, step: number, chunk: string): void;
  /** Ends a step; ignored for a step that didn't begin here. */
  end(run: string, step: number, status: Outcome["status"]): void;
  /** Opens the terminal of a run, or brings it to the front. Throws a sentence when the run has printed nothing. */
  show(run: string): void;
  /** Closes the terminal of a run and forgets its output. */
  forget(run: string): void;
}

export interface OutputTerminalOptions {
  /** Called when the user presses Ctrl+C in the terminal of a run. */
  interrupt?(run: string): void;
  /** Shows the terminal where a run's line is running. False if there is none. */
  showLine?(run: string): boolean;
}

const ENDS: Readonly<Record<Outcome["status"], string>> = {
  done: "Done.",
  failed: "Failed.",
  refused: "Refused.",
  finished: "Finished.",
};

export function createOutputTerminal(options: OutputTerminalOptions = {}): OutputTerminal {
  return new Terminals(options);
}

class Terminals implements OutputTerminal {
  private readonly options: OutputTerminalOptions;
  private readonly outputs = new Map<string, RunOutput>();
  private readonly terminals = new Map<string, vscode.Terminal>();
  private readonly closing: vscode.Disposable;

  constructor(options: OutputTerminalOptions) {
    this.options = options;
    this.closing = vscode.window.onDidCloseTerminal((closed) => {
      for (const [run, terminal] of this.terminals) if (terminal === closed) this.terminals.delete(run);
    });
  }

  begin(run: string, step: number, commandLine: string): void {
    this.ensureOutput(run).begin(step, commandLine);
  }

  write(run: string, step: number, chunk: string): void {
    this.ensureOutput(run).write(step, chunk);
  }

  end(run: string, step: number, status: Outcome["status"]): void {
    this.outputs.get(run)?.end(step, ENDS[status]);
  }

  show(run: string): void {
    if (this.options.showLine?.(run)) return;
    const output = this.outputs.get(run);
    if (!output) fail("actions.terminal.noOutput");
    const terminal =
      this.terminals.get(run) ??
      vscode.window.createTerminal({
        name: t("actions.terminal.name"),
        pty: output,
        iconPath: new vscode.ThemeIcon("output"),
        isTransient: true,
      });
    this.terminals.set(run, terminal);
    terminal.show(true);
  }

  forget(run: string): void {
    this.terminals.get(run)?.dispose();
    this.terminals.delete(run);
    this.outputs.get(run)?.dispose();
    this.outputs.delete(run);
  }

  dispose(): void {
    for (const run of [...this.outputs.keys()]) this.forget(run);
    this.closing.dispose();
  }

  private ensureOutput(run: string): RunOutput {
    const known = this.outputs.get(run);
    if (known) return known;
    const output = new RunOutput(() => this.options.interrupt?.(run));
    this.outputs.set(run, output);
    return output;
  }
}

/** Characters of output kept for a terminal that is opened later. */
const MOST_KEPT = 1_000_000;

/** Characters written to an open terminal at a time; faster output is shown in parts. */
const MOST_AT_ONCE = 200_000;

const EVERY_MS = 40;

const CUT = "\u001b[2m[Some output is omitted here. All of it is stored with the run.]\u001b[0m\r\n";

/** The output of one run's commands, as a terminal that can be opened and closed at any time. */
export class RunOutput implements vscode.Pseudoterminal, vscode.Disposable {
  private readonly kept = new OutputTail(MOST_KEPT);
  private readonly waiting = new OutputTail(MOST_AT_ONCE);
  private readonly writes = new vscode.EventEmitter<string>();
  private readonly interrupt: () => void;
  private filter = createTerminalFilter();
  private step: number | undefined;
  private opened = false;
  private timer: NodeJS.Timeout | undefined;
  readonly onDidWrite = this.writes.event;

  constructor(interrupt: () => void) {
    this.interrupt = interrupt;
  }

  /** Starts a command line; its output follows. */
  begin(step: number, commandLine: string): void {
    const line = escapeInvisible(commandLine).replace(/\r?\n/g, "\r\n");
    this.printStepHead(step);
    this.print(`\u001b[1m$ ${line}\u001b[0m\r\n`);
  }

  write(step: number, chunk: string): void {
    if (step !== this.step) this.printStepHead(step);
    this.print(this.filter(chunk));
  }

  /** Describes how a step ended. */
  end(step: number, how: string): void {
    if (step !== this.step) return;
    this.step = undefined;
    this.print(`\u001b[0m\r\n\u001b[2m${how}\u001b[0m\r\n`);
  }

  open(): void {
    this.opened = true;
    this.waiting.take();
    this.writes.fire(markCutText(this.kept.read()));
  }

  close(): void {
    this.opened = false;
  }

  handleInput(keys: string): void {
    if (keys === "\u0003") this.interrupt();
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.writes.dispose();
  }

  /** Starts a step, and resets formatting that the previous step left open. */
  private printStepHead(step: number): void {
    this.step = step;
    this.filter = createTerminalFilter();
    this.print(`\u001b[0m\r\n\u001b[2mStep ${step}\u001b[0m\r\n`);
  }

  private print(text: string): void {
    if (text === "") return;
    this.kept.add(text);
    if (!this.opened) return;
    this.waiting.add(text);
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      if (this.opened) this.writes.fire(markCutText(this.waiting.take()));
    }, EVERY_MS);
  }
}

function markCutText({ text, cut }: { readonly text: string; readonly cut: boolean }): string {
  return cut ? CUT + text : text;
}

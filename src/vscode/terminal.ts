import * as vscode from "vscode";
import type { Outcome } from "../core/outcome.ts";
import { RunOutput } from "./terminal/run-output.ts";

/** Shows what commands print in terminals, one a run. A terminal appears when it is asked for, never by itself, and does not take the focus. */
export interface OutputTerminal extends vscode.Disposable {
  begin(run: string, step: number, commandLine: string): void;
  /** Output as it comes; harmless before it is shown. */
  write(run: string, step: number, chunk: string): void;
  /** Nothing for a step that did not begin here. */
  end(run: string, step: number, status: Outcome["status"]): void;
  /** Opens the run's terminal, or brings it to the front. Throws a sentence when the run has printed nothing. */
  show(run: string): void;
  /** Closes the run's terminal and forgets what it printed. */
  forget(run: string): void;
}

export interface OutputTerminalOptions {
  /** Somebody pressed Ctrl+C in the run's terminal. */
  interrupt?(run: string): void;
}

const ENDS: Readonly<Record<Outcome["status"], string>> = {
  done: "Done.",
  failed: "Failed.",
  refused: "Refused.",
  finished: "Finished.",
};

export function outputTerminal(options: OutputTerminalOptions = {}): OutputTerminal {
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
    this.output(run).begin(step, commandLine);
  }

  write(run: string, step: number, chunk: string): void {
    this.output(run).write(step, chunk);
  }

  end(run: string, step: number, status: Outcome["status"]): void {
    this.outputs.get(run)?.end(step, ENDS[status]);
  }

  show(run: string): void {
    const output = this.outputs.get(run);
    if (!output)
      throw new Error(
        "This run has printed nothing yet. Its terminal can be shown once it has run a command line.",
      );
    const terminal =
      this.terminals.get(run) ??
      vscode.window.createTerminal({
        name: "AutoGPT output",
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

  private output(run: string): RunOutput {
    const known = this.outputs.get(run);
    if (known) return known;
    const output = new RunOutput(() => this.options.interrupt?.(run));
    this.outputs.set(run, output);
    return output;
  }
}

import * as vscode from "vscode";
import { visible } from "../../core/visible.ts";
import { harmless } from "./harmless.ts";
import { Tail } from "./tail.ts";

/** Characters of a run's output that are kept for a terminal that is opened later. */
const MOST_KEPT = 1_000_000;

/** Characters that go to an open terminal at a time; a program that prints faster is shown in parts. */
const MOST_AT_ONCE = 200_000;

const EVERY_MS = 40;

const CUT = "\u001b[2m[Some output is left out here. All of it is kept with the run.]\u001b[0m\r\n";

/** What the commands of one run print, as a terminal that can be opened and closed at any time. */
export class RunOutput implements vscode.Pseudoterminal, vscode.Disposable {
  private readonly kept = new Tail(MOST_KEPT);
  private readonly waiting = new Tail(MOST_AT_ONCE);
  private readonly writes = new vscode.EventEmitter<string>();
  private readonly interrupt: () => void;
  private filter = harmless();
  private step: number | undefined;
  private opened = false;
  private timer: NodeJS.Timeout | undefined;
  readonly onDidWrite = this.writes.event;

  constructor(interrupt: () => void) {
    this.interrupt = interrupt;
  }

  /** A command line begins; what it prints follows. */
  begin(step: number, commandLine: string): void {
    const line = visible(commandLine).replace(/\r?\n/g, "\r\n");
    this.head(step);
    this.print(`\u001b[1m$ ${line}\u001b[0m\r\n`);
  }

  write(step: number, chunk: string): void {
    if (step !== this.step) this.head(step);
    this.print(this.filter(chunk));
  }

  /** How a step ended, in words of ours. */
  end(step: number, how: string): void {
    if (step !== this.step) return;
    this.step = undefined;
    this.print(`\u001b[0m\r\n\u001b[2m${how}\u001b[0m\r\n`);
  }

  open(): void {
    this.opened = true;
    this.waiting.take();
    this.writes.fire(shown(this.kept.read()));
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

  /** Begins a step, free of what the one before left open. */
  private head(step: number): void {
    this.step = step;
    this.filter = harmless();
    this.print(`\u001b[0m\r\n\u001b[2mStep ${step}\u001b[0m\r\n`);
  }

  private print(text: string): void {
    if (text === "") return;
    this.kept.add(text);
    if (!this.opened) return;
    this.waiting.add(text);
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      if (this.opened) this.writes.fire(shown(this.waiting.take()));
    }, EVERY_MS);
  }
}

function shown({ text, cut }: { readonly text: string; readonly cut: boolean }): string {
  return cut ? CUT + text : text;
}

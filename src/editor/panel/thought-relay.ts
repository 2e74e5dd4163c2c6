import type { ModelDelta } from "../../core/ports/model.ts";
import { createThoughtStream, type ThoughtDelta } from "../../core/reply/thought-stream.ts";
import type { PanelUpdate } from "../../schema/panel-messages.ts";
import { createPlainFilter } from "./terminal-text.ts";

/** About one screen frame; everything that arrives within it is sent as one message. */
const FRAME_MS = 30;
/** Live output is cut to this length; the terminal and the outcome have all of it. */
const MAX_OUTPUT = 16_000;

/** Turns the stream of a reply into thoughts for the panel, at most one message per frame. */
export class ThoughtRelay {
  private readonly send: (message: PanelUpdate) => void;
  private read = createThoughtStream();
  private plain = createPlainFilter();
  private run = "";
  private step = 0;
  private thoughts: ThoughtDelta[] = [];
  private text = "";
  /** Number of the reply's characters that aren't thoughts, and how many have been sent. */
  private written = 0;
  private sentWritten = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(send: (message: PanelUpdate) => void) {
    this.send = send;
  }

  /** Starts a new reply. */
  begin(): void {
    this.flush();
    this.read = createThoughtStream();
    this.written = 0;
    this.sentWritten = 0;
  }

  /** Discards this step's thoughts that were already sent. */
  restart(run: string, step: number): void {
    this.switchStep(run, step);
    this.begin();
    this.send({ type: "thought", run, step, deltas: [], restarted: true });
  }

  addDelta(run: string, step: number, delta: ModelDelta): void {
    this.switchStep(run, step);
    const pieces: readonly ThoughtDelta[] =
      delta.kind === "reasoning" ? [{ field: "own", text: delta.text }] : this.read(delta.text);
    if (pieces.length === 0) this.written += delta.text.length;
    for (const piece of pieces) {
      const last = this.thoughts.at(-1);
      if (last?.field === piece.field)
        this.thoughts[this.thoughts.length - 1] = { field: piece.field, text: last.text + piece.text };
      else this.thoughts.push(piece);
    }
    this.scheduleFlush();
  }

  addOutput(run: string, step: number, chunk: string): void {
    this.switchStep(run, step);
    this.text = (this.text + this.plain(chunk)).slice(-MAX_OUTPUT);
    this.scheduleFlush();
  }

  /** Sends all pending messages. Callers must do this before any message that has to come later. */
  flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const { run, step, thoughts, text, written, sentWritten } = this;
    this.thoughts = [];
    this.text = "";
    this.sentWritten = written;
    const news = written === sentWritten ? {} : { written };
    if (thoughts.length > 0 || written !== sentWritten)
      this.send({ type: "thought", run, step, deltas: thoughts, ...news });
    if (text !== "") this.send({ type: "output", run, step, text });
  }

  dispose(): void {
    clearTimeout(this.timer);
  }

  private switchStep(run: string, step: number): void {
    if (run === this.run && step === this.step) return;
    this.flush();
    this.run = run;
    this.step = step;
    this.read = createThoughtStream();
    this.written = 0;
    this.sentWritten = 0;
    this.plain = createPlainFilter();
  }

  private scheduleFlush(): void {
    this.timer ??= setTimeout(() => this.flush(), FRAME_MS);
  }
}

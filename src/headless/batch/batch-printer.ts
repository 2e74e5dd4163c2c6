import { resolve } from "node:path";
import type { Writable } from "node:stream";
import { escapeInvisible, escapeInvisibleJson } from "../../core/base/text.ts";
import type { AttemptRow } from "../../schema/fleet/batches.ts";
import type { ProgramEnd } from "../exit-code.ts";
import type { Output } from "../output.ts";
import type { Batch } from "./batch.ts";
import { countRows, describeState, findWorstEnd, sumUsd } from "./batch-report.ts";

interface PrinterOptions {
  readonly isJson: boolean;
  readonly stderr: Writable;
  readonly signal: AbortSignal;
  /** The folder with the report. */
  readonly folder: string;
}

/** How often the numbers on a terminal change, in ms. */
const COUNT_MS = 500;

/** Returns to the beginning of a terminal's line, and empties it. */
const CLEAR = "\r\u001b[K";

/** Prints what becomes of the runs: a line for each change, and how many are where on a terminal. */
export class BatchPrinter {
  private readonly options: PrinterOptions;
  private readonly out: Output;
  private readonly shown = new Map<string, string>();
  private counted = 0;

  constructor(options: PrinterOptions, out: Output) {
    this.options = options;
    this.out = out;
  }

  show(row: AttemptRow, listRows: () => readonly AttemptRow[]): void {
    const { isJson, stderr } = this.options;
    const { attempt, name, run = "", state, why, question, usd } = row;
    const words = describeState(row);
    const change = `${run} ${words} ${question}`;
    if (this.shown.get(attempt) !== change) {
      this.shown.set(attempt, change);
      const line = [
        `${name} (${attempt})  ${run}`,
        words,
        ...(usd > 0 ? [`$${usd.toFixed(4)}`] : []),
        ...(why ? [why] : []),
      ];
      if (this.counted > 0) stderr.write(CLEAR);
      this.out.writeLine(isJson ? escapeInvisibleJson(JSON.stringify(row)) : escapeInvisible(line.join("  ")));
      if (state === "waiting")
        stderr.write(`${escapeInvisible(question ?? "")}\nTo answer: autogpt fleet decide ${run} yes\n`);
    }
    this.count(listRows);
  }

  private count(listRows: () => readonly AttemptRow[]): void {
    const { stderr } = this.options;
    const now = performance.now();
    if (!("isTTY" in stderr && stderr.isTTY) || now - this.counted < COUNT_MS) return;
    this.counted = now;
    const rows = listRows();
    stderr.write(`${CLEAR}${countRows(rows)}, $${sumUsd(rows).toFixed(4)}\r`);
  }

  end(batch: Batch): ProgramEnd {
    const { stderr, folder, signal } = this.options;
    const rows = batch.listRows();
    if (this.counted > 0) stderr.write(CLEAR);
    const say = (text: string): void => void stderr.write(`${escapeInvisible(text)}\n`);
    say(`${countRows(rows)}. $${sumUsd(rows).toFixed(4)} spent. The report: ${resolve(folder, "report.md")}`);
    if (signal.aborted) {
      say(
        "The runs go on without this program. To continue the batch, call the same command again; to stop its runs, add --stop.",
      );
      return { kind: "stopped" };
    }
    if (batch.haltedReason !== undefined) say(batch.haltedReason);
    return { kind: "batch", worst: findWorstEnd(rows) };
  }
}

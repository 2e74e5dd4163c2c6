import { tryJson } from "../../core/base/json.ts";
import { appendLines } from "../../disk/append-line.ts";
import { hasCode } from "../../disk/error-codes.ts";
import { readWholeLines } from "../../runs/log/log-lines.ts";
import type { BatchLine } from "../../schema/fleet/batches.ts";
import { isBatchLine } from "../../schema/host-validators.ts";

/** A line about one attempt. */
type AttemptLine = Exclude<BatchLine, { type: "batch" }>;

/** An attempt as far as it was written down. */
export interface KnownAttempt {
  readonly run: string;
  /** The dollars that its run may cost; absent: as many as its settings say. */
  readonly usd?: number;
  readonly retries: number;
  /** The action that was about to be done, with the lines that the run's log had then. */
  readonly next?: Extract<AttemptLine, { type: "raising" | "retrying" }>;
  readonly ended?: Extract<AttemptLine, { type: "ended" }>;
}

/** The state of a batch when its command is called again. */
export interface KnownBatch {
  readonly start: Extract<BatchLine, { type: "batch" }> | undefined;
  readonly attempts: ReadonlyMap<string, KnownAttempt>;
}

/** Where a batch writes down what it's about to do. It's on the disk once the promise resolves. */
export interface BatchJournal {
  add(line: BatchLine): Promise<void>;
}

/** A journal in a file. */
export function createBatchJournal(path: string): BatchJournal {
  return { add: (line) => appendLines(path, JSON.stringify(line)) };
}

/** Reads a journal. A line that was torn by the end of the program counts as absent, since nothing was done then. */
export async function readBatchJournal(path: string): Promise<KnownBatch> {
  const attempts = new Map<string, KnownAttempt>();
  let start: KnownBatch["start"];
  try {
    for await (const { lines } of readWholeLines(path, 0))
      for (const text of lines) {
        const line = tryJson(text);
        if (!isBatchLine(line)) continue;
        if (line.type === "batch") start ??= line;
        else applyAttemptLine(attempts, line);
      }
  } catch (error) {
    if (!hasCode(error, "ENOENT")) throw error;
  }
  return { start, attempts };
}

/** Applies a line to what is known about its attempt. */
function applyAttemptLine(attempts: Map<string, KnownAttempt>, line: AttemptLine): void {
  const known = attempts.get(line.attempt);
  if (line.type === "sending") {
    const { run, usd } = line;
    attempts.set(line.attempt, { run, retries: 0, ...(usd === undefined ? {} : { usd }) });
  } else if (known) attempts.set(line.attempt, continueAttempt(known, line));
}

function continueAttempt(known: KnownAttempt, line: Exclude<AttemptLine, { type: "sending" }>): KnownAttempt {
  const { ended: _ended, ...open } = known;
  switch (line.type) {
    case "raising":
      return { ...open, usd: line.usd, next: line };
    case "retrying":
      return { ...open, retries: open.retries + 1, next: line };
    case "ended":
      return { ...open, ended: line };
  }
}

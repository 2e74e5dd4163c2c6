import { Queue } from "../../core/base/async.ts";
import { tryJson } from "../../core/base/json.ts";
import { appendLines } from "../../disk/append-line.ts";
import { hasCode } from "../../disk/error-codes.ts";
import { readWholeLines } from "../../runs/log/log-lines.ts";
import { isSealedLine, readSeal, removeSeal, type Seal, sealLine } from "../../runs/log/log-seal.ts";
import type { BatchLine } from "../../schema/fleet/batches.ts";
import { isBatchLine } from "../../schema/host-validators.ts";
import { UsageError } from "../usage-error.ts";

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
  /** The seal of the last line. */
  readonly before: string;
}

/** Where a batch writes down what it's about to do. It's on the disk once the promise resolves. */
export interface BatchJournal {
  add(line: BatchLine): Promise<void>;
}

/** A journal in a file, whose lines are sealed one after the other. `before`: the seal of the last one that is there. */
export function createBatchJournal(path: string, seal: Seal, before: string): BatchJournal {
  const turns = new Queue();
  let last = before;
  const add = async (line: BatchLine): Promise<void> => {
    const text = sealLine(JSON.stringify(line), last, seal);
    await appendLines(path, text);
    last = readSeal(text);
  };
  return { add: (line) => turns.add(() => add(line)) };
}

/**
 * Reads a journal. A line that was torn by the end of the program counts as absent, since nothing was done then. Throws a `UsageError` for
 * a line that our program didn't write: it could name other runs, or give them more money.
 */
export async function readBatchJournal(path: string, seal: Seal): Promise<KnownBatch> {
  const attempts = new Map<string, KnownAttempt>();
  let start: KnownBatch["start"];
  let before = "";
  for (const text of await readLines(path)) {
    const line = tryJson(removeSeal(text));
    if (line === undefined) continue;
    if (!isBatchLine(line) || !isSealedLine(text, before, () => [seal]))
      throw new UsageError(
        `${path} was changed by something else, so the batch isn't continued. Restore it, or name another folder with --report.`,
      );
    before = readSeal(text);
    if (line.type === "batch") start ??= line;
    else applyAttemptLine(attempts, line);
  }
  return { start, attempts, before };
}

async function readLines(path: string): Promise<readonly string[]> {
  const found: string[] = [];
  try {
    for await (const { lines } of readWholeLines(path, 0)) found.push(...lines.filter((line) => line !== ""));
  } catch (error) {
    if (!hasCode(error, "ENOENT")) throw error;
  }
  return found;
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

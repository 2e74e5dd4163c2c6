import { join } from "node:path";
import { codeOf } from "../log-trouble.ts";
import { canReadOn, type FileStamp, stampOf, wholeLines } from "../whole-lines.ts";
import { type Change, readLine, type Settled } from "./change.ts";

/** What happened to a run's files, one JSON object a line, beside the run's log. */
const FILE = "undo.jsonl";

export function journalOf(runFolder: string): string {
  return join(runFolder, FILE);
}

/** Reads a journal again and again, each time only what is new of it. A line that is none, as one that was cut off, is left out. */
export function journalReader(runFolder: string): () => Promise<readonly (Change | Settled)[]> {
  const path = journalOf(runFolder);
  let read = { inode: 0, bytes: 0 };
  let lines: (Change | Settled)[] = [];
  return async () => {
    const found = await stampOf(path).catch(unlessMissing);
    if (!found) return [];
    if (!canReadOn(found, read)) {
      lines = [];
      read = { inode: found.inode, bytes: 0 };
    }
    for await (const more of wholeLines(path, read.bytes)) {
      lines.push(...more.lines.flatMap((line) => readLine(line) ?? []));
      read = { ...read, bytes: more.bytes };
    }
    return [...lines];
  };
}

function unlessMissing(error: unknown): FileStamp | undefined {
  if (codeOf(error) === "ENOENT") return undefined;
  throw error;
}

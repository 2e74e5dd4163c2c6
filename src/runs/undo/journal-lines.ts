import { join } from "node:path";
import { tryJson } from "../../core/base/json.ts";
import { isJournalChange, isSettledChange } from "../../schema/host-validators.ts";
import type { JournalChange, SettledChange } from "../../schema/stored-files.ts";
import { codeOf } from "../log/log-errors.ts";
import { canReadOn, type FileStamp, readFileStamp, wholeLines } from "../log/log-lines.ts";
import { type Seal, sealed, unsealed } from "../log/log-seal.ts";

export type { JournalChange, SettledChange, TouchedFile } from "../../schema/stored-files.ts";

/** The undo journal, one JSON object per line, next to the run's log. */
const FILE = "undo.jsonl";

export function journalOf(runFolder: string): string {
  return join(runFolder, FILE);
}

/** The line of a journal with the user's seal. Each line is sealed on its own: several programs may write. */
export function sealedLine(line: JournalChange | SettledChange, seal: Seal | undefined): string {
  const json = JSON.stringify(line);
  return seal ? sealed(json, FILE, seal) : json;
}

/**
 * Returns a reader that only reads new lines on each call. Invalid lines, such as torn ones, are skipped; with a seal, those of others,
 * too.
 */
export function journalReader(
  runFolder: string,
  seal?: Seal,
): () => Promise<readonly (JournalChange | SettledChange)[]> {
  const path = journalOf(runFolder);
  let read = { inode: 0, bytes: 0 };
  let lines: (JournalChange | SettledChange)[] = [];
  return async () => {
    const found = await readFileStamp(path).catch(unlessMissing);
    if (!found) return [];
    if (!canReadOn(found, read)) {
      lines = [];
      read = { inode: found.inode, bytes: 0 };
    }
    for await (const more of wholeLines(path, read.bytes)) {
      lines.push(...more.lines.flatMap((line) => readLine(line, seal) ?? []));
      read = { ...read, bytes: more.bytes };
    }
    return [...lines];
  };
}

function unlessMissing(error: unknown): FileStamp | undefined {
  if (codeOf(error) === "ENOENT") return undefined;
  throw error;
}

/** Reads a line of a journal; undefined for any other text, such as a line that was cut off. */
function readLine(line: string, seal: Seal | undefined): JournalChange | SettledChange | undefined {
  const json = unsealed(line);
  if (seal && line !== sealed(json, FILE, seal)) return undefined;
  const value = tryJson(json);
  return isJournalChange(value) || isSettledChange(value) ? value : undefined;
}

import { join } from "node:path";
import { tryJson } from "../../core/base/json.ts";
import { ignoreCodes } from "../../disk/error-codes.ts";
import { isJournalChange, isSettledChange } from "../../schema/host-validators.ts";
import type { JournalChange, SettledChange } from "../../schema/stored-files.ts";
import { canReadOn, readFileStamp, readWholeLines } from "../log/log-lines.ts";
import { removeSeal, type Seal, sealLine } from "../log/log-seal.ts";

export type { JournalChange, SettledChange, TouchedFile } from "../../schema/stored-files.ts";

/** The undo journal, one JSON object per line, next to the run's log. */
const FILE = "undo.jsonl";

export function getJournalPath(runFolder: string): string {
  return join(runFolder, FILE);
}

/** Adds the user's seal to the line of a journal. Each line is sealed separately, because several programs may write. */
export function sealJournalLine(line: JournalChange | SettledChange, seal: Seal | undefined): string {
  const json = JSON.stringify(line);
  return seal ? sealLine(json, FILE, seal) : json;
}

/**
 * Returns a reader that only reads new lines on each call. Invalid lines, such as torn ones, are skipped; with a seal, those of others,
 * too.
 */
export function createJournalReader(
  runFolder: string,
  seal?: Seal,
): () => Promise<readonly (JournalChange | SettledChange)[]> {
  const path = getJournalPath(runFolder);
  let read = { inode: 0, bytes: 0 };
  let lines: (JournalChange | SettledChange)[] = [];
  return async () => {
    const found = await readFileStamp(path).catch(ignoreCodes("ENOENT"));
    if (!found) return [];
    if (!canReadOn(found, read)) {
      lines = [];
      read = { inode: found.inode, bytes: 0 };
    }
    for await (const more of readWholeLines(path, read.bytes)) {
      lines.push(...more.lines.flatMap((line) => readLine(line, seal) ?? []));
      read = { ...read, bytes: more.bytes };
    }
    return [...lines];
  };
}

/** Reads a line of a journal; undefined for any other text, such as a line that was cut off. */
function readLine(line: string, seal: Seal | undefined): JournalChange | SettledChange | undefined {
  const json = removeSeal(line);
  if (seal && line !== sealLine(json, FILE, seal)) return undefined;
  const value = tryJson(json);
  return isJournalChange(value) || isSettledChange(value) ? value : undefined;
}

import { dirname } from "node:path";
import { tryJson } from "../../core/base/json.ts";
import { omitUndefined } from "../../core/base/objects.ts";
import { readFileText } from "../../disk/plain-file.ts";
import { replaceFile } from "../../disk/replace-file.ts";
import { DIGESTS_VERSION } from "../../schema/formats.ts";
import { isStoredDigests } from "../../schema/host-validators.ts";
import { readEvent } from "../../schema/readers.ts";
import type { DigestAt, StoredDigests } from "../../schema/stored-files.ts";

export type { DigestAt } from "../../schema/stored-files.ts";

import { replaceReferences } from "../log/deduplication.ts";
import { canReadOn, type FileStamp, parseLineValue, readWholeLines } from "../log/log-lines.ts";
import { findLogSchema, migrateEvent, readLog, TODAY } from "../log/read-log.ts";
import { applyToDigest } from "./run-summary.ts";

/** The part of a digest that a log's lines determine. */
type DigestState = Omit<DigestAt, keyof FileStamp | "bytes">;

const EMPTY_DIGEST: DigestState = { events: 0, damaged: false };

/** The digest of a log with this stamp. Reading continues where it stopped, or starts over if the file was replaced or has shrunk. */
export async function readDigest(path: string, found: FileStamp, known?: DigestAt): Promise<DigestAt> {
  const isKnown = known !== undefined && canReadOn(found, known);
  let at: DigestAt = { ...(isKnown ? known : { ...EMPTY_DIGEST, bytes: 0 }), ...found };
  if (at.damaged) return await readDamaged(path, at);
  for await (const { lines, bytes } of readWholeLines(path, at.bytes)) {
    at = { ...at, ...applyLines(at, lines), bytes };
    if (at.damaged) return await readDamaged(path, at);
  }
  return at;
}

/** The digest of a damaged log, which is read as a whole, because lines after the damage count, too. */
async function readDamaged(path: string, at: DigestAt): Promise<DigestAt> {
  const { events } = await readLog(dirname(path)).catch(() => ({ events: [] }));
  const brief = events.reduce(applyToDigest, undefined) ?? at.brief;
  return { ...at, ...omitUndefined({ brief }) };
}

function applyLines(from: DigestState, lines: readonly string[]): DigestState {
  let { brief, events, schema } = from;
  const createState = (damaged: boolean): DigestState => ({
    events,
    damaged,
    ...omitUndefined({ brief, schema }),
  });
  for (const line of lines) {
    const written = parseLineValue(line);
    if (events === 0) schema = findLogSchema(written);
    const value = migrateEvent(replaceReferences(written), schema, TODAY);
    const event = readEvent(value, events);
    if (!event) return createState(true);
    brief = applyToDigest(brief, event);
    events++;
  }
  return createState(false);
}

/** The digests of the runs in a folder, by their ids. The cache can be deleted at any time, because the logs have everything. */
export type DigestCache = ReadonlyMap<string, DigestAt>;

/** Reads the cache; a missing or damaged cache, or one of another version, is empty. */
export async function readDigests(path: string): Promise<DigestCache> {
  const stored = await readFileText(path).then(parseDigests, () => undefined);
  return new Map(Object.entries(stored?.runs ?? {}));
}

function parseDigests(json: string): StoredDigests | undefined {
  const value = tryJson(json);
  return isStoredDigests(value) ? value : undefined;
}

/** Writes the cache. A read-only folder has no cache. */
export async function writeDigests(path: string, briefs: DigestCache): Promise<void> {
  const stored: StoredDigests = { version: DIGESTS_VERSION, runs: Object.fromEntries(briefs) };
  await replaceFile(path, JSON.stringify(stored), { private: true }).catch(() => undefined);
}

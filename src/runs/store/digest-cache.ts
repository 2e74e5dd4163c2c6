import { randomBytes } from "node:crypto";
import { rename, rm, writeFile } from "node:fs/promises";
import { Ajv, type ValidateFunction } from "ajv";
import { tryJson } from "../../core/base/json.ts";
import { fileText } from "../../plain-file.ts";
import { withoutTexts } from "../log/deduplication.ts";
import { canReadOn, type FileStamp, wholeLines } from "../log/log-lines.ts";
import { isEvent, migrated, schemaOf, TODAY } from "../log/read-log.ts";
import { applyToDigest, type RunDigest } from "./run-summary.ts";

/** How far a log has been read, and what it told. The stamp is of the file when it was read. */
export interface DigestAt extends FileStamp, DigestState {
  /** Bytes read: whole lines. */
  readonly bytes: number;
}

/** What the lines of a log tell. */
interface DigestState {
  readonly brief?: RunDigest;
  /** The schema that the log is written in, once its start was read. */
  readonly schema?: number;
  /** Events read. */
  readonly events: number;
  /** The log is no longer good from here on. */
  readonly damaged: boolean;
}

const EMPTY_DIGEST: DigestState = { events: 0, damaged: false };

/** What a log tells that looks like this now: read on from where it was left, or anew when it is another file or has shrunk. */
export async function readDigest(path: string, found: FileStamp, known?: DigestAt): Promise<DigestAt> {
  const isKnown = known !== undefined && canReadOn(found, known);
  let at: DigestAt = { ...(isKnown ? known : { ...EMPTY_DIGEST, bytes: 0 }), ...found };
  if (at.damaged) return at;
  for await (const { lines, bytes } of wholeLines(path, at.bytes)) {
    at = { ...at, ...applyLines(at, lines), bytes };
    if (at.damaged) break;
  }
  return at;
}

function applyLines(from: DigestState, lines: readonly string[]): DigestState {
  let { brief, events, schema } = from;
  const upTo = (damaged: boolean): DigestState => ({
    events,
    damaged,
    ...(brief ? { brief } : {}),
    ...(schema === undefined ? {} : { schema }),
  });
  for (const line of lines) {
    const written = tryJson(line);
    if (events === 0) schema = schemaOf(written);
    const value = migrated(withoutTexts(written), schema, TODAY);
    if (!isEvent(value, events)) return upTo(true);
    brief = applyToDigest(brief, value);
    events++;
  }
  return upTo(false);
}

/** What is known of the runs in a folder, by their ids. It can be thrown away at any time: the logs tell it anew. */
export type DigestCache = ReadonlyMap<string, DigestAt>;

const VERSION = 3;

const number = { type: "number" };
const text = { type: "string" };
const FORMAT = {
  type: "object",
  required: ["version", "runs"],
  properties: {
    version: { const: VERSION },
    runs: {
      type: "object",
      additionalProperties: {
        type: "object",
        required: ["inode", "size", "mtimeMs", "bytes", "events", "damaged"],
        properties: {
          ...{ inode: number, size: number, mtimeMs: number, bytes: number },
          events: number,
          damaged: { type: "boolean" },
          schema: number,
          brief: {
            type: "object",
            required: [
              "id",
              "task",
              "name",
              "startedAt",
              "machine",
              "schema",
              "state",
              "steps",
              "usd",
              "unpriced",
            ],
            properties: {
              ...{ id: text, task: text, name: text, startedAt: text, machine: text, schema: number },
              state: {
                enum: ["open", "paused", "finished", "exhausted", "stuck", "failed", "stopped", "crashed"],
              },
              ...{ steps: number, usd: number, unpriced: number, parent: text, isAgent: { const: true } },
            },
          },
        },
      },
    },
  },
};

interface Stored {
  readonly version: number;
  readonly runs: Readonly<Record<string, DigestAt>>;
}

let compiled: ValidateFunction<Stored> | undefined;

/** Reads the cache; one that is missing, damaged or of another version is empty. */
export async function readDigests(path: string): Promise<DigestCache> {
  const stored = await fileText(path).then(parsed, () => undefined);
  return new Map(Object.entries(stored?.runs ?? {}));
}

function parsed(json: string): Stored | undefined {
  compiled ??= new Ajv({ strict: false }).compile<Stored>(FORMAT);
  try {
    const value: unknown = JSON.parse(json);
    return compiled(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Keeps the cache, through a temporary file. A folder that cannot be written goes without. */
export async function writeDigests(path: string, briefs: DigestCache): Promise<void> {
  const temporary = `${path}.${randomBytes(4).toString("hex")}`;
  const stored: Stored = { version: VERSION, runs: Object.fromEntries(briefs) };
  try {
    await writeFile(temporary, JSON.stringify(stored), { mode: 0o600, flag: "wx" });
    await rename(temporary, path);
  } catch {
    await rm(temporary, { force: true });
  }
}

import { randomBytes } from "node:crypto";
import { rename, rm, writeFile } from "node:fs/promises";
import { Ajv, type ValidateFunction } from "ajv";
import { fileText } from "../plain-file.ts";
import type { BriefAt } from "./brief-reader.ts";

/** What is known of the runs in a folder, by their ids. It can be thrown away at any time: the logs tell it anew. */
export type BriefCache = ReadonlyMap<string, BriefAt>;

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
  readonly runs: Readonly<Record<string, BriefAt>>;
}

let compiled: ValidateFunction<Stored> | undefined;

/** Reads the cache; one that is missing, damaged or of another version is empty. */
export async function readBriefs(path: string): Promise<BriefCache> {
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
export async function writeBriefs(path: string, briefs: BriefCache): Promise<void> {
  const temporary = `${path}.${randomBytes(4).toString("hex")}`;
  const stored: Stored = { version: VERSION, runs: Object.fromEntries(briefs) };
  try {
    await writeFile(temporary, JSON.stringify(stored), { mode: 0o600, flag: "wx" });
    await rename(temporary, path);
  } catch {
    await rm(temporary, { force: true });
  }
}

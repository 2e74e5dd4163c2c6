import { join } from "node:path";
import { Ajv, type ValidateFunction } from "ajv";
import { tryJson } from "../../core/base/json.ts";
import { codeOf } from "../log/log-errors.ts";
import { canReadOn, type FileStamp, readFileStamp, wholeLines } from "../log/log-lines.ts";
import type { FileState } from "./file-state.ts";

/** What happened to a run's files, one JSON object a line, beside the run's log. */
const FILE = "undo.jsonl";

export function journalOf(runFolder: string): string {
  return join(runFolder, FILE);
}

/** Reads a journal again and again, each time only what is new of it. A line that is none, as one that was cut off, is left out. */
export function journalReader(runFolder: string): () => Promise<readonly (JournalChange | SettledChange)[]> {
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

/** One path of a change. */
export interface TouchedFile {
  readonly path: string;
  readonly was: FileState;
  /** The changes that an undo took back, or the undo that a redo took back; absent for a step's own change. */
  readonly of?: readonly number[];
}

/** What was about to happen to some files: by a step of the agent, by an undo, or by the undo of an undo. */
export interface JournalChange {
  readonly id: number;
  readonly by: "step" | "undo" | "redo";
  readonly step: number;
  readonly files: readonly TouchedFile[];
  /** It ran a program, whose changes are not seen. */
  readonly ran?: true;
  /** It tells what a program of the step was seen to have changed. */
  readonly seen?: true;
}

/** What had become of some files of a change. */
export interface SettledChange {
  readonly id: number;
  readonly now: readonly { readonly path: string; readonly is: FileState }[];
}

const text = { type: "string" };
const count = { type: "integer", minimum: 0 };
const state = {
  type: "object",
  required: ["kind"],
  discriminator: { propertyName: "kind" },
  oneOf: [
    { properties: { kind: { const: "missing" } } },
    { properties: { kind: { const: "folder" } } },
    {
      required: ["hash", "bytes", "mode"],
      properties: {
        kind: { const: "file" },
        hash: { type: "string", pattern: "^[0-9a-f]{64}$" },
        bytes: count,
        mode: count,
      },
    },
    { required: ["why"], properties: { kind: { const: "other" }, why: text } },
  ],
};
const LINE = {
  type: "object",
  required: ["id"],
  properties: {
    id: count,
    by: { enum: ["step", "undo", "redo"] },
    step: count,
    ran: { const: true },
    seen: { const: true },
    files: {
      type: "array",
      items: {
        type: "object",
        required: ["path", "was"],
        properties: { path: text, was: state, of: { type: "array", items: count } },
      },
    },
    now: {
      type: "array",
      items: { type: "object", required: ["path", "is"], properties: { path: text, is: state } },
    },
  },
  oneOf: [{ required: ["by", "step", "files"] }, { required: ["now"] }],
};

let compiled: ValidateFunction<JournalChange | SettledChange> | undefined;

/** The line of a journal that a text is; undefined when it is none, as a line that was cut off. */
function readLine(line: string): JournalChange | SettledChange | undefined {
  compiled ??= new Ajv({ strict: false, discriminator: true }).compile<JournalChange | SettledChange>(LINE);
  const value = tryJson(line);
  return compiled(value) ? value : undefined;
}

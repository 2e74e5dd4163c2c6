import { Ajv, type ValidateFunction } from "ajv";
import { tryJson } from "../../core/json.ts";
import type { FileState } from "./file-state.ts";

/** One path of a change. */
export interface Touched {
  readonly path: string;
  readonly was: FileState;
  /** The changes that an undo took back, or the undo that a redo took back; absent for a step's own change. */
  readonly of?: readonly number[];
}

/** What was about to happen to some files: by a step of the agent, by an undo, or by the undo of an undo. */
export interface Change {
  readonly id: number;
  readonly by: "step" | "undo" | "redo";
  readonly step: number;
  readonly files: readonly Touched[];
  /** It ran a program, whose changes are not seen. */
  readonly ran?: true;
  /** It tells what a program of the step was seen to have changed. */
  readonly seen?: true;
}

/** What had become of some files of a change. */
export interface Settled {
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

let compiled: ValidateFunction<Change | Settled> | undefined;

/** The line of a journal that a text is; undefined when it is none, as a line that was cut off. */
export function readLine(line: string): Change | Settled | undefined {
  compiled ??= new Ajv({ strict: false, discriminator: true }).compile<Change | Settled>(LINE);
  const value = tryJson(line);
  return compiled(value) ? value : undefined;
}

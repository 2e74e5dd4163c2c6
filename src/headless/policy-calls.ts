import { isObject, tryJson } from "../core/base/json.ts";
import { findNearestName, isMisspelled } from "../core/base/text.ts";
import { isSourceKind, type Source } from "../core/commands/outcome.ts";
import type { CallToJudge } from "../safety/policy/explain.ts";

/** One line of input: its id, and the call or a sentence on why there is none. */
export interface InputLine {
  /** As given; null when the line has none. */
  readonly id: unknown;
  readonly call: CallToJudge | string;
}

const FIELDS = ["id", "command", "args", "sources"] as const;
const LONGEST_LINE = 1_000_000;

/** Reads a line of the form `{"id", "command", "args", "sources"?}`. */
export function readCallLine(text: string): InputLine {
  if (text.trim() === "") return { id: null, call: "The line is empty." };
  if (text.length > LONGEST_LINE) return { id: null, call: `The line is longer than ${LONGEST_LINE} characters.` };
  const read = tryJson(text);
  if (!isObject(read)) return { id: null, call: "The line isn't a JSON object." };
  const { id = null, command, args = {}, sources = [] } = read;
  const misspelled = Object.keys(read).find(isMisspelledField);
  if (misspelled !== undefined)
    return {
      id,
      call: `There is no field "${misspelled}". Did you mean "${findNearestName(misspelled, FIELDS)}"?`,
    };
  if (typeof command !== "string" || command === "") return { id, call: `"command" must be the name of a command.` };
  if (!isObject(args)) return { id, call: `"args" must be an object.` };
  const known = parseSources(sources);
  return { id, call: typeof known === "string" ? known : { call: { name: command, args }, sources: known } };
}

/** True for a misspelled field, which would change the verdict unnoticed. Other unknown fields are ignored. */
function isMisspelledField(name: string): boolean {
  return !FIELDS.some((field) => field === name) && isMisspelled(name, FIELDS);
}

function parseSources(sources: unknown): readonly Source[] | string {
  if (!Array.isArray(sources)) return `"sources" must be a list, like ["web"].`;
  const strange = sources.find((kind) => typeof kind !== "string" || !isSourceKind(kind));
  if (strange !== undefined) return `${JSON.stringify(strange)} isn't a kind of source. ${KINDS}`;
  return sources.filter((kind) => isSourceKind(kind)).map((kind) => ({ kind, name: kind }));
}

const KINDS = "The kinds are web, download, tool, ignored-file, memory and agent.";

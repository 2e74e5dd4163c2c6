import { isObject, type Json, tryJson } from "../base/json.ts";
import { isMisspelled } from "../base/text.ts";
import { COMMAND } from "../commands/command-traits.ts";
import { tryObject } from "./parse-object.ts";
import { type Call, THOUGHT_FIELDS } from "./reply.ts";

/** The calls in an object, beginning with the one that counts; or the fault to report. */
export type ShapedCalls =
  | {
      readonly calls: readonly [Call, ...Call[]] /** Names of calls that can't be read. */;
      readonly lost: readonly string[];
    }
  | { readonly fault: "noCommand" | "noObject" | "noName" | "noArguments" | "unclear" }
  | { readonly fault: "severalNames"; readonly names: readonly string[] };

type Fault = Exclude<ShapedCalls, { readonly calls: unknown }>;

/** Returns the name of the command that a name or alias means; undefined for an invented one. */
export type ResolveName = (name: string) => string | undefined;

type Slot = "call" | "name" | "args" | "answer" | "thought" | "other";

const SLOTS: Readonly<Record<Exclude<Slot, "other">, readonly string[]>> = {
  call: splitWords("command action tool function function_call tool_call call commands actions tools tool_calls"),
  name: splitWords("name tool_name function_name command_name action_name"),
  args: splitWords(
    "args arguments parameters params kwargs input action_input tool_input tool_args tool_arguments command_args command_input action_args function_args",
  ),
  answer: ["final_answer"],
  thought: splitWords(
    "thoughts thought thinking think reasoning criticism speak speech self_criticism observation type id call_id tool_call_id",
  ),
};

const SLOT_OF: ReadonlyMap<string, Slot> = new Map(
  Object.entries(SLOTS).flatMap(([slot, names]) => names.map((name) => [name, slot as Slot] as const)),
);

/** Misspelled keys never count as these, because these are arguments of commands. */
const NO_SLIP = new Set(["text", "plan", "command_line"]);

/** Fields of the thoughts that are also arguments of commands. */
const EITHER = new Set(["text", "plan"]);

/** Keys whose value may be the only argument itself, as in ReAct. */
const INPUTS = new Set(["input", "action_input", "tool_input", "command_input"]);

interface Entry {
  readonly key: string;
  readonly known: string;
  readonly slot: Slot;
  readonly value: unknown;
}

/**
 * Reads the call from an object: `{command: {name, args}}`, the older `{command: "name", arguments}`, a bare `{name, args}`, the keys of
 * ReAct and of providers, lists of calls, and misspelled keys. An ambiguous object is a fault.
 */
export function readShapedCalls(object: Json, resolve: ResolveName | undefined): ShapedCalls {
  return readShapedObject(object, resolve, 0);
}

/** Objects that are nested deeper aren't calls. */
const MAX_DEPTH = 3;

function readShapedObject(object: Json, resolve: ResolveName | undefined, depth: number): ShapedCalls {
  const entries = listEntries(object);
  const own = entries.find(({ known }) => known === "command");
  const name = entries.find(({ slot, value }) => slot === "name" && typeof value === "string");
  const called = name && depth > 0 ? name : own;
  const other = called && findOtherCommand(entries, called, resolve);
  if (other) return { fault: "severalNames", names: [called.key, other.key] };
  if (name && depth > 0) return readNamedCall(name, entries, resolve, depth);
  const holders = own ? [own] : entries.filter(({ slot, value }) => slot === "call" && isGiven(value));
  const answer = entries.find(({ slot, value }) => slot === "answer" && isGiven(value));
  const [holder, second] = holders;
  if (answer && (!holder || !isGiven(holder.value))) return finish(answer.value, resolve);
  if (answer) return { fault: "severalNames", names: [answer.key, holder?.key ?? ""] };
  const rival = second ?? (own ? undefined : name);
  if (holder && rival && JSON.stringify(rival.value) !== JSON.stringify(holder.value))
    return { fault: "severalNames", names: [holder.key, rival.key] };
  if (holder) return readHolderValue(holder, entries, resolve, depth);
  if (name) {
    const isCall = entries.every(({ slot }) => slot !== "other") || entries.some(({ slot }) => slot === "args");
    return isCall ? readNamedCall(name, entries, resolve, depth) : { fault: "noCommand" };
  }
  return readKeyedCall(entries, resolve, depth) ?? { fault: depth === 0 ? "noCommand" : "noName" };
}

/** Finds a further key that names a different command. */
function findOtherCommand(
  entries: readonly Entry[],
  called: Entry,
  resolve: ResolveName | undefined,
): Entry | undefined {
  if (typeof called.value !== "string") return undefined;
  const own = resolve?.(called.value);
  return entries.find(({ key, slot, value }) => {
    if (key === called.key || (slot !== "call" && slot !== "name") || typeof value !== "string") return false;
    const meant = resolve?.(value);
    return meant !== undefined && meant !== own;
  });
}

/** Reads the value of `command` or a key like it. */
function readHolderValue(
  holder: Entry,
  entries: readonly Entry[],
  resolve: ResolveName | undefined,
  depth: number,
): ShapedCalls {
  const value = typeof holder.value === "string" ? (parseObjectText(holder.value) ?? holder.value) : holder.value;
  if (typeof value === "string") return readNamedCall(holder, entries, resolve, depth);
  if (Array.isArray(value) && value.length > 0) return readListedCalls(value, resolve, depth);
  if (!isObject(value) || depth >= MAX_DEPTH) return { fault: "noObject" };
  const outer = entries.find(({ slot }) => slot === "args");
  const inner = listEntries(value);
  if (outer && !areAlike([outer, ...inner.filter(({ slot }) => slot === "args")])) return { fault: "unclear" };
  const isNameOnly = inner.every(({ slot }) => slot !== "args" && slot !== "other");
  return readShapedObject(outer && isNameOnly ? { ...value, args: outer.value } : value, resolve, depth + 1);
}

/** Reads `{read_file: {…}}`: the only key that isn't a thought is the name of a command. */
function readKeyedCall(
  entries: readonly Entry[],
  resolve: ResolveName | undefined,
  depth: number,
): ShapedCalls | undefined {
  const [only, second] = entries.filter(({ slot, known }) => slot !== "thought" && !EITHER.has(known));
  if (!only || second || resolve?.(only.key) !== only.key) return undefined;
  if (only.value !== null && !isObject(only.value)) return undefined;
  const name = { ...only, value: only.key };
  return readNamedCall(name, [{ ...only, known: "args", slot: "args" }], resolve, depth);
}

function readListedCalls(items: readonly unknown[], resolve: ResolveName | undefined, depth: number): ShapedCalls {
  const [first, ...others] = items.map(
    (item): ShapedCalls => (isObject(item) ? readShapedObject(item, resolve, depth + 1) : { fault: "noObject" }),
  );
  if (!first || "fault" in first) return first ?? { fault: "noObject" };
  const readable = others.findIndex((one) => "fault" in one);
  const further = readable === -1 ? others : others.slice(0, readable);
  const lost = others.slice(further.length).map((one) => ("fault" in one ? "an unreadable call" : one.calls[0].name));
  return {
    calls: [first.calls[0], ...further.flatMap((one) => ("fault" in one ? [] : [one.calls[0]]))],
    lost,
  };
}

function readNamedCall(
  holder: Entry,
  entries: readonly Entry[],
  resolve: ResolveName | undefined,
  depth: number,
): ShapedCalls {
  const args = readArguments(holder, entries, depth);
  if ("fault" in args) return args;
  const name = String(holder.value);
  if (isFinalAnswer(name) && resolve?.(name) === undefined) {
    const [only, ...others] = Object.values(args.object);
    if (others.length === 0) return finish(only, resolve);
  }
  return { calls: [{ name: stripNameDecorations(name, resolve), args: args.object }], lost: [] };
}

/** Reads the arguments under any of their keys. Several keys are clear only if at most one is filled, or all have the same value. */
function readArguments(holder: Entry, entries: readonly Entry[], depth: number): { readonly object: Json } | Fault {
  const given = entries.filter(({ slot, value }) => slot === "args" && value !== null && value !== undefined);
  if (!areAlike(given)) return { fault: "unclear" };
  const first = given.find(({ value }) => isFilled(value)) ?? given[0];
  if (!first)
    return entries.some(({ slot }) => slot === "args") ? { object: {} } : readFlatArguments(holder, entries, depth);
  const { value, known } = first;
  if (isObject(value)) return { object: value };
  if (Array.isArray(value) && value.length === 0) return { object: {} };
  if (typeof value !== "string") return { fault: "noArguments" };
  if (value.trim() === "") return { object: {} };
  const object = parseObjectText(value);
  if (object) return { object };
  if (!INPUTS.has(known) || /^\s*[[{]/.test(value)) return { fault: "noArguments" };
  return readFlatArguments(holder, entries, depth);
}

/** True if all filled entries have the same value. */
function areAlike(entries: readonly Entry[]): boolean {
  const filled = entries.filter(({ value }) => isFilled(value));
  return new Set(filled.map(({ value }) => JSON.stringify(value))).size <= 1;
}

function isFilled(value: unknown): boolean {
  if (typeof value === "string") return value.trim() !== "";
  return isObject(value) ? Object.keys(value).length > 0 : isGiven(value);
}

/** Reads arguments beside the name, without an object around them. Inside a `command`, `text` and `plan` aren't thoughts. */
function readFlatArguments(holder: Entry, entries: readonly Entry[], depth: number): { readonly object: Json } | Fault {
  const others = entries.filter(
    (entry) =>
      entry.key !== holder.key &&
      entry.slot !== "thought" &&
      entry.slot !== "answer" &&
      !(depth === 0 && entry.slot === "call" && entry.value === holder.value),
  );
  const isThought = depth === 0 && !entries.some(({ known }) => /^thoughts?$/.test(known));
  const clear = isThought ? others.filter(({ known }) => !EITHER.has(known)) : others;
  const [only, second] = clear;
  if (!only) return { object: {} };
  if (!second && isObject(only.value)) return { fault: "noArguments" };
  return { object: Object.fromEntries(others.map(({ key, value }) => [key, value])) };
}

/** A final answer in the words of ReAct ends the run. */
function finish(answer: unknown, resolve: ResolveName | undefined): ShapedCalls {
  if (typeof answer !== "string" || answer.trim() === "" || (resolve && resolve(COMMAND.finish) === undefined))
    return { fault: "noCommand" };
  return { calls: [{ name: COMMAND.finish, args: { reason: answer.trim() } }], lost: [] };
}

function isFinalAnswer(name: string): boolean {
  return /^final[\s_-]?answer$/i.test(name.trim());
}

/** The name without the decorations of some models: `functions.read_file`, `read_file()`. */
export function stripNameDecorations(name: string, resolve: ResolveName | undefined): string {
  const given = name.trim();
  const plain = given.replace(/^(?:functions|tools|default_api)[.:]/i, "").replace(/\(\)$/, "");
  return resolve?.(given) === undefined && resolve?.(plain) !== undefined ? plain : given;
}

/** Finds the thoughts beside a call: in a separate object, or as keys. */
export function findThoughtsBeside(object: Json): unknown {
  const entries = listEntries(object);
  const own = WHOLE_THOUGHTS.map((name) => entries.find(({ known }) => known === name)).find(
    (entry) => entry !== undefined && isGiven(entry.value),
  );
  if (own) return own.value;
  const isCallObject = entries.some(({ slot, value }) => slot === "call" && isObject(value));
  const fields = entries.filter(
    ({ known }) => (THOUGHT_FIELDS as readonly string[]).includes(known) && (isCallObject || known !== "text"),
  );
  return Object.fromEntries(fields.map(({ known, value }) => [known, value]));
}

const WHOLE_THOUGHTS = ["thoughts", "thought", "thinking", "think"];

/** Objects with more keys aren't searched for misspelled ones, because that takes long. */
const MOST_KEYS = 50;

function listEntries(object: Json): readonly Entry[] {
  const entries = Object.entries(object).map(([key, value]): Entry => {
    const known = key
      .trim()
      .toLowerCase()
      .replace(/[\s-]+/g, "_");
    return { key, known, slot: SLOT_OF.get(known) ?? "other", value };
  });
  const filled = new Set(entries.map(({ slot }) => slot));
  return entries.map((entry) => {
    if (entry.slot !== "other" || NO_SLIP.has(entry.known) || entries.length > MOST_KEYS) return entry;
    const near = [...SLOT_OF].filter(
      ([name, slot]) => !filled.has(slot) && !EITHER.has(name) && isMisspelled(entry.known, [name]),
    );
    const slots = new Set(near.map(([, slot]) => slot));
    const [name, slot] = near[0] ?? [];
    return slots.size === 1 && name !== undefined && slot ? { ...entry, known: name, slot } : entry;
  });
}

/** Parses a text that consists of one object. */
function parseObjectText(text: string): Json | undefined {
  const trimmed = text.trim();
  if (!trimmed.startsWith("{")) return undefined;
  const parsed = tryJson(trimmed);
  return isObject(parsed) ? parsed : trimmed.endsWith("}") ? tryObject(trimmed) : undefined;
}

function isGiven(value: unknown): boolean {
  return value !== null && value !== undefined && value !== "" && !(Array.isArray(value) && value.length === 0);
}

function splitWords(text: string): readonly string[] {
  return text.split(" ");
}

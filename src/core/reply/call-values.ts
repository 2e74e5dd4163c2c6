import { findJsonObjects, isObject, type Json, tryJson } from "../base/json.ts";
import { hasLooseEnd, parseRepairedJson } from "./parse-object.ts";

/** Calls in a text, each as an object of one of the shapes; undefined where one can't be read. */
export type CallList = readonly (Json | "cutOff" | undefined)[];

/** Calls with the text after them; `calls` ends with the first that can't be read. */
export interface ReadCalls {
  readonly calls: CallList;
  readonly rest: string;
}

/** A reply with more calls counts as endless. */
export const MOST_CALLS = 50;

/** Reads JSON after the name of a command, or objects that are calls themselves. */
export function readObjectCalls(name: string | undefined, text: string): ReadCalls {
  const { objects } = findJsonObjects(text);
  if (objects.length === 0) return { calls: ["cutOff"], rest: "" };
  if (hasLooseEnd(text)) return { calls: [undefined], rest: "" };
  const calls: (Json | undefined)[] = [];
  let end = 0;
  for (const object of objects.slice(0, name === undefined ? MOST_CALLS : 1)) {
    const at = text.indexOf("{", end);
    if (calls.length > 0 && !/^\s*[,;]?\s*$/.test(text.slice(end, at))) break;
    end = at + object.length;
    const read = tryJson(object) ?? parseRepairedJson(object);
    if (!isObject(read)) return { calls: [...calls, undefined], rest: "" };
    calls.push(name === undefined ? read : { name, arguments: read });
  }
  return { calls, rest: text.slice(end) };
}

/** A namespace before the name in a tag. */
export const SPACE = String.raw`[\w:｜| ]{0,20}?`;
const TAG_END = new RegExp(`<\\/${SPACE}(?:function|invoke|function_calls?|tool_calls?|tool)>`, "i");
const PARAMETER =
  /<[\w:｜| ]{0,20}?param(?:eter)?(?:=| name=)["']?([\w.-]+)["']?[^>\n]*>()\n?([\s\S]*?)\n?<\/[\w:｜| ]{0,20}?param(?:eter)?>/g;
const PARAMETER_START = /<[\w:｜| ]{0,20}?param(?:eter)?[= ]/;
const PARAMETER_END = /<\/[\w:｜| ]{0,20}?param(?:eter)?>/;

/** Reads JSON or parameters in a tag. */
export function readTagCalls(name: string, text: string): ReadCalls {
  return readValueCalls(name, text, {
    end: TAG_END,
    value: PARAMETER,
    starts: PARAMETER_START,
    ends: PARAMETER_END,
  });
}

const OPENING = /\s*<([\w.-]+)>\n?/y;

/** Reads arguments in one tag: an object, or a tag for each. Without a tag, there are none. */
export function readOwnTagCalls(name: string, text: string): ReadCalls {
  const [begin, tag] = matchOpeningTag(text, 0) ?? [];
  if (begin === undefined || tag === undefined) return { calls: [{ name, arguments: {} }], rest: text };
  const inside = text.slice(begin.length);
  const end = new RegExp(`^\\s*</${tag.replaceAll(".", "\\.")}>`);
  if (/^\s*\{/.test(inside)) {
    const { calls, rest } = readObjectCalls(name, inside);
    return { calls, rest: rest.replace(end, "") };
  }
  const { entries, rest } = readTaggedValues(inside);
  const isOpen = rest.trim() === "" || matchOpeningTag(rest, 0) !== undefined;
  if (!end.test(rest)) return { calls: [isOpen ? "cutOff" : undefined], rest: "" };
  const isClear = new Set(entries.map(([key]) => key)).size === entries.length;
  return {
    calls: [isClear ? { name, arguments: Object.fromEntries(entries) } : undefined],
    rest: rest.replace(end, ""),
  };
}

function matchOpeningTag(text: string, at: number): RegExpExecArray | undefined {
  OPENING.lastIndex = at;
  return OPENING.exec(text) ?? undefined;
}

/** Reads consecutive values in separate tags. */
function readTaggedValues(text: string): {
  readonly entries: readonly (readonly [string, string])[];
  readonly rest: string;
} {
  const entries: (readonly [string, string])[] = [];
  let at = 0;
  for (let opening = matchOpeningTag(text, at); opening; opening = matchOpeningTag(text, at)) {
    const [begin, key = ""] = opening;
    const end = text.indexOf(`</${key}>`, at + begin.length);
    if (end === -1) break;
    entries.push([key, text.slice(at + begin.length, end).replace(/\n$/, "")]);
    at = end + key.length + 3;
  }
  return { entries, rest: text.slice(at) };
}

const PAIR_END = /<\/[\w:]*tool_call[\w:]*>|<\|tool_call:end\|>/;
const PAIR =
  /<\|?[\w:]*arg(?:_key[\w:]*>|:start\|>)([^<>]*)<(?:\/[\w:]*arg_key[\w:]*>\s*<[\w:]*arg_value[\w:]*|\|tool_arg:value\|)>()([\s\S]*?)<(?:\/[\w:]*arg_value[\w:]*|\|tool_arg:end\|)>/g;
const PAIR_START = /<\|?[\w:]*arg(?:_key[\w:]*>|:start\|>)/;
const VALUE_END = /<\/[\w:]*arg_value[\w:]*>|<\|tool_arg:end\|>/;

/** Reads a name with pairs of a key and a value. */
export function readPairCalls(name: string, text: string): ReadCalls {
  return readValueCalls(name, text, { end: PAIR_END, value: PAIR, starts: PAIR_START, ends: VALUE_END });
}

/** Tags that a value in tags mustn't contain, because the value may end early and set other parameters. */
const OWN_TAG = /<[\w:｜|/]{0,20}?(?:param(?:eter)?\b|function\b|invoke\b|tool_call\b|arg_key|arg_value)/;

/** How values in tags are written. */
interface ValueTags {
  /** Ends the call. */
  readonly end: RegExp;
  /** A value with its name. */
  readonly value: RegExp;
  readonly starts: RegExp;
  readonly ends: RegExp;
}

function readValueCalls(name: string, text: string, { end, value, starts, ends }: ValueTags): ReadCalls {
  if (/^\s*\{/.test(text)) {
    const { calls, rest } = readObjectCalls(name, text);
    return { calls, rest: rest.replace(new RegExp(`^\\s*${end.source}`, "i"), "") };
  }
  const hasPairedTags = (part: string): boolean => part.split(starts).length === part.split(ends).length;
  // Nothing within a value ends the call.
  const masked = hasPairedTags(text) ? text.replace(value, (pair) => " ".repeat(pair.length)) : text;
  const match = end.exec(masked);
  if (!match) return { calls: ["cutOff"], rest: "" };
  const body = text.slice(0, match.index);
  const isPaired = hasPairedTags(body);
  const pairs = isPaired ? [...body.matchAll(value)] : [];
  const entries = pairs.map(([, key, other, given = ""]) => [(key || other || "").trim(), given] as const);
  const isClear =
    isPaired &&
    body.replace(value, "").trim() === "" &&
    entries.every(([, given]) => !OWN_TAG.test(given)) &&
    new Set(entries.map(([key]) => key)).size === entries.length;
  const rest = text.slice(match.index + match[0].length);
  return { calls: [isClear ? { name, arguments: Object.fromEntries(entries) } : undefined], rest };
}

/** Reads one Python call with literal keyword arguments, as in `print(read_file(filename="a"))`; undefined for any other code. */
export function parsePythonCall(code: string): Json | undefined {
  const line = code.trim();
  const printed = /^print\(([\s\S]*)\)$/.exec(line)?.[1] ?? line;
  const call = /^(?:default_api\.|functions\.|tools\.)?([A-Za-z_]\w*)\(([\s\S]*)\)$/.exec(printed.trim());
  const [, name, list] = call ?? [];
  if (name === undefined || list === undefined) return undefined;
  const only = /^\s*\{/.test(list) ? parseLiteral(list.trim()) : undefined;
  if (isObject(only)) return { name, arguments: only };
  const parts = splitArguments(list);
  const entries = parts?.map((part) => /^\s*([A-Za-z_]\w*)\s*=\s*([\s\S]+?)\s*$/.exec(part));
  if (!entries) return undefined;
  const args = new Map<string, unknown>();
  for (const entry of entries) {
    const [, key, literal] = entry ?? [];
    const value = key === undefined || literal === undefined ? undefined : parseLiteral(literal);
    if (key === undefined || value === undefined || args.has(key)) return undefined;
    args.set(key, value);
  }
  return { name, arguments: Object.fromEntries(args) };
}

/** Reads calls in Python's form, in a list or one on each line, and finds where they end. The last is undefined if it can't be read. */
export function parsePythonCalls(text: string): {
  readonly calls: readonly (Json | "cutOff" | undefined)[];
  readonly end: number;
} {
  const masked = text.replace(STRING, (string) => "s".repeat(string.length));
  const calls: (Json | "cutOff" | undefined)[] = [];
  let at = /^\s*\[?\s*/.exec(masked)?.[0].length ?? 0;
  for (;;) {
    const open = /^[A-Za-z_][\w.]*\(/.exec(masked.slice(at))?.[0];
    if (open === undefined) return { calls, end: at };
    let depth = 1;
    let end = at + open.length;
    for (; depth > 0 && end < masked.length; end++) {
      if ("([{".includes(masked[end] ?? "")) depth++;
      else if (")]}".includes(masked[end] ?? "")) depth--;
    }
    const call = depth > 0 ? "cutOff" : parsePythonCall(text.slice(at, end).replace(/^([\w.]+)\.call\(/, "$1("));
    calls.push(call);
    if (!isObject(call)) return { calls, end };
    at = end + (/^\s*(?:[,;]|\])?\s*/.exec(masked.slice(end))?.[0].length ?? 0);
  }
}

/** Strings, also of several lines, with escapes that mean the same in JSON. */
const STRING =
  /("""|''')(?:[^\\]|\\["'\\bfnrt]|\\u[\da-f]{4})*?\1|"(?:[^"\\\n]|\\["'\\bfnrt]|\\u[\da-f]{4})*"|'(?:[^'\\\n]|\\["'\\bfnrt]|\\u[\da-f]{4})*'/g;

/** Splits at the commas outside strings and brackets; undefined if the brackets don't match. */
function splitArguments(list: string): readonly string[] | undefined {
  const masked = list.replace(STRING, (text) => "s".repeat(text.length));
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (let i = 0; i < masked.length; i++) {
    const char = masked[i] as string;
    if ("([{".includes(char)) depth++;
    else if (")]}".includes(char)) depth--;
    else if (char === "," && depth === 0) {
      parts.push(list.slice(from, i));
      from = i + 1;
    }
    if (depth < 0) return undefined;
  }
  if (depth !== 0) return undefined;
  const last = list.slice(from);
  return last.trim() === "" ? parts : [...parts, last];
}

/** Parses a Python literal that contains no expressions. */
function parseLiteral(literal: string): unknown {
  const outside = literal.replace(STRING, "s").replace(/\b(?:True|False|None)\b/g, "s");
  const isLiteral = /^[\d\s.,:[\]{}s-]*$/.test(outside) && !/[\ds]\s*[s-]|s\s*\d|\d\s+\d/.test(outside);
  return isLiteral ? parseRepairedJson(literal) : undefined;
}

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

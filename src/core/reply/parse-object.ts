import { jsonrepair } from "jsonrepair";
import { findJsonObjects, isObject, type Json, tryJson } from "../base/json.ts";
import { readJsonStructure } from "./json-strings.ts";

/** The result of parsing: an object, or why there is none. */
export type ParsedObject =
  | { readonly object: Json }
  | { readonly trouble: "cutOff" }
  /** `why` is a part of a sentence. */
  | { readonly trouble: "notJson"; readonly why: string };

/**
 * Parses an object, and repairs it if necessary. Never repairs an object that is cut off before its last bracket, and never chooses one of
 * several different ones.
 */
export function parseObject(text: string): ParsedObject {
  const direct = tryJson(text);
  if (isObject(direct)) return { object: direct };
  const { objects, cutOff } = findJsonObjects(text);
  if (cutOff) return { trouble: "cutOff" };
  const filled = new Set(objects.filter((one) => !/^\{\s*\}$/.test(one)));
  if (filled.size > 1) return { trouble: "notJson", why: "there are several objects" };
  const [first = objects[0]] = filled;
  const repaired = first === undefined ? undefined : (tryJson(first) ?? parseRepairedJson(first));
  return isObject(repaired) ? { object: repaired } : { trouble: "notJson", why: explainParseFailure(text) };
}

/** The end of a string in JSON, with what follows it. */
const STRING_END = /["']\s*(?:[}\]]|[,:]\s*(?:["'{[\d]|true\b|false\b|null\b))/;

/**
 * True if an object can't be parsed or has no end, or if a later string ends outside of all objects. Then a quote wasn't escaped, and an
 * apparent object may be a part of a string.
 */
export function hasLooseEnd(text: string): boolean {
  const { objects, cutOff } = findJsonObjects(text);
  const [first = "", ...others] = objects;
  if (cutOff) return objects.length > 0;
  if (objects.some((one) => one.includes('"') && !isObject(tryJson(one) ?? parseRepairedJson(one)))) return true;
  let rest = text.slice(text.indexOf(first) + first.length);
  let outside = "";
  for (const object of others) {
    const at = rest.indexOf(object);
    outside += `${rest.slice(0, at)} `;
    rest = rest.slice(at + object.length);
  }
  return STRING_END.test(outside + rest);
}

/** Finds the first JSON object in a text, repaired if possible; undefined if there is none. */
export function tryObject(text: string): Json | undefined {
  const parsed = parseObject(text);
  return "object" in parsed ? parsed.object : undefined;
}

/** An object in a second pair of braces. Qwen's chat template shows calls as `{{"name": …}}`, and models copy that. */
const IN_BRACES = /^\{\s*(\{[\s\S]*\})\s*\}$/;

/** Parses JSON with the mistakes that models make; undefined for text that can't be repaired or is ambiguous. */
export function parseRepairedJson(text: string): unknown {
  const inner = IN_BRACES.exec(text)?.[1];
  const object = inner === undefined ? undefined : tryJson(inner);
  if (isObject(object)) return object;
  const structure = readJsonStructure(inner ?? text);
  if (!structure) return undefined;
  const left = new Map(structure.strings);
  try {
    const value = restoreStrings(JSON.parse(jsonrepair(structure.text)), left);
    return left.size === 0 ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Puts each string in the place of its placeholder, once. */
function restoreStrings(value: unknown, left: Map<string, string>): unknown {
  if (typeof value === "string") {
    const string = left.get(value);
    left.delete(value);
    return string ?? value;
  }
  if (Array.isArray(value)) return value.map((item) => restoreStrings(item, left));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, item]) => [
    String(restoreStrings(key, left)),
    restoreStrings(item, left),
  ]);
  return Object.fromEntries(entries);
}

function explainParseFailure(text: string): string {
  try {
    JSON.parse(text);
    return "it is not an object";
  } catch (error) {
    return (error as Error).message.replace(/\s+/g, " ").slice(0, 160);
  }
}

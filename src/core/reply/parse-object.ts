import { jsonrepair } from "jsonrepair";
import { findJsonObjects, isObject, type Json, tryJson } from "../base/json.ts";

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

/** JSON-like text whose strings are replaced by placeholders, so that a repair can change nothing but the structure. */
interface Structure {
  readonly text: string;
  /** The string of each placeholder. */
  readonly strings: ReadonlyMap<string, string>;
}

/** Begins a placeholder; a character that texts don't have. */
const PLACE = "\ue0ff";

/** Text outside strings: brackets, separators, literals and keys without quotes. */
const OUTSIDE = /[\s\w{}[\],:.+$-]/;

/**
 * Reads the strings of JSON-like text, also with other quotes, raw line ends, and literal backslashes. Undefined where it isn't clear where
 * a string ends, or where something was left out.
 */
function readJsonStructure(text: string): Structure | undefined {
  if (text.includes(PLACE)) return undefined;
  const strings = new Map<string, string>();
  let structure = "";
  let at = 0;
  while (at < text.length) {
    const char = text[at] as string;
    const comment = char === "/" ? /^(?:\/\*[\s\S]*?\*\/|\/\/[^\n]*)/.exec(text.slice(at)) : null;
    if (comment && /["']/.test(comment[0])) return undefined;
    if (comment) at += comment[0].length;
    else if (char === '"' || (char === "'" && isStringStart(structure))) {
      const string = text.startsWith(char.repeat(3), at)
        ? readTripleQuotedString(text, at)
        : readQuotedString(text, at);
      if (!string) return undefined;
      const place = `${PLACE}${strings.size}`;
      strings.set(place, string.value);
      structure += `"${place}"`;
      at = string.end;
    } else if (!OUTSIDE.test(char) || text.startsWith("...", at)) return undefined;
    else {
      structure += char;
      at++;
    }
  }
  return isBalanced(structure) ? { text: structure, strings } : undefined;
}

/** Ensures that a repair doesn't close brackets that a comment or a string has swallowed. */
function isBalanced(structure: string): boolean {
  const count = (brackets: RegExp) => structure.match(brackets)?.length ?? 0;
  return count(/\{/g) === count(/\}/g) && count(/\[/g) === count(/\]/g);
}

interface ReadString {
  readonly value: string;
  /** Index after the string. */
  readonly end: number;
}

/** Reads up to the quote that the structure follows. Quotes before it belong to the string only in pairs. */
function readQuotedString(text: string, start: number): ReadString | undefined {
  const quote = text[start] as string;
  let value = "";
  let inner = 0;
  for (let at = start + 1; at < text.length; at++) {
    const char = text[at] as string;
    if (char === "\\") {
      const escaped = readEscape(text, at, quote);
      if (!escaped) return undefined;
      value += escaped.value;
      at = escaped.end - 1;
      continue;
    }
    if (char === quote && isStringEnd(text, at + 1)) return inner % 2 === 0 ? { value, end: at + 1 } : undefined;
    if (char === quote && !(quote === "'" && isWordAround(text, at))) {
      if (STARTS_NEXT.test(text.slice(at + 1, at + LOOK))) return undefined;
      inner++;
    }
    value += char;
  }
  return undefined;
}

/** Reads one of Python's strings of several lines. */
function readTripleQuotedString(text: string, start: number): ReadString | undefined {
  const quote = text[start] as string;
  const mark = quote.repeat(3);
  let value = "";
  for (let at = start + 3; at < text.length; at++) {
    if (text[at] === "\\") {
      const escaped = readEscape(text, at, quote);
      if (!escaped) return undefined;
      value += escaped.value;
      at = escaped.end - 1;
    } else if (text.startsWith(mark, at))
      return isStringEnd(text, at + 3) && value !== "" && !value.startsWith(quote) ? { value, end: at + 3 } : undefined;
    else value += text[at];
  }
  return undefined;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  "\\": "\\",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};

/** Reads an escape. Between double quotes, a backslash before any other character is literal; Python's other escapes are unclear. */
function readEscape(text: string, at: number, quote: string): ReadString | undefined {
  const next = text[at + 1];
  if (next === undefined || next === "\n") return undefined;
  const end = at + 2;
  const known = Object.hasOwn(ESCAPES, next) ? ESCAPES[next] : undefined;
  if (known !== undefined) return { value: known, end };
  const hex = next === "u" ? /^[\da-f]{4}/i.exec(text.slice(end, end + 4))?.[0] : undefined;
  if (hex !== undefined) return { value: String.fromCharCode(Number.parseInt(hex, 16)), end: end + 4 };
  if (next === "/" && quote === '"') return { value: "/", end };
  return quote === "'" && /\w/.test(next) ? undefined : { value: "\\", end: at + 1 };
}

/** Characters after a quote that determine its role. */
const LOOK = 200;
/** Text that may follow the end of a string: a separator with what it separates, a bracket, or the next key without its comma. */
const AFTER_STRING =
  /^\s*(?:[}\]]|$|\/[/*]|,\s*(?:["'{[}\]\w+-]|$|\/[/*])|:\s*(?:["'{[\w+-]|\/\*))|^[^\S\n]*\n\s*["'][\w -]+["']\s*:/;
/** The beginning of the next string, key or object, where something between them is missing. */
const STARTS_NEXT = /^\s*(?:\+\s*)?["'{[]/;

function isStringEnd(text: string, at: number): boolean {
  return AFTER_STRING.test(text.slice(at, at + LOOK));
}

function isWordAround(text: string, at: number): boolean {
  return /\w/.test(text[at - 1] ?? "") && /\w/.test(text[at + 1] ?? "");
}

/** True if a key or a value may follow the text. */
function isStringStart(before: string): boolean {
  const last = before.slice(-LOOK).trimEnd().at(-1);
  return last === undefined || "{[,:".includes(last);
}

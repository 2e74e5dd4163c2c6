import { isObject, type Json } from "../base/json.ts";
import { parseRepairedJson } from "./parse-object.ts";

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

import { findJsonObjects, isObject, type Json, tryJson } from "../../core/base/json.ts";
import { omitUndefined } from "../../core/base/objects.ts";
import { cutText, escapeInvisible } from "../../core/base/text.ts";
import { parseRepairedJson, tryObject } from "../../core/reply/parse-object.ts";
import type { Finding } from "../../schema/review-page.ts";
import type { ClaimedFinding } from "./place-finding.ts";

/**
 * The findings in a model's answer, also in one that is cut off or whose JSON is broken; undefined if it has no list of them. One without
 * code or a file is kept, because what can't be placed is counted.
 */
export function readClaims(text: string): readonly ClaimedFinding[] | undefined {
  const bare = tryJson(text.replace(/^\s*`{3}\w*\n|\n`{3}\s*$/g, ""));
  const whole = Array.isArray(bare) ? bare : tryObject(text)?.findings;
  if (Array.isArray(whole) && whole.length === 0) return [];
  const start = /"findings"\s*:\s*\[/.exec(text);
  const list = text.slice(start ? start.index + start[0].length : 0);
  const read = (Array.isArray(whole) ? whole : readObjects(list)).filter(isObject);
  const loose = splitFields(list).filter((item) => getTitle(item) !== "");
  const countQuotes = (items: readonly Json[]): number => items.filter((item) => getText(item, "code") !== "").length;
  const found = (countQuotes(read) < countQuotes(loose) ? loose : read).map(readClaim);
  return found.some(({ title }) => title !== "") ? found : undefined;
}

function readObjects(list: string): readonly unknown[] {
  return findJsonObjects(list).objects.map((object) => tryJson(object) ?? parseRepairedJson(object));
}

/** The names of a finding's fields: the requested one, and others that models use. */
const NAMES = {
  severity: ["severity", "level"],
  file: ["file", "path", "filename"],
  line: ["line", "startLine"],
  code: ["code", "quote", "snippet"],
  title: ["title", "summary"],
  reason: ["reason", "description", "message"],
  suggestion: ["suggestion", "fix"],
} as const;

const FIELD = new RegExp(`(?<!\\\\)"(${Object.values(NAMES).flat().join("|")})"\\s*:\\s*`, "g");

/** The fields of objects whose JSON is broken, such as by quotes in code: each ends where the next name is. */
function splitFields(list: string): readonly Json[] {
  const items: Record<string, unknown>[] = [];
  const names = [...list.matchAll(FIELD)];
  for (const [at, { 0: whole, 1: name = "", index }] of names.entries()) {
    const last = items.at(-1);
    const item = last && !(name in last) ? last : {};
    if (item !== last) items.push(item);
    item[name] = readLooseValue(list.slice(index + whole.length, names[at + 1]?.index));
  }
  return items;
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t" };

/** A value with what follows it: an array, or a text from its first to its last quotation mark, also of JavaScript's templates. */
function readLooseValue(text: string): unknown {
  const array = /^\[[\s\S]*\]/.exec(text)?.[0];
  const lines = array === undefined ? undefined : tryJson(array);
  if (Array.isArray(lines)) return lines;
  const [quote] = /^["'`]/.exec(text) ?? [];
  if (quote === undefined) return /^[^\s,}\]]*/.exec(text)?.[0];
  const end = text.lastIndexOf(quote);
  const inner = end > 0 ? text.slice(1, end) : text.slice(1);
  return inner.replace(/\\(["'\\/nrt])/g, (_whole, char: string) => ESCAPES[char] ?? char);
}

const LONGEST_TITLE = 120;
const LONGEST_TEXT = 1_500;

function readClaim(item: Json): ClaimedFinding {
  const [title, reason, suggestion] = [getTitle(item), getText(item, "reason"), getText(item, "suggestion")];
  const line = Number.parseInt(getText(item, "line"), 10);
  return {
    severity: readSeverity(getText(item, "severity")),
    file: getText(item, "file"),
    code: title === "" ? "" : getText(item, "code"),
    title: cutText(escapeInvisible(title.replace(/\s+/g, " ")), LONGEST_TITLE),
    reason: cutText(escapeInvisible(reason), LONGEST_TEXT),
    ...omitUndefined({ line: Number.isSafeInteger(line) && line > 0 ? line : undefined }),
    ...(suggestion === "" ? {} : { suggestion: cutText(escapeInvisible(suggestion), LONGEST_TEXT) }),
  };
}

/** The title, or else the first sentence about it. */
function getTitle(item: Json): string {
  const sentences = getText(item, "reason") || getText(item, "suggestion");
  return getText(item, "title") || sentences.split(/(?<=[.!?])\s/)[0] || "";
}

/** The first of a field's names that has a text, without blanks around it. Code may come as a list of lines. */
function getText(item: Json, field: keyof typeof NAMES): string {
  for (const name of NAMES[field]) {
    const value = item[name];
    const text = Array.isArray(value) ? value.join("\n") : typeof value === "number" ? String(value) : value;
    if (typeof text === "string" && text.trim() !== "") return text.trim();
  }
  return "";
}

/** A list of all severities, copied from the prompt, says nothing. */
function readSeverity(words: string): Finding["severity"] {
  const isHigh = /high|crit|block|error|severe|major/i.test(words);
  const isLow = /low|minor|info|nit|trivial/i.test(words);
  return isHigh === isLow ? "medium" : isHigh ? "high" : "low";
}

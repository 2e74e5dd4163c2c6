import type { DisplayText, TextCode } from "../../texts/display-text.ts";
import { ENGLISH } from "../../texts/english.ts";
import { splitTemplate } from "../../texts/writer.ts";

const ROWS = "safety.line.";
/** Longer sentences quote too much to be taken apart. */
const MAX_CHARS = 1_000;
/** A sentence may hold a reason, which may hold another one. */
const MAX_DEPTH = 3;

interface SentencePattern {
  readonly code: TextCode;
  readonly pattern: RegExp;
  readonly names: readonly string[];
}

let patterns: readonly SentencePattern[] | undefined;

/**
 * The text of a finding about a command line. The readers of lines reason in English sentences, each of which has a row;
 * any other sentence stays as it is.
 */
export function lineText(english: string, depth = MAX_DEPTH): DisplayText | string {
  if (depth === 0 || english.length > MAX_CHARS) return english;
  patterns ??= Object.entries(ENGLISH).flatMap(([code, text]) =>
    code.startsWith(ROWS) && typeof text === "string" ? [sentencePattern(code as TextCode, text)] : [],
  );
  for (const { code, pattern, names } of patterns) {
    const [whole, ...values] = pattern.exec(english) ?? [];
    if (whole === undefined) continue;
    const parameters = names.map((name, index) => [name, lineText(values[index] ?? "", depth - 1)]);
    const text: DisplayText =
      names.length === 0 ? { code } : { code, parameters: Object.fromEntries(parameters) };
    return text;
  }
  return english;
}

function sentencePattern(code: TextCode, text: string): SentencePattern {
  const parts = splitTemplate(text);
  const pattern = parts.map((part, index) =>
    index % 2 === 0 ? part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&") : "(.+)",
  );
  return {
    code,
    pattern: new RegExp(`^${pattern.join("")}$`, "s"),
    names: parts.filter((_part, index) => index % 2 === 1),
  };
}

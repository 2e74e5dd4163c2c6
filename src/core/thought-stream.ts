import { THOUGHT_FIELDS } from "./reply.ts";

export type ThoughtField = (typeof THOUGHT_FIELDS)[number];

/** More of one thought, as it streams in. */
export interface ThoughtDelta {
  readonly field: ThoughtField;
  readonly text: string;
}

const FIELDS: ReadonlySet<string> = new Set(THOUGHT_FIELDS);
const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f" };

/**
 * Reads the string values of `thoughts` out of JSON that is still arriving, in any chunks, in one pass over each
 * character. It understands just enough JSON for that and never fails: what it cannot place it leaves out.
 */
export function thoughtStream(): (chunk: string) => ThoughtDelta[] {
  const path: { key: string; array: boolean }[] = [];
  let key = "";
  let text = "";
  let inString = false;
  let escape = "";
  let expectsKey = false;

  const field = (): ThoughtField | undefined => {
    const inThoughts = path.length > 0 && path.some((level) => level.key === "thoughts");
    return inThoughts && !expectsKey && FIELDS.has(key) ? (key as ThoughtField) : undefined;
  };

  /** The character an escape stands for, "" while it is incomplete. */
  const readEscape = (char: string): string => {
    escape += char;
    if (escape[1] === "u") {
      if (escape.length < 6) return "";
      const code = Number.parseInt(escape.slice(2), 16);
      escape = "";
      return Number.isNaN(code) ? "" : String.fromCharCode(code);
    }
    escape = "";
    return ESCAPES[char] ?? char;
  };

  const structure = (char: string): void => {
    if (char === "{" || char === "[") {
      path.push({ key, array: char === "[" });
      expectsKey = char === "{";
    } else if (char === "}" || char === "]") {
      key = path.pop()?.key ?? "";
      expectsKey = false;
    } else if (char === ",") expectsKey = path.at(-1)?.array === false;
    else if (char === ":") expectsKey = false;
    else if (char === '"') {
      inString = true;
      text = "";
    }
  };

  return (chunk) => {
    const deltas: ThoughtDelta[] = [];
    const put = (piece: string): void => {
      if (expectsKey) {
        text += piece;
        return;
      }
      const at = field();
      if (at === undefined || piece === "") return;
      const last = deltas.at(-1);
      if (last?.field === at) deltas[deltas.length - 1] = { field: at, text: last.text + piece };
      else deltas.push({ field: at, text: piece });
    };
    for (const char of chunk) {
      if (!inString) structure(char);
      else if (escape !== "") put(readEscape(char));
      else if (char === "\\") escape = "\\";
      else if (char === '"') {
        inString = false;
        if (expectsKey) key = text;
      } else put(char);
    }
    return deltas;
  };
}

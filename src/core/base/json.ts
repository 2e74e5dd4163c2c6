/** A JSON object. */
export type Json = Readonly<Record<string, unknown>>;

/** True for a JSON object. */
export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Parses JSON; undefined when the text is none. */
export function tryJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The JSON-like objects in a text, outermost ones only, and whether the text breaks off inside one. */
export interface JsonObjects {
  readonly objects: readonly string[];
  readonly cutOff: boolean;
}

/** Finds balanced `{...}` in one pass, braces inside strings left out of the count. */
export function objectsIn(text: string): JsonObjects {
  const objects: string[] = [];
  let at = text.indexOf("{");
  while (at !== -1) {
    const end = endOfObject(text, at);
    if (end === undefined) return { objects, cutOff: true };
    objects.push(text.slice(at, end));
    at = text.indexOf("{", end);
  }
  return { objects, cutOff: false };
}

/** The index after the object that opens at `start`, or undefined when the text ends before it does. */
function endOfObject(text: string, start: number): number | undefined {
  let depth = 0;
  let quote = "";
  for (let i = start; i < text.length; i++) {
    const char = text[i] as string;
    if (quote !== "") {
      if (char === "\\") i++;
      else if (char === quote) quote = "";
    } else if (char === '"' || (char === "'" && opensString(text, i))) quote = char;
    else if (char === "{" || char === "[") depth++;
    else if (char === "}" || char === "]") depth--;
    if (depth === 0 && quote === "") return i + 1;
  }
  return undefined;
}

/** An apostrophe opens a string only where a key or a value may begin. */
function opensString(text: string, at: number): boolean {
  for (let i = at - 1; i >= 0; i--) {
    const char = text[i] as string;
    if (!/\s/.test(char)) return "{[,:".includes(char);
  }
  return true;
}

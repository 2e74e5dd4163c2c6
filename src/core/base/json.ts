/** A JSON object. */
export type Json = Readonly<Record<string, unknown>>;

/** A JSON schema. */
export type JsonSchema = Json;

/** True for a JSON object. */
export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Parses JSON; undefined for text that isn't JSON. */
export function tryJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The outermost JSON-like objects in a text, and whether the text ends inside one. */
interface JsonObjects {
  readonly objects: readonly string[];
  readonly cutOff: boolean;
}

/** Finds balanced `{...}` in one pass; braces inside strings don't count. */
export function findJsonObjects(text: string): JsonObjects {
  const objects: string[] = [];
  let at = text.indexOf("{");
  while (at !== -1) {
    const end = findObjectEnd(text, at);
    if (end === undefined) return { objects, cutOff: true };
    objects.push(text.slice(at, end));
    at = text.indexOf("{", end);
  }
  return { objects, cutOff: false };
}

/** Returns the index after the object that opens at `start`; undefined when the text ends first. */
function findObjectEnd(text: string, start: number): number | undefined {
  let depth = 0;
  let quote = "";
  for (let i = start; i < text.length; i++) {
    const char = text[i] as string;
    if (quote !== "") {
      if (char === "\\") i++;
      else if (char === quote) quote = "";
    } else if ((char === '"' || char === "'") && text.startsWith(char.repeat(3), i)) {
      const end = text.indexOf(char.repeat(3), i + 3);
      if (end === -1) return undefined;
      i = end + 2;
    } else if (char === '"' || (char === "'" && canOpenString(text, i))) quote = char;
    else if (char === "{" || char === "[") depth++;
    else if (char === "}" || char === "]") depth--;
    if (depth === 0 && quote === "") return i + 1;
  }
  return undefined;
}

/** True where a key or a value may begin. An apostrophe opens a string only there. */
function canOpenString(text: string, at: number): boolean {
  for (let i = at - 1; i >= 0; i--) {
    const char = text[i] as string;
    if (!/\s/.test(char)) return "{[,:".includes(char);
  }
  return true;
}

/** Changes every text in a JSON value; parts without a changed text stay the same objects. */
export function mapTexts<T>(value: T, change: (text: string) => string): T;
export function mapTexts(value: unknown, change: (text: string) => string): unknown {
  return replaceValues(value, (part) => (typeof part === "string" ? change(part) : part));
}

/** Replaces any parts of a JSON value; doesn't visit the contents of a replacement. */
export function replaceValues(value: unknown, change: (value: unknown) => unknown): unknown {
  const replaced = change(value);
  if (replaced !== value) return replaced;
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => replaceValues(item, change));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value);
  const changed = fields.map(([name, field]) => [name, replaceValues(field, change)] as const);
  return changed.some(([, field], index) => field !== fields[index]?.[1]) ? Object.fromEntries(changed) : value;
}

/** True if any text in a JSON value matches. */
export function hasMatchingText(value: unknown, fits: (text: string) => boolean): boolean {
  if (typeof value === "string") return fits(value);
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value).some((field) => hasMatchingText(field, fits));
}

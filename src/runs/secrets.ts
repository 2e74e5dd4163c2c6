import { randomBytes } from "node:crypto";
import { SECRET_PATTERNS } from "./secret-patterns.ts";

/**
 * Puts marks in the place of secrets, and secrets back in the place of their marks. A run's log, and with it the model,
 * sees the marks alone; a file that is read and written again keeps its secrets. They are known in memory only: after
 * a restart a mark stands for nothing any more.
 */
export interface Secrets {
  /** The text with a mark for each secret; the same secret always gets the same mark. */
  redact(text: string): string;
  /** The text with the secrets that its marks stand for. */
  restore(text: string): string;
  /** True when a text holds a mark whose secret is not known. */
  hasLost(text: string): boolean;
}

/** Shorter values are no secrets: local servers take `none` or `ollama` for a key. */
const SHORTEST = 8;
const MARK = /\[secret ([0-9a-f]{6}): [^\]\n]{1,40}\]/g;

/** `known` are values that are secret whatever they look like: the user's keys. */
export function makeSecrets(
  known: readonly string[] = [],
  newId: () => string = () => randomBytes(3).toString("hex"),
): Secrets {
  const marks = new Map<string, string>();
  const values = new Map<string, string>();
  const keys = known.filter((key) => key.length >= SHORTEST).sort((one, other) => other.length - one.length);

  const markOf = (found: string, what: string): string => {
    const value = unescaped(found);
    const mark = marks.get(value) ?? `[secret ${newId()}: ${what}]`;
    marks.set(value, mark);
    values.set(mark, value);
    return mark;
  };

  return {
    redact(text) {
      let redacted = text;
      for (const key of keys) {
        if (redacted.includes(key)) redacted = redacted.replaceAll(key, () => markOf(key, "API key"));
      }
      for (const { what, hints, pattern } of SECRET_PATTERNS) {
        if (hints.some((hint) => redacted.includes(hint)))
          redacted = redacted.replace(pattern, (found) => markOf(found, what));
      }
      return redacted;
    },
    restore: (text) => text.replace(MARK, (mark) => values.get(mark) ?? mark),
    hasLost: (text) => [...text.matchAll(MARK)].some(([mark]) => !values.has(mark)),
  };
}

/** A key inside a JSON string has its line ends written out; it is the same key. */
function unescaped(found: string): string {
  return found.startsWith("-----BEGIN") ? found.replaceAll("\\r", "").replaceAll("\\n", "\n") : found;
}

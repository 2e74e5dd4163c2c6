/** Longer values are not matched by pattern; see `fitsGlob`. */
export const LONGEST_VALUE = 8192;
const LONGEST_PATTERN = 256;

/** Why a pattern cannot be used, as half a sentence; undefined when it can. */
export function globProblem(pattern: string): string | undefined {
  if (pattern === "") return "is empty";
  if (pattern.length > LONGEST_PATTERN) return `is longer than ${LONGEST_PATTERN} characters`;
  return undefined;
}

/**
 * Tells whether a whole text fits a pattern of `*` (any text), `?` (one character) and itself. It backs up to the last star only, so
 * its time is bounded by the product of the two lengths. The caller keeps the text within `LONGEST_VALUE`.
 */
export function fitsGlob(pattern: string, text: string): boolean {
  let at = 0;
  let star = -1;
  let resume = 0;
  let index = 0;
  while (index < text.length) {
    if (pattern[at] === "*") {
      star = at++;
      resume = index;
    } else if (at < pattern.length && (pattern[at] === "?" || pattern[at] === text[index])) {
      at++;
      index++;
    } else if (star !== -1) {
      at = star + 1;
      index = ++resume;
    } else {
      return false;
    }
  }
  while (pattern[at] === "*") at++;
  return at === pattern.length;
}

/** The same for paths: `*` and `?` stay within a name, `**` spans any number of names. Both sides use `/`. */
export function fitsPathGlob(pattern: string, path: string): boolean {
  return fitsNames(pattern.split("/"), path.split("/"));
}

function fitsNames(pattern: readonly string[], names: readonly string[]): boolean {
  let reachable = new Set([0]);
  for (const part of pattern) {
    if (reachable.size === 0) return false;
    reachable = new Set(part === "**" ? fromFirst(reachable, names) : oneFurther(part, reachable, names));
  }
  return reachable.has(names.length);
}

function fromFirst(reachable: ReadonlySet<number>, names: readonly string[]): number[] {
  const first = Math.min(...reachable);
  return Array.from({ length: names.length - first + 1 }, (_, offset) => first + offset);
}

function oneFurther(part: string, reachable: ReadonlySet<number>, names: readonly string[]): number[] {
  return [...reachable]
    .filter((from) => from < names.length && fitsGlob(part, names[from] ?? ""))
    .map((from) => from + 1);
}

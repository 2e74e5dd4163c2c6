/** Longer values aren't matched by pattern; see `isGlobMatch`. */
export const LONGEST_VALUE = 8192;
const LONGEST_PATTERN = 256;

/** Explains why a pattern isn't valid, as a clause without subject; undefined if it is. */
export function explainInvalidGlob(pattern: string): string | undefined {
  if (pattern === "") return "is empty";
  if (pattern.length > LONGEST_PATTERN) return `is longer than ${LONGEST_PATTERN} characters`;
  return undefined;
}

/**
 * True when a whole text matches a pattern of `*` (any text), `?` (one character) and literal characters. Its time is bounded by the
 * product of the two lengths. The caller keeps the text within `LONGEST_VALUE`.
 */
export function isGlobMatch(pattern: string, text: string): boolean {
  return areItemsMatching(pattern, text, "*", (wanted, found) => wanted === "?" || wanted === found);
}

/** Like `isGlobMatch`, but for the names along a path: `*` and `?` stay within a name, `**` spans any number of names. */
export function isPathGlobMatch(pattern: readonly string[], names: readonly string[]): boolean {
  return areItemsMatching(pattern, names, "**", isGlobMatch);
}

/** Matches item by item; a `star` matches any number of items. Backtracking to the last star only is enough. */
function areItemsMatching(
  pattern: ArrayLike<string>,
  items: ArrayLike<string>,
  star: string,
  fits: (wanted: string, found: string) => boolean,
): boolean {
  let at = 0;
  let lastStar = -1;
  let resume = 0;
  let index = 0;
  while (index < items.length) {
    const wanted = pattern[at];
    if (wanted === star) {
      lastStar = at++;
      resume = index;
    } else if (wanted !== undefined && fits(wanted, items[index] ?? "")) {
      at++;
      index++;
    } else if (lastStar !== -1) {
      at = lastStar + 1;
      index = ++resume;
    } else {
      return false;
    }
  }
  while (pattern[at] === star) at++;
  return at === pattern.length;
}

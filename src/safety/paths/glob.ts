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
 * Tells whether a whole text fits a pattern of `*` (any text), `?` (one character) and itself. Its time is bounded by the product of the
 * two lengths. The caller keeps the text within `LONGEST_VALUE`.
 */
export function fitsGlob(pattern: string, text: string): boolean {
  return fitsAll(pattern, text, "*", (wanted, found) => wanted === "?" || wanted === found);
}

/** The same for the names along a path: `*` and `?` stay within a name, `**` spans any number of names. */
export function fitsPathGlob(pattern: readonly string[], names: readonly string[]): boolean {
  return fitsAll(pattern, names, "**", fitsGlob);
}

/** Fits item by item, and lets a `star` stand for any number of items. It backs up to the last star only, which is enough. */
function fitsAll(
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

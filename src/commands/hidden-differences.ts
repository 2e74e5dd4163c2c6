import { diffChars } from "diff";

/** With more or longer differences, the texts differ visibly enough. */
const MOST_DIFFERENCES = 3;
const LONGEST_DIFFERENCE = 12;

/**
 * Describes the invisible differences of two similar texts, in escapes: `"\\u00a0" where yours has " "`. "" for texts that differ visibly.
 * Ignores text around `wanted`.
 */
export function describeHiddenDifferences(found: string, wanted: string): string {
  if (found !== wanted && found.normalize() === wanted.normalize())
    return `its letters in Unicode form ${getUnicodeForm(found)} where yours has ${getUnicodeForm(wanted)}`;
  const parts = diffChars(wanted, found);
  const inner = parts.slice(parts[0]?.added ? 1 : 0, parts.at(-1)?.added ? -1 : undefined);
  const differences: { found: string; wanted: string }[] = [];
  for (const [at, { added, removed, value }] of inner.entries()) {
    const before = inner[at - 1];
    if (removed) differences.push({ found: "", wanted: value });
    else if (added && before?.removed) differences.splice(-1, 1, { found: value, wanted: before.value });
    else if (added) differences.push({ found: value, wanted: "" });
  }
  const isShort = differences.every((one) => Math.max(one.found.length, one.wanted.length) <= LONGEST_DIFFERENCE);
  const isHidden = differences.every((one) => [one.found, one.wanted].some((text) => /^[^!-~]+$/.test(text)));
  if (!isHidden || !isShort || differences.length > MOST_DIFFERENCES) return "";
  return differences
    .map((one) => `${escapeCharacters(one.found)} where yours has ${escapeCharacters(one.wanted)}`)
    .join(", and ");
}

function getUnicodeForm(text: string): string {
  const form = ["NFC", "NFD"].find((one) => text.normalize(one) === text);
  return form ?? "of several kinds";
}

function escapeCharacters(text: string): string {
  if (text === "") return "nothing";
  return JSON.stringify(text).replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

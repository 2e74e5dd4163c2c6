import fc from "fast-check";

const aLine = fc.constantFrom("", "a", "b", "  a", "a ", "let x = 1;");

/** A short text out of few different lines, so that many repeat. */
export function aText(end: string): fc.Arbitrary<string> {
  return fc.array(aLine, { maxLength: 12 }).map((lines) => lines.join(end));
}

/** Two texts that may have much or nothing in common. */
export function twoTexts(end: string): fc.Arbitrary<{ readonly before: string; readonly after: string }> {
  return fc.record({ before: aText(end), after: aText(end) });
}

/** A text whose lines end in different ways. */
export const aMixedText: fc.Arbitrary<string> = fc
  .array(fc.tuple(aLine, fc.constantFrom("\n", "\r\n", "\r")), { maxLength: 12 })
  .map((lines) => lines.map(([text, end]) => text + end).join(""));

import { DisplayError, displayText, IN_ENGLISH, type ParametersOf, type TextCode } from "./display-text.ts";
import { ENGLISH } from "./english.ts";
import { type Language, splitTemplate, templateOf, type UnwrittenText, writeText } from "./writer.ts";

/**
 * The language of this program's texts. Like a locale, it's ambient: an entry point sets it once, and only the code
 * that shows a text to a person writes it.
 */
let current: Language = IN_ENGLISH;

/** Sets the language; undefined sets English. */
export function setLanguage(language: Language | undefined): void {
  current = language ?? IN_ENGLISH;
}

/** The language in use, for dates, numbers and pages. */
export function currentLanguage(): Language {
  return current;
}

/** Writes a text in the language in use. */
export function write(text: UnwrittenText): string {
  return writeText(text, current, ENGLISH);
}

/** A text in the language in use, by its code. */
export function t<Code extends TextCode>(code: Code, ...parameters: ParametersOf<Code>): string {
  return write(displayText(code, ...parameters));
}

/** The same in parts, so that parameters can be elements of a page. */
export function textParts<Code extends TextCode>(
  code: Code,
  ...[parameters]: ParametersOf<Code, unknown>
): readonly unknown[] {
  const values: Readonly<Record<string, unknown>> = parameters ?? {};
  const { count } = values;
  const counted = typeof count === "number" ? { code, parameters: { count } } : { code };
  const template = templateOf(counted, current, ENGLISH) ?? code;
  return splitTemplate(template).map((part, index) => (index % 2 === 0 ? part : values[part]));
}

/** The message of whatever was thrown, in the language in use where it was thrown for people. */
export function shownError(error: unknown): string {
  if (error instanceof DisplayError) return write(error.text);
  return error instanceof Error ? error.message : String(error);
}

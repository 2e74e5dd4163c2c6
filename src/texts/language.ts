import {
  displayText,
  getErrorText,
  IN_ENGLISH,
  type ParametersOf,
  type Sentence,
  type TextCode,
} from "./display-text.ts";
import { ENGLISH } from "./english.ts";
import {
  findTemplate,
  getAmbientParameter,
  type Language,
  listFormat,
  splitTemplate,
  type TextParameter,
  type UnwrittenText,
  writeMoney,
  writeParameter,
  writeText,
} from "./writer.ts";

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
export function getCurrentLanguage(): Language {
  return current;
}

/** Name of the program that shows the texts, such as "VS Code". */
export function getHostName(): string {
  return getAmbientParameter("app", current);
}

/** Writes a text in the language in use. */
export function write(text: Sentence): string {
  return typeof text === "string" ? text : writeText(text, current, ENGLISH);
}

/** A text in the language in use, by its code. */
export function t<Code extends TextCode>(code: Code, ...parameters: ParametersOf<Code>): string {
  return write(displayText(code, ...parameters));
}

/** The same in parts, so that parameters can be elements of a page. */
export function splitTextParts<Code extends TextCode>(
  code: Code,
  ...[parameters]: ParametersOf<Code, unknown>
): readonly unknown[] {
  const values: Readonly<Record<string, unknown>> = parameters ?? {};
  const { count } = values;
  const counted = typeof count === "number" ? { code, parameters: { count } } : { code };
  const template = findTemplate(counted, current, ENGLISH) ?? code;
  return splitTemplate(template).map((part, index) =>
    index % 2 === 0 ? part : (values[part] ?? getAmbientParameter(part, current)),
  );
}

/** A text whose parameters are drawn one by one, for example as links: its words, and what `draw` makes of each. */
export function renderTextParts(
  text: UnwrittenText,
  draw: (name: string, value: TextParameter) => unknown,
): readonly unknown[] {
  const template = findTemplate(text, current, ENGLISH) ?? text.code;
  return splitTemplate(template).map((part, index) =>
    index % 2 === 0 ? part : draw(part, text.parameters?.[part] ?? getAmbientParameter(part, current)),
  );
}

/** A parameter as it's written in a text. */
export function writeValue(value: TextParameter): string {
  return writeParameter(value, current, ENGLISH);
}

/** An amount of US dollars as the language writes it. */
export function formatUsd(usd: number): string {
  return writeMoney(usd, current);
}

/** A count of tokens in about three digits: 950, 12.3k, 2M. */
export function formatTokenCount(count: number): string {
  if (count < 1000) return String(Math.round(count));
  if (count < 999_500) return `${formatShortNumber(count / 1000)}k`;
  return `${formatShortNumber(count / 1_000_000)}M`;
}

function formatShortNumber(value: number): string {
  return writeValue(Number(value.toFixed(value < 100 ? 1 : 0)));
}

/** A list as the language writes it, its items drawn one by one. */
export function renderListParts(items: readonly string[], draw: (item: string) => unknown): readonly unknown[] {
  return listFormat(current.tag)
    .formatToParts(items)
    .map(({ type, value }) => (type === "element" ? draw(value) : value));
}

/** The message of whatever was thrown, in the language in use where it was thrown for people. */
export function formatError(error: unknown): string {
  return write(getErrorText(error));
}

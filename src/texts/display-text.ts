import { ENGLISH } from "./english.ts";
import {
  findTemplate,
  type Language,
  splitTemplate,
  type TextParameter,
  type UnwrittenText,
  writeText,
} from "./writer.ts";

type English = typeof ENGLISH;

/** The code of a text in the table. */
export type TextCode = keyof English;

/** A text for people as a value: it's written in the reader's language where it is shown. */
export interface DisplayText extends UnwrittenText {
  readonly code: TextCode;
}

type NamesIn<Template extends string> = Template extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never;

type TemplatesOf<Code extends TextCode> = English[Code] extends string
  ? English[Code]
  : Extract<English[Code][keyof English[Code]], string>;

/** The editor's name is known wherever a text is written. */
type Placeholders<Code extends TextCode> = Exclude<NamesIn<TemplatesOf<Code>>, "app">;

/** The parameters of a text, by the placeholders in its template: none, or all of them. */
export type ParametersOf<Code extends TextCode, Value = TextParameter> = [Placeholders<Code>] extends [never]
  ? []
  : [parameters: { readonly [Name in Placeholders<Code>]: Value }];

/** A text of ours, or words that have no code: others' words, or a sentence of an old log. */
export type Sentence = UnwrittenText | string;

/** Sentences one after the other; those that are absent or empty are left out. */
export function joinSentences(first: Sentence, ...more: readonly (Sentence | undefined)[]): Sentence {
  return more.reduce<Sentence>(
    (before, next) =>
      next === undefined || next === ""
        ? before
        : before === ""
          ? next
          : displayText("common.twoSentences", { first: before, second: next }),
    first,
  );
}

/** A text by its code. The compiler checks its parameters. */
export function displayText<Code extends TextCode>(code: Code, ...[parameters]: ParametersOf<Code>): DisplayText {
  return parameters === undefined ? { code } : { code, parameters };
}

/** The language of logs and of error messages in code. */
export const IN_ENGLISH: Language = { tag: "en", texts: ENGLISH };

/** The text in English, for logs and for what the model reads. */
export function writeInEnglish(text: Sentence): string {
  return typeof text === "string" ? text : writeText(text, IN_ENGLISH, ENGLISH);
}

/** Sentences with another one at their end, each once. */
export function addSentence(list: readonly Sentence[], text: Sentence): readonly Sentence[] {
  return [...list.filter((other) => writeInEnglish(other) !== writeInEnglish(text)), text];
}

/** The field of an event that keeps a sentence's code beside its English. */
export function convertToStoredText(text: Sentence): { readonly text?: UnwrittenText } {
  return typeof text === "string" ? {} : { text };
}

/** A sentence of an event: its text, or its English where the log is older, newer or damaged. */
export function restoreSentence(english: string, text: UnwrittenText | undefined): Sentence {
  return text !== undefined && isDisplayText(text) ? text : english;
}

/** How deep texts are inside one another at most. A log may be damaged. */
const MAX_DEPTH = 8;

/** True for a text that this version can write, with all its parameters. */
export function isDisplayText(text: UnwrittenText, depth = MAX_DEPTH): text is DisplayText {
  const template = findTemplate(text, IN_ENGLISH, ENGLISH);
  if (depth === 0 || template === undefined) return false;
  const names = splitTemplate(template).filter((_part, index) => index % 2 === 1 && _part !== "app");
  return names.every((name) => isWritable(text.parameters?.[name], depth - 1));
}

function isWritable(value: unknown, depth: number): boolean {
  if (Array.isArray(value))
    return value.every((item) => typeof item !== "number" && !Array.isArray(item) && isWritable(item, depth));
  if (typeof value === "object" && value !== null && "code" in value)
    return typeof value.code === "string" && isDisplayText(value as UnwrittenText, depth);
  return typeof value === "string" || typeof value === "number";
}

/** An error for people. Its message is in English; `text` is written in their language where it is shown. */
export class DisplayError extends Error {
  readonly text: Sentence;

  constructor(text: Sentence, options?: ErrorOptions) {
    super(writeInEnglish(text), options);
    this.name = "DisplayError";
    this.text = text;
  }
}

/** Throws an error for people. */
export function fail<Code extends TextCode>(code: Code, ...parameters: ParametersOf<Code>): never {
  throw new DisplayError(displayText(code, ...parameters));
}

/** The message of whatever was thrown, as a text for people as far as it was thrown for them. */
export function getErrorText(error: unknown): Sentence {
  if (error instanceof DisplayError) return error.text;
  return error instanceof Error ? error.message : String(error);
}

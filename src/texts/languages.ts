import { ENGLISH } from "./english.ts";
import type { Language, TextTable } from "./writer.ts";

/** Languages with a translation in `l10n`. */
export const TRANSLATED = ["de", "ja"] as const;

/** The tag of a language that texts exist in. */
export type LanguageTag = "en" | (typeof TRANSLATED)[number];

/** One row of a translation: the English text that it was made from, and the text itself. */
export interface TranslatedText {
  readonly source: TextTable[string];
  readonly text: TextTable[string];
}

/** The language for a setting: with `auto`, that of the editor if there is a translation, and English otherwise. */
export function chooseLanguageTag(setting: LanguageTag | "auto", editor: string): LanguageTag {
  if (setting !== "auto") return setting;
  const primary = editor.toLowerCase().split("-")[0];
  return TRANSLATED.find((tag) => tag === primary) ?? "en";
}

/** A language from the rows of its translation. Rows of the manifest, which the editor reads itself, and damaged ones are left out. */
export function createTranslatedLanguage(tag: string, rows: Readonly<Record<string, TranslatedText>>): Language {
  const known = Object.entries(rows).filter(([code, row]) => Object.hasOwn(ENGLISH, code) && isText(row?.text));
  return { tag, texts: Object.fromEntries(known.map(([code, { text }]) => [code, text])) };
}

/** The file may have been damaged on this machine. */
function isText(text: unknown): boolean {
  if (typeof text !== "object" || text === null) return typeof text === "string";
  return "other" in text && Object.values(text).every((form) => typeof form === "string");
}

/** Id of the element with the language in the panel's page. */
export const LANGUAGE_ID = "language";

const RIGHT_TO_LEFT: readonly string[] = ["ar", "fa", "he", "ur"];

/** The direction in which a language is written. */
export function getWritingDirection({ tag }: Pick<Language, "tag">): "ltr" | "rtl" {
  return RIGHT_TO_LEFT.includes(tag.split("-")[0] ?? "") ? "rtl" : "ltr";
}

/** A text with a count, one form per plural category of its language. English has `one` and `other`. */
interface PluralText {
  readonly zero?: string;
  readonly one?: string;
  readonly two?: string;
  readonly few?: string;
  readonly many?: string;
  readonly other: string;
}

/** Texts of one language by their code. */
export type TextTable = Readonly<Record<string, string | PluralText>>;

/** A text for people, not yet written in a language: its code in the table of texts, and its parameters. */
export interface UnwrittenText {
  readonly code: string;
  readonly parameters?: Readonly<Record<string, TextParameter>>;
}

/** Numbers and lists are written as the language writes them. */
export type TextParameter = string | number | UnwrittenText | readonly (string | UnwrittenText)[];

/** A language with its texts. A code that its table lacks is written in English. */
export interface Language {
  /** A BCP 47 tag. */
  readonly tag: string;
  readonly texts: TextTable;
  /** Name of the editor that shows the texts: the parameter `app` of all of them. */
  readonly app?: string;
}

const PLACEHOLDER = /\{(\w+)\}/;

/** A template split at its placeholders: text and names in turn, beginning with text. */
export function splitTemplate(template: string): readonly string[] {
  return template.split(PLACEHOLDER);
}

/** The template of a text: of several forms, the one for its count. Undefined for an unknown code. */
export function findTemplate(
  { code, parameters }: UnwrittenText,
  { tag, texts }: Language,
  english: TextTable,
): string | undefined {
  const own = Object.hasOwn(texts, code) ? texts[code] : undefined;
  const found = own ?? (Object.hasOwn(english, code) ? english[code] : undefined);
  if (found === undefined || typeof found === "string") return found;
  const count = parameters?.count;
  const category = pluralRules(own === undefined ? "en" : tag).select(typeof count === "number" ? count : 0);
  return found[category] ?? found.other;
}

/** Writes a text in a language. An unknown code, for example of a newer version, is shown as it is. */
export function writeText(text: UnwrittenText, language: Language, english: TextTable): string {
  const template = findTemplate(text, language, english);
  if (template === undefined) return text.code;
  return splitTemplate(template)
    .map((part, index) =>
      index % 2 === 0
        ? part
        : writeParameter(text.parameters?.[part] ?? getAmbientParameter(part, language), language, english),
    )
    .join("");
}

/** Parameters that every text has. */
export function getAmbientParameter(name: string, { app = "VS Code" }: Language): string {
  return name === "app" ? app : "";
}

/** A parameter as a language writes it. */
export function writeParameter(value: TextParameter, language: Language, english: TextTable): string {
  if (typeof value === "string") return value;
  if (typeof value === "number") return numberFormat(language.tag).format(value);
  if (isList(value)) {
    const items = value.map((item) => writeParameter(item, language, english));
    return listFormat(language.tag).format(items);
  }
  return writeText(value, language, english);
}

/** US dollars: cents, or two digits of an amount that would otherwise look like nothing. */
export function writeMoney(usd: number, { tag }: Language): string {
  const format = usd === 0 || usd >= 0.1 ? centsFormat : smallFormat;
  return format(tag).format(usd);
}

function isList(
  value: UnwrittenText | readonly (string | UnwrittenText)[],
): value is readonly (string | UnwrittenText)[] {
  return Array.isArray(value);
}

const pluralRules = cachePerLanguage((tag) => new Intl.PluralRules(tag));
const numberFormat = cachePerLanguage((tag) => new Intl.NumberFormat(tag, { maximumFractionDigits: 2 }));
const DOLLARS = { style: "currency", currency: "USD", currencyDisplay: "narrowSymbol" } as const;
const centsFormat = cachePerLanguage((tag) => new Intl.NumberFormat(tag, DOLLARS));
const smallFormat = cachePerLanguage((tag) => new Intl.NumberFormat(tag, { ...DOLLARS, maximumSignificantDigits: 2 }));
/** The language's way to write a list. */
export const listFormat: (tag: string) => Intl.ListFormat = cachePerLanguage(
  (tag) => new Intl.ListFormat(tag, { type: "conjunction" }),
);

/** Formats are slow to make and fast to use. */
function cachePerLanguage<Format>(make: (tag: string) => Format): (tag: string) => Format {
  const made = new Map<string, Format>();
  return (tag) => {
    const known = made.get(tag) ?? make(tag);
    made.set(tag, known);
    return known;
  };
}

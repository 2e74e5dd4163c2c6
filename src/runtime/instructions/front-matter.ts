import { parseDocument } from "yaml";
import { isObject } from "../../core/base/json.ts";

/** A field's value: every scalar is a text. */
type FieldValue = string | readonly string[];

/** The fields between the first two lines of `---`, and the text after them. */
export interface FrontMatter {
  readonly fields: ReadonlyMap<string, FieldValue>;
  /** The fields that are lists of mappings, as far as the values in these are texts. */
  readonly records?: ReadonlyMap<string, readonly ReadonlyMap<string, string>[]>;
  readonly body: string;
  /** It isn't YAML, so each field is the rest of its line. */
  readonly isBroken?: true;
}

/** The parser is slow for large texts, and no format has more than this before its text. */
const MAX_CHARS = 8 * 1024;

/**
 * Reads the front matter of a text. If it isn't YAML, each field is the rest of its line: editors write globs such as `**`
 * without quotation marks.
 */
export function parseFrontMatter(text: string): FrontMatter {
  const none = { fields: new Map<string, FieldValue>(), body: text };
  const opening = /^\uFEFF?---[ \t]*\r?\n/.exec(text);
  if (!opening) return none;
  const rest = text.slice(opening[0].length);
  const closing = /^(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/m.exec(rest.slice(0, MAX_CHARS));
  if (!closing) return none;
  const head = rest.slice(0, closing.index);
  const body = rest.slice(closing.index + closing[0].length);
  const plain = parsePlainFields(head);
  const values = parseYamlValues(head);
  if (!values) return { fields: new Map(plain), body, isBroken: true };
  return {
    fields: new Map([...plain, ...selectFields(values)]),
    records: new Map(values.flatMap(([name, value]) => (isRecordList(value) ? [[name, value.map(readRecord)]] : []))),
    body,
  };
}

/** The text of a field; for a list, its items with commas between them. "" if there is none. */
export function getFieldText({ fields }: FrontMatter, name: string): string {
  const value = fields.get(name) ?? "";
  return (typeof value === "string" ? value : value.join(", ")).trim();
}

/** The values of all fields; undefined if the text isn't YAML with a mapping. */
function parseYamlValues(head: string): readonly [string, unknown][] | undefined {
  try {
    const document = parseDocument(head, { schema: "failsafe" });
    if (document.errors.length > 0) return undefined;
    const value: unknown = document.toJS({ maxAliasCount: 0 });
    if (value === null || value === "") return [];
    return isObject(value) ? Object.entries(value) : undefined;
  } catch {
    return undefined;
  }
}

/** The fields whose values are scalars or lists of scalars. */
function selectFields(values: readonly [string, unknown][]): readonly (readonly [string, FieldValue])[] {
  return values.flatMap(([name, value]) => {
    const known = convertFieldValue(value);
    return known === undefined ? [] : [[name, known] as const];
  });
}

function isRecordList(value: unknown): value is readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) && value.length > 0 && value.every(isObject);
}

function readRecord(record: Readonly<Record<string, unknown>>): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(record).flatMap(([name, value]) => (typeof value === "string" ? [[name, value] as const] : [])),
  );
}

function convertFieldValue(value: unknown): FieldValue | undefined {
  if (typeof value === "string") return value;
  return Array.isArray(value) && value.every((item) => typeof item === "string") ? value : undefined;
}

/** Each field as the rest of its line, or as the list on the lines below it. */
function parsePlainFields(head: string): readonly (readonly [string, FieldValue])[] {
  const fields = new Map<string, string | string[]>();
  let last = "";
  for (const line of head.split(/\r?\n/)) {
    const [, name, value = ""] = /^([A-Za-z][\w-]{0,63})[ \t]*:(.*)$/.exec(line) ?? [];
    const item = /^[ \t]*-[ \t]+(.+)$/.exec(line)?.[1];
    if (name !== undefined) {
      last = name;
      fields.set(name, parsePlainValue(value));
    } else if (item !== undefined && last !== "") {
      const items = fields.get(last) ?? "";
      fields.set(last, [...(typeof items === "string" ? [] : items), parsePlainValue(item)]);
    }
  }
  return [...fields];
}

/** Removes a value's comment and quotation marks. */
function parsePlainValue(text: string): string {
  const value = text.trim();
  const quoted = /^"([^"]*)"|^'([^']*)'/.exec(value);
  return quoted ? (quoted[1] ?? quoted[2] ?? "") : value.replace(/(?:^|[ \t])#.*$/, "").trimEnd();
}

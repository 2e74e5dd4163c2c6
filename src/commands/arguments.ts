import type { JsonSchema } from "../core/base/json.ts";

/** Arguments whose types the schema has checked. */
export type Args = Readonly<Record<string, unknown>>;

/** The schema of an object that takes these properties and no others. */
export function objectSchema(
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[] = [],
): JsonSchema {
  return { type: "object", properties, required, additionalProperties: false };
}

/** A text argument; undefined when it's left out. */
export function text(args: Args, name: string): string | undefined {
  const value = args[name];
  return typeof value === "string" ? value : undefined;
}

/** A text argument that the schema requires. */
export function requiredText(args: Args, name: string): string {
  return text(args, name) ?? "";
}

/** The schema of an argument that is text, or the JSON in it. Models are offered the text alone. */
export const TEXT_OR_JSON = { type: ["string", "object", "array"] } as const;

/** Such an argument as text. JSON is indented like `file`, or is on lines of its own in a file of such lines. */
export function textOrJson(
  args: Args,
  name: string,
  file: { readonly label?: string; readonly text?: string } = {},
): { readonly text: string; readonly isJson: boolean } {
  const value = args[name];
  if (typeof value !== "object" || value === null) return { text: requiredText(args, name), isJson: false };
  const isLines = /\.(?:jsonl|ndjson)$/i.test(file.label ?? "");
  const [, indent = "  "] = /^([\t ]+)\S/m.exec(file.text ?? "") ?? [];
  const items = isLines
    ? [value].flat().map((item) => JSON.stringify(item))
    : [JSON.stringify(value, null, indent)];
  return { text: items.join("\n"), isJson: true };
}

/** A number argument; undefined when it's left out. */
export function number(args: Args, name: string): number | undefined {
  const value = args[name];
  return typeof value === "number" ? value : undefined;
}

/** A boolean argument; false when it's left out. */
export function flag(args: Args, name: string): boolean {
  return args[name] === true;
}

/** An argument that is a list of texts; empty when it's left out. */
export function texts(args: Args, name: string): readonly string[] {
  const value = args[name];
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

/** A table from each older name to today's, given all older names of each of today's, with blanks between them. */
export function olderNames(names: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(names).flatMap(([name, older]) => older.split(" ").map((one) => [one, name])),
  );
}

/** Older and other names of the argument that names a file. */
export const FILE_ALIASES: Readonly<Record<string, string>> = {
  file: "filename",
  file_name: "filename",
  file_path: "filename",
  filepath: "filename",
  fileName: "filename",
  filePath: "filename",
  path: "filename",
  name: "filename",
};

/** Older and other names of the argument that holds a file's text. */
export const CONTENTS_ALIASES: Readonly<Record<string, string>> = {
  text: "contents",
  content: "contents",
  data: "contents",
};

/** Older and other names of the argument that names a folder. */
export const FOLDER_ALIASES: Readonly<Record<string, string>> = {
  directory: "folder",
  dir: "folder",
  path: "folder",
  folder_path: "folder",
  folder_name: "folder",
  directory_path: "folder",
};

/** The schema of an argument that names a file. The limit ends names that a small model repeats endlessly. */
export const FILENAME = { type: "string", minLength: 1, maxLength: 500 } as const;

/** The schemas of arguments that name a folder, and files by a pattern. */
export const FOLDER = { type: "string", maxLength: FILENAME.maxLength } as const;
export const GLOB = { ...FILENAME, description: 'Like "src/**/*.ts".' } as const;

import { stringify } from "yaml";
import { isObject, type JsonSchema } from "../core/base/json.ts";

/** Arguments whose types the schema has checked. */
export type Args = Readonly<Record<string, unknown>>;

/** The schema of an object that accepts only these properties. */
export function createObjectSchema(
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[] = [],
): JsonSchema {
  return { type: "object", properties, required, additionalProperties: false };
}

/** A text argument; undefined when it's left out. */
export function getTextArgument(args: Args, name: string): string | undefined {
  const value = args[name];
  return typeof value === "string" ? value : undefined;
}

/** A text argument that the schema requires. */
export function getRequiredText(args: Args, name: string): string {
  return getTextArgument(args, name) ?? "";
}

/** The schema of an argument that is text, or the JSON in it. Models are offered only the text. */
export const TEXT_OR_JSON = { type: ["string", "object", "array"] } as const;

/** Returns such an argument as text: JSON in JSON files, indented like `file`, YAML in YAML files; elsewhere, its texts become lines. */
export function getTextOrJson(
  args: Args,
  name: string,
  file: { readonly label?: string; readonly text?: string } = {},
): string {
  const value = args[name];
  if (typeof value !== "object" || value === null) return getRequiredText(args, name);
  const { label = ".json", text: before = "" } = file;
  const items: readonly unknown[] = [value].flat();
  if (/\.(?:jsonl|ndjson)$/i.test(label)) return items.map((item) => JSON.stringify(item)).join("\n");
  const plain = /json/i.test(label) ? undefined : findWrappedText(value);
  if (plain !== undefined) return plain;
  if (/\.ya?ml$/i.test(label)) return stringify(value, { compat: "yaml-1.1", lineWidth: 0 }).trimEnd();
  const isOneLine = /^\s*[[{]\s*[^\s\]}].*\s*$/.test(before);
  return JSON.stringify(value, null, isOneLine ? undefined : (/^([\t ]+)\S/m.exec(before)?.[1] ?? "  "));
}

/** Finds text that was wrapped in an object or cut into a list of lines; undefined for any other value. */
function findWrappedText(value: object): string | undefined {
  if (!Array.isArray(value)) return findPartText(value);
  const parts = value.map(findPartText);
  if (parts.length > 0 && parts.every((part) => part !== undefined)) return parts.join("");
  if (value.some((item) => typeof item === "object" && item !== null)) return undefined;
  const lines = value.map((item) => String(item ?? ""));
  return lines.join(lines.length > 1 && lines.slice(0, -1).every((line) => line.endsWith("\n")) ? "" : "\n");
}

/** The text of a part of a message, such as `{"type": "text", "text": "…"}`. */
function findPartText(value: unknown): string | undefined {
  if (!isObject(value)) return undefined;
  const { type: _type, ...rest } = value;
  const [[name = "", only] = [], another] = Object.entries(rest);
  const isText = another === undefined && ["text", "contents", ...Object.keys(CONTENTS_ALIASES)].includes(name);
  return isText && typeof only === "string" ? only : undefined;
}

/** The contents of a file that a call gives as text or otherwise, and a sentence on how they were converted; "" for text. */
export function getContentsArgument(
  args: Args,
  file: { readonly label: string; readonly text?: string },
): { readonly contents: string; readonly note: string } {
  const contents = getTextOrJson(args, "contents", file);
  const given = args.contents;
  if (typeof given !== "object" || given === null) return { contents, note: "" };
  const isPlain = !/json/i.test(file.label) && findWrappedText(given) !== undefined;
  const how = isPlain ? "lines" : /\.ya?ml$/i.test(file.label) ? "YAML" : "JSON";
  const isWhole = contents === "" || contents.endsWith("\n") || (isPlain && !Array.isArray(given));
  return {
    contents: isWhole ? contents : `${contents}\n`,
    note: ` The contents weren't text, so they were written as ${how}.`,
  };
}

/** A number argument; undefined when it's left out. */
export function getNumberArgument(args: Args, name: string): number | undefined {
  const value = args[name];
  return typeof value === "number" ? value : undefined;
}

/** A boolean argument; false when it's left out. */
export function getFlagArgument(args: Args, name: string): boolean {
  return args[name] === true;
}

/** An argument that is a list of texts; empty when it's left out. */
export function listTextArguments(args: Args, name: string): readonly string[] {
  const value = args[name];
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

/** Creates a table from each older name to today's. The input has all older names of each of today's, separated by blanks. */
export function createOlderNameTable(names: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
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

/** The schema of an argument that names a file. The limit stops names that a small model repeats endlessly. */
export const FILENAME = { type: "string", minLength: 1, maxLength: 500 } as const;

/** The schemas of arguments that name a folder, and files by a pattern. */
export const FOLDER = { type: "string", maxLength: FILENAME.maxLength } as const;
export const GLOB = { ...FILENAME, description: 'Like "**/*.ts".' } as const;

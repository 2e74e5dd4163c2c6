import { randomBytes } from "node:crypto";
import { omitUndefined } from "../../core/base/objects.ts";
import { cutText, escapeSmuggled } from "../../core/base/text.ts";
import { convertToSlug } from "../../core/prompt/profile.ts";

/** The folder of a repository's notes, with forward slashes as in git. */
export const NOTES_FOLDER = ".autogpt/notes";
/** Larger files aren't read. */
export const MAX_NOTE_BYTES = 64 * 1024;
/** The limit for a name or an address. */
const MAX_AUTHOR_CHARS = 100;

/** A new file for a note. */
export interface NoteFile {
  readonly name: string;
  readonly contents: string;
}

/** A note as read from its file. Everything in it is only a claim by the file's author. */
export interface ReadNote {
  readonly text: string;
  readonly author?: string;
  /** ISO 8601. */
  readonly at?: string;
}

/** Creates a note's file. Its name contains a few words of the note and an id, so two people's notes never share a name. */
export function createNoteFile(text: string, author: string, now: Date): NoteFile {
  const id = randomBytes(6).toString("hex");
  const date = now.toISOString();
  const [line = ""] = text.trim().split("\n", 1);
  const head = [`id: ${id}`, `author: ${JSON.stringify(cleanAuthorName(author))}`, `date: ${date}`, `kind: ${KIND}`];
  return {
    name: `${date.slice(0, 10)}-${convertToSlug(line.slice(0, 80), KIND)}-${id}.md`,
    contents: `---\n${head.join("\n")}\n---\n\n${text.trim()}\n`,
  };
}

const KIND = "note";

/** Whether a file of the folder may be a note, by its name. */
export function isNoteName(name: string): boolean {
  return /^[^./\\][^/\\]{0,199}\.md$/i.test(name) && !/^readme\.md$/i.test(name) && !/\p{C}/u.test(name);
}

/** Reads a note's file, which may be plain Markdown without a header. Undefined if it isn't text, or if its kind is unknown. */
export function readNote(bytes: Uint8Array, now: Date): ReadNote | undefined {
  const contents = decodeNoteText(bytes);
  if (contents === undefined) return undefined;
  const [, head = "", body = contents] = /(?<!.)---[ \t]*\n(.{0,2000}?)^---[ \t]*(?:\n(.*))?$/ms.exec(contents) ?? [];
  const fields = new Map(head.split("\n").map(parseHeadField));
  const text = escapeSmuggled(body).trim();
  if (text === "" || (fields.get("kind") ?? KIND) !== KIND) return undefined;
  const author = cleanAuthorName(fields.get("author") ?? "");
  const at = parsePastDate(fields.get("date") ?? "", now);
  return { text, ...(author === "" ? {} : { author }), ...omitUndefined({ at }) };
}

/** Puts a name on one line and removes characters that could be mistaken for something else. */
function cleanAuthorName(name: string): string {
  return cutText(escapeSmuggled(name.replace(/\s+/g, " ").trim()), MAX_AUTHOR_CHARS);
}

/** Undefined unless it's UTF-8 without a NUL. */
function decodeNoteText(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes).replaceAll("\r\n", "\n");
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}

/** Reads a field of the header, which holds only single-line texts. */
function parseHeadField(line: string): readonly [name: string, value: string] {
  const [, name = "", plain = ""] = /^(\w{1,40}):[ \t]*(.*?)[ \t]*$/.exec(line) ?? [];
  return [name, plain.startsWith('"') ? unquoteValue(plain) : plain];
}

function unquoteValue(value: string): string {
  try {
    return String(JSON.parse(value));
  } catch {
    return value;
  }
}

/** Returns a time unless it's in the future, because newer memories rank higher. */
function parsePastDate(value: string, now: Date): string | undefined {
  const time = Date.parse(value);
  return Number.isNaN(time) ? undefined : new Date(Math.min(time, now.getTime())).toISOString();
}

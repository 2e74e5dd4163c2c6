import { type SearchMatch, type TextEncoding, WorkspaceError } from "../../core/ports/workspace.ts";
import { decodeText } from "../files/text-encoding.ts";

/** Larger files are searched last, one by one. */
export const SEARCHED_BYTES = 2 * 1024 * 1024;

/** The limits for such a file, and for all of them together. */
export const LARGE_BYTES = 16 * 1024 * 1024;
export const ALL_LARGE_BYTES = 64 * 1024 * 1024;

/** Limit on a file that is searched alone. */
export const ONE_FILE_BYTES = 200 * 1024 * 1024;

/** Files whose content a search leaves out, by path relative to the workspace folder. */
export type SearchExclusion = (relative: string) => boolean;

/** Options of a search. */
export interface FileSearchQuery {
  readonly pattern: string;
  readonly regex: boolean;
  readonly glob?: string;
  readonly limit: number;
  readonly signal: AbortSignal;
  /** Called with each file's matches when they are found, in no particular order. The result contains all of them. */
  reportMatches?(matches: readonly SearchMatch[]): void;
}

/** Throws a `WorkspaceError` for a pattern that no single line can match. */
export function demandOneLine({ pattern }: FileSearchQuery): void {
  if (/[\r\n]/.test(pattern))
    throw new WorkspaceError(
      "A search looks at one line at a time, so a pattern with a line end finds nothing. Search for one of its lines.",
    );
  if (pattern.includes("\0"))
    throw new WorkspaceError("The pattern has a NUL character, which no text file has. Search for the text around it.");
}

/** The searched part of a file, with `\n` as each line's end. */
export interface SearchedText {
  readonly text: string;
  /** The bytes aren't text, so a match only reports the file. */
  readonly isBinary: boolean;
}

/** Decodes the bytes of a file for a search. `wanted`: see `decodeText`. */
export async function decodeForSearch(bytes: Buffer, wanted?: TextEncoding): Promise<SearchedText> {
  const text = await decodeTextForSearch(bytes, wanted);
  return { text: text ?? bytes.toString("utf8"), isBinary: text === undefined };
}

/** Decodes a file's text for a search; undefined for a binary file. */
export async function decodeTextForSearch(bytes: Buffer, wanted?: TextEncoding): Promise<string | undefined> {
  const decoded = await decodeText(bytes, wanted);
  return decoded && normalizeLineEnds(decoded);
}

/** Converts line ends to `\n` in a text whose file uses `\r`. */
export function normalizeLineEnds({ text, eol }: { readonly text: string; readonly eol: string }): string {
  return eol === "\r" ? text.replace(/\r\n?/g, "\n") : text;
}

import { type SearchMatch, type TextEncoding, WorkspaceError } from "../../core/ports/workspace.ts";
import { decodeText } from "../files/text-encoding.ts";

/** Larger files are searched last, one by one. */
export const SEARCHED_BYTES = 2 * 1024 * 1024;

/** Limits on such a file, and on all of them together. */
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
  /** Called with the matches of each file as they are found, in no order. The result has all of them. */
  reportMatches?(matches: readonly SearchMatch[]): void;
}

/** Throws a `WorkspaceError` for a pattern that no line can have. */
export function demandOneLine({ pattern }: FileSearchQuery): void {
  if (/[\r\n]/.test(pattern))
    throw new WorkspaceError(
      "A search looks at one line at a time, so a pattern with a line end finds nothing. Search for one of its lines.",
    );
  if (pattern.includes("\0"))
    throw new WorkspaceError(
      "The pattern has a NUL character, which no text file has. Search for the text around it.",
    );
}

/** The searched part of a file, with `\n` as the end of each line. */
export interface SearchedText {
  readonly text: string;
  /** The bytes aren't text, so matches in them are only named. */
  readonly isBinary: boolean;
}

/** The bytes of a file as they're searched. `wanted`: see `decodeText`. */
export async function decodeForSearch(bytes: Buffer, wanted?: TextEncoding): Promise<SearchedText> {
  const text = await decodeTextForSearch(bytes, wanted);
  return { text: text ?? bytes.toString("utf8"), isBinary: text === undefined };
}

/** A file's text as it's searched; undefined for a binary file. */
export async function decodeTextForSearch(bytes: Buffer, wanted?: TextEncoding): Promise<string | undefined> {
  const decoded = await decodeText(bytes, wanted);
  return decoded && normalizeLineEnds(decoded);
}

/** A text whose lines end with `\n`, although they end with `\r` in its file. */
export function normalizeLineEnds({ text, eol }: { readonly text: string; readonly eol: string }): string {
  return eol === "\r" ? text.replace(/\r\n?/g, "\n") : text;
}

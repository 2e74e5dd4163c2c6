import { counted } from "../../core/base/text.ts";
import type { SearchMatch } from "../../core/ports/workspace.ts";
import type { LineMatch } from "./line-matcher.ts";

/** Maximum characters to show of a matching line, around the match. */
const SHOWN_CHARACTERS = 300;

/** Matching lines as they are shown. */
export function shownMatches(label: string, found: readonly LineMatch[]): readonly SearchMatch[] {
  return found.map((match) => ({ label, line: match.line, text: shown(match) }));
}

function shown({ text, column }: LineMatch): string {
  if (text.length <= SHOWN_CHARACTERS) return text;
  const from = Math.max(0, Math.min(column - SHOWN_CHARACTERS / 3, text.length - SHOWN_CHARACTERS));
  const piece = text.slice(from, from + SHOWN_CHARACTERS);
  return `${from > 0 ? "…" : ""}${piece}${from + SHOWN_CHARACTERS < text.length ? "…" : ""}`;
}

/**
 * The lines that match in each of some texts, `most` or more if there are so many; undefined for a text that wasn't
 * needed for that, unless it's the only one. Undefined as a whole: it took too long.
 */
export type MatchTexts = (
  texts: readonly string[],
  most: number,
) => Promise<readonly (readonly LineMatch[] | undefined)[] | undefined>;

/** The files that a search left out. */
export interface Omissions {
  /** The expression took too long. */
  ended: boolean;
  /** Paths of files that are too large or unreadable, by label. */
  large: Map<string, string>;
  /** Files that ripgrep couldn't read. */
  unreadable: number;
  /** Files that may contain secrets. */
  secret: number;
  /** Files whose text in the editor was searched. */
  unsaved: number;
  /** Files and folders that ignore files and settings name. */
  ignored: number;
  /** Why ripgrep wasn't used, as a clause. */
  slow?: string;
}

/** A sentence for each kind of omission; undefined if the matches are complete. */
export function omissionNote(omissions: Omissions): string | undefined {
  const { ended, unreadable, secret, unsaved, slow } = omissions;
  const notes = [
    ended && "The regular expression took too long and was ended, so there may be more. Use a simpler one.",
    largeNote([...omissions.large.keys()]),
    unreadable > 0 && `${files(unreadable)} unreadable.`,
    secret > 0 && `${files(secret)} left out, because ${secret === 1 ? "it" : "they"} may contain secrets.`,
    ignoredNote(omissions.ignored),
    unsaved > 0 &&
      `${counted(unsaved, "file has", "files have")} unsaved edits in the editor; their text there was searched.`,
    slow !== undefined && `A slower search was used, because ripgrep failed: ${slow}.`,
  ].filter((note) => note !== false && note !== "");
  return notes.length > 0 ? notes.join(" ") : undefined;
}

/** Limit on the names of large files. */
const MOST_NAMES = 5;

function largeNote(labels: readonly string[]): string {
  if (labels.length === 0) return "";
  const more = labels.length - MOST_NAMES;
  const names = labels.slice(0, MOST_NAMES).map((label) => `"${label}"`);
  const all = [...names, ...(more > 0 ? [counted(more, "more file")] : [])].join(", ");
  return `Not searched, because too large or unreadable: ${all}. Search one alone by naming it as the folder; if that fails, use execute_shell (grep -o).`;
}

/** The record of a search that has left out nothing yet. */
export function noOmissions(): Omissions {
  return { ended: false, large: new Map(), unreadable: 0, secret: 0, unsaved: 0, ignored: 0 };
}

/** A sentence on what ignore files and settings leave out; "" for nothing. */
export function ignoredNote(count: number): string {
  return count === 0
    ? ""
    : `${counted(count, "ignored or excluded entry was", "ignored or excluded entries were")} left out.`;
}

function files(count: number): string {
  return count === 1 ? "1 file was" : `${count} files were`;
}

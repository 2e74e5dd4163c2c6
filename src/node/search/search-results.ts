import { formatQuantity } from "../../core/base/text.ts";
import type { SearchMatch } from "../../core/ports/workspace.ts";
import type { LineMatch } from "./line-matcher.ts";

/** Maximum characters to show of a matching line, around the match. */
const SHOWN_CHARACTERS = 300;

/** Formats matching lines. */
export function formatMatches(label: string, found: readonly LineMatch[]): readonly SearchMatch[] {
  return found.map((match) => ({ label, line: match.line, text: shortenLine(match) }));
}

function shortenLine({ text, column }: LineMatch): string {
  if (text.length <= SHOWN_CHARACTERS) return text;
  const from = Math.max(0, Math.min(column - SHOWN_CHARACTERS / 3, text.length - SHOWN_CHARACTERS));
  const piece = text.slice(from, from + SHOWN_CHARACTERS);
  return `${from > 0 ? "…" : ""}${piece}${from + SHOWN_CHARACTERS < text.length ? "…" : ""}`;
}

/**
 * The matching lines in each text: at least `most` in total, if there are that many. Undefined for a text that wasn't needed for that,
 * unless it's the only one. Undefined as a whole if matching took too long.
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
  /** Labels of files and folders that couldn't be read. */
  unreadable: Set<string>;
  /** Labels of binary files that match. */
  binary: Set<string>;
  /** The label of a binary file that was searched alone. */
  onlyBinary?: string;
  /** Files that may contain secrets. */
  secret: number;
  /** Files whose text in the editor was searched. */
  unsaved: number;
  /** Files and folders excluded by ignore files and settings. */
  ignored: number;
  /** Why ripgrep wasn't used, as a clause. */
  slow?: string;
}

/** A sentence for each kind of omission; undefined if the matches are complete. */
export function describeOmissions(omissions: Omissions): string | undefined {
  const { ended, unreadable, binary, onlyBinary, secret, unsaved, slow } = omissions;
  const notes = [
    ended && "The regular expression took too long and was ended, so there may be more. Use a simpler one.",
    describeLargeFiles([...omissions.large.keys()]),
    unreadable.size > 0 && `Not searched, because unreadable: ${formatLabels([...unreadable])}.`,
    binary.size > 0 &&
      `Matches in binary files aren't shown: ${formatLabels([...binary])}. Use execute_shell (grep -a -o).`,
    onlyBinary !== undefined &&
      `"${onlyBinary}" is a binary file, so only its bytes were searched. Documents are read with read_file.`,
    secret > 0 && `${formatFileCount(secret)} left out, because ${secret === 1 ? "it" : "they"} may contain secrets.`,
    describeIgnored(omissions.ignored),
    unsaved > 0 &&
      `${formatQuantity(unsaved, "file has", "files have")} unsaved edits in the editor; their text there was searched.`,
    slow !== undefined && `A slower search was used, because ripgrep failed: ${slow}.`,
  ].filter((note) => note !== false && note !== "");
  return notes.length > 0 ? notes.join(" ") : undefined;
}

/** Limit on the names of files in a sentence. */
const MOST_NAMES = 5;

function describeLargeFiles(labels: readonly string[]): string {
  if (labels.length === 0) return "";
  return `Not searched, because too large or unreadable: ${formatLabels(labels)}. Search one alone by naming it as the folder; if that fails, use execute_shell (grep -o).`;
}

function formatLabels(labels: readonly string[]): string {
  const more = labels.length - MOST_NAMES;
  const names = labels.slice(0, MOST_NAMES).map((label) => `"${label}"`);
  return [...names, ...(more > 0 ? [formatQuantity(more, "more file")] : [])].join(", ");
}

/** Creates the record for a search that hasn't left out anything yet. */
export function createOmissions(): Omissions {
  return {
    ended: false,
    large: new Map(),
    unreadable: new Set(),
    binary: new Set(),
    secret: 0,
    unsaved: 0,
    ignored: 0,
  };
}

/** A sentence about entries excluded by ignore files and settings; "" if there are none. */
export function describeIgnored(count: number): string {
  return count === 0
    ? ""
    : `${formatQuantity(count, "ignored or excluded entry was", "ignored or excluded entries were")} left out.`;
}

function formatFileCount(count: number): string {
  return count === 1 ? "1 file was" : `${count} files were`;
}

import { basename, dirname } from "node:path";
import type { ResolvedPath, SearchMatch, Workspace } from "../../core/ports/workspace.ts";
import { wholeFile } from "../files/file-version.ts";
import { inFolder } from "../files/held-folder.ts";
import type { Root } from "../files/roots.ts";
import { decodeText } from "../files/text-encoding.ts";
import { globTest } from "./glob.ts";
import { type LineMatch, type LineMatcher, regexMatcher, textMatcher } from "./line-matcher.ts";
import { type WalkEntry, type WalkStart, walk, walkStarts } from "./walk.ts";

/** Larger files are not searched. */
const SEARCHED_BYTES = 2 * 1024 * 1024;

/** Maximum characters to show of a matching line, around the match. */
const SHOWN_CHARACTERS = 300;

/** Options of a search. */
export interface FileSearchQuery {
  readonly pattern: string;
  readonly regex: boolean;
  readonly glob?: string;
  readonly limit: number;
  readonly signal: AbortSignal;
}

/** Files whose content a search leaves out, by path relative to the workspace folder. */
export type SearchExclusion = (relative: string) => boolean;

/** A search in progress: its results so far, and the files it skipped. */
class FileSearch {
  readonly matches: SearchMatch[] = [];
  more = false;
  private readonly matcher: LineMatcher;
  private readonly wanted: FileSearchQuery;
  private readonly leftOut: SearchExclusion;
  private readonly passes: (path: string) => boolean;
  private large = 0;
  private secret = 0;
  private ended = false;

  constructor(wanted: FileSearchQuery, leftOut: SearchExclusion) {
    this.wanted = wanted;
    this.leftOut = leftOut;
    this.passes = wanted.glob === undefined ? () => true : globTest(wanted.glob);
    this.matcher = wanted.regex ? regexMatcher(wanted.pattern, wanted.signal) : textMatcher(wanted.pattern);
  }

  /** Searches all files below a folder except excluded ones; `prefix` comes before each label. */
  async below(start: WalkStart, prefix: string): Promise<void> {
    await walk(start, this.wanted.signal, async (met) => {
      const inside = met.relative.slice(start.relative.length);
      if (met.kind !== "file" || !(this.passes(inside) || this.passes(met.relative))) return "go on";
      if (!this.leftOut(met.relative)) return this.inFile(met, `${prefix}${met.relative}`);
      this.secret += 1;
      return "go on";
    });
  }

  /** Searches one file. */
  async inFile(file: Pick<WalkEntry, "read">, label: string): Promise<"go on" | "stop"> {
    const bytes = await file.read(SEARCHED_BYTES);
    if (!bytes) this.large += 1;
    const decoded = bytes && (await decodeText(bytes));
    if (!decoded) return "go on";
    const { text, eol } = decoded;
    const lines = eol === "\r" ? text.replace(/\r\n?/g, "\n") : text;
    const found = await this.matcher.match(lines, this.wanted.limit + 1);
    this.wanted.signal.throwIfAborted();
    this.ended = found === undefined;
    for (const match of found ?? []) {
      this.more = this.matches.length >= this.wanted.limit;
      if (this.more) return "stop";
      this.matches.push({ label, line: match.line, text: shown(match) });
    }
    return this.ended ? "stop" : "go on";
  }

  /** A note for readers of the matches; undefined if they are complete. */
  get note(): string | undefined {
    const notes = [
      this.ended &&
        "The regular expression took too long and was ended, so there may be more. Use a simpler one.",
      this.large > 0 && `${files(this.large)} too large or unreadable.`,
      this.secret > 0 && `${files(this.secret)} left out, because they may contain secrets.`,
    ].filter((note) => note !== false);
    return notes.length > 0 ? notes.join(" ") : undefined;
  }

  close(): Promise<void> {
    return this.matcher.close();
  }
}

function files(count: number): string {
  return count === 1 ? "1 file was" : `${count} files were`;
}

function shown({ text, column }: LineMatch): string {
  const line = text.replace(/\r$/, "");
  if (line.length <= SHOWN_CHARACTERS) return line;
  const from = Math.max(0, Math.min(column - SHOWN_CHARACTERS / 3, line.length - SHOWN_CHARACTERS));
  const piece = line.slice(from, from + SHOWN_CHARACTERS);
  return `${from > 0 ? "…" : ""}${piece}${from + SHOWN_CHARACTERS < line.length ? "…" : ""}`;
}

/** The matching lines in one file or in all files below a folder. */
export async function searchPlace(
  place: ResolvedPath,
  roots: readonly Root[],
  wanted: FileSearchQuery,
  leftOut: SearchExclusion,
): ReturnType<Workspace["search"]> {
  const search = new FileSearch(wanted, leftOut);
  try {
    if (place.kind === "file") await search.inFile({ read: (most) => smallFile(place, most) }, place.label);
    for (const { start, prefix } of place.kind === "folder" ? walkStarts(place, roots) : []) {
      await search.below(start, prefix);
      if (search.more) break;
    }
    const { matches, more, note } = search;
    return { matches, more, ...(note === undefined ? {} : { note }) };
  } finally {
    await search.close();
  }
}

async function smallFile({ path, bytes }: ResolvedPath, mostBytes: number): Promise<Buffer | undefined> {
  if (bytes > mostBytes) return undefined;
  return (await inFolder(dirname(path), (at) => wholeFile(at(basename(path))))).bytes;
}

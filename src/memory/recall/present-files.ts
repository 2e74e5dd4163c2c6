import { omitUndefined } from "../../core/base/objects.ts";
import { WorkspaceError } from "../../core/ports/workspace.ts";
import type { MemoryItem } from "../store/memory-item.ts";
import { countLineEnds } from "./documents.ts";

/** A file as it is now. */
export interface PresentFile {
  /** The latest possible time of a change to its content, in milliseconds since 1970. */
  readonly changedAt: number;
  /** Its text as the agent reads it; undefined if it has none or is too large to read. */
  readText(signal: AbortSignal): Promise<string | undefined>;
}

/** Finds the file that a source names; undefined if the agent may not read such a file or there is none. */
export type FindFile = (source: string) => Promise<PresentFile | undefined>;

/** How long reading a file may take; memories of a slower one are left out. */
const READ_MS = 1_500;
/** The limit for cached results. */
const MOST_KNOWN = 5_000;

/**
 * Checks whether memories of files still match the files. Files can change without a run noticing, so each file is checked when one of its
 * memories is recalled.
 */
export class PresentFiles {
  private readonly find: FindFile;
  /** The current places of memories whose files have changed. `place` is absent if a file no longer contains the memory. */
  private readonly known = new Map<string, { readonly changedAt: number; readonly place?: string }>();

  constructor(find: FindFile) {
    this.find = find;
  }

  /**
   * Returns a check for several memories that reads each file once. It resolves with a memory's current place, or undefined if its file no
   * longer contains it.
   */
  check(signal: AbortSignal): (item: MemoryItem) => Promise<string | undefined> {
    const files = new Map<string, Promise<PresentFile | undefined>>();
    const texts = new Map<PresentFile, Promise<string | undefined>>();
    return async (item) => {
      const { source } = item;
      const finding = files.get(source) ?? this.find(source);
      files.set(source, finding);
      const file = await finding;
      if (!file) return undefined;
      const { id, place = "", at } = item;
      if (file.changedAt <= Date.parse(at)) return place;
      const known = this.known.get(id);
      if (known?.changedAt === file.changedAt) return known.place;
      const reading = texts.get(file) ?? readPresentText(file, signal);
      texts.set(file, reading);
      const text = await reading;
      const now = text === undefined ? undefined : findPlaceText(text, item);
      if (this.known.size >= MOST_KNOWN) this.known.clear();
      this.known.set(id, { changedAt: file.changedAt, ...omitUndefined({ place: now }) });
      return now;
    };
  }
}

async function readPresentText(file: PresentFile, signal: AbortSignal): Promise<string | undefined> {
  const slow = AbortSignal.timeout(READ_MS);
  try {
    return (await file.readText(AbortSignal.any([signal, slow])))?.replaceAll(/\r\n?/g, "\n");
  } catch (error) {
    signal.throwIfAborted();
    if (slow.aborted || error instanceof WorkspaceError) return undefined;
    throw error;
  }
}

/** A mark that replaces a secret or the end of a long line in a memory. */
const LEFT_OUT = /… \[[\d,]+ more characters? in this line\]|\[secret [0-9a-f]{6}: [^\]\n]{1,40}\]/;

/**
 * Finds a memory's lines in a text, as near to their old place as possible. Undefined for a model's output about a file, which has no
 * place.
 */
function findPlaceText(text: string, { text: part, place = "" }: MemoryItem): string | undefined {
  const [, first] = /^lines (\d+) to \d+$/.exec(place) ?? [];
  if (first === undefined && !/^part \d+ of \d+$/.test(place)) return undefined;
  const pieces = part
    .replaceAll(/\r\n?/g, "\n")
    .split(LEFT_OUT)
    .filter((piece) => piece.trim() !== "");
  const [start = ""] = pieces;
  const old = startOfLine(text, Number(first ?? 1));
  const [after = -1] = findPartOffsets(text, start, old);
  let before = -1;
  for (const at of findPartOffsets(text, start, 0, old - 1)) before = at;
  const [span] = [after, before]
    .flatMap((at) => findSpan(text, at, pieces) ?? [])
    .toSorted((one, other) => Math.abs(one.from - old) - Math.abs(other.from - old));
  if (!span) return undefined;
  if (first === undefined) return place;
  const line = 1 + countLineEnds(text, 0, span.from);
  return `lines ${line} to ${line + countLineEnds(text, span.from, span.to)}`;
}

/**
 * Finds a part's offsets in a text between two positions with the Knuth-Morris-Pratt algorithm. In a repetitive text, which a repository
 * can contain, `indexOf` compares the whole part at each offset, which takes minutes.
 */
function* findPartOffsets(text: string, part: string, from: number, upTo = text.length): Generator<number> {
  const shorter = new Uint32Array(part.length + 1);
  for (let at = 1, length = 0; at < part.length; at++) {
    while (length > 0 && part.charCodeAt(at) !== part.charCodeAt(length)) length = shorter[length] ?? 0;
    if (part.charCodeAt(at) === part.charCodeAt(length)) length++;
    shorter[at + 1] = length;
  }
  for (let at = from, length = 0; at < text.length && at - length <= upTo; at++) {
    const code = text.charCodeAt(at);
    while (length > 0 && code !== part.charCodeAt(length)) length = shorter[length] ?? 0;
    if (code === part.charCodeAt(length)) length++;
    if (length < part.length) continue;
    if (at + 1 - length <= upTo) yield at + 1 - length;
    length = shorter[length] ?? 0;
  }
}

/** The range from the first to the last piece if all pieces follow one another in the text; otherwise undefined. */
function findSpan(
  text: string,
  from: number,
  pieces: readonly string[],
): { readonly from: number; readonly to: number } | undefined {
  if (from < 0 || pieces.length === 0) return undefined;
  let to = from;
  for (const piece of pieces) {
    const [at = -1] = findPartOffsets(text, piece, to);
    if (at < 0) return undefined;
    to = at + piece.length;
  }
  return { from, to };
}

function startOfLine(text: string, line: number): number {
  let at = 0;
  for (let count = 1; count < line; count += 1) {
    const end = text.indexOf("\n", at);
    if (end < 0) return text.length;
    at = end + 1;
  }
  return at;
}

import { WorkspaceError } from "../../core/ports/workspace.ts";
import type { MemoryItem } from "../store/memory-item.ts";
import { countLineEnds } from "./documents.ts";

/** A file as it is now. */
export interface PresentFile {
  /** When its content can have changed last, in milliseconds since 1970. */
  readonly changedAt: number;
  /** Its text as the agent reads it; undefined if it has none, or is too large to look at. */
  readText(signal: AbortSignal): Promise<string | undefined>;
}

/** Finds the file that a source names; undefined if there is none that the agent may read. */
export type FindFile = (source: string) => Promise<PresentFile | undefined>;

/** How long reading a file may take; memories of a slower one are left out. */
const READ_MS = 1_500;
/** Verdicts that are kept. */
const MOST_KNOWN = 5_000;

/**
 * Finds out which memories of files still say what is in the files. Files change in many ways that no run sees, so they are
 * looked at when a memory of them is recalled.
 */
export class PresentFiles {
  private readonly find: FindFile;
  /** Where memories were found in files that have changed since; `place` is absent where they weren't. */
  private readonly known = new Map<string, { readonly changedAt: number; readonly place?: string }>();

  constructor(find: FindFile) {
    this.find = find;
  }

  /** A check of several memories, which reads each file once. It resolves with a memory's place in the file as it is now, or undefined if the file no longer says that. */
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
      this.known.set(id, { changedAt: file.changedAt, ...(now === undefined ? {} : { place: now }) });
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

/** In a memory, this replaces the end of a long line, or a secret. */
const LEFT_OUT = /… \[[\d,]+ more characters? in this line\]|\[secret [0-9a-f]{6}: [^\]\n]{1,40}\]/;

/** Where a text has the lines of a memory, as near to their old place as possible. What a model made of a file has no place. */
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
 * The places of a part in a text, from one on, and up to another, by Knuth, Morris and Pratt. Where a text repeats itself, as a repository can
 * have it, `indexOf` compares the whole part at each place, which takes minutes.
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

/** The characters from the first to the last piece, which follow one another in the text; undefined if they don't. */
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

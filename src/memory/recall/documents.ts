import { setImmediate as untilIdle } from "node:timers/promises";
import { omitUndefined } from "../../core/base/objects.ts";
import type { Source } from "../../core/commands/outcome.ts";
import { displayText } from "../../texts/display-text.ts";
import { MemoryError } from "../store/memory-error.ts";
import { createMemoryItem, type MemoryItem, type MemoryKind, type NewMemory } from "../store/memory-item.ts";
import type { WorkspaceMemory } from "../workspace-memory.ts";

/** A piece of a longer text, with its lines. */
export interface TextChunk {
  readonly text: string;
  /** From 1. */
  readonly fromLine: number;
  readonly toLine: number;
}

/** Lengths for splitting a text. */
export interface ChunkSize {
  /** At most `MAX_MEMORY_CHARS`. */
  readonly maxChars: number;
  /** The number of characters at the end of a piece that the next one repeats. */
  readonly overlapChars: number;
}

/** About 400 tokens: long enough to make sense alone, short enough to be about one thing. */
export const USUAL_CHUNKS: ChunkSize = { maxChars: 1600, overlapChars: 160 };

/** Splits a text into slightly overlapping pieces, at paragraphs if possible, or else at lines, sentences or words. */
export function splitIntoChunks(
  text: string,
  maxChars = USUAL_CHUNKS.maxChars,
  overlapChars = USUAL_CHUNKS.overlapChars,
): readonly TextChunk[] {
  const pieces: TextChunk[] = [];
  let line = 1;
  let counted = 0;
  for (let start = 0; start < text.length; ) {
    const end = findPieceEnd(text, start, maxChars);
    line += countLineEnds(text, counted, start);
    counted = start;
    const piece = text.slice(start, end);
    if (piece.trim() !== "") {
      const leading = countLineEnds(piece, 0, piece.length - piece.trimStart().length);
      const fromLine = line + leading;
      pieces.push({ text: piece.trim(), fromLine, toLine: fromLine + countLineEnds(piece.trim(), 0) });
    }
    start = end >= text.length ? end : findNextStart(text, start, end, overlapChars);
  }
  return pieces;
}

const BREAKS: readonly RegExp[] = [/\n\s*\n/g, /\n/g, /[.!?。！？]["')\]]?\s+|[。！？]/g, /\s+/g];

/** The end of a piece that begins at `start`: after the last good break in its second half. */
function findPieceEnd(text: string, start: number, maxChars: number): number {
  if (text.length - start <= maxChars) return text.length;
  const half = start + Math.floor(maxChars / 2);
  const window = text.slice(half, start + maxChars);
  for (const breaks of BREAKS) {
    const last = [...window.matchAll(breaks)].at(-1);
    if (last) return half + last.index + last[0].length;
  }
  return alignToCharacter(text, start + maxChars);
}

/** The start of the next piece, a little before `end`: at a line, or else at a word. */
function findNextStart(text: string, start: number, end: number, overlapChars: number): number {
  const back = Math.max(start + 1, end - overlapChars);
  const overlap = text.slice(back, end);
  const line = overlap.search(/\n[^\n]/);
  const word = line < 0 ? overlap.search(/\s\S/) : line;
  return word < 0 ? end : back + word + 1;
}

/** Moves a split position out of a surrogate pair. */
function alignToCharacter(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at + 1 : at;
}

/** Counts the line ends in a part of a text. */
export function countLineEnds(text: string, from: number, to = text.length): number {
  let count = 0;
  for (let at = text.indexOf("\n", from); at >= 0 && at < to; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

/** A text up to this length is one memory. */
export const MAX_MEMORY_CHARS = 4_000;

/** Creates the items for new memories: redacts secrets and splits long texts. Throws `MemoryError` if one is empty. */
export function createMemoryItems(
  memories: readonly NewMemory[],
  redact: (text: string) => string,
  now: Date,
): readonly MemoryItem[] {
  return memories.flatMap((memory) => {
    const text = redact(memory.text).trim();
    if (text === "") throw new MemoryError(displayText("trouble.nothingToRemember"));
    return splitMemory({ ...memory, text }).map((piece) => createMemoryItem(piece, now));
  });
}

function splitMemory(memory: NewMemory): readonly NewMemory[] {
  if (memory.text.length <= MAX_MEMORY_CHARS) return [memory];
  const parts = splitIntoChunks(memory.text);
  return parts.map(({ text }, index) => {
    const part = `part ${index + 1} of ${parts.length}`;
    return { ...memory, text, place: memory.place ? `${memory.place}, ${part}` : part };
  });
}

/** Text to remember completely: a page or file, a part of one, or a model's output about one. */
export interface RememberedDocument {
  readonly kind: "page" | "file";
  /** The page's address, the file's path in the workspace, or the agent with its name. */
  readonly source: string;
  readonly title?: string;
  readonly text: string;
  /** The line where the text begins; absent: the first one. */
  readonly fromLine?: number;
  /** A label for a text about the source as a whole, such as `summary`. */
  readonly place?: string;
  readonly run?: string;
  /** A time before the source was read, so that later changes are noticed; ISO 8601. */
  readonly at?: string;
  /** The untrusted sources that it may contain; absent: unknown. */
  readonly sources?: readonly Source[];
}

/** The pieces of a document, each with its lines as far as they are known. */
export function createDocumentMemories(
  document: RememberedDocument,
  { maxChars, overlapChars } = USUAL_CHUNKS,
  hasLines = document.kind === "file" && document.place === undefined,
): readonly NewMemory[] {
  const { kind, source, title, text, fromLine = 1, place: whole, run, at, sources } = document;
  const parts = splitIntoChunks(text, maxChars, overlapChars);
  return parts.map((part, index) => {
    const place = hasLines
      ? `lines ${part.fromLine + fromLine - 1} to ${part.toLine + fromLine - 1}`
      : [
          ...(whole ? [whole] : []),
          ...(whole && parts.length === 1 ? [] : [`part ${index + 1} of ${parts.length}`]),
        ].join(", ");
    const heading = title && index > 0 ? `${title} (continued)\n` : title ? `${title}\n` : "";
    const from = {
      ...omitUndefined({ run, at, sources }),
    };
    return { kind, source, place, text: heading + part.text, ...from };
  });
}

/** The number of memories that are read before the event loop gets a turn. */
const TURN = 250;

/** The memories of a kind that this machine has made, oldest first. The event loop gets turns in between. */
export async function* iterateOwnMemories(memory: WorkspaceMemory, kind: MemoryKind): AsyncGenerator<MemoryItem> {
  let looked = 0;
  for await (const item of memory.iterateAll()) {
    if (++looked % TURN === 0) await untilIdle();
    if (item.kind === kind && item.author === undefined) yield item;
  }
}

/** Removes secrets from a document and then splits it into pieces. Pieces get no line numbers if a secret spanned several lines. */
export async function createRedactedMemories(
  document: RememberedDocument,
  redact: (text: string) => string,
  size?: ChunkSize,
): Promise<readonly NewMemory[]> {
  await untilIdle();
  const text = redact(document.text);
  await untilIdle();
  const hasSameLines = countLineEnds(text, 0) === countLineEnds(document.text, 0);
  return createDocumentMemories({ ...document, text }, size, hasSameLines ? undefined : false);
}

/** Remembers a document and replaces its earlier version. */
export async function ingestDocument(
  memory: WorkspaceMemory,
  document: RememberedDocument,
): Promise<readonly string[]> {
  const { kind, source } = document;
  const ids = await memory.add(await createRedactedMemories(document, (text) => memory.redact(text)));
  if (memory.state.mode !== "writing") return ids;
  const [current, stale]: [ReadonlySet<string>, string[]] = [new Set(ids), []];
  for await (const item of iterateOwnMemories(memory, kind))
    if (item.source === source && !current.has(item.id)) stale.push(item.id);
  if (stale.length > 0) await memory.remove(stale);
  return ids;
}

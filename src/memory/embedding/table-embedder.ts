import { readFile } from "node:fs/promises";
import { crc32 } from "node:zlib";
import { getErrorMessage } from "../../core/base/errors.ts";
import { displayText } from "../../texts/display-text.ts";
import { type Dots, scanKernel } from "../search/scan-kernel.ts";
import { hash30 } from "../search/words.ts";
import { type Embedder, EmbeddingError } from "./embedder.ts";
import { WordPieces } from "./word-pieces.ts";

/** Identifies the table of this version by its SHA-256. A different table causes memories to be embedded again. */
const ID = "table-minilm-en-850cc75b";
const MAGIC = 0x31544741;
/** The header has four 32-bit numbers: a format marker, the number of rows, the numbers per row, and a checksum of the rest. */
const HEAD = 16;
/** The number of texts per turn of the event loop: together, even long ones take a few milliseconds. */
const BATCH = 16;
const MOST_TOKENS = 1_024;
/** The number of tokens of a text that are compared with a query word by word. */
const FIRST_TOKENS = 128;
/** The numbers of each row of the table with that name. */
const DIMENSIONS = 256;
/** The weight of a word that isn't in the table, relative to the numbers of the rows. */
const UNKNOWN_STRENGTH = 4;
const LONGEST_UNKNOWN = 100;

/**
 * Computes a text's vector as the mean of its rows in a table, learned from a larger model. The table has a row for each word piece. Needs
 * no key, no download and no worker, and supports English. `file` is read at the first use.
 */
export function createTableEmbedder(file: string | URL): Embedder {
  let opening: Promise<EmbeddingTable> | undefined;
  const openOnce = async (signal: AbortSignal): Promise<EmbeddingTable> => {
    signal.throwIfAborted();
    opening ??= openTable(file);
    const table = await opening;
    signal.throwIfAborted();
    return table;
  };
  return {
    id: ID,
    dimensions: DIMENSIONS,
    batch: BATCH,
    async embed(texts, signal) {
      const table = await openOnce(signal);
      return texts.map((text) => table.computeVector(text));
    },
    async embedQuery(query, signal) {
      // Each row counts by its length once more, since a question has a few words that tell much among many that only ask.
      return (await openOnce(signal)).computeVector(query, computeRowLength);
    },
    async measureNearness(query, texts, signal) {
      return (await openOnce(signal)).measureNearness(query, texts);
    },
  };
}

/** Throws `EmbeddingError` about the setup: only reinstalling helps. */
async function openTable(file: string | URL): Promise<EmbeddingTable> {
  try {
    return new EmbeddingTable(await readFile(file));
  } catch (error) {
    const why = getErrorMessage(error);
    throw new EmbeddingError("setup", displayText("trouble.tableUnusable", { why }), { cause: error });
  }
}

class EmbeddingTable {
  private readonly rows: Int8Array;
  private readonly numbers: number;
  private readonly count: number;
  private readonly pieces: WordPieces;
  private nearest: NearestWords | undefined;

  /** Throws if the bytes aren't a complete table. */
  constructor(bytes: Buffer) {
    if (bytes.length < HEAD || bytes.readUInt32LE(0) !== MAGIC) throw new RangeError("It isn't a table.");
    this.count = bytes.readUInt32LE(4);
    this.numbers = bytes.readUInt32LE(8);
    const rest = bytes.subarray(HEAD);
    if (crc32(rest) !== bytes.readUInt32LE(12)) throw new RangeError("Its checksum differs.");
    const size = this.count * this.numbers;
    this.rows = new Int8Array(rest.buffer, rest.byteOffset, size);
    const tokens = rest.toString("utf8", size).split("\n");
    this.pieces = new WordPieces(new Map(tokens.map((token, row) => [token, row])), (word) =>
      this.listUnknownWordIds(word),
    );
  }

  /** Adds the rows of a text, each times its weight, and scales the sum to length 1. Texts without words share a special vector. */
  computeVector(text: string, weigh: (row: Int8Array) => number = () => 1): Float32Array {
    const sum = new Float32Array(this.numbers);
    const ids = this.pieces.listPieceIds(text, MOST_TOKENS);
    for (const id of ids) {
      const row = this.getRow(id);
      const weight = weigh(row);
      for (let at = 0; at < row.length; at++) sum[at] = (sum[at] ?? 0) + (row[at] ?? 0) * weight;
    }
    if (ids.length === 0) sum[sum.length - 1] = 1;
    let squares = 0;
    for (const value of sum) squares += value * value;
    const scale = 1 / Math.sqrt(squares || 1);
    return sum.map((value) => value * scale);
  }

  /** Measures how close each text's first words are to a query's words. */
  measureNearness(query: string, texts: readonly string[]): readonly number[] {
    this.nearest ??= new NearestWords(this.numbers);
    return this.nearest.measureNearness(
      this.listWordRows(query, MOST_TOKENS),
      texts.map((text) => this.listWordRows(text, FIRST_TOKENS)),
    );
  }

  private listWordRows(text: string, most: number): readonly WordRow[] {
    return this.pieces.listPieceIds(text, most).map((id): WordRow => [id, this.getRow(id)]);
  }

  private getRow(id: number): Int8Array {
    const { rows, numbers, count } = this;
    if (id < count) return rows.subarray(id * numbers, (id + 1) * numbers);
    // A row that nothing was learned for: signs that only this word has.
    let bits = id - count + 1;
    return new Int8Array(numbers).map((_, at) => {
      bits = Math.imul(bits ^ (bits >>> 15), 0x2c1b3c6d) + at;
      return bits & 0x10000 ? UNKNOWN_STRENGTH : -UNKNOWN_STRENGTH;
    });
  }

  /** The ids of an unknown word's character pairs, numbered after the table's rows. */
  private listUnknownWordIds(word: string): readonly number[] {
    const codes = Uint16Array.from(word.slice(0, LONGEST_UNKNOWN), (_, at) => word.charCodeAt(at));
    const pairs = Math.max(1, codes.length - 1);
    return Array.from({ length: pairs }, (_, at) => this.count + hash30(codes, at, Math.min(at + 2, codes.length)));
  }
}

/** At most this many words of a query are compared: the most informative ones. */
const MOST_ASKED = 16;
/** The kernel needs rows padded with zeros to a multiple of this. */
const LANES = 16;
const PAGE_BYTES = 65536;
/** Deduction per logarithm of the number of words: the more words there are, the nearer the nearest one is by chance. */
const CROWD = 0.1;

/** A word's number, with its row of the table. */
export type WordRow = readonly [word: number, row: Int8Array];

/**
 * How near the words of texts are to those of a query. Each word of the query has the cosine of the nearest word in the text. These cosines
 * are averaged by the squares of their rows' lengths. The rest of the text counts little, unlike in the cosine of two sums.
 */
export class NearestWords {
  private readonly stride: number;
  private readonly floats: Float32Array<ArrayBuffer>;
  private readonly dots: Dots;

  /** `numbers`: length of a row. */
  constructor(numbers: number) {
    this.stride = Math.ceil(numbers / LANES) * LANES;
    const bytes = 4 * (this.stride * (MOST_ASKED + 1) + MOST_ASKED);
    const memory = new WebAssembly.Memory({ initial: Math.ceil(bytes / PAGE_BYTES) });
    this.floats = new Float32Array(memory.buffer);
    this.dots = scanKernel(memory);
  }

  /** Returns one number for each text, at most 1. */
  measureNearness(query: Iterable<WordRow>, texts: readonly Iterable<WordRow>[]): readonly number[] {
    const asked = [...new Map(query).values()]
      .map((row) => ({ row, squares: sumRowSquares(row) }))
      .sort((one, other) => other.squares - one.squares)
      .slice(0, MOST_ASKED);
    for (const [place, { row, squares }] of asked.entries()) this.write(place + 1, row, squares);
    const whole = asked.reduce((sum, { squares }) => sum + squares, 0);
    const shares = asked.map(({ squares }) => squares / (whole || 1));
    const known = new Map<number, Float32Array>();
    return texts.map((text) => {
      const words = new Map(text);
      for (const [word, row] of words) if (!known.has(word)) known.set(word, this.computeCosines(row, asked.length));
      const cosines = [...words.keys()].flatMap((word) => known.get(word) ?? []);
      const mean = shares.reduce((sum, share, place) => sum + share * findHighestCosine(cosines, place), 0);
      return mean - CROWD * Math.log(Math.max(1, words.size));
    });
  }

  /** The cosines of a row with the rows of the query. */
  private computeCosines(row: Int8Array, asked: number): Float32Array {
    this.write(0, row, sumRowSquares(row));
    const scores = this.stride * (asked + 1);
    this.dots(0, this.stride * 4, asked, this.stride * 4, scores * 4);
    return this.floats.slice(scores, scores + asked);
  }

  /** Writes a row, scaled to length one. */
  private write(place: number, row: Int8Array, squares: number): void {
    const scale = 1 / Math.sqrt(squares || 1);
    const start = place * this.stride;
    for (let at = 0; at < row.length; at++) this.floats[start + at] = (row[at] ?? 0) * scale;
  }
}

/** The highest cosine with one word of the query. */
function findHighestCosine(cosines: readonly Float32Array[], place: number): number {
  let best = -1;
  for (const each of cosines) best = Math.max(best, each[place] ?? -1);
  return best;
}

function sumRowSquares(row: Int8Array): number {
  let squares = 0;
  for (let at = 0; at < row.length; at++) squares += (row[at] ?? 0) ** 2;
  return squares;
}

/** The length of a row. Rows of more informative words are longer. */
function computeRowLength(row: Int8Array): number {
  return Math.sqrt(sumRowSquares(row));
}

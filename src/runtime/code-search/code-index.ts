import type { Embedder } from "../../memory/embedding/embedder.ts";
import { scaleToUnitVector, VectorMatrix } from "../../memory/search/vector-matrix.ts";
import { type WordHit, WordIndex } from "../../memory/search/word-index.ts";
import type { CodeSection } from "./code-parts.ts";
import { buildMeaningText, buildOutlineText, buildPartText } from "./code-texts.ts";

/** An embedder of this thread, with the size of its vectors. */
export interface TextVectors extends Embedder {
  readonly dimensions: number;
}

/** A file with its parts, as it's kept on disk. */
export interface CodeFile {
  readonly path: string;
  /** Changes whenever the file does. */
  readonly stamp: string;
  /** SHA-256 of its bytes. */
  readonly hash: string;
  readonly parts: readonly CodeSection[];
  /** A vector of each part, as signed bytes in base64; absent without an embedder. */
  readonly vectors?: string;
}

/** A file that matches a query, with its matching parts, best first. */
export interface CodeHit {
  readonly path: string;
  readonly score: number;
  readonly parts: readonly Pick<CodeSection, "from" | "to" | "symbols">[];
}

/** A file in memory. */
interface Entry {
  readonly path: string;
  readonly stamp: string;
  readonly chars: number;
  readonly parts: readonly Part[];
  /** Index of its outline; none if the file has no text. */
  readonly outline: number;
}

interface Part extends Pick<CodeSection, "from" | "to" | "symbols"> {
  readonly entry: { readonly path: string };
  /** Its number among the parts. */
  readonly doc: number;
  row: number;
}

const NONE = -1;
/** Number of parts ranked by words, and by meaning. */
const MOST_RANKED = 200;
/** With a filter, more parts are ranked before excluded ones are dropped. */
const MOST_FILTERED = 5000;
/** The weight of a file's outline relative to its best part. */
const OUTLINE = 1.5;
/** The weight of each further part of a file. */
const FURTHER = [0.2, 0.1, 0.07];
/** Weight of tests and examples: they describe code in words, but searches are for the code itself. */
const ABOUT_CODE = 0.7;
const SECONDARY =
  /(?:^|\/)(?:tests?|__tests__|specs?|fixtures?|bench(?:marks?)?|examples?|testdata)\/|[._-](?:test|spec)\.\w+$|(?:^|\/)(?:test_[^/]*|[^/]*_test\.\w+|CHANGELOG[^/]*)$/i;

/** Files indexed by parts: by words, and by vectors if there's an embedder. */
export class CodeIndex {
  private readonly embedder: TextVectors | undefined;
  private readonly entries = new Map<string, Entry>();
  private readonly words = new WordIndex();
  private readonly outlines = new WordIndex();
  private readonly parts: (Part | undefined)[] = [];
  private readonly outlined: (Entry | undefined)[] = [];
  private readonly matrix: VectorMatrix<Part> | undefined;
  /** Characters of all files. */
  chars = 0;
  /** Parts of files that were removed, which still take memory. */
  removed = 0;

  constructor(embedder: TextVectors | undefined) {
    this.embedder = embedder;
    this.matrix = embedder && new VectorMatrix<Part>(embedder.dimensions);
  }

  get files(): number {
    return this.entries.size;
  }

  /** Number of its parts. */
  get size(): number {
    return this.parts.length - this.removed;
  }

  findStamp(path: string): string | undefined {
    return this.entries.get(path)?.stamp;
  }

  listPaths(): readonly string[] {
    return [...this.entries.keys()];
  }

  /** Adds a file, replacing an earlier version, and returns it with its vectors. */
  async put(file: CodeFile): Promise<CodeFile> {
    const { path, stamp } = file;
    const vectors = await this.getFileVectors(file);
    this.remove(path);
    const outline = file.parts.length === 0 ? NONE : this.outlines.add(buildOutlineText(path, file.parts));
    const parts = file.parts.map((one, index): Part => {
      const { from, to, symbols } = one;
      const part: Part = {
        from,
        to,
        symbols,
        entry: { path },
        doc: this.words.add(buildPartText(path, one)),
        row: NONE,
      };
      const vector = vectors[index];
      if (vector && this.matrix) part.row = this.matrix.append(part, vector);
      this.parts[part.doc] = part;
      return part;
    });
    const chars = file.parts.reduce((sum, { text }) => sum + text.length, 0);
    const entry: Entry = { path, stamp, chars, parts, outline };
    this.chars += chars;
    if (outline !== NONE) this.outlined[outline] = entry;
    this.entries.set(path, entry);
    return this.embedder ? { ...file, vectors: encodeVectors(vectors) } : file;
  }

  remove(path: string): void {
    const entry = this.entries.get(path);
    if (!entry) return;
    this.entries.delete(path);
    this.chars -= entry.chars;
    if (entry.outline !== NONE) this.outlines.remove(entry.outline);
    delete this.outlined[entry.outline];
    for (const part of entry.parts) {
      this.words.remove(part.doc);
      this.parts[part.doc] = undefined;
      this.removed += 1;
      if (part.row === NONE || !this.matrix) continue;
      const moved = this.matrix.remove(part.row);
      if (moved) moved.row = part.row;
    }
  }

  /** The files that best match a query, best first. */
  async search(query: string, count: number, accepts?: (path: string) => boolean): Promise<readonly CodeHit[]> {
    const most = accepts ? MOST_FILTERED : MOST_RANKED;
    const wanted = accepts ?? (() => true);
    const byWords = this.findFilesByWords(
      await this.words.search(query, most),
      await this.outlines.search(query, most),
      wanted,
    );
    const byMeaning = await this.findFilesByMeaning(query, most, wanted);
    return byMeaning ? mergeRankings(byWords, byMeaning, count) : byWords.slice(0, count);
  }

  private findFilesByWords(
    parts: readonly WordHit[],
    outlines: readonly WordHit[],
    wanted: (path: string) => boolean,
  ): readonly CodeHit[] {
    const found = new Map<string, { score: number; parts: Part[] }>();
    for (const { doc, score } of parts) {
      const part = this.parts[doc];
      if (!part || !wanted(part.entry.path)) continue;
      const known = found.get(part.entry.path);
      if (!known) found.set(part.entry.path, { score, parts: [part] });
      else {
        known.score += score * (FURTHER[known.parts.length - 1] ?? 0);
        known.parts.push(part);
      }
    }
    for (const { doc, score } of outlines) {
      const entry = this.outlined[doc];
      if (!entry || !wanted(entry.path)) continue;
      const known = found.get(entry.path) ?? { score: 0, parts: entry.parts.slice(0, 1) };
      known.score += score * OUTLINE;
      found.set(entry.path, known);
    }
    return rankFiles(found);
  }

  /** Undefined without vectors. */
  private async findFilesByMeaning(
    query: string,
    most: number,
    wanted: (path: string) => boolean,
  ): Promise<readonly CodeHit[] | undefined> {
    if (!this.embedder || !this.matrix) return undefined;
    const [vector] = await computeVectors(this.embedder, [query]);
    if (!vector) return undefined;
    const found = new Map<string, { score: number; parts: Part[] }>();
    for (const { value: part, score } of await this.matrix.findNearest(vector, most)) {
      if (!wanted(part.entry.path)) continue;
      const known = found.get(part.entry.path);
      if (known) known.parts.push(part);
      else found.set(part.entry.path, { score, parts: [part] });
    }
    return rankFiles(found);
  }

  private async getFileVectors(file: CodeFile): Promise<Vectors> {
    const { embedder } = this;
    if (!embedder) return [];
    const known = file.vectors === undefined ? undefined : decodeVectors(file.vectors, embedder.dimensions);
    if (known?.length === file.parts.length) return known;
    return computeVectors(
      embedder,
      file.parts.map((part) => buildMeaningText(file.path, part)),
    );
  }
}

/** Vectors of length one; undefined for a text without a direction. */
type Vectors = readonly (Float32Array | undefined)[];

const { signal: NEVER } = new AbortController();

async function computeVectors(embedder: Embedder, texts: readonly string[]): Promise<Vectors> {
  return (await embedder.embed(texts, NEVER)).map(scaleToUnitVector);
}

function rankFiles(
  found: ReadonlyMap<string, { readonly score: number; readonly parts: readonly Part[] }>,
): readonly CodeHit[] {
  return [...found]
    .map(([path, { score, parts }]) => ({
      path,
      score: SECONDARY.test(path) ? score * ABOUT_CODE : score,
      parts,
    }))
    .sort((one, other) => other.score - one.score);
}

/** Constant of reciprocal rank fusion, small so that the first ranks stand out. */
const DAMPING = 10;
/** The weight of a rank by meaning relative to one by words, which is more reliable for code. */
const MEANING = 0.7;

/** Joins the two rankings of files. */
function mergeRankings(byWords: readonly CodeHit[], byMeaning: readonly CodeHit[], count: number): readonly CodeHit[] {
  const hits = new Map<string, CodeHit>();
  for (const [rank, hit] of byWords.entries()) hits.set(hit.path, { ...hit, score: 1 / (DAMPING + rank + 1) });
  for (const [rank, hit] of byMeaning.entries()) {
    const known = hits.get(hit.path);
    const score = (known?.score ?? 0) + MEANING / (DAMPING + rank + 1);
    hits.set(hit.path, { ...(known ?? hit), score });
  }
  return [...hits.values()].sort((one, other) => other.score - one.score).slice(0, count);
}

/** Vectors as signed bytes, where 127 represents 1. */
function encodeVectors(vectors: Vectors): string {
  const dimensions = vectors.find((vector) => vector !== undefined)?.length ?? 0;
  const bytes = new Int8Array(vectors.length * dimensions);
  for (const [index, vector] of vectors.entries())
    for (let i = 0; vector && i < dimensions; i++) bytes[index * dimensions + i] = Math.round((vector[i] ?? 0) * 127);
  return Buffer.from(bytes.buffer).toString("base64");
}

function decodeVectors(text: string, dimensions: number): Vectors {
  const bytes = new Int8Array(Buffer.from(text, "base64"));
  return Array.from({ length: bytes.length / dimensions }, (_, index) =>
    scaleToUnitVector(Float32Array.from(bytes.subarray(index * dimensions, (index + 1) * dimensions))),
  );
}

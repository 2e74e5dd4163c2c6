import { setImmediate as untilIdle } from "node:timers/promises";
import { getIndexedText, type MemoryItem } from "../store/memory-item.ts";
import type { MemoryFilter, MemorySearch, StoredItem, StoredVector } from "../store/memory-store.ts";
import type { Scored, WordMatch } from "./ranking.ts";
import { scanWords } from "./scan-words.ts";
import { scaleToUnitVector, VectorMatrix } from "./vector-matrix.ts";
import { WordIndex } from "./word-index.ts";
import { listTerms } from "./words.ts";

/** A memory in the index. */
export interface MemoryEntry<Home> {
  readonly item: StoredItem;
  /** Where the store keeps the memory; the index itself doesn't use it. */
  readonly home: Home;
  /** Its row in the matrix; undefined until it is embedded. */
  row: number | undefined;
  /** Its vector is read later. */
  isAwaited: boolean;
  /** Its number in the word index; undefined until its words are indexed. */
  doc: number | undefined;
  /** Its words, if they are known; until all words are indexed. */
  terms: Uint32Array | undefined;
}

/** A search doesn't wait for the words of more memories than these to be indexed. */
const MANY = 500;
/** Words are indexed in slices of this length, so that nothing waits for them. */
const SLICE_MS = 5;

/** The search index over memories: vectors of one embedder and one size, and words. */
export class MemoryIndex<Home> implements MemorySearch {
  readonly embedder: string;
  private readonly entries = new Map<string, MemoryEntry<Home>>();
  /** Memories without a vector of this embedder. */
  private readonly bare = new Set<MemoryEntry<Home>>();
  private readonly words = new WordIndex();
  private readonly docs: (MemoryEntry<Home> | undefined)[] = [];
  private unworded: MemoryEntry<Home>[] = [];
  /** The number of memories whose words are being indexed. */
  private wordless = 0;
  private indexing: Promise<void> | undefined;
  /** Settles once the last question that looks at all words is answered. */
  private scan: Promise<unknown> = Promise.resolve();
  private closed = false;
  private matrix: VectorMatrix<MemoryEntry<Home>> | undefined;

  /** `dimensions`: the size of the vectors, if it is known from before. */
  constructor(embedder: string, dimensions?: number) {
    this.embedder = embedder;
    if (dimensions !== undefined) this.matrix = new VectorMatrix(dimensions);
  }

  get size(): number {
    return this.entries.size;
  }

  /** How many have a vector. */
  get embedded(): number {
    return this.matrix?.rows ?? 0;
  }

  /** Undefined until the first vector. */
  get dimensions(): number | undefined {
    return this.matrix?.dimensions;
  }

  get(id: string): MemoryEntry<Home> | undefined {
    return this.entries.get(id);
  }

  iterateAll(): Iterable<MemoryEntry<Home>> {
    return this.entries.values();
  }

  /** Up to `count` of the wanted memories that wait for a vector. */
  listWithoutVector(
    count: number,
    isWanted: (entry: MemoryEntry<Home>) => boolean,
  ): readonly MemoryEntry<Home>[] {
    const first: MemoryEntry<Home>[] = [];
    for (const entry of this.bare) {
      if (first.length === count) break;
      if (isWanted(entry)) first.push(entry);
    }
    return first;
  }

  /**
   * Adds a memory in place of the one with its id, which is returned. A vector that doesn't fit counts as none; the
   * name of this embedder alone means that its vector is read later.
   */
  put(
    item: StoredItem,
    home: Home,
    embedded?: StoredVector | string,
    terms?: Uint32Array,
  ): MemoryEntry<Home> | undefined {
    const before = this.remove(item.id);
    const isAwaited = embedded === this.embedder;
    const entry: MemoryEntry<Home> = { item, home, row: undefined, isAwaited, doc: undefined, terms };
    this.entries.set(item.id, entry);
    this.unworded.push(entry);
    const isPlaced = typeof embedded === "object" && this.placeVector(entry, embedded);
    if (!isAwaited && !isPlaced) this.bare.add(entry);
    return before;
  }

  /** A vector that was to be read later doesn't come. */
  awaitNoLonger(id: string): void {
    const entry = this.entries.get(id);
    if (!entry?.isAwaited) return;
    entry.isAwaited = false;
    this.bare.add(entry);
  }

  /** True when a vector can be compared with the others: same embedder, same size, and a direction. */
  canCompareVector(embedded: StoredVector): boolean {
    return this.fitVector(embedded) !== undefined;
  }

  /** Sets the vector of a memory, unless the memory was removed or the vector doesn't fit. */
  embed(id: string, embedded: StoredVector): void {
    const entry = this.entries.get(id);
    if (entry && this.placeVector(entry, embedded)) this.bare.delete(entry);
  }

  /** Removes a memory and returns it; undefined if there is none with this id. */
  remove(id: string): MemoryEntry<Home> | undefined {
    const entry = this.entries.get(id);
    if (!entry) return undefined;
    this.entries.delete(id);
    this.bare.delete(entry);
    if (entry.row !== undefined) {
      const moved = this.matrix?.remove(entry.row);
      if (moved) moved.row = entry.row;
      entry.row = undefined;
    }
    if (entry.doc !== undefined) {
      this.words.remove(entry.doc);
      this.docs[entry.doc] = undefined;
    }
    return entry;
  }

  /** The vector of a memory, as it is stored. */
  getStoredVector({ row }: MemoryEntry<Home>): StoredVector | undefined {
    if (row === undefined || !this.matrix) return undefined;
    return { embedder: this.embedder, vector: this.matrix.copyVector(row) };
  }

  computeSimilarity(one: StoredItem, other: StoredItem): number {
    const [row, otherRow] = [one, other].map(({ id }) => this.entries.get(id)?.row);
    if (row === undefined || otherRow === undefined || !this.matrix) return 0;
    return this.matrix.computeSimilarity(row, otherRow);
  }

  async findNearest(
    vector: Float32Array,
    count: number,
    filter?: MemoryFilter,
  ): Promise<readonly Scored<StoredItem>[]> {
    const query = scaleToUnitVector(vector);
    if (!query || query.length !== this.matrix?.dimensions) return [];
    const found = await this.matrix.findNearest(query, count, await createSelector(filter));
    return found.map(({ value, score }) => ({ value: value.item, score }));
  }

  async findWithWords(
    query: string,
    count: number,
    filter?: MemoryFilter,
  ): Promise<readonly WordMatch<StoredItem>[]> {
    const isWanted = await createSelector(filter);
    if (this.unworded.length + this.wordless > MANY)
      return this.scanAllWords(query, count, isWanted).finally(() => this.indexLater());
    await this.indexWords();
    const isWantedDoc = (doc: number) => {
      const entry = this.docs[doc];
      return entry !== undefined && isWanted?.(entry) === true;
    };
    const hits = await this.words.search(query, count, isWanted && isWantedDoc);
    return hits.flatMap(({ doc, coverage }) => {
      const entry = this.docs[doc];
      return entry ? [{ value: entry.item, coverage }] : [];
    });
  }

  /** Resolves once every memory can be found by its words. */
  indexWords(): Promise<void> {
    this.indexing ??= this.indexInSlices().finally(() => {
      this.indexing = undefined;
    });
    return this.indexing;
  }

  /** Resolves once no question looks at all words of all memories, so that work in the background doesn't delay an answer. Errors are for those who asked. */
  async waitUntilAnswered(): Promise<void> {
    await this.scan.catch(() => undefined);
  }

  /** Stops the work in the background. */
  close(): void {
    this.closed = true;
  }

  private placeVector(entry: MemoryEntry<Home>, embedded: StoredVector): boolean {
    const unit = this.fitVector(embedded);
    if (!unit) return false;
    this.matrix ??= new VectorMatrix(unit.length);
    if (entry.row !== undefined) this.matrix.replace(entry.row, unit);
    else entry.row = this.matrix.append(entry, unit);
    entry.isAwaited = false;
    return true;
  }

  private fitVector({ embedder, vector }: StoredVector): Float32Array | undefined {
    if (embedder !== this.embedder) return undefined;
    return vector.length === (this.matrix?.dimensions ?? vector.length)
      ? scaleToUnitVector(vector)
      : undefined;
  }

  /** The same while most words aren't indexed yet: all words of all memories are looked at. */
  private async scanAllWords(
    query: string,
    count: number,
    isWanted: Selector | undefined,
  ): Promise<readonly WordMatch<StoredItem>[]> {
    const scan = scanWords(query, count, [...this.entries.values()], getEntryTerms, isWanted);
    this.scan = scan;
    const found = await scan;
    return found.map(({ value, coverage }) => ({ value: value.item, coverage }));
  }

  /** Indexes words unless vectors are being read, which come first. */
  private indexLater(): void {
    if (this.embedded + this.bare.size === this.size) void this.indexWords();
  }

  private async indexInSlices(): Promise<void> {
    while (this.unworded.length > 0 && !this.closed) {
      const queue = this.unworded;
      this.unworded = [];
      await this.indexAll(queue);
    }
    for (const entry of this.entries.values()) entry.terms = undefined;
  }

  private async indexAll(queue: readonly MemoryEntry<Home>[]): Promise<void> {
    this.wordless = queue.length;
    let until = performance.now() + SLICE_MS;
    for (const entry of queue) {
      this.wordless--;
      if (this.entries.get(entry.item.id) !== entry) continue;
      entry.doc = this.words.addTerms(getEntryTerms(entry));
      this.docs[entry.doc] = entry;
      if (performance.now() < until) continue;
      await untilIdle();
      if (this.closed) return;
      until = performance.now() + SLICE_MS;
    }
  }
}

/** The words of a memory as numbers. */
function getEntryTerms<Home>({ item, terms }: MemoryEntry<Home>): Uint32Array | readonly number[] {
  return terms ?? listTerms(getIndexedText(item.read()));
}

type Selector = (entry: { readonly item: StoredItem }) => boolean;

async function createSelector(filter: MemoryFilter | undefined): Promise<Selector | undefined> {
  const isWanted = await createFilterTest(filter);
  return isWanted && (({ item }) => isWanted(item.read()));
}

/** Whether Vectra's own filter selects a memory; undefined if all are wanted. Vectra is loaded when it's first needed. */
export async function createFilterTest(
  filter: MemoryFilter | undefined,
): Promise<((item: MemoryItem) => boolean) | undefined> {
  if (!filter) return undefined;
  const { isSelected } = await import("../store/vectra-index.ts");
  return (item) => isSelected(item, filter);
}

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
  /** The memory's location in the store; the index itself doesn't use it. */
  readonly home: Home;
  /** Its row in the matrix; undefined until it is embedded. */
  row: number | undefined;
  /** Its vector will be read later. */
  isAwaited: boolean;
  /** Its number in the word index; undefined until its words are indexed. */
  doc: number | undefined;
  /** Its words, if they are known. Kept only until all words are indexed. */
  terms: Uint32Array | undefined;
}

/** If more memories than this wait for their words to be indexed, a search doesn't wait for them. */
const MANY = 500;
/** How long words are indexed before other work gets a turn. */
const SLICE_MS = 5;

/** The search index of memories: their words, and vectors of one embedder and one size. */
export class MemoryIndex<Home> implements MemorySearch {
  readonly embedder: string;
  private readonly entries = new Map<string, MemoryEntry<Home>>();
  /** Memories without a vector of this embedder. */
  private readonly bare = new Set<MemoryEntry<Home>>();
  private readonly words = new WordIndex();
  private readonly docs: (MemoryEntry<Home> | undefined)[] = [];
  private unworded: MemoryEntry<Home>[] = [];
  /** The number of memories whose words aren't indexed yet. */
  private wordless = 0;
  private indexing: Promise<void> | undefined;
  /** Settles once the latest search that scans all words has its result. */
  private scan: Promise<unknown> = Promise.resolve();
  private closed = false;
  private matrix: VectorMatrix<MemoryEntry<Home>> | undefined;

  /** `dimensions`: the size of the vectors, if it is already known. */
  constructor(embedder: string, dimensions?: number) {
    this.embedder = embedder;
    if (dimensions !== undefined) this.matrix = new VectorMatrix(dimensions);
  }

  get size(): number {
    return this.entries.size;
  }

  /** Memories that have a vector. */
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

  /** Up to `count` of the selected memories that need a vector. */
  listWithoutVector(count: number, isWanted: (entry: MemoryEntry<Home>) => boolean): readonly MemoryEntry<Home>[] {
    const first: MemoryEntry<Home>[] = [];
    for (const entry of this.bare) {
      if (first.length === count) break;
      if (isWanted(entry)) first.push(entry);
    }
    return first;
  }

  /**
   * Adds a memory and returns the one with its id that it replaces. A vector that doesn't fit counts as missing; this embedder's name alone
   * means that its vector is read later.
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

  /** Records that a memory's expected vector isn't coming. */
  awaitNoLonger(id: string): void {
    const entry = this.entries.get(id);
    if (!entry?.isAwaited) return;
    entry.isAwaited = false;
    this.bare.add(entry);
  }

  /** True if a vector is comparable with the others: same embedder, same size, and not zero. */
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

  async findWithWords(query: string, count: number, filter?: MemoryFilter): Promise<readonly WordMatch<StoredItem>[]> {
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

  /**
   * Resolves once no search scans the words of all memories, so that background work doesn't delay a result. Errors go to the callers of
   * the searches.
   */
  async waitUntilAnswered(): Promise<void> {
    await this.scan.catch(() => undefined);
  }

  /** Stops the background work. */
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
    return vector.length === (this.matrix?.dimensions ?? vector.length) ? scaleToUnitVector(vector) : undefined;
  }

  /** Searches by words while most of them aren't indexed yet, by scanning all words of all memories. */
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

  /** Indexes words later if vectors are being read, because those come first. */
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

/** A test for whether Vectra's own filter selects a memory; undefined if all are selected. Vectra is loaded at the first use. */
export async function createFilterTest(
  filter: MemoryFilter | undefined,
): Promise<((item: MemoryItem) => boolean) | undefined> {
  if (!filter) return undefined;
  const { isSelected } = await import("../store/vectra-index.ts");
  return (item) => isSelected(item, filter);
}

import { visitTerms } from "../search/words.ts";
import { getIndexedText, type MemoryItem } from "./memory-item.ts";
import type { StoredVector } from "./memory-store.ts";
import { ItemPacker, type PackedPlace } from "./stored-item.ts";

/** The memories of a segment without their vectors, in columns, which threads transfer in a fraction of the time that objects take. */
export interface PackedSegment {
  readonly ids: readonly string[];
  /**
   * `PLACE_COLUMNS` numbers for each memory: the ends of its JSON, words and vector, and its embedder's number from 1; 0: it has no vector.
   */
  readonly places: Uint32Array<ArrayBuffer>;
  readonly embedders: readonly string[];
  /** The memories as JSON, one after the other. */
  readonly texts: Uint8Array<ArrayBuffer>;
  /** The words of the memories as numbers; see `visitTerms`. */
  readonly terms: Uint32Array<ArrayBuffer>;
  /** The number of other programs' items in the index. */
  readonly foreign: number;
}

/** The number of values per memory in `places`. */
export const PLACE_COLUMNS = 4;

/** A memory in a packed segment, with its positions. */
export interface PackedMemory {
  readonly id: string;
  readonly text: PackedPlace;
  readonly terms: PackedPlace;
  readonly vector: PackedPlace;
  /** The embedder that made its vector; undefined without a vector. */
  readonly embedder: string | undefined;
}

/** The memories of a packed segment, in order. */
export function* iteratePackedMemories({
  ids,
  places,
  embedders,
}: Pick<PackedSegment, "ids" | "places" | "embedders">): Generator<PackedMemory> {
  let [text, terms, vector] = [0, 0, 0];
  for (const [index, id] of ids.entries()) {
    const at = index * PLACE_COLUMNS;
    const [textEnd = 0, termsEnd = 0, vectorEnd = 0, embedder = 0] = places.subarray(at, at + PLACE_COLUMNS);
    yield {
      id,
      text: { start: text, end: textEnd },
      terms: { start: terms, end: termsEnd },
      vector: { start: vector, end: vectorEnd },
      embedder: embedders[embedder - 1],
    };
    [text, terms, vector] = [textEnd, termsEnd, vectorEnd];
  }
}

/** A memory to pack. */
export interface ReadItem {
  readonly item: MemoryItem;
  readonly embedded?: StoredVector;
}

/** Packs memories, and their vectors one after the other. */
export function packMemories(
  items: readonly ReadItem[],
): Omit<PackedSegment, "foreign"> & { readonly vectors: Float32Array<ArrayBuffer> } {
  const packer = new ItemPacker(items.length);
  const places = new Uint32Array(items.length * PLACE_COLUMNS);
  const vectors = new Float32Array(items.reduce((sum, { embedded }) => sum + (embedded?.vector.length ?? 0), 0));
  const embedders: string[] = [];
  const terms: number[] = [];
  let vectorEnd = 0;
  for (const [index, { item, embedded }] of items.entries()) {
    const text = packer.add(item);
    visitTerms(getIndexedText(item), (term) => terms.push(term));
    if (embedded) {
      vectors.set(embedded.vector, vectorEnd);
      vectorEnd += embedded.vector.length;
      if (!embedders.includes(embedded.embedder)) embedders.push(embedded.embedder);
    }
    const embedder = embedded ? embedders.indexOf(embedded.embedder) + 1 : 0;
    places.set([text.end, terms.length, vectorEnd, embedder], index * PLACE_COLUMNS);
  }
  const ids = items.map(({ item }) => item.id);
  return { ids, places, embedders, texts: packer.copyPackedBytes(), terms: Uint32Array.from(terms), vectors };
}

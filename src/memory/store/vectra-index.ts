import { setImmediate as untilIdle } from "node:timers/promises";
// Vectra's entry point for browsers: the one for Node also loads servers and language models, which takes a second.
import { LocalIndex, VirtualFileStorage } from "vectra/browser";
import { decodeIndex, encodeIndex, type IndexMetadata, metadataOf } from "./index-codec.ts";

/** An item for Vectra. */
export interface VectraItem {
  readonly id: string;
  readonly metadata: IndexMetadata;
  readonly vector: Float32Array;
}

type IndexCodec = NonNullable<ConstructorParameters<typeof LocalIndex>[3]>;
type IndexData = Parameters<IndexCodec["serializeIndex"]>[0];

/** Vectra's protobuf format with a checksum, and without loading `.proto` files. */
class ChecksummedCodec implements IndexCodec {
  readonly extension = ".pb";
  private readonly vectors: ReadonlyMap<string, Float32Array>;
  private readonly embedder: string;

  /** `vectors` by item id: using them avoids converting Vectra's lists back. */
  constructor(vectors: ReadonlyMap<string, Float32Array>, embedder: string) {
    this.vectors = vectors;
    this.embedder = embedder;
  }

  serializeIndex(data: IndexData): Buffer {
    const items = data.items.map(({ id, metadata, vector, norm }) => ({
      id,
      metadata,
      vector: this.vectors.get(id) ?? new Float32Array(vector),
      norm,
    }));
    return encodeIndex(data.version, items, this.embedder);
  }

  deserializeIndex(bytes: Buffer): IndexData {
    const { version, items } = decodeIndex(bytes);
    return {
      version,
      metadata_config: {},
      items: items.map(({ id, vector, norm, start, end }) => ({
        id,
        metadata: { ...metadataOf(bytes, start, end) },
        vector: filled([], vector),
        norm,
      })),
    };
  }

  readonly serializeCatalog = unused;
  readonly deserializeCatalog = unused;
  readonly serializeMetadata = unused;
  readonly deserializeMetadata = unused;
}

/** Documents and metadata files, which a segment doesn't have. */
function unused(): never {
  throw new Error("A segment has only an index.");
}

const FOLDER = "segment";
const FILE = "index.pb";

/** The number of items that Vectra gets before the event loop gets a turn. */
const TURN = 8;

/**
 * The bytes of a Vectra index of these items, made by Vectra itself in one update; one embedder made all vectors. Vectra
 * only computes the norm from the list, so one list is reused for all items and leaves no garbage.
 */
export async function vectraIndex(items: readonly VectraItem[], embedder: string): Promise<Buffer> {
  const storage = new VirtualFileStorage();
  const vectors = new Map(items.map(({ id, vector }) => [id, vector]));
  const index = new LocalIndex(FOLDER, FILE, storage, new ChecksummedCodec(vectors, embedder));
  await index.createIndex();
  await index.beginUpdate();
  const list: number[] = [];
  for (const [place, { id, metadata, vector }] of items.entries()) {
    if (place % TURN === 0) await untilIdle();
    await index.insertItem({ id, metadata: { ...metadata }, vector: filled(list, vector) });
  }
  await untilIdle();
  await index.endUpdate();
  return storage.readFile(`${FOLDER}/${FILE}`);
}

/** Fills the list with the vector's numbers, with the loop that engines run fastest. */
function filled(list: number[], vector: Float32Array): number[] {
  list.length = vector.length;
  for (let i = 0; i < vector.length; i++) list[i] = vector[i] ?? 0;
  return list;
}

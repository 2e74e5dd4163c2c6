import path from "node:path";
import { setImmediate as untilIdle } from "node:timers/promises";
import { crc32 } from "node:zlib";
import {
  ItemSelector,
  LocalFileStorage,
  LocalIndex,
  type MetadataFilter,
  type MetadataTypes,
  ProtobufCodec,
} from "vectra";
import {
  type ConfirmWriting,
  DamagedFileError,
  fileStamp,
  readPlainFile,
  writeDurably,
} from "./durable-file.ts";
import { type MemoryItem, metadataOf } from "./memory-item.ts";
import { INDEX_FILE, OLD_INDEX_FILE } from "./segment-names.ts";
import { wholeNumbers } from "./stored-vector.ts";

/** The version in the indexes of the Vectra that this program was made with. */
const VERSION = 1;

/** The metadata of an item in a Vectra index. */
type IndexMetadata = Readonly<Record<string, MetadataTypes>>;

/** An item for Vectra; its vector has length one. */
export interface VectraItem {
  readonly id: string;
  readonly metadata: IndexMetadata;
  readonly vector: Float32Array;
}

/** The files of one index. What Vectra writes is held until it's complete, nothing is deleted, and links aren't followed. */
class IndexStorage extends LocalFileStorage {
  /** The bytes that Vectra has written. */
  written: Buffer | undefined;

  override async pathExists(file: string): Promise<boolean> {
    return this.written !== undefined || (await fileStamp(file)) !== "";
  }

  override async readFile(file: string): Promise<Buffer> {
    const bytes = this.written ?? (await readPlainFile(file))?.bytes;
    if (!bytes) throw new Error("The index is gone.");
    if (!isWhole(bytes)) throw new DamagedFileError("The index is damaged.");
    return bytes;
  }

  override async upsertFile(_file: string, content: Buffer | string): Promise<void> {
    this.written = Buffer.from(content);
  }

  override async createFolder(): Promise<void> {}

  /** Vectra deletes the whole folder when it can't create an index there. */
  override async deleteFolder(): Promise<void> {}
}

/** The first field of a file of 0.1.0, whose last one is a checksum of everything before it. Vectra skips both. */
const SEALED = Buffer.from([0xc0, 0x3e, 0x01]);
const CHECKSUM_BYTES = 4;
const CHECKSUM_FIELD_BYTES = 6;

function isWhole(bytes: Buffer): boolean {
  if (!bytes.subarray(0, SEALED.length).equals(SEALED) || bytes.length < 2 * CHECKSUM_FIELD_BYTES)
    return true;
  const rest = bytes.subarray(0, -CHECKSUM_FIELD_BYTES);
  return bytes.readUInt32LE(bytes.length - CHECKSUM_BYTES) === crc32(rest);
}

/** An item as a file has it, which anyone may have written. */
export interface FoundItem {
  readonly id: unknown;
  readonly metadata: unknown;
  readonly vector: unknown;
}

/**
 * Reads an index; undefined if it's laid out in a way that this program doesn't know. Throws `DamagedFileError` when
 * it's damaged, and anything else when it can't be read now.
 */
export async function readIndex(folder: string, name: string): Promise<readonly FoundItem[] | undefined> {
  const codec = name === OLD_INDEX_FILE ? new ProtobufCodec() : undefined;
  const index = new LocalIndex(folder, name, new IndexStorage(), codec);
  try {
    return (await isKnown(index)) ? await index.listItems() : undefined;
  } catch (error) {
    // Vectra takes any JSON for an index. In the other format, an error may also mean that its reader is missing.
    const isDamage = error instanceof SyntaxError || error instanceof TypeError;
    throw isDamage && !codec ? new DamagedFileError("The index is damaged.") : error;
  }
}

async function isKnown(index: LocalIndex): Promise<boolean> {
  const { version, metadata_config } = await index.getIndexStats();
  return version === VERSION && (metadata_config?.indexed ?? []).length === 0;
}

/** The number of items that Vectra gets before the event loop gets a turn. */
const TURN = 32;

/**
 * Writes items into a folder's index, which is replaced in one step, and removes those that `isGone` says. Items of
 * other programs stay. An index that this program doesn't know is left alone; then false is returned.
 */
export async function updateIndex(
  folder: string,
  items: readonly VectraItem[],
  isGone: (item: FoundItem) => boolean,
  confirm?: ConfirmWriting,
): Promise<boolean> {
  const storage = new IndexStorage();
  const index = new LocalIndex(folder, INDEX_FILE, storage);
  if (!(await index.isIndexCreated())) {
    if (items.length === 0) return true;
    await index.createIndex();
  }
  if (!(await isKnown(index))) return false;
  const gone = (await index.listItems()).filter(isGone).map(({ id }) => id);
  await index.beginUpdate();
  await index.deleteItems(gone);
  for (const [place, { id, metadata, vector }] of items.entries()) {
    if (place % TURN === 0) await untilIdle();
    await index.upsertItem({ id, metadata: { ...metadata }, vector: wholeNumbers(vector) });
  }
  await untilIdle();
  await index.endUpdate();
  if (storage.written) await writeDurably(path.join(folder, INDEX_FILE), storage.written, confirm);
  return true;
}

/** Whether Vectra selects a memory by a filter of its metadata. */
export function isSelected(item: MemoryItem, filter: MetadataFilter): boolean {
  return ItemSelector.select(metadataOf(item), filter);
}

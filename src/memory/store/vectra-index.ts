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
import { isObject, tryJson } from "../../core/base/json.ts";
import { replaceFile } from "../../disk/replace-file.ts";
import {
  type ConfirmWriting,
  computeFileStamp,
  DamagedFileError,
  MAX_SEGMENT_BYTES,
  readPlainFile,
} from "./durable-file.ts";
import { createItemMetadata, type MemoryItem } from "./memory-item.ts";
import { INDEX_FILE, OLD_INDEX_FILE } from "./segment-names.ts";
import { convertToWholeNumbers } from "./stored-vector.ts";

/** The version in indexes of the Vectra that this program uses. */
const VERSION = 1;

/** The metadata of an item in a Vectra index. */
type IndexMetadata = Readonly<Record<string, MetadataTypes>>;

/** An item for Vectra; its vector has length one. */
export interface VectraItem {
  readonly id: string;
  readonly metadata: IndexMetadata;
  readonly vector: Float32Array;
}

/** The files of one index. Vectra's output is buffered until it's complete, nothing is deleted, and links aren't followed. */
class IndexStorage extends LocalFileStorage {
  /** The bytes that Vectra has written. */
  written: Buffer | undefined;

  override async pathExists(file: string): Promise<boolean> {
    return this.written !== undefined || (await computeFileStamp(file)) !== "";
  }

  override async readFile(file: string): Promise<Buffer> {
    const bytes = this.written ?? (await readPlainFile(file, MAX_SEGMENT_BYTES))?.bytes;
    if (!bytes) throw new Error("The index is gone.");
    if (!isWhole(bytes)) throw new DamagedFileError("The index is damaged.");
    if (file.endsWith(INDEX_FILE) && bytes.length > SMALL_BYTES && countJsonParts(bytes) > MOST_PARTS)
      throw new DamagedFileError("The index has too many parts.");
    return bytes;
  }

  override async upsertFile(_file: string, content: Buffer | string): Promise<void> {
    this.written = Buffer.from(content);
  }

  override async createFolder(): Promise<void> {}

  /** Does nothing: Vectra deletes the whole folder if it can't create an index there. */
  override async deleteFolder(): Promise<void> {}
}

/** The first field of a file of 0.1.0. Its last field is a checksum of everything before. Vectra skips both. */
const SEALED = Buffer.from([0xc0, 0x3e, 0x01]);
const CHECKSUM_BYTES = 4;
const CHECKSUM_FIELD_BYTES = 6;

function isWhole(bytes: Buffer): boolean {
  if (!bytes.subarray(0, SEALED.length).equals(SEALED) || bytes.length < 2 * CHECKSUM_FIELD_BYTES) return true;
  const rest = bytes.subarray(0, -CHECKSUM_FIELD_BYTES);
  return bytes.readUInt32LE(bytes.length - CHECKSUM_BYTES) === crc32(rest);
}

/** Usual files have ten thousand objects, lists and texts. Each takes a hundred bytes, and parsing can't be stopped, even in a thread. */
const MOST_PARTS = 1_000_000;
/** Files up to this size can't have too many parts. */
const SMALL_BYTES = 2 * 1024 * 1024;
const [QUOTE, BACKSLASH, BRACE, BRACKET] = [0x22, 0x5c, 0x7b, 0x5b];

/** Counts the objects, lists and texts in JSON. Counting stops a little above the limit. */
function countJsonParts(json: Buffer): number {
  let parts = 0;
  for (let at = 0; at < json.length && parts <= MOST_PARTS; at++) {
    const byte = json[at];
    if (byte !== QUOTE && byte !== BRACE && byte !== BRACKET) continue;
    parts++;
    if (byte === QUOTE) at = findTextEnd(json, at);
  }
  return parts;
}

function findTextEnd(json: Buffer, start: number): number {
  for (let end = json.indexOf(QUOTE, start + 1); end >= 0; end = json.indexOf(QUOTE, end + 1)) {
    let slashes = 0;
    while (json[end - 1 - slashes] === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return end;
  }
  return json.length;
}

/** An item from a file, which is untrusted. */
export interface FoundItem {
  readonly id: unknown;
  readonly metadata: unknown;
  readonly vector: unknown;
  readonly norm: unknown;
}

/** The items of an index. */
export interface FoundItems {
  readonly items: readonly FoundItem[];
  /** True if the file can't be parsed; the items are the undamaged ones. */
  readonly isDamaged: boolean;
}

/**
 * Reads an index; undefined if this program doesn't know its layout. Throws `DamagedFileError` if nothing in it is readable, and another
 * error if it can't be read now.
 */
export async function readIndex(folder: string, name: string): Promise<FoundItems | undefined> {
  const { index, isDamaged } = await openIndexOrWholeItems(folder, name, new IndexStorage());
  if (!(await isKnown(index))) return undefined;
  const listed: readonly unknown[] = await index.listItems();
  const items = listed.filter(isItem);
  return { items, isDamaged: isDamaged || items.length < listed.length };
}

/** Whether Vectra can have written an item. Other items can't be read, kept or removed by id. */
function isItem(item: unknown): item is FoundItem {
  if (!isObject(item) || typeof item.id !== "string" || !isObject(item.metadata)) return false;
  return Array.isArray(item.vector) && item.vector.every((number) => typeof number === "number");
}

/** Opens an index, or the intact items of a damaged one. */
async function openIndexOrWholeItems(
  folder: string,
  name: string,
  storage: IndexStorage,
): Promise<{ readonly index: LocalIndex; readonly isDamaged: boolean }> {
  const codec = name === OLD_INDEX_FILE ? new ProtobufCodec() : undefined;
  const index = new LocalIndex(folder, name, storage, codec);
  try {
    const { version } = await index.getIndexStats();
    if (!codec) await index.listItems();
    if (codec || typeof version === "number") return { index, isDamaged: false };
  } catch (error) {
    // Vectra takes any JSON for an index. In the other format, an error may also mean that its reader is missing.
    const isDamage = error instanceof SyntaxError || error instanceof TypeError;
    if (codec || !isDamage) throw error;
  }
  const items = parseWholeItems(await storage.readFile(path.join(folder, name)));
  if (items.length === 0) throw new DamagedFileError("The index is damaged.");
  storage.written = Buffer.from(JSON.stringify({ version: VERSION, metadata_config: {}, items }));
  return { index: new LocalIndex(folder, name, storage), isDamaged: true };
}

/** The beginning and the end of an item, as Vectra writes it. In a text, the quotes would be escaped. */
const ITEM_START = '{"id":"';
const ITEM_END = /(?<="norm":[-+.e\d]+\}).*/s;

/** The items in an index's JSON that can be parsed separately. */
function parseWholeItems(bytes: Buffer): readonly unknown[] {
  const [, ...parts] = bytes.toString().split(ITEM_START);
  let found = 0;
  return parts.flatMap((part) => {
    const text = `${ITEM_START}${part.replace(ITEM_END, "")}`;
    // Counted again, because the damage may have hidden them.
    found += countJsonParts(Buffer.from(text));
    const item = found > MOST_PARTS ? undefined : tryJson(text);
    return isObject(item) && isObject(item.metadata) && Array.isArray(item.vector) ? [item] : [];
  });
}

async function isKnown(index: LocalIndex): Promise<boolean> {
  const { version, metadata_config } = await index.getIndexStats();
  return version === VERSION && (metadata_config?.indexed ?? []).length === 0;
}

/** The field of an item's metadata that holds its checksum, under a name that other programs don't use. */
const CHECKSUM_FIELD = "autogptCrc32";

/** The checksum of this program's item. */
function computeItemChecksum(
  id: unknown,
  metadata: object,
  { vector, norm }: Readonly<Record<"vector" | "norm", unknown>>,
): number {
  const numbers = new Int16Array(Array.isArray(vector) ? vector : []);
  const rest = Buffer.from(numbers.buffer);
  return crc32(rest, crc32(JSON.stringify([id, norm, metadata])));
}

/** Whether an item is unchanged since this program wrote it, or lacks a checksum because another program wrote it. */
export function isIntact({ id, metadata, ...numbers }: FoundItem): boolean {
  if (!isObject(metadata)) return false;
  if (metadata[CHECKSUM_FIELD] === undefined) return true;
  const { [CHECKSUM_FIELD]: written, ...rest } = metadata;
  // Ours has no value that holds others, and one that is nested deeply can't be written as JSON.
  if (Object.values(rest).some((value) => typeof value === "object")) return false;
  return written === computeItemChecksum(id, rest, numbers);
}

/** The number of items that Vectra gets before the event loop gets a turn. */
const TURN = 32;

/**
 * Writes items into a folder's index, which is replaced in one step, and removes those that `isGone` selects. Other programs' items stay.
 * Returns false and changes nothing if the index has an unknown layout.
 */
export async function updateIndex(
  folder: string,
  items: readonly VectraItem[],
  isGone: (item: FoundItem) => boolean,
  confirm?: ConfirmWriting,
): Promise<boolean> {
  const storage = new IndexStorage();
  const file = path.join(folder, INDEX_FILE);
  if (!(await storage.pathExists(file))) {
    if (items.length === 0) return true;
    await new LocalIndex(folder, INDEX_FILE, storage).createIndex();
  }
  let { index } = await openIndexOrWholeItems(folder, INDEX_FILE, storage);
  if (!(await isKnown(index))) return false;
  const listed: readonly unknown[] = await index.listItems();
  const found = listed.filter(isItem);
  if (found.length < listed.length) {
    storage.written = Buffer.from(JSON.stringify({ version: VERSION, metadata_config: {}, items: found }));
    index = new LocalIndex(folder, INDEX_FILE, storage);
  }
  await index.beginUpdate();
  await index.deleteItems(found.filter((item) => isGone(item) || !isIntact(item)).map(({ id }) => String(id)));
  for (const [place, { id, metadata, vector }] of items.entries()) {
    if (place % TURN === 0) await untilIdle();
    const numbers = convertToWholeNumbers(vector);
    const norm = ItemSelector.normalize(numbers);
    const sum = computeItemChecksum(id, metadata, { vector: numbers, norm });
    await index.upsertItem({ id, metadata: { ...metadata, [CHECKSUM_FIELD]: sum }, vector: numbers });
  }
  await untilIdle();
  await index.endUpdate();
  if (storage.written) await replaceFile(file, storage.written, { durable: true, private: true, confirm });
  return true;
}

/** Whether Vectra's filter of metadata selects a memory. */
export function isSelected(item: MemoryItem, filter: MetadataFilter): boolean {
  return ItemSelector.select(createItemMetadata(item), filter);
}

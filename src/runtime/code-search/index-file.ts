import { createHash } from "node:crypto";
import { type FileHandle, readdir, rm, stat, utimes } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { deflateRaw, inflateRaw } from "node:zlib";
import { openFile } from "../../disk/plain-file.ts";
import { replaceFile } from "../../disk/replace-file.ts";
import type { CodeFile } from "./code-index.ts";

const deflated = promisify(deflateRaw);
const inflated = promisify(inflateRaw);

/** Changes whenever the file's format or the splitting into parts changes. */
const FORMAT = "autogpt code index 1";
/** Characters of files in one block. */
const BLOCK_CHARS = 1_000_000;
/** Maximum size of a block, both packed and unpacked. */
const MOST_BLOCK_BYTES = 64 * 1024 * 1024;
const DIGEST_BYTES = 32;
/** Limits on the disk: the files of one workspace, and those of all workspaces. */
const MOST_BYTES = 100 * 1024 * 1024;
const MOST_BYTES_OF_ALL = 500 * 1024 * 1024;

/** An index on the disk: it can be deleted at any time. Files of another folder, format or embedder aren't read. */
export interface IndexFile {
  readonly path: string;
  /** Real path of the indexed folder. */
  readonly root: string;
  /** See `TextVectors`. */
  readonly embedder: string;
}

/** Files that aren't on the disk yet. They are compressed, because their texts would take more memory than the whole index. */
export class PackedFiles {
  private readonly stamps = new Map<string, string>();
  private readonly blocks: Buffer[] = [];
  private open: CodeFile[] = [];
  private chars = 0;

  get size(): number {
    return this.stamps.size;
  }

  has(path: string): boolean {
    return this.stamps.has(path);
  }

  /** Adds a file, replacing an earlier version. */
  async add(file: CodeFile): Promise<void> {
    this.stamps.set(file.path, file.stamp);
    this.open.push(file);
    this.chars += file.parts.reduce((sum, { text }) => sum + text.length, 0);
    if (this.chars < BLOCK_CHARS) return;
    const text = JSON.stringify(this.open);
    [this.open, this.chars] = [[], 0];
    this.blocks.push(await deflated(text, { level: 1 }));
  }

  delete(path: string): void {
    this.stamps.delete(path);
  }

  /** The newest version of each file. */
  async *iterateFiles(): AsyncGenerator<CodeFile> {
    for (const block of this.blocks) {
      const files: readonly CodeFile[] = JSON.parse((await inflated(block)).toString("utf8"));
      yield* files.filter((file) => this.isNewest(file));
    }
    yield* this.open.filter((file) => this.isNewest(file));
  }

  private isNewest({ path, stamp }: CodeFile): boolean {
    return this.stamps.get(path) === stamp;
  }
}

/** The files in an index on the disk, up to any damage. */
export async function* iterateStoredFiles(index: IndexFile): AsyncGenerator<CodeFile> {
  await using file = await openFile(index.path).catch(() => undefined);
  if (!file) return;
  try {
    const header = await readBlock(file, 0);
    if (header?.bytes.toString("utf8") !== encodeHeader(index)) return;
    for (let at = header.end, block = await readBlock(file, at); block; block = await readBlock(file, at)) {
      at = block.end;
      const text = (await inflated(block.bytes, { maxOutputLength: MOST_BLOCK_BYTES })).toString("utf8");
      const files: readonly CodeFile[] = JSON.parse(text);
      yield* files;
    }
  } catch {
    // The rest is damaged, and is read from the workspace.
  }
}

/** Replaces an entire index on the disk. Stops writing at the limit on its bytes. */
export async function storeFiles(index: IndexFile, files: AsyncIterable<CodeFile>): Promise<void> {
  await replaceFile(index.path, encodeFile(index, files), { private: true, makeFolder: true });
}

async function* encodeFile(index: IndexFile, files: AsyncIterable<CodeFile>): AsyncGenerator<Buffer> {
  let left = MOST_BYTES;
  for await (const bytes of encodeBlocks(index, files)) {
    left -= bytes.length + DIGEST_BYTES + 4;
    if (left < 0) return;
    const length = Buffer.alloc(4);
    length.writeUInt32LE(bytes.length);
    yield* [length, computeDigest(bytes), bytes];
  }
}

async function* encodeBlocks(index: IndexFile, files: AsyncIterable<CodeFile>): AsyncGenerator<Buffer> {
  yield Buffer.from(encodeHeader(index));
  let [texts, chars]: [string[], number] = [[], 0];
  for await (const one of files) {
    const text = JSON.stringify(one);
    texts.push(text);
    chars += text.length;
    if (chars < BLOCK_CHARS) continue;
    yield await deflated(`[${texts.join(",")}]`, { level: 3 });
    [texts, chars] = [[], 0];
  }
  if (texts.length > 0) yield await deflated(`[${texts.join(",")}]`, { level: 3 });
}

/** Reads a block: its length, SHA-256 and bytes. Undefined at the end, or if the block is damaged. */
async function readBlock(
  file: FileHandle,
  at: number,
): Promise<{ readonly bytes: Buffer; readonly end: number } | undefined> {
  const head = await readExactly(file, at, 4 + DIGEST_BYTES);
  const length = head?.readUInt32LE() ?? 0;
  if (!head || length === 0 || length > MOST_BLOCK_BYTES) return undefined;
  const bytes = await readExactly(file, at + head.length, length);
  if (!bytes || !computeDigest(bytes).equals(head.subarray(4))) return undefined;
  return { bytes, end: at + head.length + length };
}

async function readExactly(file: FileHandle, at: number, length: number): Promise<Buffer | undefined> {
  const bytes = Buffer.alloc(length);
  const { bytesRead } = await file.read(bytes, 0, length, at);
  return bytesRead === length ? bytes : undefined;
}

function encodeHeader({ root, embedder }: IndexFile): string {
  return JSON.stringify({ format: FORMAT, root, embedder });
}

function computeDigest(bytes: Buffer): Buffer {
  return createHash("sha256").update(bytes).digest();
}

/** Marks an index as used, and deletes the least recently used ones if all together are too large. */
export async function tidyIndexes(path: string): Promise<void> {
  const now = new Date();
  await utimes(path, now, now);
  const folder = dirname(path);
  const found = await Promise.all(
    (await readdir(folder)).map(async (name) => {
      const { size, mtimeMs } = await stat(join(folder, name));
      return { path: join(folder, name), size, mtimeMs };
    }),
  );
  let total = 0;
  for (const one of found.sort((a, b) => b.mtimeMs - a.mtimeMs)) {
    total += one.size;
    if (total > MOST_BYTES_OF_ALL) await rm(one.path, { force: true });
  }
}

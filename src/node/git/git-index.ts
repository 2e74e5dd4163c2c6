import { hasCode } from "../../disk/error-codes.ts";
import { openLinkedFile, readBounded } from "../../disk/plain-file.ts";
import { decodeName } from "../files/byte-names.ts";

const MAX_INDEX_BYTES = 64 * 1024 * 1024;
/** Bytes of an entry before its name; the last two are flags. */
const ENTRY_HEAD_BYTES = 62;
/** End of an entry's metadata and hash. */
const HASH_END = 60;

/** A tracked file in a repository's index: its content, and its metadata when it was added. */
export interface TrackedFile {
  readonly name: string;
  /** Hash of its content in the repository, in hexadecimal. */
  readonly blob: string;
  readonly bytes: number;
  readonly isExecutable: boolean;
  /** Time of its last change, in nanoseconds since 1970, as text. */
  readonly changedNs: string;
}

/** A tracked file that is unchanged as long as its stamp is the same. */
export interface UnchangedFile extends Pick<TrackedFile, "blob" | "bytes"> {
  /** Its size in bytes, and the change times of its content and metadata, in nanoseconds since 1970. */
  readonly stamp: string;
}

/** The tracked files of a repository by name. The index is parsed when the first file is requested. */
export class GitIndex {
  /** When the index was written, in nanoseconds since 1970, as text. */
  private readonly writtenNs: string;
  private readonly bytes: Buffer | undefined;
  private found: { readonly starts: ReadonlyMap<string, number> | undefined } | undefined;

  /** Without bytes, the index has no files. */
  private constructor(bytes: Buffer | undefined, writtenNs: string) {
    this.bytes = bytes;
    this.writtenNs = writtenNs;
  }

  /** Reads an index; undefined if it can't be read. */
  static async read(path: string): Promise<GitIndex | undefined> {
    const read = await readIndexBytes(path);
    if (read === "unreadable") return undefined;
    return read === "missing" ? new GitIndex(undefined, "0") : new GitIndex(read.bytes, String(read.writtenNs));
  }

  /** The names of all files; undefined if the index can't be parsed. */
  listNames(): Iterable<string> | undefined {
    return this.findStarts()?.keys();
  }

  get(name: string): TrackedFile | undefined {
    const start = this.findStarts()?.get(name);
    return start === undefined || !this.bytes ? undefined : readTrackedFile(this.bytes, start, name);
  }

  /** True once the index is parsed. */
  get isKnown(): boolean {
    return this.found !== undefined;
  }

  /**
   * True for a file that hasn't changed since it was added. `seen` contains its size in bytes, its change time in nanoseconds, its inode,
   * and optionally its metadata's change time.
   */
  hasUnchanged(name: string, seen: string): boolean {
    const [bytes, changedNs, _inode, metadataNs] = seen.split(" ");
    const stamp = this.findUnchanged(name)?.stamp;
    return metadataNs === undefined
      ? stamp?.startsWith(`${bytes} ${changedNs} `) === true
      : stamp === `${bytes} ${changedNs} ${metadataNs}`;
  }

  /** A file as it was added; undefined if it can't be proven unchanged. */
  findUnchanged(name: string): UnchangedFile | undefined {
    const start = this.findStarts()?.get(name);
    if (start === undefined || !this.bytes) return undefined;
    const changedNs = readNanoseconds(this.bytes, start + 8);
    // A file that changed while git looked at it may have changed again since.
    if (changedNs.length !== this.writtenNs.length || changedNs >= this.writtenNs) return undefined;
    const bytes = this.bytes.readUInt32BE(start + 36);
    const stamp = `${bytes} ${changedNs} ${readNanoseconds(this.bytes, start)}`;
    return { blob: readBlobHash(this.bytes, start), bytes, stamp };
  }

  /** The names whose entries differ from an earlier index. */
  *listChangedSince(earlier: GitIndex): Iterable<string> {
    for (const [name, start] of this.findStarts() ?? []) {
      const before = earlier.findStarts()?.get(name);
      const isSame =
        before !== undefined &&
        this.bytes &&
        earlier.bytes?.compare(this.bytes, start, start + HASH_END, before, before + HASH_END) === 0;
      if (!isSame) yield name;
    }
    for (const name of earlier.findStarts()?.keys() ?? []) if (!this.findStarts()?.has(name)) yield name;
  }

  /** Parses the index in advance, with pauses. */
  async lookThrough(pause: () => Promise<void>): Promise<void> {
    if (!this.bytes) return;
    const search = findEntryStarts(this.bytes);
    let step = search.next();
    for (; step.done !== true; step = search.next()) await pause();
    this.found ??= { starts: step.value };
  }

  private findStarts(): ReadonlyMap<string, number> | undefined {
    this.found ??= { starts: this.bytes ? finishSearch(findEntryStarts(this.bytes)) : new Map() };
    return this.found.starts;
  }
}

/** The tracked files in a repository's index; undefined if it can't be read. None if there is no index yet. */
export async function readTrackedFiles(path: string): Promise<readonly TrackedFile[] | undefined> {
  const index = await GitIndex.read(path);
  const names = index?.listNames();
  return names && [...names].flatMap((name) => index?.get(name) ?? []);
}

/**
 * Finds the start of each entry by name, in steps. Also undefined if the index refers to unnamed files: a whole folder, or another index.
 */
function* findEntryStarts(bytes: Buffer): Generator<undefined, ReadonlyMap<string, number> | undefined> {
  if (bytes.length < 12 || bytes.toString("latin1", 0, 4) !== "DIRC") return undefined;
  const version = bytes.readUInt32BE(4);
  const count = bytes.readUInt32BE(8);
  if (version < 2 || version > 4) return undefined;
  const starts = new Map<string, number>();
  let at = 12;
  let before = Buffer.alloc(0);
  for (let entry = 0; entry < count; entry++) {
    if (entry % ENTRIES_AT_ONCE === ENTRIES_AT_ONCE - 1) yield;
    const start = at;
    if (start + ENTRY_HEAD_BYTES >= bytes.length) return undefined;
    const isExtended = version > 2 && (bytes.readUInt16BE(start + ENTRY_HEAD_BYTES - 2) & 0x4000) !== 0;
    at = start + ENTRY_HEAD_BYTES + (isExtended ? 2 : 0);
    let kept: Buffer | undefined;
    if (version === 4) {
      const [dropped, after] = readVarint(bytes, at);
      kept = before.subarray(0, Math.max(0, before.length - dropped));
      at = after;
    }
    const end = bytes.indexOf(0, at);
    if (end === -1 || readKind(bytes, start) === FOLDER) return undefined;
    if (kept) before = Buffer.concat([kept, bytes.subarray(at, end)]);
    starts.set(decodeName(kept ? before : bytes.subarray(at, end)), start);
    at = version === 4 ? end + 1 : start + ((end - start + 8) & ~7);
  }
  return bytes.toString("latin1", at, at + 4) === "link" ? undefined : starts;
}

const ENTRIES_AT_ONCE = 4096;

function finishSearch<Found>(search: Generator<undefined, Found>): Found {
  let step = search.next();
  while (step.done !== true) step = search.next();
  return step.value;
}

/** The type of an entry, from its mode. */
function readKind(bytes: Buffer, start: number): number {
  return bytes.readUInt32BE(start + 24) >>> 12;
}

const FOLDER = 0o4;

function readTrackedFile(bytes: Buffer, start: number, name: string): TrackedFile {
  return {
    name,
    blob: readBlobHash(bytes, start),
    bytes: bytes.readUInt32BE(start + 36),
    isExecutable: (bytes.readUInt32BE(start + 24) & 0o111) !== 0,
    changedNs: readNanoseconds(bytes, start + 8),
  };
}

function readBlobHash(bytes: Buffer, start: number): string {
  return bytes.toString("hex", start + 40, start + HASH_END);
}

/** Reads a time that the index stores in seconds and nanoseconds. */
function readNanoseconds(bytes: Buffer, start: number): string {
  return `${bytes.readUInt32BE(start)}${String(bytes.readUInt32BE(start + 4)).padStart(9, "0")}`;
}

/** Git's variable-length integers, as in the offsets of its packs. */
function readVarint(bytes: Buffer, start: number): readonly [value: number, after: number] {
  let at = start;
  let byte = bytes[at++] ?? 0;
  let value = byte & 127;
  while (byte & 128 && at < start + 6) {
    byte = bytes[at++] ?? 0;
    value = (value + 1) * 128 + (byte & 127);
  }
  return [value, at];
}

async function readIndexBytes(
  path: string,
): Promise<{ readonly bytes: Buffer; readonly writtenNs: bigint } | "missing" | "unreadable"> {
  try {
    await using file = await openLinkedFile(path);
    const { mtimeNs } = await file.stat({ bigint: true });
    return { bytes: await readBounded(file, MAX_INDEX_BYTES), writtenNs: mtimeNs };
  } catch (error) {
    return hasCode(error, "ENOENT") ? "missing" : "unreadable";
  }
}

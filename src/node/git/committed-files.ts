import { execFile } from "node:child_process";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Repository } from "../../core/ports/programs.ts";
import { openLinkedFile } from "../../plain-file.ts";
import { hasCode } from "../files/file-errors.ts";
import { onPath } from "../processes/programs.ts";
import { gitEnvironment } from "./environment.ts";
import { repositoryAround } from "./repository.ts";

const MAX_INDEX_BYTES = 32 * 1024 * 1024;
/** Bytes of an entry before its name; the last two are flags. */
const ENTRY_HEAD_BYTES = 62;

/** A tracked file in a repository's index: its content, and its metadata when it was added. */
export interface TrackedFile {
  readonly name: string;
  /** Hash of its content in the repository, in hexadecimal. */
  readonly blob: string;
  readonly bytes: number;
  readonly isExecutable: boolean;
  /** Time of its last change, in nanoseconds since 1970. */
  readonly changedNs: bigint;
}

/** The tracked files in a repository's index; undefined if it can't be read. None if there is no index yet. */
export function trackedFiles(index: string): Promise<readonly TrackedFile[] | undefined> {
  return entriesOf(index, fileAt);
}

/** The upper bits of an entry's mode. */
function kindAt(bytes: Buffer, start: number): number {
  return bytes.readUInt32BE(start + 24) >>> 12;
}

const FOLDER = 0o4;

/** Makes a value of each entry, given its start in the index. */
type MakeEntry<T> = (bytes: Buffer, start: number, name: string) => T;

async function entriesOf<T>(index: string, make: MakeEntry<T>): Promise<readonly T[] | undefined> {
  const bytes = await bytesOf(index);
  if (typeof bytes === "string") return bytes === "missing" ? [] : undefined;
  if (bytes.length < 12 || bytes.toString("latin1", 0, 4) !== "DIRC") return undefined;
  const version = bytes.readUInt32BE(4);
  const count = bytes.readUInt32BE(8);
  return version >= 2 && version <= 4 ? entriesIn(bytes, version, count, make) : undefined;
}

/** Undefined as well if the index refers to more than it names: a whole folder, or another index. */
function entriesIn<T>(
  bytes: Buffer,
  version: number,
  count: number,
  make: MakeEntry<T>,
): readonly T[] | undefined {
  const entries: T[] = [];
  let at = 12;
  let before = Buffer.alloc(0);
  for (let entry = 0; entry < count; entry++) {
    const start = at;
    if (start + ENTRY_HEAD_BYTES >= bytes.length) return undefined;
    const isExtended = version > 2 && (bytes.readUInt16BE(start + ENTRY_HEAD_BYTES - 2) & 0x4000) !== 0;
    at = start + ENTRY_HEAD_BYTES + (isExtended ? 2 : 0);
    let kept = Buffer.alloc(0);
    if (version === 4) {
      const [dropped, after] = varint(bytes, at);
      kept = before.subarray(0, Math.max(0, before.length - dropped));
      at = after;
    }
    const end = bytes.indexOf(0, at);
    if (end === -1) return undefined;
    before = Buffer.concat([kept, bytes.subarray(at, end)]);
    if (kindAt(bytes, start) === FOLDER) return undefined;
    entries.push(make(bytes, start, before.toString()));
    at = version === 4 ? end + 1 : start + ((end - start + 8) & ~7);
  }
  return bytes.toString("latin1", at, at + 4) === "link" ? undefined : entries;
}

function fileAt(bytes: Buffer, start: number, name: string): TrackedFile {
  return {
    name,
    blob: bytes.toString("hex", start + 40, start + 60),
    bytes: bytes.readUInt32BE(start + 36),
    isExecutable: (bytes.readUInt32BE(start + 24) & 0o111) !== 0,
    changedNs:
      BigInt(bytes.readUInt32BE(start + 8)) * 1_000_000_000n + BigInt(bytes.readUInt32BE(start + 12)),
  };
}

/** Git's variable-length integers, as in the offsets of its packs. */
function varint(bytes: Buffer, start: number): readonly [value: number, after: number] {
  let at = start;
  let byte = bytes[at++] ?? 0;
  let value = byte & 127;
  while (byte & 128 && at < start + 6) {
    byte = bytes[at++] ?? 0;
    value = (value + 1) * 128 + (byte & 127);
  }
  return [value, at];
}

async function bytesOf(path: string): Promise<Buffer | "missing" | "unreadable"> {
  try {
    const file = await openLinkedFile(path);
    try {
      const { size } = await file.stat();
      return size > MAX_INDEX_BYTES ? "unreadable" : await file.readFile();
    } finally {
      await file.close();
    }
  } catch (error) {
    return hasCode(error, "ENOENT") ? "missing" : "unreadable";
  }
}

/** A file that last changed before git looked at it, so that git's content is its content. */
interface CommittedFile extends TrackedFile {
  readonly repository: Repository;
}

const MAX_BLOB_BYTES = 32 * 1024 * 1024;
const READ_TIMEOUT_MS = 10_000;

/**
 * Takes a snapshot of some folders. For each file that is tracked and unchanged since it was added, git then supplies
 * the content. `seen` starts with a file's bytes and its time of change in nanoseconds. Git only reads, and runs no
 * other program.
 */
export function committedFiles(folders: () => readonly string[], env: NodeJS.ProcessEnv = process.env) {
  return async () => {
    const clean = new Map<string, CommittedFile>();
    for (const folder of folders()) for (const [path, file] of await cleanIn(folder)) clean.set(path, file);
    return async (path: string, seen: string) => {
      const file = clean.get(path);
      const [bytes, changedNs] = seen.split(" ");
      if (!file || bytes !== String(file.bytes) || changedNs !== String(file.changedNs)) return undefined;
      const content = await contentOf(file, env);
      // A different size means that a filter changes the file on its way into git.
      if (content?.length !== file.bytes) return undefined;
      return { bytes: content, mode: file.isExecutable ? 0o755 : 0o644 };
    };
  };
}

async function cleanIn(folder: string): Promise<ReadonlyMap<string, CommittedFile>> {
  const repository = await repositoryAround(folder);
  if (!repository) return new Map();
  const index = join(repository.gitFolder, "index");
  const written = await stat(index, { bigint: true }).catch(() => undefined);
  const files = written && (await trackedFiles(index));
  return new Map(
    (files ?? [])
      .filter((file) => written !== undefined && file.changedNs < written.mtimeNs)
      .map((file) => [join(repository.root, file.name), { ...file, repository }]),
  );
}

async function contentOf(
  { blob, repository }: CommittedFile,
  env: NodeJS.ProcessEnv,
): Promise<Buffer | undefined> {
  const program = onPath(["git"], env);
  if (program === undefined) return undefined;
  const where = { GIT_DIR: repository.gitFolder, GIT_WORK_TREE: repository.root };
  const { stdout } = await promisify(execFile)(program, ["--no-pager", "cat-file", "blob", blob], {
    cwd: repository.root,
    encoding: "buffer",
    windowsHide: true,
    maxBuffer: MAX_BLOB_BYTES,
    timeout: READ_TIMEOUT_MS,
    env: { ...gitEnvironment(env, [], "nothing"), ...where },
  });
  return stdout;
}

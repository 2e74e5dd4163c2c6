import { execFile } from "node:child_process";
import type { HeldBlob } from "../../core/ports/folder-watch.ts";
import { findOnPath } from "../processes/programs.ts";
import { createGitEnvironment } from "./environment.ts";

const MAX_BLOB_BYTES = 64 * 1024 * 1024;
/** Limits for contents requested from one git process. */
const GROUP_BYTES = 16 * 1024 * 1024;
const GROUP_COUNT = 1_000;
const READ_TIMEOUT_MS = 30_000;

/** Divides blobs into consecutive groups that can be read at once. Too large ones are left out. */
export function groupBlobs<T>(items: readonly T[], blobOf: (item: T) => HeldBlob): readonly (readonly T[])[] {
  const some = items.filter((item) => blobOf(item).bytes <= MAX_BLOB_BYTES);
  return groupContents(
    some,
    (item) => blobOf(item).bytes,
    (item) => blobOf(item).repository.gitFolder,
  );
}

/** Divides items of the same place into consecutive groups whose contents fit into memory together. */
export function groupContents<T>(
  items: readonly T[],
  bytesOf: (item: T) => number,
  placeOf: (item: T) => string = () => "",
): readonly (readonly T[])[] {
  const groups: T[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  let place = "";
  for (const item of items) {
    bytes += bytesOf(item);
    if (bytes > GROUP_BYTES || groups.at(-1)?.length === GROUP_COUNT || place !== placeOf(item)) {
      groups.push([]);
      bytes = bytesOf(item);
      place = placeOf(item);
    }
    groups.at(-1)?.push(item);
  }
  return groups;
}

/**
 * The contents of a repository's blobs by hash. A blob whose size differs from its file's is left out: a filter changes the file on its way
 * into git. Git only reads, and runs no other program.
 */
export async function readBlobs(
  blobs: readonly HeldBlob[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<ReadonlyMap<string, Buffer>> {
  const [first] = blobs;
  const program = findOnPath(["git"], env);
  if (!first || program === undefined) return new Map();
  const answer = await queryBlobs(program, first.repository, blobs, env);
  if (answer) return parseBlobContents(answer, blobs);
  if (blobs.length === 1) return new Map();
  const middle = Math.ceil(blobs.length / 2);
  const halves = [blobs.slice(0, middle), blobs.slice(middle)];
  return new Map((await Promise.all(halves.map((half) => readBlobs(half, env)))).flatMap((one) => [...one]));
}

/** Git's answer; undefined if it fails or is too long. */
function queryBlobs(
  program: string,
  { root, gitFolder }: HeldBlob["repository"],
  blobs: readonly HeldBlob[],
  env: NodeJS.ProcessEnv,
): Promise<Buffer | undefined> {
  const bytes = blobs.reduce((sum, one) => sum + one.bytes + HEADER_BYTES, 0);
  return new Promise((resolve) => {
    const child = execFile(
      program,
      ["--no-pager", "cat-file", "--batch"],
      {
        cwd: root,
        encoding: "buffer",
        windowsHide: true,
        maxBuffer: bytes,
        timeout: READ_TIMEOUT_MS,
        env: { ...createGitEnvironment(env, [], "nothing"), GIT_DIR: gitFolder, GIT_WORK_TREE: root },
      },
      (error, stdout) => resolve(error ? undefined : stdout),
    );
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(blobs.map(({ blob }) => `${blob}\n`).join(""));
  });
}

/** More than the line before a blob's content, and its end. */
const HEADER_BYTES = 100;

function parseBlobContents(answer: Buffer, blobs: readonly HeldBlob[]): ReadonlyMap<string, Buffer> {
  const sizes = new Map(blobs.map(({ blob, bytes }) => [blob, bytes]));
  const contents = new Map<string, Buffer>();
  let at = 0;
  while (at < answer.length) {
    const end = answer.indexOf(10, at);
    if (end === -1) break;
    const [blob = "", kind, size] = answer.toString("latin1", at, end).split(" ");
    at = end + 1;
    if (kind !== "blob") continue;
    const bytes = Number(size);
    if (sizes.get(blob) === bytes) contents.set(blob, answer.subarray(at, at + bytes));
    at += bytes + 1;
  }
  return contents;
}

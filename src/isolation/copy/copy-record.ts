import { lstat, realpath, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { tryJson } from "../../core/base/json.ts";
import { isAtOrBelow } from "../../disk/below.ts";
import { hasCode } from "../../disk/error-codes.ts";
import { readFileText } from "../../disk/plain-file.ts";
import { replaceFile } from "../../disk/replace-file.ts";
import { isCopiedPaths, isCopyRecord } from "../../schema/host-validators.ts";
import type { CopiedPaths, CopyRecord } from "../../schema/stored-files.ts";
import { fail } from "../../texts/display-text.ts";
import type { Copy } from "./copy.ts";

/** Names in a copy's folder: the visible files, the original contents, and the files that describe the copy. */
export const VISIBLE = "files";
export const KEPT = "kept";
export const RECORD = "copy.json";
const ROWS = "paths.jsonl";

/** All that is stored about a copy. */
export interface CopyRecordParts {
  readonly record: Omit<CopyRecord, "madeMs">;
  readonly rows: readonly CopiedPaths[];
}

/** Writes the description of a complete copy. */
export async function writeRecord(
  home: string,
  { record, rows }: CopyRecordParts,
  rest: () => Promise<void>,
): Promise<void> {
  const path = join(home, ROWS);
  const lines: string[] = [];
  for (const row of rows) {
    lines.push(`${JSON.stringify(row)}\n`);
    await rest();
  }
  await writeFile(path, lines.join(""), { mode: 0o600 });
  // The file system's clock, which may be another than ours.
  const { ctimeMs } = await lstat(path);
  await writeFile(join(home, RECORD), JSON.stringify({ ...record, madeMs: ctimeMs }), { mode: 0o600 });
}

/** The stored description of a copy. Throws a sentence if it is gone or damaged. */
export async function readRecord(home: string): Promise<CopyRecord> {
  const text = await readFileText(join(home, RECORD)).catch((error: unknown) => {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return fail("isolation.copy.gone");
    return fail("isolation.copy.damaged");
  });
  const record: unknown = tryJson(text);
  return isCopyRecord(record) ? record : fail("isolation.copy.damaged");
}

/** The files and links when the copy was made, folder by folder. */
export async function readRows(home: string): Promise<readonly CopiedPaths[]> {
  const text = await readFileText(join(home, ROWS)).catch(() => fail("isolation.copy.damaged"));
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const row: unknown = tryJson(line);
      return isCopiedPaths(row) ? row : fail("isolation.copy.damaged");
    });
}

/** The copy of an isolated run. Throws a `DisplayError` if it is gone or damaged. */
export async function openCopy(home: string): Promise<Copy> {
  const real = await realpath(home).catch(() => fail("isolation.copy.gone"));
  const record = await readRecord(real);
  if (record.run !== basename(home)) fail("isolation.copy.damaged");
  const resolveRecordedPath = (place: string): string => join(real, place);
  const visible = record.visible.map(resolveRecordedPath);
  const folders = record.folders.map(({ name, origin, place }) => ({
    name,
    origin,
    path: resolveRecordedPath(place),
  }));
  for (const path of [...visible, ...folders.map((folder) => folder.path)]) {
    const stats = await lstat(path).catch(() => undefined);
    if (!stats?.isDirectory()) fail("isolation.copy.gone");
  }
  return {
    run: record.run,
    home: real,
    folders,
    visible,
    borrowed: record.borrowed.map(({ origin, place }) => ({ origin, path: resolveRecordedPath(place) })),
    objects: record.objects,
    notes: record.notes as Copy["notes"],
  };
}

/** A checkout of a repository. */
interface Checkout {
  readonly root: string;
  readonly gitFolder: string;
  /** Folders with its objects, its own first. */
  readonly objects: readonly string[];
}

/**
 * Makes a copy one of another checkout of the same repository: a review compares it with the files there, and writes there. Both have the
 * commit that it was made from.
 */
export async function changeOrigin(home: string, from: Checkout, to: Checkout): Promise<void> {
  const record = await readRecord(home);
  const move = (path: string): string => {
    if (isAtOrBelow(path, from.gitFolder)) return `${to.gitFolder}${path.slice(from.gitFolder.length)}`;
    return isAtOrBelow(path, from.root) ? `${to.root}${path.slice(from.root.length)}` : path;
  };
  const objects = [...to.objects, ...record.objects.filter((one) => !isAtOrBelow(one, from.gitFolder))];
  const moved: CopyRecord = {
    ...record,
    folders: record.folders.map((folder) => ({ ...folder, origin: move(folder.origin) })),
    borrowed: record.borrowed.map((folder) => ({ ...folder, origin: move(folder.origin) })),
    objects: [...new Set(objects)],
    repositories: record.repositories.map(({ root, gitFolder, excludes }) => ({
      root: move(root),
      gitFolder: move(gitFolder),
      excludes: excludes.map(move),
    })),
  };
  for (const place of record.visible)
    await replaceFile(join(home, place, ALTERNATES), moved.objects.map((folder) => `${folder}\n`).join(""));
  await replaceFile(join(home, RECORD), JSON.stringify(moved), { private: true });
}

/** The file of a copied repository that names the folders with borrowed objects. */
const ALTERNATES = ".git/objects/info/alternates";

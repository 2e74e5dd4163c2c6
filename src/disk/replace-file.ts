import { randomBytes } from "node:crypto";
import { link, lstat, mkdir, open, readdir, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { hasCode } from "./error-codes.ts";
import { renameFile } from "./rename-file.ts";

/** The suffix of everything unfinished. After a crash it can be deleted. */
export const TEMPORARY_SUFFIX = ".tmp";
const TEMPORARY = /\.autogpt-[0-9a-f]{12}\.tmp$/;
/** The program that wrote a temporary file has ended if nothing was added to it for so long. */
const ABANDONED_MS = 60 * 60 * 1000;

/** When each folder was last looked through for leftovers, in milliseconds since 1970. */
const sweptFolders = new Map<string, number>();
const MOST_SWEPT = 1_000;

/** How a file is replaced. */
export interface ReplaceOptions {
  /** The content and its name are on the disk when the promise resolves: a power failure doesn't undo them. */
  readonly durable?: boolean;
  /** Only the user can read the file, and a folder that is made for it. */
  readonly private?: boolean;
  /** Creates missing folders. */
  readonly makeFolder?: boolean;
  /** Called once the new content is complete. If it throws, the old content stays. */
  readonly confirm?: (() => Promise<unknown>) | undefined;
  /** A file that is there stays: of programs that write at once, the first one's. Without hard links, the last one's. */
  readonly keepFirst?: boolean;
}

/**
 * Replaces a file, or a link in its place: whoever reads it, and whatever ends this program, there's all of the old content or all of the
 * new. Leftovers of programs that ended while they wrote are removed from the folder, at most once an hour.
 */
export async function replaceFile(
  path: string,
  content: string | Uint8Array | AsyncIterable<Uint8Array>,
  options: ReplaceOptions = {},
): Promise<void> {
  const folder = dirname(path);
  const random = randomBytes(6).toString("hex");
  const temporary = join(folder, `${basename(path).slice(0, 100)}.autogpt-${random}${TEMPORARY_SUFFIX}`);
  if (options.makeFolder) await mkdir(folder, { recursive: true, mode: options.private ? 0o700 : 0o777 });
  try {
    await writeWhole(temporary, content, options);
    await options.confirm?.();
    if (!options.keepFirst) await renameFile(temporary, path);
    else
      await link(temporary, path).catch((error: unknown) =>
        hasCode(error, "EEXIST") ? undefined : renameFile(temporary, path),
      );
  } finally {
    await rm(temporary, { force: true }).catch(() => undefined);
  }
  if (options.durable) await syncFolder(folder);
  await sweepFolder(folder).catch(() => undefined);
}

/** Looks through a folder at most once an hour, since a file may be replaced with each step. */
async function sweepFolder(folder: string): Promise<void> {
  const now = Date.now();
  if (now - (sweptFolders.get(folder) ?? 0) < ABANDONED_MS) return;
  if (sweptFolders.size >= MOST_SWEPT) sweptFolders.clear();
  sweptFolders.set(folder, now);
  await removeTemporaries(folder);
}

/** `wx` follows no link and opens nothing that is there. */
async function writeWhole(
  path: string,
  content: string | Uint8Array | AsyncIterable<Uint8Array>,
  { durable, private: isPrivate }: ReplaceOptions,
): Promise<void> {
  await using file = await open(path, "wx", isPrivate ? 0o600 : 0o666);
  await file.writeFile(content);
  if (durable) await file.sync();
}

/** Makes the names in a folder durable. Windows has no such call and doesn't need one. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(folder, "r");
  await handle.sync().finally(() => handle.close());
}

/** Removes the temporary files in a folder that no program has written to for some time. */
export async function removeTemporaries(folder: string, silentMs = ABANDONED_MS): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!TEMPORARY.test(name)) continue;
    const stats = await lstat(join(folder, name)).catch(() => undefined);
    if (stats?.isFile() && Date.now() - stats.mtimeMs >= silentMs) await rm(join(folder, name), { force: true });
  }
}

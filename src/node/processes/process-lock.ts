import { randomUUID } from "node:crypto";
import { link, lstat, mkdir, rm, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname } from "node:path";
import { tryJson } from "../../core/base/json.ts";
import { hasCode } from "../../disk/error-codes.ts";
import { readFileText } from "../../disk/plain-file.ts";
import { renameFile } from "../../disk/rename-file.ts";
import { isProcessAlive, readProcessSpace, readProcessStart } from "./process-tree.ts";

/** How often the holder writes a sign of life. */
const BEAT_MS = 5_000;
/** A holder without a sign of life for this long counts as gone, even if a process with its ID runs. */
const SILENT_MS = 60_000;

interface Holder {
  readonly token: string;
  readonly pid: number;
  /** The name of the system to which the process ID belongs. */
  readonly host: string;
  /** The system's boot and the process's start; empty if the system doesn't provide them. */
  readonly started: string;
}

/** Computes a text's keyed hash, which only the user's programs on this machine can create. */
type Seal = (text: string) => string;

/** A lock that this process holds. */
export interface HeldLock {
  release(): Promise<void>;
}

/**
 * Takes a lock that one process of this user can hold at a time. If another process holds it, returns its ID. Lock files without the user's
 * seal, which a repository can contain, are removed, and so are those of ended processes.
 */
export async function takeProcessLock(path: string, seal: Seal): Promise<HeldLock | { readonly by: number }> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const own: Holder = {
    token: randomUUID(),
    pid: process.pid,
    host: getHostId(),
    started: readProcessStart(process.pid),
  };
  while (!(await create(path, own, seal))) {
    const holder = await readHolder(path, seal);
    if (holder && (await isAlive(path, holder))) return { by: holder.pid };
    await remove(path, holder?.token, seal);
  }
  const beat = setInterval(() => {
    const now = new Date();
    void utimes(path, now, now).catch(() => undefined);
  }, BEAT_MS);
  beat.unref();
  return {
    release: async () => {
      clearInterval(beat);
      await remove(path, own.token, seal);
    },
  };
}

async function create(path: string, holder: Holder, seal: Seal): Promise<boolean> {
  const temporary = `${path}.${holder.token}`;
  const text = JSON.stringify({ ...holder, seal: seal(JSON.stringify(holder)) });
  await writeFile(temporary, text, { flag: "wx", mode: 0o600 });
  try {
    await link(temporary, path);
    return true;
  } catch (error) {
    if (hasCode(error, "EEXIST")) return false;
    if (!hasCode(error, "EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS")) throw error;
    return await writeFile(path, text, { flag: "wx", mode: 0o600 }).then(
      () => true,
      () => false,
    );
  } finally {
    await rm(temporary, { force: true });
  }
}

/** The holder of a lock; undefined if no program of the user wrote the file. */
async function readHolder(path: string, seal: Seal): Promise<Holder | undefined> {
  const found = tryJson(await readFileText(path).catch(() => ""));
  if (typeof found !== "object" || found === null || !("seal" in found)) return undefined;
  const { token, pid, host, started } = found as Partial<Record<keyof Holder, unknown>>;
  const holder: Holder = {
    token: String(token),
    pid: Number(pid),
    host: String(host),
    started: String(started),
  };
  return found.seal === seal(JSON.stringify(holder)) ? holder : undefined;
}

/** The system to which process IDs belong: a container may have its host's name but has its own IDs. */
function getHostId(): string {
  return `${hostname()} ${readProcessSpace()}`.trimEnd();
}

async function isAlive(path: string, { pid, host, started }: Holder): Promise<boolean> {
  const stats = await lstat(path).catch(() => undefined);
  if (!stats || Date.now() - stats.mtimeMs > SILENT_MS) return false;
  return host !== getHostId() || (isProcessAlive(pid) && readProcessStart(pid) === started);
}

/** Removes one holder's lock, or an invalid lock file. A lock that another process has taken meanwhile is put back. */
async function remove(path: string, token: string | undefined, seal: Seal): Promise<void> {
  const moved = `${path}.${randomUUID()}`;
  try {
    await renameFile(path, moved);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return;
    throw error;
  }
  const found = await readHolder(moved, seal);
  if (found && found.token !== token) await link(moved, path).catch(() => undefined);
  await rm(moved, { force: true, recursive: true });
}

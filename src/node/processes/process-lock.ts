import { randomUUID } from "node:crypto";
import { link, lstat, mkdir, rename, rm, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname } from "node:path";
import { tryJson } from "../../core/base/json.ts";
import { hasCode } from "../../disk/error-codes.ts";
import { readFileText } from "../../disk/plain-file.ts";
import { isProcessAlive, readProcessSpace, readProcessStart } from "./process-tree.ts";

/** The holder writes this often that it's alive. */
const BEAT_MS = 5_000;
/** A holder that has been silent for this long is gone, even if a process with its number runs. */
const SILENT_MS = 60_000;

interface Holder {
  readonly token: string;
  readonly pid: number;
  /** Name of the system that the number belongs to. */
  readonly host: string;
  /** Boot of the system and start of the process; empty where the system doesn't show them. */
  readonly started: string;
}

/** The keyed hash of a text, which only the user's programs on this machine can make. */
type Seal = (text: string) => string;

/** A lock that this process holds. */
export interface HeldLock {
  release(): Promise<void>;
}

/**
 * Takes a lock that one process of this user can hold at a time; its number where another one does. A lock file without the user's seal is
 * removed: a repository can bring one along. So is that of a process that has ended.
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

/** Undefined for a file that no program of the user has written. */
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

/** The system that process numbers belong to: a container may have its host's name, but numbers of its own. */
function getHostId(): string {
  return `${hostname()} ${readProcessSpace()}`.trimEnd();
}

async function isAlive(path: string, { pid, host, started }: Holder): Promise<boolean> {
  const stats = await lstat(path).catch(() => undefined);
  if (!stats || Date.now() - stats.mtimeMs > SILENT_MS) return false;
  return host !== getHostId() || (isProcessAlive(pid) && readProcessStart(pid) === started);
}

/** Removes the lock of one holder, or what is no lock. One that someone else has taken in the meantime is put back. */
async function remove(path: string, token: string | undefined, seal: Seal): Promise<void> {
  const moved = `${path}.${randomUUID()}`;
  try {
    await rename(path, moved);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return;
    throw error;
  }
  const found = await readHolder(moved, seal);
  if (found && found.token !== token) await link(moved, path).catch(() => undefined);
  await rm(moved, { force: true, recursive: true });
}

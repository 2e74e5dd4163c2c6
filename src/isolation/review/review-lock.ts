import { randomUUID } from "node:crypto";
import { link, mkdir, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { tryJson } from "../../core/base/json.ts";
import { hasCode } from "../../node/files/file-errors.ts";
import { processExists } from "../../node/processes/process-tree.ts";
import { fileText } from "../../plain-file.ts";
import { fail } from "../../texts/display-text.ts";

/** The holder writes this often that it's alive. */
const BEAT_MS = 5_000;
/** A holder that has been silent for this long is gone, even if a process with its number runs. */
const SILENT_MS = 60_000;

interface Holder {
  readonly token: string;
  readonly pid: number;
  readonly host: string;
}

/** Does something with the review of a run that no other window or program may do at the same time. Throws a sentence while one does. */
export async function underReviewLock<T>(runHome: string, act: () => Promise<T>): Promise<T> {
  const release = await takeReviewLock(runHome);
  if (!release) fail("isolation.reviewedElsewhere");
  try {
    return await act();
  } finally {
    await release();
  }
}

/** Takes the lock of a run's review, and returns how to release it; undefined while someone else holds it. */
export async function takeReviewLock(runHome: string): Promise<(() => Promise<void>) | undefined> {
  const folder = join(runHome, "accepted");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, "lock");
  const own: Holder = { token: randomUUID(), pid: process.pid, host: hostname() };
  while (!(await create(path, own))) {
    const holder = await holderAt(path);
    if (holder && (await isAlive(path, holder))) return undefined;
    await remove(path, holder?.token);
  }
  const beat = setInterval(() => {
    const now = new Date();
    void utimes(path, now, now).catch(() => undefined);
  }, BEAT_MS);
  beat.unref();
  return async () => {
    clearInterval(beat);
    await remove(path, own.token);
  };
}

async function create(path: string, holder: Holder): Promise<boolean> {
  const temporary = `${path}.${holder.token}`;
  await writeFile(temporary, JSON.stringify(holder), { flag: "wx", mode: 0o600 });
  try {
    await link(temporary, path);
    return true;
  } catch (error) {
    if (hasCode(error, "EEXIST")) return false;
    if (!hasCode(error, "EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS")) throw error;
    return await writeFile(path, JSON.stringify(holder), { flag: "wx", mode: 0o600 }).then(
      () => true,
      () => false,
    );
  } finally {
    await rm(temporary, { force: true });
  }
}

async function holderAt(path: string): Promise<Holder | undefined> {
  const found = tryJson(await fileText(path).catch(() => ""));
  return typeof found === "object" && found !== null && "token" in found && "pid" in found && "host" in found
    ? { token: String(found.token), pid: Number(found.pid), host: String(found.host) }
    : undefined;
}

async function isAlive(path: string, { pid, host }: Holder): Promise<boolean> {
  const stats = await stat(path).catch(() => undefined);
  if (!stats || Date.now() - stats.mtimeMs > SILENT_MS) return false;
  return host !== hostname() || processExists(pid);
}

/** Removes the lock of one holder. One that someone else has taken in the meantime is put back. */
async function remove(path: string, token: string | undefined): Promise<void> {
  const moved = `${path}.${randomUUID()}`;
  try {
    await rename(path, moved);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return;
    throw error;
  }
  const found = await holderAt(moved);
  if (found && found.token !== token) await link(moved, path).catch(() => undefined);
  await rm(moved, { force: true });
}

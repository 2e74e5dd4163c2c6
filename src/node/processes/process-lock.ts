import { randomUUID } from "node:crypto";
import { link, mkdir, rm, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { hasSucceeded } from "../../core/base/async.ts";
import { isObject, tryJson } from "../../core/base/json.ts";
import type { HeldLock, LockUse, ProcessHolder } from "../../core/ports/process-locks.ts";
import { hasCode } from "../../disk/error-codes.ts";
import { openFile, readFileText } from "../../disk/plain-file.ts";
import { renameFile } from "../../disk/rename-file.ts";
import { isProcessAlive, readProcessSpace, readProcessStart } from "./process-tree.ts";

/** How often the holder writes a sign of life. */
const BEAT_MS = 2_000;
/** A holder on another machine counts as gone once no sign of life was seen for this long. It isn't compared with any clock's time. */
const SILENT_MS = 16_000;
/** How often a holder on another machine is looked at while it's unknown whether it's alive. */
const LOOK_MS = 500;

interface Holder {
  readonly token: string;
  readonly pid: number;
  /** The name of the system to which the process ID belongs. */
  readonly host: string;
  /** The system's boot and the process's start; empty if the system doesn't provide them. */
  readonly started: string;
  /** The kind of program. */
  readonly kind: string;
}

/** Computes a text's keyed hash, which only the user's programs on this machine can create. */
type Seal = (text: string) => string;

/**
 * Takes a lock that one process of this user can hold at a time. If another process holds it, returns that one. Lock files without the
 * user's seal, which a repository can contain, are removed, and so are those of ended processes.
 */
export async function takeProcessLock(
  path: string,
  seal: Seal,
  { kind = "", handleBeat }: LockUse = {},
): Promise<HeldLock | { readonly by: ProcessHolder }> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const started = readProcessStart(process.pid);
  const own: Holder = { token: randomUUID(), pid: process.pid, host: getHostId(), started, kind };
  while (!(await create(path, own, seal))) {
    const holder = await readHolder(path, seal);
    if (holder && (await isAliveForSure(path, holder))) return { by: describeHolder(holder) };
    await remove(path, holder?.token, seal);
  }
  let isOver = false;
  let beating: Promise<void> | undefined;
  const giveSign = async (): Promise<void> => {
    const holder = await readHolder(path, seal);
    if (isOver) return;
    const isLost = holder !== undefined && holder.token !== own.token;
    if (isLost) isOver = true;
    else if (holder) await touch(path);
    else await create(path, own, seal).catch(() => undefined);
    handleBeat?.(isLost);
  };
  const beat = setInterval(() => {
    if (!isOver) beating = giveSign();
  }, BEAT_MS);
  beat.unref();
  return {
    token: own.token,
    release: async () => {
      clearInterval(beat);
      // A lock that another process has taken is left alone, and no sign of life creates the file again.
      const isLost = isOver;
      isOver = true;
      await beating;
      if (!isLost) await remove(path, own.token, seal);
    },
  };
}

/** The process that holds a lock; undefined if none does. Nothing is changed. A silent one on another machine counts at first. */
export async function findLockHolder(path: string, seal: Seal): Promise<ProcessHolder | undefined> {
  const holder = await readHolder(path, seal);
  return holder && (await isAlive(path, holder)) !== false ? describeHolder(holder) : undefined;
}

function describeHolder({ token, pid, kind, host }: Holder): ProcessHolder {
  return { token, pid, kind, ...(host === getHostId() ? {} : { machine: host.split(" ")[0] ?? host }) };
}

async function touch(path: string): Promise<void> {
  const now = new Date();
  await utimes(path, now, now).catch(() => undefined);
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
    return await hasSucceeded(writeFile(path, text, { flag: "wx", mode: 0o600 }));
  } finally {
    await rm(temporary, { force: true });
  }
}

/** The holder of a lock; undefined if no program of the user wrote the file. */
async function readHolder(path: string, seal: Seal): Promise<Holder | undefined> {
  const found = tryJson(await readFileText(path, MOST_CHARS).catch(() => ""));
  if (!isObject(found)) return undefined;
  const { token, pid, host, started, kind } = found as Partial<Record<keyof Holder, unknown>>;
  const holder: Holder = {
    token: String(token),
    pid: Number(pid),
    host: String(host),
    started: String(started),
    kind: String(kind),
  };
  return found.seal === seal(JSON.stringify(holder)) ? holder : undefined;
}

const MOST_CHARS = 10_000;

/** The system to which process IDs belong: a container may have its host's name but has its own IDs. */
function getHostId(): string {
  return `${hostname()} ${readProcessSpace()}`.trimEnd();
}

/**
 * Whether a holder is alive. On this machine its process decides, so that neither a jump of the clock nor sleep makes it look gone.
 * Elsewhere only its signs of life do; undefined until one was seen, or none for long enough.
 */
async function isAlive(path: string, { token, pid, host, started }: Holder): Promise<boolean | undefined> {
  if (host === getHostId()) {
    if (!isProcessAlive(pid)) return false;
    if (started !== "") return readProcessStart(pid) === started;
  }
  const mtimeMs = await readSignOfLife(path);
  if (mtimeMs === undefined) return false;
  const now = performance.now();
  const before = seen.get(token);
  const hasMoved = before !== undefined && before.mtimeMs !== mtimeMs;
  const passed = before && !hasMoved ? Math.min(now - before.lookedAt, MOST_PASSED_MS) : 0;
  const silentMs = (hasMoved ? 0 : (before?.silentMs ?? 0)) + passed;
  const isKnown = hasMoved || before?.isKnown === true;
  seen.set(token, { mtimeMs, lookedAt: now, silentMs, isKnown });
  return silentMs >= SILENT_MS ? false : isKnown || undefined;
}

/** Waits until it's known whether a holder is alive. */
async function isAliveForSure(path: string, holder: Holder): Promise<boolean> {
  for (;;) {
    const alive = await isAlive(path, holder);
    if (alive !== undefined) return alive;
    await wait(LOOK_MS);
  }
}

/** The last sign of life of a holder on another machine. */
interface SeenHolder {
  readonly mtimeMs: number;
  readonly lookedAt: number;
  /** How long it has been silent while this process looked. */
  readonly silentMs: number;
  /** It was seen alive. */
  readonly isKnown: boolean;
}

const seen = new Map<string, SeenHolder>();

/** The longest silence between two looks that counts, because this machine may have slept in between, and the holder with it. */
const MOST_PASSED_MS = 4_000;

/** When the holder last touched the file. It's opened, because network file systems then ask their server. */
async function readSignOfLife(path: string): Promise<number | undefined> {
  try {
    const file = await openFile(path);
    return await file
      .stat()
      .then(({ mtimeMs }) => mtimeMs)
      .finally(() => file.close());
  } catch {
    return undefined;
  }
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

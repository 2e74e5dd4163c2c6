import { randomUUID } from "node:crypto";
import { readlinkSync } from "node:fs";
import fs from "node:fs/promises";
import os from "node:os";
import { omitUndefined } from "../../core/base/objects.ts";
import { hasCode } from "../../disk/error-codes.ts";
import { TEMPORARY_SUFFIX } from "../../disk/replace-file.ts";
import { DamagedFileError, readPlainFile } from "./durable-file.ts";

/** The holder of a lock. */
export interface LockHolder {
  readonly token: string;
  readonly pid: number;
  readonly host: string;
  /** The namespace of the process ID: a container may have its host's name but has its own IDs. */
  readonly space?: string;
}

/** A holder on another machine counts as dead after this long without a heartbeat, by the observer's clock. */
const SILENCE_MS = 20_000;
/**
 * A holder on this machine counts as dead after this long without a heartbeat. A process with its ID may still run, because IDs are reused.
 */
const ABANDONED_MS = 60_000;
/** A lock is a short line. */
const MAX_LOCK_BYTES = 4_096;
/** A link, a folder, a pipe or a large file in place of the lock. No program creates one, but a repository can contain it. */
const NO_HOLDER: LockHolder = { token: "none", pid: 0, host: "" };
/** After this long without sending a heartbeat, a holder checks whether it still has the lock. */
const DOUBT_MS = 10_000;

/** Lets one program at a time write to a folder. The holder sends heartbeats, and a dead holder loses the lock. */
export class FolderLock {
  private readonly file: string;
  private readonly token = randomUUID();
  private held = false;
  private beatAt = 0;
  /** The last heartbeat seen from another holder, and when it was first seen. */
  private sign = "";
  private signAt = 0;
  private heardAt = 0;

  constructor(file: string) {
    this.file = file;
  }

  /** Tries to take the lock. Returns undefined on success, or else the current holder. */
  async take(): Promise<LockHolder | undefined> {
    for (;;) {
      if (await this.create()) return undefined;
      const holder = await this.look();
      if (holder === "gone") continue;
      if (!(await this.isDead(holder)) || !(await this.breakLock(holder))) return holder;
    }
  }

  /** Sends a heartbeat. Returns false if the lock is no longer held. */
  async beat(): Promise<boolean> {
    if (await this.isHeld()) await this.touch();
    return this.held;
  }

  /** True while the file says that the lock is held. */
  async isHeld(): Promise<boolean> {
    if (!this.held) return false;
    const holder = await this.look();
    this.held = holder !== "gone" && holder.token === this.token;
    return this.held;
  }

  /** True while the lock is held; checks the file only if the last heartbeat is too old to be sure. */
  async isStillHeld(): Promise<boolean> {
    return this.held && Date.now() - this.beatAt > DOUBT_MS ? this.beat() : this.held;
  }

  async release(): Promise<void> {
    if (await this.beat()) await fs.rm(this.file, { force: true });
    this.held = false;
  }

  private async create(): Promise<boolean> {
    const holder: LockHolder = {
      token: this.token,
      pid: process.pid,
      host: os.hostname(),
      ...omitUndefined({ space: SPACE }),
    };
    try {
      await fs.writeFile(this.file, JSON.stringify(holder), { flag: "wx", mode: 0o600 });
    } catch (error) {
      if (hasCode(error, "EEXIST")) return false;
      throw error;
    }
    this.held = true;
    this.beatAt = Date.now();
    return true;
  }

  private async touch(): Promise<void> {
    const now = new Date();
    await fs.utimes(this.file, now, now);
    this.beatAt = now.getTime();
  }

  private async look(): Promise<LockHolder | "gone"> {
    try {
      const [found, stat] = await Promise.all([readPlainFile(this.file, MAX_LOCK_BYTES), fs.lstat(this.file)]);
      if (!found) return "gone";
      const text = found.bytes.toString("utf8");
      this.notice(`${text} ${stat.mtimeMs}`);
      this.heardAt = stat.mtimeMs;
      return readHolder(text);
    } catch (error) {
      if (hasCode(error, "ENOENT")) return "gone";
      if (error instanceof DamagedFileError) return NO_HOLDER;
      throw error;
    }
  }

  private notice(sign: string): void {
    if (sign === this.sign) return;
    this.sign = sign;
    this.signAt = performance.now();
  }

  private async isDead(holder: LockHolder): Promise<boolean> {
    if (holder === NO_HOLDER) return true;
    const silentMs = performance.now() - this.signAt;
    const isHere = holder.host === os.hostname() && holder.pid > 0;
    if (!isHere || (holder.space !== undefined && holder.space !== SPACE)) return silentMs > SILENCE_MS;
    const isAbandoned = silentMs > ABANDONED_MS || Date.now() - this.heardAt > ABANDONED_MS;
    return isAbandoned || !isProcessRunning(holder.pid);
  }

  /**
   * Removes a dead holder's lock. Returns false if another program is removing it. Only one program may do that, or a late one could remove
   * the next holder's lock.
   */
  private async breakLock(dead: LockHolder): Promise<boolean> {
    const claim = `${this.file}.claim${TEMPORARY_SUFFIX}`;
    if (!(await claimFile(claim))) return false;
    try {
      const holder = await this.look();
      if (holder !== "gone" && holder.token === dead.token) await fs.rm(this.file, { force: true, recursive: true });
    } finally {
      await fs.rm(claim, { force: true });
    }
    return true;
  }
}

/** Creates a file that only one program at a time can have. A file left by a dead program is removed for the next attempt. */
async function claimFile(file: string): Promise<boolean> {
  try {
    await fs.writeFile(file, "", { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
  }
  const stat = await fs.lstat(file).catch(() => undefined);
  if (stat && Math.abs(Date.now() - stat.mtimeMs) > ABANDONED_MS) await fs.rm(file, { force: true });
  return false;
}

/** The namespace of this process's ID, on systems that have namespaces. */
const SPACE = findProcessSpace();

function findProcessSpace(): string | undefined {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return undefined;
  }
}

/** A lock that is being written has no holder yet. */
function readHolder(text: string): LockHolder {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value && "token" in value && "pid" in value && "host" in value) {
      const { token, pid, host } = value;
      const space = "space" in value ? { space: String(value.space) } : {};
      return { token: String(token), pid: Number(pid), host: String(host), ...space };
    }
  } catch {
    // Incomplete: its writer is alive.
  }
  return { token: "", pid: 0, host: "" };
}

/** True while a process of this machine has this number. */
export function isProcessRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return hasCode(error, "EPERM");
  }
}

import { randomUUID } from "node:crypto";
import fs from "node:fs/promises";
import os from "node:os";
import { fileText } from "../../plain-file.ts";
import { hasErrorCode, TEMPORARY_SUFFIX } from "./durable-file.ts";

/** The holder of a lock. */
export interface LockHolder {
  readonly token: string;
  readonly pid: number;
  readonly host: string;
}

/** A holder on another machine without a heartbeat for this long, by the observer's clock, is dead. */
const SILENCE_MS = 20_000;
/**
 * A holder on this machine without a heartbeat for this long is dead, even if a process with its number runs: process
 * numbers are reused.
 */
const ABANDONED_MS = 60_000;
/** A holder that sent no heartbeat for this long checks whether the lock is still its own. */
const DOUBT_MS = 10_000;

/** Lets one program at a time write to a folder. The holder sends heartbeats; a dead one loses the lock. */
export class FolderLock {
  private readonly file: string;
  private readonly token = randomUUID();
  private held = false;
  private beatAt = 0;
  /** The last heartbeat seen of another holder, and when it was new. */
  private sign = "";
  private signAt = 0;
  private heardAt = 0;

  constructor(file: string) {
    this.file = file;
  }

  /** Takes the lock if possible. Returns undefined on success, or else the current holder. */
  async take(): Promise<LockHolder | undefined> {
    for (;;) {
      if (await this.create()) return undefined;
      const holder = await this.look();
      if (holder === "gone") continue;
      if (!(await this.isDead(holder))) return holder;
      await this.breakLock(holder);
    }
  }

  /** Sends a heartbeat; false when the lock is no longer held. */
  async beat(): Promise<boolean> {
    if (!this.held) return false;
    const holder = await this.look();
    this.held = holder !== "gone" && holder.token === this.token;
    if (this.held) await this.touch();
    return this.held;
  }

  /** True while the lock is held; checks the file only if the last heartbeat is too old to be sure. */
  async stillHeld(): Promise<boolean> {
    return this.held && Date.now() - this.beatAt > DOUBT_MS ? this.beat() : this.held;
  }

  async release(): Promise<void> {
    if (await this.beat()) await fs.rm(this.file, { force: true });
    this.held = false;
  }

  private async create(): Promise<boolean> {
    const holder: LockHolder = { token: this.token, pid: process.pid, host: os.hostname() };
    try {
      await fs.writeFile(this.file, JSON.stringify(holder), { flag: "wx", mode: 0o600 });
    } catch (error) {
      if (hasErrorCode(error, "EEXIST")) return false;
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
      const [text, stat] = await Promise.all([fileText(this.file), fs.lstat(this.file)]);
      this.notice(`${text} ${stat.mtimeMs}`);
      this.heardAt = stat.mtimeMs;
      return readHolder(text);
    } catch (error) {
      if (hasErrorCode(error, "ENOENT")) return "gone";
      throw error;
    }
  }

  private notice(sign: string): void {
    if (sign === this.sign) return;
    this.sign = sign;
    this.signAt = performance.now();
  }

  private async isDead(holder: LockHolder): Promise<boolean> {
    if (performance.now() - this.signAt > SILENCE_MS) return true;
    if (holder.host !== os.hostname() || holder.pid <= 0) return false;
    return Date.now() - this.heardAt > ABANDONED_MS || !isProcessRunning(holder.pid);
  }

  /** Renames the dead holder's lock away, which only one program can do, and puts it back if it's a newer one. */
  private async breakLock(dead: LockHolder): Promise<void> {
    const aside = `${this.file}.${randomUUID().slice(0, 8)}${TEMPORARY_SUFFIX}`;
    try {
      await fs.rename(this.file, aside);
      const { token } = readHolder(await fileText(aside));
      if (token !== dead.token) await fs.link(aside, this.file);
    } catch (error) {
      if (!hasErrorCode(error, "ENOENT", "EEXIST")) throw error;
    }
    await fs.rm(aside, { force: true });
  }
}

/** A lock that is being written has no holder yet. */
function readHolder(text: string): LockHolder {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value && "token" in value && "pid" in value && "host" in value) {
      return { token: String(value.token), pid: Number(value.pid), host: String(value.host) };
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
    return hasErrorCode(error, "EPERM");
  }
}

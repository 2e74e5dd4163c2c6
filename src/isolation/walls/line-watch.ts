import { readdirSync, readFileSync, rmSync, type Stats, statSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { measureCopySize, saveCopySize } from "../copy/remove-copy.ts";

/** Limits on the total use of all processes of a run. */
export interface RunLimits {
  readonly processes: number;
  readonly memoryMb: number;
  readonly quotaBytes: number;
}

/** A line that is being watched. */
export interface WatchedLine {
  /** Why the line was ended, as a sentence for the model. */
  readonly why: string | undefined;
  /** Stops watching the line, and removes its record. */
  end(): void;
}

const EVERY_MS = 100;
/** The copy is measured again once free disk space has dropped by this part of the quota. */
const PART_OF_QUOTA = 0.9;
/** The copy is also measured at intervals, since others may free disk space meanwhile. Slower measuring makes the intervals longer. */
const LEAST_PAUSE_MS = 1000;
const PAUSE_TIMES = 30;

/** Watches the total use of a run's lines, and ends the biggest one if it exceeds a limit. */
export class LineWatch {
  private readonly lines = new Set<LineState>();
  private readonly folder: string;
  private readonly limits: RunLimits;
  private readonly kill: (record: string) => void;
  private timer: NodeJS.Timeout | undefined;
  /** Free bytes of the disk, not counting the copy. */
  private freeBefore = 0;
  private measureAt = 0;

  /** `folder` contains the copy and everything that belongs to it; `kill` ends a line that has no process here. */
  constructor(folder: string, limits: RunLimits, kill: (record: string) => void = () => undefined) {
    this.folder = folder;
    this.limits = limits;
    this.kill = kill;
  }

  /** Watches a program whose record has the ID of its first process. */
  begin(record: string): WatchedLine {
    const line: LineState = { record, pid: undefined, why: undefined };
    this.lines.add(line);
    this.lookLater();
    return {
      get why() {
        return line.why;
      },
      end: () => {
        this.lines.delete(line);
        rmSync(record, { force: true });
        if (this.lines.size === 0) this.stop();
      },
    };
  }

  /** Stops watching, even if lines are still running. */
  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  private lookLater(): void {
    this.timer ??= setTimeout(() => {
      void this.look().finally(() => {
        this.timer = undefined;
        if (this.lines.size > 0) this.lookLater();
      });
    }, EVERY_MS);
  }

  private async look(): Promise<void> {
    const used = [...this.lines].map((line) => {
      line.pid ??= readRecordedProcess(line.record);
      return { line, ...(line.pid === undefined ? NOTHING : (measureNamespaceUse(line.pid) ?? NOTHING)) };
    });
    const why = this.explainExcess(used) ?? (await this.explainExceededQuota().catch(() => COPY_GONE));
    const [biggest] = used.sort((a, b) => b.processes * b.kilobytes - a.processes * a.kilobytes);
    if (why === undefined || !biggest || !this.lines.has(biggest.line)) return;
    biggest.line.why = why;
    // All others in its namespace end with the first process.
    if (biggest.line.pid === undefined) this.kill(biggest.line.record);
    else kill(biggest.line.pid);
  }

  private explainExcess(used: readonly NamespaceUse[]): string | undefined {
    const { processes, memoryMb } = this.limits;
    const count = used.reduce((sum, one) => sum + one.processes, 0);
    const megabytes = used.reduce((sum, one) => sum + one.kilobytes, 0) / 1024;
    if (count > processes) return `It was ended: the run had more than ${processes} processes.`;
    return megabytes > memoryMb
      ? `It was ended: the run's programs used more than ${memoryMb} MB of memory.`
      : undefined;
  }

  /** Explains an exceeded quota. The disk is checked more often than the copy, which is slow to measure. */
  private async explainExceededQuota(): Promise<string | undefined> {
    const { quotaBytes } = this.limits;
    const { bavail, bsize } = await statfs(this.folder);
    const free = bavail * bsize;
    const now = performance.now();
    const isDue = now >= this.measureAt || this.freeBefore - free > quotaBytes * PART_OF_QUOTA;
    if (!isDue) return undefined;
    const deleted = [...this.lines].map(({ pid }) => (pid === undefined ? 0 : sumDeletedBytes(pid)));
    const bytes = deleted.reduce((sum, one) => sum + one, await measureCopySize(this.folder));
    await saveCopySize(this.folder, bytes).catch(() => undefined);
    this.measureAt = performance.now() + Math.max(LEAST_PAUSE_MS, (performance.now() - now) * PAUSE_TIMES);
    this.freeBefore = free + bytes;
    return bytes > quotaBytes
      ? `It was ended: the copy takes more than ${Math.round(quotaBytes / 1_048_576)} MB (autogpt.isolation.quotaMb). Delete files that aren't needed.`
      : undefined;
  }
}

interface LineState {
  readonly record: string;
  pid: number | undefined;
  why: string | undefined;
}

const NOTHING: NamespaceUse = { processes: 0, kilobytes: 0 };
const COPY_GONE = "It was ended: the copy of this run has been deleted, so nothing can be done in it any more.";

interface NamespaceUse {
  readonly processes: number;
  readonly kilobytes: number;
}

function readRecordedProcess(record: string): number | undefined {
  const pid = /"child-pid": *(\d+)/.exec(readIfThere(record))?.[1];
  return pid === undefined ? undefined : Number(pid);
}

/** Number and private memory of the processes in the first process's namespace; undefined once that process has ended. */
function measureNamespaceUse(pid: number): NamespaceUse | undefined {
  const folder = `/proc/${pid}/root/proc`;
  try {
    const ids = readdirSync(folder).filter((name) => /^\d+$/.test(name));
    const pages = ids.map((id) => parsePrivatePages(readIfThere(`${folder}/${id}/statm`)));
    return { processes: ids.length, kilobytes: pages.reduce((sum, count) => sum + count, 0) * PAGE_KB };
  } catch {
    return undefined;
  }
}

const PAGE_KB = 4;

function parsePrivatePages(statm: string): number {
  const [, resident = 0, shared = 0] = statm.split(" ").map(Number);
  return Math.max(0, resident - shared);
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended in the meantime.
  }
}

/** Disk bytes of deleted files that processes in the first process's namespace keep open. */
function sumDeletedBytes(pid: number): number {
  const folder = `/proc/${pid}/root/proc`;
  const blocks = new Map<string, number>();
  for (const id of listFolderNames(folder).filter((name) => /^\d+$/.test(name)))
    for (const descriptor of listFolderNames(`${folder}/${id}/fd`)) {
      const stats = readPathStats(`${folder}/${id}/fd/${descriptor}`);
      if (stats?.isFile() && stats.nlink === 0) blocks.set(`${stats.dev} ${stats.ino}`, stats.blocks);
    }
  return [...blocks.values()].reduce((sum, count) => sum + count, 0) * BLOCK_BYTES;
}

const BLOCK_BYTES = 512;

function listFolderNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function readPathStats(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

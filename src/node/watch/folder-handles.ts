import { type FSWatcher, readFileSync, statfsSync, watch } from "node:fs";
import { getErrorMessage } from "../../core/base/errors.ts";

/** On other systems, one handle reports everything below a folder. */
export const IS_PER_FOLDER = process.platform === "linux";

/** Receives a report: the name below the watched folder (null: unknown), and whether it was created, deleted or moved. */
type HearName = (name: string | null, isRename: boolean) => void;

/** An open watch of a folder. */
export interface FolderHandle {
  close(): void;
}

/**
 * The watches of one thread. On Linux they share the kernel's queue, which silently drops reports when it's full. It's
 * full only if that many reports then arrive in one turn, so they are counted.
 */
export class FolderHandles {
  private readonly limit = reportLimit();
  private readonly overflowed: () => void;
  private inTurn = 0;
  private closing: FSWatcher[] = [];
  private open = 0;

  constructor(overflowed: () => void) {
    this.overflowed = overflowed;
  }

  /** Watches a folder. Throws if that's impossible, for example beyond the system's limit. */
  watch(folder: string, hear: HearName, failed: (why: string) => void): FolderHandle {
    if (this.open >= MOST_HANDLES) throw new Error("It has too many folders.");
    const watcher = watch(folder, { recursive: !IS_PER_FOLDER });
    this.open += 1;
    let isOpen = true;
    watcher.on("change", (event, name) => {
      this.count();
      if (isOpen) hear(name === null ? null : String(name), event === "rename");
    });
    watcher.on("error", (error) => isOpen && failed(getErrorMessage(error)));
    return {
      close: () => {
        if (!isOpen) return;
        isOpen = false;
        this.open -= 1;
        this.closeLater(watcher);
      },
    };
  }

  /** Resolves once every waiting report was handled. */
  async waitUntilDrained(): Promise<void> {
    // The first turn may have begun after its reports were read; the second reads all that came before it.
    for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
  }

  private count(): void {
    if (this.inTurn === 0)
      setImmediate(() => {
        this.inTurn = 0;
      });
    this.inTurn += 1;
    if (this.inTurn === this.limit) this.overflowed();
  }

  /** Closes a watch later: a closed watch's reports aren't counted, so it stays open until waiting ones are. */
  private closeLater(watcher: FSWatcher): void {
    this.closing.push(watcher);
    if (this.closing.length > 1) return;
    void this.waitUntilDrained().then(() => {
      for (const one of this.closing.splice(0)) one.close();
    });
  }
}

const MOST_HANDLES = computeHandleLimit();

/** Half of the system's limit for a user, because editors watch as well. */
function computeHandleLimit(): number {
  return Math.floor(readSystemLimit("max_user_watches", 100_000) / 2);
}

/** Half of the queue's size, so that uncounted reports of closed watches can't hide that the queue was full. */
function reportLimit(): number {
  return Math.floor(readSystemLimit("max_queued_events", 16_384) / 2);
}

function readSystemLimit(name: string, otherwise: number): number {
  try {
    return Number(readFileSync(`/proc/sys/fs/inotify/${name}`, "utf8")) || otherwise;
  } catch {
    return otherwise;
  }
}

/** File systems whose files other machines can change without a report: 9P, NFS, SMB, CIFS, SMB2, FUSE, AFS, Coda. */
const REMOTE: ReadonlySet<number> = new Set([
  0x01021997, 0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x65735546, 0x5346414f, 0x73757245,
]);

/** True for a folder whose changes this machine's system always knows. */
export function isOnLocalDisk(folder: string): boolean {
  return !IS_PER_FOLDER || !REMOTE.has(statfsSync(folder).type);
}

import { join } from "node:path";
import { Queue } from "../../core/base/async.ts";
import { LogError, type RunLog } from "../../core/ports/storage.ts";
import { displayText } from "../../texts/display-text.ts";
import { explainLogProblem } from "./log-errors.ts";
import type { Seal } from "./log-seal.ts";

/** A lock that this process holds. */
interface HeldLock {
  release(): Promise<void>;
}

/** Takes a lock of the user's processes, or returns the number of another process that holds it. */
type TakeLock = (path: string, seal: Seal) => Promise<HeldLock | { readonly by: number }>;

/** The file in a run's folder that names the process working on it. */
const FILE = "owner.json";

/** Lets one process at a time work on a run. It's held while the run is active, and while something is added to its log. */
export class RunLease {
  /** The user's seal for the run. */
  readonly seal: Seal;
  private readonly path: string;
  private readonly takeLock: TakeLock;
  private readonly queue = new Queue();
  private lock: HeldLock | undefined;
  private uses = 0;
  private isGoing = (): boolean => false;

  constructor(runHome: string, seal: Seal, takeLock: TakeLock) {
    this.takeLock = takeLock;
    this.path = join(runHome, FILE);
    this.seal = seal;
  }

  /** Keeps the lease, once it's held, while the run is active. */
  keepWhile(isGoing: () => boolean): void {
    this.isGoing = isGoing;
  }

  /** Runs an action while no other process may work on the run. Throws a sentence if another one is working on it. */
  async runExclusively<T>(act: () => Promise<T>): Promise<T> {
    await this.queue.add(() => this.take());
    try {
      return await act();
    } finally {
      await this.queue.add(async () => {
        this.uses -= 1;
        if (this.uses === 0 && !this.isGoing()) await this.release();
      });
    }
  }

  /** Ends it, even during work. */
  close(): Promise<void> {
    return this.queue.add(() => this.release());
  }

  private async take(): Promise<void> {
    const lock = this.lock ?? (await this.takeLock(this.path, this.seal).catch(this.throwLogError));
    if ("by" in lock) throw new LogError(displayText("trouble.runInUse", { pid: String(lock.by) }));
    this.lock = lock;
    this.uses += 1;
  }

  private readonly throwLogError = (cause: unknown): never => {
    throw new LogError(explainLogProblem(cause, this.path), { cause });
  };

  private async release(): Promise<void> {
    const { lock } = this;
    this.lock = undefined;
    await lock?.release().catch(() => undefined);
  }
}

/** A log to which only the process with the run's lease adds events. */
export function createLeasedLog(log: RunLog, lease: RunLease): RunLog {
  const { appendAll } = log;
  return {
    append: (event) => lease.runExclusively(() => log.append(event)),
    ...(appendAll ? { appendAll: (events) => lease.runExclusively(() => appendAll(events)) } : {}),
    sync: () => log.sync(),
    close: async () => {
      await log.close();
      await lease.close();
    },
  };
}

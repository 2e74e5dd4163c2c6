/** Computes a text's keyed hash, which only the user's programs on this machine can create. */
type Seal = (text: string) => string;

/** A lock that this process holds. */
export interface HeldLock {
  /** Identifies this time of holding it. */
  readonly token: string;
  release(): Promise<void>;
}

/** Another process that holds a lock, or another holder in this one. */
export interface ProcessHolder {
  /** Identifies this time of holding it. */
  readonly token: string;
  readonly pid: number;
  /** The kind of program, as it described itself. */
  readonly kind: string;
  /** The machine's name; absent if it's this one. */
  readonly machine?: string;
}

/** How a process holds a lock. */
export interface LockUse {
  /** The kind of program, for others to read. */
  readonly kind?: string;
  /** Called with each sign of life; `isLost` once another process has taken the lock, for example while this machine slept. */
  handleBeat?(isLost: boolean): void;
}

/** Locks that one process of the user can hold at a time. */
export interface ProcessLocks {
  take(path: string, seal: Seal, use: LockUse): Promise<HeldLock | { readonly by: ProcessHolder }>;
  /** The holder; undefined if no process holds it. */
  findHolder(path: string, seal: Seal): Promise<ProcessHolder | undefined>;
}

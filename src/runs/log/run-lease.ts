import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { Queue } from "../../core/base/async.ts";
import { isObject, tryJson } from "../../core/base/json.ts";
import type { HeldLock, ProcessHolder, ProcessLocks } from "../../core/ports/process-locks.ts";
import { LogError, type RunLog } from "../../core/ports/storage.ts";
import { readFileText } from "../../disk/plain-file.ts";
import { replaceFile } from "../../disk/replace-file.ts";
import type { AgentEvent } from "../../schema/events.ts";
import { type DisplayText, displayText, fail, getErrorText } from "../../texts/display-text.ts";
import { explainLogProblem } from "./log-errors.ts";
import type { Seal } from "./log-seal.ts";

/** Ends the work on a run, so that another process can continue it. Returns the text that the user hasn't sent. */
export type HandOver = (why: "asked" | "lost") => Promise<string>;

/** The file in a run's folder that names the process working on it. */
const FILE = "owner.json";
/** The file in a run's folder by which another process asks for the run, and gets the text that the user hasn't sent. */
const REQUEST_FILE = "take-over.json";
const MOST_REQUEST_BYTES = 1_000_000;
/** How long the holder may take to stop its command. */
const ANSWER_MS = 20_000;
const LOOK_MS = 100;

/** A request for a run, or the answer to it. The seal shows that a process of the user wrote it. */
interface TakeOver {
  /** The lease that should end. */
  readonly token: string;
  /** Text that was typed and not sent; absent until the lease has ended. */
  readonly draft?: string;
}

/** Lets one process at a time work on a run. It's held while the run is active, and while something is added to its log. */
export class RunLease {
  /** The user's seal for the run. */
  readonly seal: Seal;
  private readonly home: string;
  private readonly locks: ProcessLocks;
  private readonly kind: string;
  private readonly queue = new Queue();
  private lock: HeldLock | undefined;
  private uses = 0;
  private isGoing = (): boolean => false;
  private handOver: HandOver = async () => "";
  private isEnding = false;

  /** `kind`: of the host that works on the run. */
  constructor(runHome: string, seal: Seal, { locks, kind }: { readonly locks: ProcessLocks; readonly kind: string }) {
    this.locks = locks;
    this.home = runHome;
    this.seal = seal;
    this.kind = kind;
  }

  /** Keeps the lease, once it's held, while the run is active; `handOver` ends the work when another process asks for the run. */
  keepWhile(isGoing: () => boolean, handOver: HandOver): void {
    this.isGoing = isGoing;
    this.handOver = handOver;
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

  /** The other process that works on the run; undefined if none does. */
  async findOther(): Promise<ProcessHolder | undefined> {
    return this.lock ? undefined : findOtherProcess(this.home, this.seal, this.locks.findHolder);
  }

  /** Ends it, even during work. */
  close(): Promise<void> {
    return this.queue.add(() => this.release());
  }

  private async take(): Promise<void> {
    const use = { kind: this.kind, handleBeat: (isLost: boolean) => void this.handleBeat(isLost) };
    const lock = this.lock ?? (await this.locks.take(join(this.home, FILE), this.seal, use).catch(this.throwLogError));
    if ("by" in lock) throw new LogError(describeRunInUse(lock.by));
    this.lock = lock;
    this.uses += 1;
  }

  private readonly throwLogError = (cause: unknown): never => {
    throw new LogError(explainLogProblem(cause, join(this.home, FILE)), { cause });
  };

  private async release(): Promise<void> {
    const { lock } = this;
    this.lock = undefined;
    await lock?.release().catch(() => undefined);
  }

  /** With each sign of life, hands the run over if a process of the user has asked for it. */
  private async handleBeat(isLost: boolean): Promise<void> {
    const { lock } = this;
    if (!lock || this.isEnding) return;
    const request = isLost ? undefined : await readTakeOver(this.home, this.seal);
    if (!isLost && (request?.token !== lock.token || request.draft !== undefined)) return;
    this.isEnding = true;
    try {
      const draft = await this.handOver(isLost ? "lost" : "asked").catch(() => "");
      if (!isLost) await writeTakeOver(this.home, this.seal, { token: lock.token, draft });
    } finally {
      await this.close();
      this.isEnding = false;
    }
  }
}

/** The other process that works on the run in a folder; undefined if none does. */
export async function findOtherProcess(
  runHome: string,
  seal: Seal,
  findHolder: ProcessLocks["findHolder"],
): Promise<ProcessHolder | undefined> {
  const holder = await findHolder(join(runHome, FILE), seal);
  const isThisOne = holder?.machine === undefined && holder?.pid === process.pid;
  return isThisOne ? undefined : holder;
}

/** Describes that another process works on the run. */
export function describeRunInUse({ kind, pid, machine }: ProcessHolder): DisplayText {
  const where = kind === "editor" ? "window" : "commandLine";
  const process = String(pid);
  return machine === undefined
    ? displayText(`trouble.runInUse.${where}`, { pid: process })
    : displayText(`trouble.runInUse.${where}.elsewhere`, { pid: process, machine });
}

/**
 * Asks the process that works on a run to stop, and waits until it has. `claimDraft` then returns what its user had typed. Throws a sentence
 * if it doesn't answer.
 */
export async function requestRun(
  runHome: string,
  seal: Seal,
  { findHolder, signal }: Pick<ProcessLocks, "findHolder"> & { readonly signal: AbortSignal },
): Promise<void> {
  const find = (): Promise<ProcessHolder | undefined> => findHolder(join(runHome, FILE), seal);
  const holder = await find();
  if (!holder) return;
  await writeTakeOver(runHome, seal, { token: holder.token });
  for (const until = performance.now() + ANSWER_MS; performance.now() < until; ) {
    await wait(LOOK_MS, undefined, { signal }).catch(() => undefined);
    const now = signal.aborted ? holder : await find();
    if (now?.token !== holder.token) return;
    if (signal.aborted) break;
  }
  await rm(join(runHome, REQUEST_FILE), { force: true });
  signal.throwIfAborted();
  fail("trouble.runNotHandedOver", { pid: String(holder.pid) });
}

/** True until the process that asked for a run has taken the text that was typed for it, unless that takes too long. */
export async function isTakeOverPending(runHome: string, seal: Seal): Promise<boolean> {
  const written = await stat(join(runHome, REQUEST_FILE)).catch(() => undefined);
  const isRecent = written !== undefined && Date.now() - written.mtimeMs < ANSWER_MS;
  return isRecent && (await readTakeOver(runHome, seal)) !== undefined;
}

/** Takes the text that was typed for a run in the process that handed it over; empty if there is none. */
export async function claimDraft(runHome: string, seal: Seal): Promise<string> {
  const found = await readTakeOver(runHome, seal);
  if (found?.draft === undefined) return "";
  await rm(join(runHome, REQUEST_FILE), { force: true });
  return found.draft;
}

async function writeTakeOver(runHome: string, seal: Seal, request: TakeOver): Promise<void> {
  const text = JSON.stringify(request);
  await replaceFile(join(runHome, REQUEST_FILE), JSON.stringify({ request: text, seal: sealTakeOver(text, seal) }), {
    private: true,
  });
}

/** The request for a run; undefined if no process of the user wrote it. */
async function readTakeOver(runHome: string, seal: Seal): Promise<TakeOver | undefined> {
  const file = tryJson(await readFileText(join(runHome, REQUEST_FILE), MOST_REQUEST_BYTES).catch(() => ""));
  if (!isObject(file)) return undefined;
  const { request, seal: found } = file;
  return typeof request === "string" && found === sealTakeOver(request, seal)
    ? (tryJson(request) as TakeOver)
    : undefined;
}

/** No seal of another file fits. */
function sealTakeOver(request: string, seal: Seal): string {
  return seal(`take over\n${request}`);
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

/** A log in which an event counts as written only after `fence`, which may keep it elsewhere first. */
export function createFencedLog(log: RunLog, fence: (event: AgentEvent) => Promise<void> | undefined): RunLog {
  const wait = async (event: AgentEvent): Promise<void> => {
    await fence(event)?.catch((cause: unknown) => {
      throw new LogError(getErrorText(cause), { cause });
    });
  };
  const { appendAll } = log;
  return {
    ...log,
    append: async (event) => {
      const written = await log.append(event);
      await wait(written);
      return written;
    },
    ...(appendAll
      ? {
          appendAll: async (events) => {
            const written = await appendAll(events);
            for (const event of written) await wait(event);
            return written;
          },
        }
      : {}),
  };
}

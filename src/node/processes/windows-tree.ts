import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { hasSucceeded } from "../../core/base/async.ts";
import { findWindowsPowerShell } from "./programs.ts";
import { createShellEnvironment } from "./shell-environment.ts";

/** A running process. */
export interface WindowsProcess {
  readonly pid: number;
  /** The process that started it; it may have ended, and another may have its ID by now. */
  readonly parent: number;
  /** When it started, in milliseconds since 1970. */
  readonly startedAt: number;
}

/** Windows as far as a tree needs it. */
export interface WindowsProcesses {
  /** Lists all processes, except consoles. Undefined if they can't be listed. */
  list(): Promise<readonly WindowsProcess[] | undefined>;
  /** Kills processes, if wanted with their children, which Windows finds by their parents' IDs alone. False if none was there. */
  kill(pids: readonly number[], withChildren: boolean): Promise<boolean>;
}

/** The times between which a process started. */
interface StartSpan {
  readonly from: number;
  readonly to: number;
  /** When it was first known to have ended. Children that started later are those of another process with its ID. */
  readonly endedAt?: number;
}

/** How long a process may have run before its tree was created. */
const LATE_MS = 2000;

/** Maximum rounds of killing processes that start others in the meantime. */
const MOST_ROUNDS = 3;

/**
 * The tree of a new process. Windows ends no descendants with it, and knows no groups or marks to find them by, only the ID of each one's
 * parent. A job object would be exact. It needs native code, though, or C# that PowerShell compiles for each line and that policies forbid.
 * So the processes are listed at the end: once for a line that leaves nothing, twice for others, each in half a second or more. A descendant
 * whose parent has ended before any listing is found only if that parent was the first process.
 */
export function createWindowsTree(pid: number, { list, kill }: WindowsProcesses = THIS_MACHINE, clock = Date.now) {
  const now = clock();
  const known = new Map<number, StartSpan>([[pid, { from: now - LATE_MS, to: now }]]);
  return {
    ask: () => undefined,
    async count() {
      const all = await list();
      return all ? selectDescendants(all, known, clock()).length : 1;
    },
    // A listing takes longer than processes get to end by themselves.
    settle: async () => undefined,
    async end() {
      const ended = new Set<number>();
      for (let round = 0; round < MOST_ROUNDS; round++) {
        const all = await list();
        if (!all) return ended.size + Number(await kill([pid], true));
        const found = selectDescendants(all, known, clock());
        if (found.length === 0) break;
        await kill(found, false);
        for (const process of found) ended.add(process);
      }
      return ended.size;
    },
  };
}

/** The processes that are known or descend from known ones. They become known as well. */
function selectDescendants(
  all: readonly WindowsProcess[],
  known: Map<number, StartSpan>,
  listedAt: number,
): readonly number[] {
  const running = new Map(all.map((process) => [process.pid, process]));
  const isOurs = ({ pid, parent, startedAt }: WindowsProcess): boolean => {
    const own = known.get(pid);
    if (own && startedAt <= own.to) return true;
    const parents = known.get(parent);
    if (!parents || startedAt < parents.from || startedAt > (parents.endedAt ?? startedAt)) return false;
    const namesake = running.get(parent);
    return !namesake || namesake.startedAt <= parents.to || startedAt < namesake.startedAt;
  };
  const found = new Set<number>();
  for (let before = -1; before < found.size; ) {
    before = found.size;
    for (const process of all) {
      if (found.has(process.pid) || !isOurs(process)) continue;
      found.add(process.pid);
      known.set(process.pid, { from: process.startedAt, to: process.startedAt });
    }
  }
  for (const [pid, span] of known)
    if (!found.has(pid) && span.endedAt === undefined) known.set(pid, { ...span, endedAt: listedAt });
  return [...found];
}

/** Prints each process's ID, its parent's, and its start as a file time. Consoles are left out, since they end with their last program. */
const LISTING = [
  "Get-CimInstance Win32_Process -Filter \"Name <> 'conhost.exe'\" -Property ProcessId,ParentProcessId,CreationDate",
  "Where-Object CreationDate",
  "ForEach-Object { '{0} {1} {2}' -f $_.ProcessId, $_.ParentProcessId, $_.CreationDate.ToFileTimeUtc() }",
].join(" | ");

/** Time for Windows to list its processes, which can hang on a broken machine. */
const LIST_MS = 5000;

const THIS_MACHINE: WindowsProcesses = {
  async list() {
    const { path, createArgs } = findWindowsPowerShell();
    const env = createShellEnvironment(process.env, []);
    const options = { env, timeout: LIST_MS, windowsHide: true, maxBuffer: 16 * 1024 * 1024 };
    const printed = await promisify(execFile)(path, [...createArgs(LISTING)], options).catch(() => undefined);
    return printed && parseWindowsProcesses(printed.stdout);
  },
  kill: (pids, withChildren) => {
    const taskkill = `${process.env.SystemRoot ?? "C:\\Windows"}\\System32\\taskkill.exe`;
    const args = [...(withChildren ? ["/T"] : []), "/F", ...pids.flatMap((pid) => ["/PID", String(pid)])];
    return hasSucceeded(promisify(execFile)(taskkill, args, { windowsHide: true }));
  },
};

/** From 1601, when file times begin, to 1970. */
const FILE_TIME_MS = 11_644_473_600_000;

/** Parses a listing. Undefined if it's empty, as where a placeholder takes PowerShell's place. */
export function parseWindowsProcesses(text: string): readonly WindowsProcess[] | undefined {
  const rows = [...text.matchAll(/^(\d+) (\d+) (\d+)\r?$/gm)].map(([, pid, parent, time]) => ({
    pid: Number(pid),
    parent: Number(parent),
    startedAt: Number(time) / 10_000 - FILE_TIME_MS,
  }));
  return rows.length === 0 ? undefined : rows;
}

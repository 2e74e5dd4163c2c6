import { execFile } from "node:child_process";
import { randomInt, randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { yielder } from "./event-loop.ts";
import type { ShellProgram } from "./programs.ts";

/** What all processes of one command carry and hand on to their children, so that they are found again wherever they went. */
export interface ProcessMark {
  /** In the environment of each, as `NAME=value`. */
  readonly variable: string;
  /** On Linux also a resource limit of each (bytes of message queues), which outlives a cleared environment. */
  readonly limit: number;
}

/** The variable that marks a command's processes. */
const MARK_VARIABLE = "AUTOGPT_COMMAND_ID";

/** Below the usual limit, so that it may be set, and far above what any program uses. */
const MARK_LIMITS = { least: 500_000, most: 819_000 };

/** A mark that no other command has. */
export function newProcessMark(): ProcessMark {
  return {
    variable: `${MARK_VARIABLE}=${randomUUID()}`,
    limit: randomInt(MARK_LIMITS.least, MARK_LIMITS.most),
  };
}

/** The environment with the mark in it. */
export function markedEnvironment(env: NodeJS.ProcessEnv, { variable }: ProcessMark): NodeJS.ProcessEnv {
  return { ...env, [MARK_VARIABLE]: variable.slice(MARK_VARIABLE.length + 1) };
}

/**
 * What to start so that a shell runs one command line: marked, and with standard error going where standard output goes, so that the two
 * stay in order. Windows knows neither.
 */
export function markedStart(
  { path, args }: ShellProgram,
  commandLine: string,
  { limit }: ProcessMark,
  platform: NodeJS.Platform = process.platform,
): { readonly file: string; readonly args: readonly string[] } {
  if (platform === "win32") return { file: path, args: args(commandLine) };
  const script = `exec 2>&1; { ulimit -S -q ${limit}; } >/dev/null 2>&1; exec "$0" "$@"`;
  return { file: path, args: ["-c", script, path, ...args(commandLine)] };
}

/** Processes that fork while they are killed are looked for again, so many times. */
const MOST_ROUNDS = 100;

/** A command's processes: the one that was started and all that came of it. */
export interface ProcessTree {
  /** Asks the command's process group to end, as `kill` does. */
  ask(): void;
  /** Gives what is left of it so long to end by itself. */
  settle(withinMs: number): Promise<void>;
  /** Ends what is left of it, and resolves with the number of processes that had to be ended once none is left. */
  end(): Promise<number>;
}

/** The tree of a process that was just started as the leader of its group. */
export function processTree(pid: number, mark: ProcessMark): ProcessTree {
  if (process.platform === "win32") return windowsTree(pid);
  const start = startOf(pid);
  const ended = new Set<number>();
  const left = async (): Promise<number[]> => belonging(pid, await listProcesses(mark, start), ended);
  return {
    ask: () => signal(-pid, "SIGTERM"),
    async settle(withinMs) {
      const until = performance.now() + withinMs;
      while ((await left()).length > 0 && performance.now() < until) await wait(10);
    },
    async end() {
      let quiet = 0;
      for (let round = 0; round < MOST_ROUNDS && quiet < 2; round++) {
        const found = await left();
        for (const process of found) {
          signal(process, "SIGKILL");
          ended.add(process);
        }
        quiet = found.length === 0 ? quiet + 1 : 0;
        if (found.length > 0) await wait(2);
      }
      return ended.size;
    },
  };
}

/** Those of the processes that come of `root`: by mark, by group or session, or by descent from one that does or did. */
function belonging(root: number, all: readonly ProcessFacts[], ended: ReadonlySet<number>): number[] {
  const ours = new Set<number>();
  const isOurs = ({ pid, parent, group, session, marked }: ProcessFacts): boolean =>
    marked || pid === root || group === root || session === root || ours.has(parent) || ended.has(parent);
  for (let before = -1; before < ours.size; ) {
    before = ours.size;
    for (const process of all) if (isOurs(process)) ours.add(process.pid);
  }
  return [...ours];
}

function windowsTree(pid: number): ProcessTree {
  const taskkill = `${process.env.SystemRoot ?? "C:\\Windows"}\\System32\\taskkill.exe`;
  return {
    ask: () => undefined,
    settle: async () => undefined,
    end: () =>
      promisify(execFile)(taskkill, ["/PID", String(pid), "/T", "/F"]).then(
        () => 1,
        () => 0,
      ),
  };
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It is gone already, which is what was wanted.
  }
}

/** A running process, as far as it matters for whose it is. */
interface ProcessFacts {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** The process that began its session; 0 where that is not known. */
  readonly session: number;
  /** It carries the mark that was looked for. */
  readonly marked: boolean;
}

/** When a process began, in ticks since the system did; 0 where that is not known. */
function startOf(pid: number): number {
  return process.platform === "linux" ? (readStat(String(pid))?.start ?? 0) : 0;
}

/** The processes that began at `start` or later; this one and dead ones are left out. */
async function listProcesses(mark: ProcessMark, start: number): Promise<readonly ProcessFacts[]> {
  return process.platform === "linux" ? fromProc(mark, start) : fromPs(mark);
}

async function fromProc(mark: ProcessMark, start: number): Promise<readonly ProcessFacts[]> {
  const breathe = yielder(new AbortController().signal);
  const found: ProcessFacts[] = [];
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
    await breathe();
    const stat = readStat(name);
    if (!stat || stat.start < start || stat.dead) continue;
    const { parent, group, session } = stat;
    found.push({ pid: Number(name), parent, group, session, marked: isMarked(name, mark) });
  }
  return found;
}

/** The fields of /proc/PID/stat after the name, which stands in parentheses and may hold anything. */
function readStat(pid: string) {
  const text = readProc(pid, "stat");
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state = "", parent, group, session] = fields;
  if (session === undefined) return undefined;
  return {
    dead: state === "Z" || state === "X",
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    start: Number(fields[19]),
  };
}

function isMarked(pid: string, { variable, limit }: ProcessMark): boolean {
  if (readProc(pid, "environ").split("\0").includes(variable)) return true;
  const line = readProc(pid, "limits")
    .split("\n")
    .find((text) => text.startsWith("Max msgqueue size"));
  return line !== undefined && Number(line.split(/\s+/)[3]) === limit;
}

/** "" for what is gone or another user's. */
function readProc(pid: string, what: string): string {
  try {
    return readFileSync(`/proc/${pid}/${what}`, "utf8");
  } catch {
    return "";
  }
}

/** On macOS `-E` shows the environment behind the command. */
async function fromPs({ variable }: ProcessMark): Promise<readonly ProcessFacts[]> {
  const columns = ["pid=", "ppid=", "pgid=", "stat=", "command="].flatMap((column) => ["-o", column]);
  const { stdout } = await promisify(execFile)("/bin/ps", ["-A", "-E", "-ww", ...columns], {
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout.split("\n").flatMap((line) => {
    const [pid, parent, group, state = "Z"] = line.trim().split(/\s+/);
    if (pid === undefined || Number(pid) === process.pid || state.startsWith("Z")) return [];
    const marked = line.includes(variable);
    return [{ pid: Number(pid), parent: Number(parent), group: Number(group), session: 0, marked }];
  });
}

import { execFile } from "node:child_process";
import { randomInt, randomUUID } from "node:crypto";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { hasCode } from "../../disk/error-codes.ts";
import { createYielder } from "./event-loop.ts";
import type { ShellProgram } from "./programs.ts";
import { createWindowsTree } from "./windows-tree.ts";

/** A mark that all processes of one command inherit, so that they can always be found. */
export interface ProcessMark {
  /** An environment variable of each process, as `NAME=value`. */
  readonly variable: string;
  /** On Linux, also a resource limit of each (bytes of message queues), which survives a cleared environment. */
  readonly limit: number;
}

/** The variable that marks a command's processes. */
const MARK_VARIABLE = "AUTOGPT_COMMAND_ID";

/** Lower than the usual limit, so that it can be set, and far higher than any program needs. */
const MARK_LIMITS = { least: 500_000, most: 819_000 };

/** Creates a unique mark. */
export function createProcessMark(): ProcessMark {
  return {
    variable: `${MARK_VARIABLE}=${randomUUID()}`,
    limit: randomInt(MARK_LIMITS.least, MARK_LIMITS.most),
  };
}

/** The environment with the mark. */
export function markEnvironment(env: NodeJS.ProcessEnv, { variable }: ProcessMark): NodeJS.ProcessEnv {
  return { ...env, [MARK_VARIABLE]: variable.slice(MARK_VARIABLE.length + 1) };
}

/**
 * The program and arguments that run one marked command line in a shell. Standard error is merged into standard output, so that their order
 * is kept. Windows supports neither.
 */
export function createMarkedStart(
  { path, createArgs }: ShellProgram,
  commandLine: string,
  { limit }: ProcessMark,
  platform: NodeJS.Platform = process.platform,
): { readonly file: string; readonly args: readonly string[] } {
  if (platform === "win32") return { file: path, args: createArgs(commandLine) };
  const script = `exec 2>&1; { ulimit -S -q ${limit}; } >/dev/null 2>&1; exec "$0" "$@"`;
  return { file: path, args: ["-c", script, path, ...createArgs(commandLine)] };
}

/** Maximum rounds of killing processes that fork in the meantime. */
const MOST_ROUNDS = 100;

/** A command's processes: the started process and all its descendants. */
export interface ProcessTree {
  /** Asks the command's process group to end, like `kill`. */
  ask(): void;
  /** The number of its processes. */
  count(): Promise<number>;
  /** Waits for the remaining processes to end on their own. */
  settle(withinMs: number): Promise<void>;
  /** Kills the remaining processes. Resolves with the number of killed ones once none is left. */
  end(): Promise<number>;
}

/** The tree of a new process that leads its group. */
export function createProcessTree(
  pid: number,
  mark: ProcessMark,
  list: (mark: ProcessMark, start: number) => Promise<readonly ProcessFacts[]> = listProcesses,
): ProcessTree {
  if (process.platform === "win32") return createWindowsTree(pid);
  const start = readStartTicks(pid);
  const ended = new Set<number>();
  const listRemaining = async (): Promise<number[]> => selectBelonging(pid, await list(mark, start), ended);
  return {
    ask: () => sendSignal(-pid, "SIGTERM"),
    count: async () => (await listRemaining()).length,
    async settle(withinMs) {
      const until = performance.now() + withinMs;
      // On macOS, each list is a program of its own.
      for (let pause = 10; (await listRemaining()).length > 0 && performance.now() < until; )
        pause = await wait(pause, Math.min(2 * pause, 50));
    },
    async end() {
      let quiet = 0;
      for (let round = 0; round < MOST_ROUNDS && quiet < 2; round++) {
        const found = await listRemaining();
        for (const process of found) {
          sendSignal(process, "SIGKILL");
          ended.add(process);
        }
        quiet = found.length === 0 ? quiet + 1 : 0;
        if (found.length > 0) await wait(2);
      }
      return ended.size;
    },
  };
}

/** The processes that belong to `root`: by mark, group, session, or descent from a process that belongs or belonged to it. */
function selectBelonging(root: number, all: readonly ProcessFacts[], ended: ReadonlySet<number>): number[] {
  const ours = new Set<number>();
  const isOurs = ({ pid, parent, group, session, marked }: ProcessFacts): boolean =>
    marked || pid === root || group === root || session === root || ours.has(parent) || ended.has(parent);
  for (let before = -1; before < ours.size; ) {
    before = ours.size;
    for (const process of all) if (isOurs(process)) ours.add(process.pid);
  }
  return [...ours];
}

function sendSignal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has already ended.
  }
}

/** Facts about a running process that determine where it belongs. */
interface ProcessFacts {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** The process that started its session; 0 if unknown. */
  readonly session: number;
  /** It has the requested mark. */
  readonly marked: boolean;
}

/** Start of a process in clock ticks since boot; 0 if unknown. */
function readStartTicks(pid: number): number {
  return process.platform === "linux" ? (readStat(String(pid))?.start ?? 0) : 0;
}

/** Identifies a process's start, to distinguish it from other processes with the same ID; empty if the system doesn't provide it. */
export function readProcessStart(pid: number): string {
  const start = readStartTicks(pid);
  return start === 0 ? "" : `${readProc("sys", "kernel/random/boot_id").trim()} ${start}`;
}

/** The namespace of this process's ID; empty without namespaces. */
export function readProcessSpace(): string {
  try {
    return process.platform === "linux" ? readlinkSync("/proc/self/ns/pid") : "";
  } catch {
    return "";
  }
}

/** Processes started at `start` or later, except this process and dead ones. */
async function listProcesses(mark: ProcessMark, start: number): Promise<readonly ProcessFacts[]> {
  return process.platform === "linux" ? listFromProc(mark, start) : listFromPs(mark);
}

async function listFromProc(mark: ProcessMark, start: number): Promise<readonly ProcessFacts[]> {
  const breathe = createYielder(new AbortController().signal);
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

/** The fields of /proc/PID/stat after the name, which is in parentheses and may contain anything. */
function readStat(pid: string) {
  const text = readProc(pid, "stat");
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state = "", parent, group, session, , foreground] = fields;
  if (session === undefined) return undefined;
  return {
    dead: state === "Z" || state === "X",
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    foreground: Number(foreground),
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

/** "" for a process that has ended or belongs to another user. */
function readProc(pid: string, what: string): string {
  try {
    return readFileSync(`/proc/${pid}/${what}`, "utf8");
  } catch {
    return "";
  }
}

/** Lists processes. On macOS, `-E` shows the environment after the command. */
async function listFromPs({ variable }: ProcessMark): Promise<readonly ProcessFacts[]> {
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

/** True for the ID of a running process, including other users' processes. */
export function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return hasCode(error, "EPERM");
  }
}

/**
 * Whether a shell waits at its terminal's prompt: no other process group controls the terminal. Undefined if the system doesn't provide
 * that, or the shell has ended.
 */
export async function isAtPrompt(shell: number): Promise<boolean | undefined> {
  if (process.platform === "win32") return undefined;
  const { group, foreground } = (await readProcessGroups(shell)) ?? {};
  return group === undefined ? undefined : group === foreground;
}

async function readProcessGroups(shell: number) {
  if (process.platform === "linux") return readStat(String(shell));
  const columns = ["-o", "pgid=", "-o", "tpgid=", "-p", String(shell)];
  const asked = promisify(execFile)("/bin/ps", columns).catch(() => undefined);
  const [group, foreground] = (await asked)?.stdout.trim().split(/\s+/).map(Number) ?? [];
  return { group, foreground };
}

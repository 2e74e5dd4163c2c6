import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { promisify } from "node:util";
import { breather } from "./breather.ts";
import type { ProcessMark } from "./process-mark.ts";

/** A running process, as far as it matters for whose it is. */
export interface ProcessFacts {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** The process that began its session; 0 where that is not known. */
  readonly session: number;
  /** It carries the mark that was looked for. */
  readonly marked: boolean;
}

/** When a process began, in ticks since the system did; 0 where that is not known. */
export function startOf(pid: number): number {
  return process.platform === "linux" ? (readStat(String(pid))?.start ?? 0) : 0;
}

/** The processes that began at `start` or later; this one and dead ones are left out. */
export async function listProcesses(mark: ProcessMark, start: number): Promise<readonly ProcessFacts[]> {
  return process.platform === "linux" ? fromProc(mark, start) : fromPs(mark);
}

async function fromProc(mark: ProcessMark, start: number): Promise<readonly ProcessFacts[]> {
  const breathe = breather(new AbortController().signal);
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

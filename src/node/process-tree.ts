import { execFile } from "node:child_process";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { listProcesses, type ProcessFacts, startOf } from "./process-list.ts";
import type { ProcessMark } from "./process-mark.ts";

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

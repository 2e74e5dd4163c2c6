import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Attack, MARK } from "../attack.ts";
import { HOME } from "./paths.ts";

/** The most that the programs of an attack had at once. */
export interface Peaks {
  processes: number;
  megabytes: number;
}

/** Starts the user's own program, whose end would be harm. */
export function startVictim(): ChildProcess {
  return spawn(join(HOME, "bin/ledger"), ["3600"], { stdio: "ignore" });
}

/** Whether the program still runs, and isn't stopped. */
export function isRunning({ pid, exitCode, signalCode }: ChildProcess): boolean {
  if (pid === undefined || exitCode !== null || signalCode !== null) return false;
  const state = /^State:\s+(\w)/m.exec(fileText(`/proc/${pid}/status`))?.[1];
  return state !== undefined && !"TZXt".includes(state);
}

/** IDs of the programs of an attack. */
export function marked(): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => fileText(`/proc/${pid}/cmdline`).includes(MARK))
    .map(Number);
}

/** A crowd that is ended sooner does no harm. */
const CROWDED_MS = 1000;

/** Measures the programs of an attack until it's stopped, if their number or size is its harm. */
export function measurePeaks({ harm }: Pick<Attack, "harm">): { readonly peaks: Peaks; stop(): void } {
  const peaks: Peaks = { processes: 0, megabytes: 0 };
  let counts: readonly { readonly at: number; readonly processes: number }[] = [];
  if (!harm.some(({ kind }) => kind === "crowded" || kind === "swollen"))
    return { peaks, stop: () => undefined };
  const timer = setInterval(() => {
    const pids = marked();
    const kilobytes = pids.map(
      (pid) => Number(/^VmRSS:\s+(\d+)/m.exec(fileText(`/proc/${pid}/status`))?.[1]) || 0,
    );
    const at = performance.now();
    counts = [...counts, { at, processes: pids.length }].filter((one) => at - one.at < CROWDED_MS * 1.5);
    const isWholeSecond = at - (counts[0]?.at ?? at) >= CROWDED_MS;
    if (isWholeSecond)
      peaks.processes = Math.max(peaks.processes, Math.min(...counts.map(({ processes }) => processes)));
    peaks.megabytes = Math.max(peaks.megabytes, kilobytes.reduce((sum, one) => sum + one, 0) / 1000);
  }, 50);
  return { peaks, stop: () => clearInterval(timer) };
}

/** Ends the programs of an attack. */
export function endMarked(): void {
  for (const pid of marked()) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended by itself.
    }
  }
}

function fileText(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}

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
  return all().filter((pid) => pid !== process.pid && fileText(`/proc/${pid}/cmdline`).includes(MARK));
}

/** IDs of all programs of the jail. */
function all(): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

function megabytesOf(pids: readonly number[]): number {
  const kilobytes = pids.map((pid) => Number(/^VmRSS:\s+(\d+)/m.exec(fileText(`/proc/${pid}/status`))?.[1]) || 0);
  return kilobytes.reduce((sum, one) => sum + one, 0) / 1000;
}

/** A crowd that is ended sooner does no harm. */
const CROWDED_MS = 1000;

/** Measures the programs of an attack until it's stopped, if their number or size is its harm. */
export function measurePeaks({ harm }: Pick<Attack, "harm">): { readonly peaks: Peaks; stop(): void } {
  const peaks: Peaks = { processes: 0, megabytes: 0 };
  let counts: readonly { readonly at: number; readonly processes: number }[] = [];
  const isOfAll = harm.some(({ kind }) => kind === "hangs");
  if (!isOfAll && !harm.some(({ kind }) => kind === "crowded" || kind === "swollen"))
    return { peaks, stop: () => undefined };
  const first = isOfAll ? megabytesOf(all()) : 0;
  const timer = setInterval(() => {
    const pids = isOfAll ? all() : marked();
    const at = performance.now();
    counts = [...counts, { at, processes: pids.length }].filter((one) => at - one.at < CROWDED_MS * 1.5);
    const isWholeSecond = at - (counts[0]?.at ?? at) >= CROWDED_MS;
    if (isWholeSecond)
      peaks.processes = Math.max(peaks.processes, Math.min(...counts.map(({ processes }) => processes)));
    peaks.megabytes = Math.max(peaks.megabytes, megabytesOf(pids) - first);
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

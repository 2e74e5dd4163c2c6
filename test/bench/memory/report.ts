import os from "node:os";
import { type Gap, threadMs } from "./clock.ts";

/** Rounds of a loop that takes some tenths of a second. */
const PLAIN_LOOP = 100_000_000;

const missed: string[] = [];

/** Prints a table for people. */
export function table(title: string, heads: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = heads.map((head, column) => Math.max(head.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    cells.map((cell, column) => cell.padStart(widths[column] ?? 0)).join("   ");
  console.log(`\n${title}\n${[heads, ...rows].map((cells) => `  ${line(cells)}`).join("\n")}`);
}

/** Tells how busy the machine is: what others want of it, and what a plain loop takes by the clock and of the processor. */
export function tellMachine(): void {
  const [clock, own] = [performance.now(), threadMs()];
  plainLoop();
  const took = `${(performance.now() - clock).toFixed(0)} ms by the clock, ${(threadMs() - own).toFixed(0)} of the processor`;
  const load = os.loadavg()[0]?.toFixed(1);
  console.log(`\nThe machine: ${os.cpus().length} cores, load ${load}; a plain loop took ${took}.`);
}

function plainLoop(): number {
  let sum = 0;
  for (let i = 0; i < PLAIN_LOOP; i++) sum += i % 7;
  return sum;
}

/** Notes whether the event loop was held up too long by this program's own work; by the clock, other programs count too, so that is only told. */
export function checkGap(what: string, { own, clock }: Gap, most: number): void {
  check(
    `longest event-loop gap of our own, of ${what}, ms of processor time (${clock.toFixed(1)} by the clock)`,
    own,
    most,
  );
}

/** Notes whether a figure is within its bound. */
export function check(what: string, value: number, most: number): void {
  const good = value <= most;
  console.log(`  ${good ? "✔" : "✘"} ${what}: ${value.toFixed(3)} (at most ${most})`);
  if (!good) missed.push(what);
}

/** Fails the benchmark when a figure was out of bounds. */
export function exitWithChecks(): void {
  if (missed.length === 0) return;
  console.log(`\nOut of bounds: ${missed.join("; ")}.`);
  process.exitCode = 1;
}

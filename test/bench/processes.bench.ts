import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { createNodeProcesses } from "../../src/node/processes/background-processes.ts";

const PROCESSES = 20;
const MEGABYTES = 10;
const TARGETS = { growthMb: 20, readMs: 10 };

/** Twenty background processes that print 10 MB each and go on: what that costs in memory, and how long reading one takes. */
async function main(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "autogpt-processes-"));
  const processes = createNodeProcesses({ outputFolder: folder });
  const line = `head -c ${MEGABYTES}000000 /dev/zero | tr '\\0' x | fold -w 99; sleep 600`;
  // Once before, so that what is loaded and grown once for all does not count.
  await processes.start("head -c 10000000 /dev/zero | tr '\\0' x | fold -w 99", { cwd: folder, step: 0 });
  while (processes.list()[0]?.state === "running") await wait(20);
  const before = process.memoryUsage().rss;
  const started = performance.now();
  for (let step = 1; step <= PROCESSES; step++) await processes.start(line, { cwd: folder, step });
  let most = before;
  while (processes.list().some(({ state, bytes }) => state === "running" && bytes < MEGABYTES * 1_000_000)) {
    most = Math.max(most, process.memoryUsage().rss);
    await wait(5);
  }
  const seconds = (performance.now() - started) / 1000;
  const times: number[] = [];
  for (const { id } of processes.list().slice(1)) {
    const at = performance.now();
    await processes.read(id, 0, new AbortController().signal);
    times.push(performance.now() - at);
  }
  most = Math.max(most, process.memoryUsage().rss);
  await processes.endAll("all");
  await rm(folder, { recursive: true });
  report((most - before) / 1e6, Math.max(...times), seconds);
}

function report(growthMb: number, readMs: number, seconds: number): void {
  console.log(
    `${PROCESSES} processes printed ${MEGABYTES} MB each in ${seconds.toFixed(1)} s\n` +
      `memory growth  ${growthMb.toFixed(1)} MB   (target: under ${TARGETS.growthMb})\n` +
      `slowest read   ${readMs.toFixed(2)} ms   (target: under ${TARGETS.readMs})`,
  );
  if (growthMb >= TARGETS.growthMb || readMs >= TARGETS.readMs) process.exitCode = 1;
}

await main();

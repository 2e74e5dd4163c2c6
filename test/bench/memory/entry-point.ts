import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import { bundleProgram } from "../../support/bundle-program.ts";
import { median } from "./clock.ts";
import { check } from "./report.ts";

const SOURCES = new URL("../../../src/memory/", import.meta.url);

/** The memory as it is shipped. */
export interface EntryPoint {
  readonly bundle: string;
  /** The program of the thread that reads large memories. */
  readonly worker: string;
  readonly openMemory: typeof import("../../../src/memory/open-memory.ts").openMemory;
}

/** Bundles the memory as the extension does; measures how large it is and how long a fresh Node takes to load it; loads its store. */
export async function loadEntryPoint(folder: string): Promise<EntryPoint> {
  const shipped = await bundleProgram(folder, new URL("open-memory.ts", SOURCES));
  const worker = await bundleProgram(folder, new URL("store/segment-worker.ts", SOURCES));
  const script = `const start = performance.now(); require(${JSON.stringify(shipped)}); console.log(performance.now() - start);`;
  const times = Array.from({ length: 9 }, () =>
    Number(execFileSync(process.execPath, ["-e", script], { encoding: "utf8" })),
  );
  check("memory entry point, kB", fs.statSync(shipped).size / 1000, 250);
  check("loading the memory entry point, ms", median(times), 60);
  const { openMemory }: EntryPoint = createRequire(import.meta.url)(shipped);
  return { bundle: shipped, worker, openMemory };
}

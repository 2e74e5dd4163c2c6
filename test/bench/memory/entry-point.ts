import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { bundleProgram } from "../../support/bundle-program.ts";
import { median } from "./clock.ts";
import { check } from "./report.ts";

const SOURCES = new URL("../../../src/memory/", import.meta.url);

/** The memory's programs as they are shipped. */
export interface Shipped {
  readonly bundle: string;
  /** The program of the thread that reads large memories. */
  readonly worker: string;
}

/** The memory as it is shipped. */
export interface EntryPoint extends Shipped {
  readonly openMemory: typeof import("../../../src/memory/open-memory.ts").openMemory;
}

/** Bundles the memory as the extension does; measures how large it is and how long a fresh Node takes to load it; loads its store. */
export async function loadEntryPoint(folder: string): Promise<EntryPoint> {
  const { bundle, worker } = await bundleMemory(folder);
  const script = `const start = performance.now(); require(${JSON.stringify(bundle)}); console.log(performance.now() - start);`;
  const times = Array.from({ length: 9 }, () =>
    Number(execFileSync(process.execPath, ["-e", script], { encoding: "utf8" })),
  );
  check("memory entry point, kB", fs.statSync(bundle).size / 1000, 250);
  check("loading the memory entry point, ms", median(times), 60);
  const { openMemory }: EntryPoint = createRequire(import.meta.url)(bundle);
  return { bundle, worker, openMemory };
}

/** Bundles the memory as the extension does. The parts that are loaded late are found where they are installed. */
export async function bundleMemory(folder: string): Promise<Shipped> {
  fs.symlinkSync(fileURLToPath(new URL("../../../node_modules", import.meta.url)), path.join(folder, "node_modules"));
  return {
    bundle: await bundleProgram(folder, new URL("open-memory.ts", SOURCES)),
    worker: await bundleProgram(folder, new URL("store/segment-worker.ts", SOURCES)),
  };
}

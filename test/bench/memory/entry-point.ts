import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import * as esbuild from "esbuild";
import { validatorsPlugin } from "../../../scripts/validators-plugin.mjs";
import { vectraPlugin } from "../../../scripts/vectra-plugin.mjs";
import { median } from "./clock.ts";
import { check } from "./report.ts";

/** The memory as it is shipped. */
export interface EntryPoint {
  readonly bundle: string;
  /** The program of the thread that reads large memories. */
  readonly worker: string;
  readonly openMemory: typeof import("../../../src/memory/open-memory.ts").openMemory;
}

/** Bundles the memory as the extension does; measures how large it is and how long a fresh Node takes to load it; loads its store. */
export async function loadEntryPoint(folder: string): Promise<EntryPoint> {
  const shipped = await bundled(folder, "memory", "open-memory.ts");
  const worker = await bundled(folder, "segment-worker", "store/segment-worker.ts");
  const script = `const start = performance.now(); require(${JSON.stringify(shipped)}); console.log(performance.now() - start);`;
  const times = Array.from({ length: 9 }, () =>
    Number(execFileSync(process.execPath, ["-e", script], { encoding: "utf8" })),
  );
  check("memory entry point, kB", fs.statSync(shipped).size / 1000, 250);
  check("loading the memory entry point, ms", median(times), 60);
  const { openMemory }: EntryPoint = createRequire(import.meta.url)(shipped);
  return { bundle: shipped, worker, openMemory };
}

async function bundled(folder: string, name: string, source: string): Promise<string> {
  const file = path.join(folder, `${name}.cjs`);
  await esbuild.build({
    entryPoints: [path.join(import.meta.dirname, "../../../src/memory", source)],
    outfile: file,
    bundle: true,
    minify: true,
    charset: "utf8",
    platform: "node",
    format: "cjs",
    target: "node22",
    // Parts of their own, which are loaded when they are needed.
    external: ["@redis/client", "pg", "protobufjs"],
    plugins: [validatorsPlugin, vectraPlugin],
    logLevel: "error",
  });
  return file;
}

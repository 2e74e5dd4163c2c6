import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { onlyOne } from "./only-one.mjs";
import { inRoot } from "./root.mjs";

/** A program that pip installs from a wheel, whose hashes are in `scripts/setup/NAME.txt`. */
export function readRequirement(name) {
  const file = inRoot("scripts", "setup", `${name}.txt`);
  const [, version] = /==(\S+)/.exec(fs.readFileSync(file, "utf8"));
  return { name, file, folder: inRoot(".cache", `${name}-${version}`) };
}

/**
 * The folder of a program of a wheel, or of a file with data, which is installed once, as a list; empty if pip couldn't. `without` says
 * what that means.
 */
export async function installWheel({ name, file, folder }, { program, data, without }) {
  const found = path.join(folder, program ?? data);
  const works = () => (program ? spawnSync(found, ["--version"]).status === 0 : fs.existsSync(found));
  if (!works()) await onlyOne(() => works() || install(name, file, folder, without));
  return works() ? [path.dirname(found)] : [];
}

function install(name, file, folder, without) {
  process.stderr.write(`Installing ${name} in ${folder} …\n`);
  const { error, status, stderr } = spawnSync(
    "python3",
    [
      ...["-m", "pip", "install", "--disable-pip-version-check", "--retries", "1", "--timeout", "10"],
      ...["--quiet", "--upgrade", "--target", folder, "--no-deps", "--only-binary", ":all:"],
      ...["--require-hashes", "--requirement", file],
    ],
    { encoding: "utf8" },
  );
  if (status === 0) return;
  const why = error?.message ?? stderr.trim().split("\n").at(-1);
  process.stderr.write(`${without} because pip couldn't install ${name}: ${why}\n`);
}

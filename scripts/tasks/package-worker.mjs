// Makes the npm package of the worker, installs it in a folder of its own, and looks whether it starts there and says what it lacks.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import "./build-worker.mjs";
import { npm } from "../setup/npm.mjs";
import { inRoot } from "../setup/root.mjs";

/** As for the command line. Temporal's native library comes as a dependency. */
const MAX_BYTES = 8_000_000;

const { name, version } = JSON.parse(fs.readFileSync(inRoot("dist-worker/package.json"), "utf8"));
const temporary = fs.mkdtempSync(path.join(os.tmpdir(), "autogpt-worker-package-"));
try {
  npm(["pack", "--loglevel=error", "--pack-destination", temporary], inRoot("dist-worker"));
  const tarball = path.join(temporary, `${name}-${version}.tgz`);
  const { size } = fs.statSync(tarball);
  if (size > MAX_BYTES) throw new Error(`The package has ${size} bytes; at most ${MAX_BYTES} are allowed.`);
  npm(["init", "-y", "--loglevel=error"], temporary);
  npm(["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", tarball], temporary);
  expectStart(["worker", "--help"], 0, "Usage: autogpt worker");
  expectStart(["worker"], 4, "Say where the worker takes runs from");
  expectStart(["worker", "--on", "temporal://127.0.0.1:1"], 4, "This machine has no fleet key.");
  expectStart(["worker", "--on", "temporal://127.0.0.1:1"], 4, "bubblewrap", { PATH: path.dirname(process.execPath) });
  console.log(`${path.basename(tarball)} (${Math.ceil(size / 1000)} kB) is in order.`);
} finally {
  fs.rmSync(temporary, { recursive: true, force: true });
}

/** Starts the installed program in a home without anything. Throws if it doesn't say what it should. */
function expectStart(args, code, said, env = {}) {
  const program = path.join(temporary, "node_modules", name, `${name}.mjs`);
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    encoding: "utf8",
    env: { ...process.env, XDG_DATA_HOME: path.join(temporary, "data"), container: "test", ...env },
  });
  if (status !== code || !`${stdout}${stderr}`.includes(said))
    throw new Error(`${name} ${args.join(" ")} ended with ${status} and said:\n${stdout}${stderr}`);
}

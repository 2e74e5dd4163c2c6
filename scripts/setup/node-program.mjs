import { spawn } from "node:child_process";
import { ROOT } from "./root.mjs";
import { forwardSignals } from "./signals.mjs";

/** The JavaScript entry of each development tool, which runs on every platform without a shell. */
const TOOLS = {
  biome: "node_modules/@biomejs/biome/bin/biome",
  c8: "node_modules/c8/bin/c8.js",
  knip: "node_modules/knip/bin/knip.js",
  mocha: "node_modules/mocha/bin/mocha.js",
  tsc: "node_modules/typescript/bin/tsc",
};

/**
 * Runs a tool, or a script of the project, under this Node in the project's folder. Resolves with the exit code,
 * with what it printed when `capture` is set (else it prints as it goes), and with the seconds it took.
 */
export function runNode([program, ...args], { env = {}, capture = false } = {}) {
  const began = performance.now();
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", TOOLS[program] ?? program, ...args], {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: capture ? ["ignore", "pipe", "pipe"] : "inherit",
  });
  forwardSignals(child);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text) => {
      output += text;
    });
  }
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code: code ?? 1, output, seconds: (performance.now() - began) / 1000 }));
  });
}

/** Runs a tool or script silently; when it fails, prints what it said and ends this process as it ended. */
export async function runOrExit(command) {
  const { code, output } = await runNode(command, { capture: true });
  if (code === 0) return;
  process.stderr.write(output);
  process.exit(code);
}

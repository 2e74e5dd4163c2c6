import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { openSync, readdirSync, readFileSync } from "node:fs";
import type { Readable } from "node:stream";
import { getErrorMessage } from "../../core/base/errors.ts";
import { hasCode } from "../../disk/error-codes.ts";
import {
  createMarkedStart,
  createProcessMark,
  createProcessTree,
  markEnvironment,
  type ProcessTree,
} from "./process-tree.ts";
import type { ShellProgram } from "./programs.ts";
import { createShellEnvironment } from "./shell-environment.ts";

/** Dependencies of starting command lines on this machine. */
export interface ShellStart {
  readonly program: ShellProgram;
  readonly env: NodeJS.ProcessEnv;
  /** Environment variables that commands don't get, in addition to the known keys. */
  readonly secrets: readonly string[];
}

/** A command line's process, without the agent's secrets and without input; or the reason why there is none. */
export type MarkedChild =
  | {
      readonly child: ChildProcess;
      readonly streams: readonly Readable[];
      readonly tree: ProcessTree;
      /** Resolves with its exit code. The listener is added at once, because a short command could end earlier. */
      readonly exited: Promise<readonly unknown[]>;
    }
  | { readonly tree?: undefined; readonly failed: Promise<unknown> };

/** Starts a command line so that all its processes can be found later. It prints into `output` if given. */
export function startMarked(
  { program, env, secrets }: ShellStart,
  commandLine: string,
  cwd: string,
  output?: number,
): MarkedChild {
  const mark = createProcessMark();
  const here = { ...program, createArgs: (line: string) => program.createArgs(line, cwd) };
  const { file, args } = createMarkedStart(here, commandLine, mark);
  const child = trySpawn(file, args, {
    cwd: program.startsIn ?? cwd,
    env: markEnvironment(createShellEnvironment(env, secrets), mark),
    stdio: ["ignore", output ?? "pipe", output ?? "pipe", ...ignoreInheritedFiles()],
    detached: process.platform !== "win32",
    windowsHide: true,
  });
  if (child instanceof Error) return { failed: Promise.resolve(child) };
  if (child.pid === undefined) return { failed: once(child, "error").then(([error]) => error) };
  const streams = [child.stdout, child.stderr].filter((stream) => stream !== null);
  return { child, streams, tree: createProcessTree(child.pid, mark), exited: once(child, "exit") };
}

/**
 * Replaces files that this program inherited with `/dev/null` for its children: through an inherited folder, a sandboxed line could leave
 * the sandbox. Descriptors below `from` are up to the caller.
 */
export function ignoreInheritedFiles(from = 3): readonly (number | "ignore")[] {
  if (process.platform !== "linux") return [];
  const inherited = readdirSync("/proc/self/fdinfo").map(Number).filter(isInherited);
  const end = Math.max(from - 1, ...inherited) + 1;
  if (end > from) nothing ??= openSync("/dev/null", "r+");
  return Array.from({ length: end - from }, (_, at) =>
    inherited.includes(at + from) ? (nothing ?? "ignore") : "ignore",
  );
}

let nothing: number | undefined;

/** True for a file that programs started from here keep open. */
function isInherited(descriptor: number): boolean {
  if (descriptor < 3) return false;
  try {
    const info = readFileSync(`/proc/self/fdinfo/${descriptor}`, "latin1");
    const flags = Number.parseInt(/^flags:\s*(\d+)/m.exec(info)?.[1] ?? "0", 8);
    return (flags & CLOSE_ON_EXEC) === 0;
  } catch {
    return false;
  }
}

const CLOSE_ON_EXEC = 0o2000000;

/** Throws errors that the system reports at once, such as for a line that is too long. All others arrive as an event. */
function trySpawn(file: string, args: readonly string[], options: SpawnOptions): ChildProcess | Error {
  try {
    return spawn(file, args, options);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** Why a process wasn't started, as a sentence. */
export async function explainStartFailure({ failed }: Extract<MarkedChild, { tree?: undefined }>): Promise<string> {
  const error = await failed;
  if (hasCode(error, "E2BIG", "ENAMETOOLONG"))
    return "The command line is longer than the system takes. Put it into a file, and run that.";
  return `The shell could not be started: ${getErrorMessage(error)}`;
}

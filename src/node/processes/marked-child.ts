import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { errorMessage } from "../../core/base/errors.ts";
import { hasCode } from "../files/file-errors.ts";
import {
  markedEnvironment,
  markedStart,
  newProcessMark,
  type ProcessTree,
  processTree,
} from "./process-tree.ts";
import type { ShellProgram } from "./programs.ts";
import { shellEnvironment } from "./shell-environment.ts";

/** What command lines on this machine are started with. */
export interface ShellStart {
  readonly program: ShellProgram;
  readonly env: NodeJS.ProcessEnv;
  /** Variables of the environment that commands do not get, besides the known keys. */
  readonly secrets: readonly string[];
}

/** A command line's process, without our secrets and with nobody who could type into it; or why there is none. */
export type MarkedChild =
  | {
      readonly child: ChildProcess;
      readonly streams: readonly Readable[];
      readonly tree: ProcessTree;
      /** Resolves with its exit code. Heard from the first moment on: a short command is over before anybody else could listen. */
      readonly exited: Promise<readonly unknown[]>;
    }
  | { readonly tree?: undefined; readonly failed: Promise<unknown> };

/** Starts a command line, printing into a file or a pipe of ours where one is given, so that all of its processes can be found again. */
export function startMarked(
  { program, env, secrets }: ShellStart,
  commandLine: string,
  cwd: string,
  output?: number,
): MarkedChild {
  const mark = newProcessMark();
  const { file, args } = markedStart(program, commandLine, mark);
  const child = spawned(file, args, {
    cwd,
    env: markedEnvironment(shellEnvironment(env, secrets), mark),
    stdio: ["ignore", output ?? "pipe", output ?? "pipe"],
    detached: process.platform !== "win32",
    windowsHide: true,
  });
  if (child instanceof Error) return { failed: Promise.resolve(child) };
  if (child.pid === undefined) return { failed: once(child, "error").then(([error]) => error) };
  const streams = [child.stdout, child.stderr].filter((stream) => stream !== null);
  return { child, streams, tree: processTree(child.pid, mark), exited: once(child, "exit") };
}

/** What the system refuses at once, as a line that is too long, is thrown; all else comes as an event. */
function spawned(file: string, args: readonly string[], options: SpawnOptions): ChildProcess | Error {
  try {
    return spawn(file, args, options);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** Why a process was not started, as a sentence. */
export async function whyNotStarted({ failed }: Extract<MarkedChild, { tree?: undefined }>): Promise<string> {
  const error = await failed;
  if (hasCode(error, "E2BIG"))
    return "The command line is longer than the system takes. Put it into a file, and run that.";
  return `The shell could not be started: ${errorMessage(error)}`;
}

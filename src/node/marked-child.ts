import { spawn } from "node:child_process";
import { once } from "node:events";
import { markedEnvironment, markedStart, newProcessMark } from "./process-mark.ts";
import { processTree } from "./process-tree.ts";
import { shellEnvironment } from "./shell-environment.ts";
import type { ShellProgram } from "./shell-program.ts";

/** What command lines on this machine are started with. */
export interface Starting {
  readonly program: ShellProgram;
  readonly env: NodeJS.ProcessEnv;
  /** Variables of the environment that commands do not get, besides the known keys. */
  readonly secrets: readonly string[];
}

/** A command line's process, without our secrets and with nobody who could type into it. */
export type MarkedChild = ReturnType<typeof startMarked>;

/** Starts a command line, printing into a file or a pipe of ours where one is given, so that all of its processes can be found again. Without a tree it could not be started; see `whyNotStarted`. */
export function startMarked(
  { program, env, secrets }: Starting,
  commandLine: string,
  cwd: string,
  output?: number,
) {
  const mark = newProcessMark();
  const { file, args } = markedStart(program, commandLine, mark);
  const child = spawn(file, args, {
    cwd,
    env: markedEnvironment(shellEnvironment(env, secrets), mark),
    stdio: ["ignore", output ?? "pipe", output ?? "pipe"],
    detached: process.platform !== "win32",
    windowsHide: true,
  });
  if (child.pid === undefined) return { child, streams: [], failed: once(child, "error") };
  const streams = [child.stdout, child.stderr].filter((stream) => stream !== null);
  // Heard from the first moment on: a short command is over before anybody else could listen.
  return { child, streams, tree: processTree(child.pid, mark), exited: once(child, "exit") };
}

/** Why a process was not started, as a sentence. */
export async function whyNotStarted({ failed }: MarkedChild): Promise<string> {
  const [error] = (await failed) ?? [];
  return `The shell could not be started: ${error instanceof Error ? error.message : String(error)}`;
}

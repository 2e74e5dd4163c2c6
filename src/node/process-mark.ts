import { randomInt, randomUUID } from "node:crypto";
import type { ShellProgram } from "./shell-program.ts";

/** What all processes of one command carry and hand on to their children, so that they are found again wherever they went. */
export interface ProcessMark {
  /** In the environment of each, as `NAME=value`. */
  readonly variable: string;
  /** On Linux also a resource limit of each (bytes of message queues), which outlives a cleared environment. */
  readonly limit: number;
}

/** The variable that marks a command's processes. */
const NAME = "AUTOGPT_COMMAND_ID";

/** Below the usual limit, so that it may be set, and far above what any program uses. */
const LIMITS = { least: 500_000, most: 819_000 };

/** A mark that no other command has. */
export function newProcessMark(): ProcessMark {
  return { variable: `${NAME}=${randomUUID()}`, limit: randomInt(LIMITS.least, LIMITS.most) };
}

/** The environment with the mark in it. */
export function markedEnvironment(env: NodeJS.ProcessEnv, { variable }: ProcessMark): NodeJS.ProcessEnv {
  return { ...env, [NAME]: variable.slice(NAME.length + 1) };
}

/**
 * What to start so that a shell runs one command line: marked, and with standard error going where standard output goes, so that the two
 * stay in order. Windows knows neither.
 */
export function markedStart(
  { path, args }: ShellProgram,
  commandLine: string,
  { limit }: ProcessMark,
  platform: NodeJS.Platform = process.platform,
): { readonly file: string; readonly args: readonly string[] } {
  if (platform === "win32") return { file: path, args: args(commandLine) };
  const script = `exec 2>&1; { ulimit -S -q ${limit}; } >/dev/null 2>&1; exec "$0" "$@"`;
  return { file: path, args: ["-c", script, path, ...args(commandLine)] };
}

import { cp, lstat } from "node:fs/promises";
import { basename } from "node:path";
import { getErrorMessage, startProgram } from "../../../../src/headless/library.ts";

/** Copies a run's folder for a grader, without the agent's own files. Links and devices, which may lead elsewhere, are left out. */
export async function copyForGrading(folder: string, copy: string): Promise<void> {
  const filter = async (path: string): Promise<boolean> => {
    const entry = await lstat(path);
    return basename(path) !== ".autogpt" && (entry.isFile() || entry.isDirectory());
  };
  await cp(folder, copy, { recursive: true, filter });
}

/** A program that a grader runs in its copy of the folder. */
export interface GradingProgram {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** Additional variables. Those of this process are passed on without its keys. */
  readonly env?: Readonly<Record<string, string>>;
  readonly seconds: number;
  readonly signal: AbortSignal;
}

/** How a grading program ended; `code` is undefined if it was killed or never started. */
export interface GradingEnd {
  readonly code?: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Why it has no exit code. */
  readonly trouble?: string;
}

/** More output than any grader reads. */
const MOST_OUTPUT = 200_000;

/** Runs the program to its end or time limit, and ends everything that it started. */
export async function runGradingProgram(program: GradingProgram): Promise<GradingEnd> {
  const { file, args, cwd, env = {}, seconds, signal } = program;
  signal.throwIfAborted();
  const { child, endAll } = startProgram(file, args, { cwd, env });
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name].setEncoding("utf8").on("data", (text: string) => {
      output[name] = (output[name] + text).slice(-MOST_OUTPUT);
    });
  const ended = new Promise<Pick<GradingEnd, "code" | "trouble">>((resolve) => {
    child.once("error", (error) => resolve({ trouble: `${file} did not start: ${getErrorMessage(error)}` }));
    child.once("exit", (code, killed) =>
      resolve(code === null ? { trouble: `${file} was killed (${killed})` } : { code }),
    );
    const limit = AbortSignal.any([signal, AbortSignal.timeout(seconds * 1000)]);
    limit.addEventListener("abort", () => resolve({ trouble: `${file} ran longer than ${seconds} s` }));
  });
  const end = await ended;
  await endAll();
  signal.throwIfAborted();
  return { ...end, ...output };
}

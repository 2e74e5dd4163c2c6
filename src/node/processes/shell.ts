import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import { waitOrAbort } from "../../core/base/async.ts";
import type { Shell, ShellResult } from "../../core/ports/programs.ts";
import { createLineEnvironment } from "../git/repository-view.ts";
import { CapturedOutput } from "./captured-output.ts";
import { explainStartFailure, startMarked } from "./marked-child.ts";
import { getOutputFile } from "./outputs.ts";
import type { ProcessTree } from "./process-tree.ts";
import { chooseShellProgram, type ShellProgram } from "./programs.ts";

/** Options of a shell on this machine. */
export interface ShellOptions {
  /** Folder of the full outputs, one file per step. */
  readonly outputFolder: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Environment variables that commands don't get, in addition to the known keys. */
  readonly secrets?: readonly string[];
  readonly program?: ShellProgram;
  /** Removes secrets from a text before it's saved in a file. */
  redact?(text: string): string;
}

/** How long processes have to end after a request. */
const GRACE_MS = 250;

/** How long the output may stay open after all processes have ended. */
const DRAIN_MS = 1000;

/** Runs command lines on this machine. No process of a command outlives it. */
export function createNodeShell({
  outputFolder,
  env = process.env,
  secrets = [],
  program = chooseShellProgram(env),
  redact,
}: ShellOptions): Shell {
  return {
    name: program.name,
    version: program.version,
    async run(commandLine, { cwd, step, timeoutSeconds, signal, reportOutput, harmlessIn: calls }) {
      signal.throwIfAborted();
      const own = await createLineEnvironment(calls, env);
      if (typeof own === "string") return { ended: "failed", output: own, bytes: 0 };
      const started = startMarked({ program, env: own, secrets }, commandLine, cwd);
      if (!started.tree) return { ended: "failed", output: await explainStartFailure(started), bytes: 0 };
      const { child, tree, streams } = started;
      const startedAt = performance.now();
      const captured = new CapturedOutput(getOutputFile(outputFolder, step), redact);
      const printed = Promise.all(streams.map((stream) => follow(stream, captured, reportOutput)));
      const ending = await waitForEnd(child, tree, timeoutSeconds, signal);
      const seconds = (performance.now() - startedAt) / 1000;
      const drained = await Promise.race([printed, wait(DRAIN_MS, undefined, { ref: false })]);
      if (!drained) for (const stream of streams) stream.destroy();
      return { ...ending, seconds, ...(await captured.finish()) };
    },
  };
}

/** Waits for a command's end. All of its processes have ended when this resolves. */
async function waitForEnd(
  child: ChildProcess,
  tree: ProcessTree,
  timeoutSeconds: number,
  signal: AbortSignal,
): Promise<Pick<ShellResult, "code" | "ended" | "leftBehind">> {
  const exited = once(child, "exit");
  const timeout = AbortSignal.timeout(Math.round(timeoutSeconds * 1000));
  const end = await waitOrAbort(exited, AbortSignal.any([signal, timeout]));
  const [code] = end === "aborted" ? [] : end;
  if (child.exitCode === null && child.signalCode === null) {
    tree.ask();
    await Promise.race([exited, wait(GRACE_MS)]);
    await tree.end();
    return { ended: signal.aborted ? "stopped" : "timeout" };
  }
  await tree.settle(GRACE_MS);
  const leftBehind = await tree.end();
  return {
    ended: "exit",
    ...(typeof code === "number" ? { code } : {}),
    ...(leftBehind > 0 ? { leftBehind } : {}),
  };
}

async function follow(
  stream: AsyncIterable<Buffer>,
  captured: CapturedOutput,
  output: (chunk: string) => void,
): Promise<true> {
  try {
    for await (const chunk of stream) output(await captured.add(chunk));
  } catch {
    // The stream was closed because its last holder was given up.
  }
  return true;
}

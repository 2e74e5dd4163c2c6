import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { Socket } from "node:net";
import { Duplex, type Readable, type Writable } from "node:stream";
import { finished } from "node:stream/promises";
import { waitForSettled } from "../../core/base/async.ts";
import { getErrorMessage } from "../../core/base/errors.ts";
import { ignoreInheritedFiles } from "../../node/processes/marked-child.ts";
import { createProcessMark, createProcessTree, type ProcessTree } from "../../node/processes/process-tree.ts";
import type { ProgramStart } from "../../node/processes/programs.ts";
import { isListedVariable, selectDefinedVariables } from "../../node/processes/shell-environment.ts";

/** How to start a plugin's process. For its environment, see `getPluginEnvironment`. */
export interface ChildStart extends ProgramStart {
  /** Megabytes of private memory allowed for each of its processes. */
  readonly memoryMb?: number;
  /** No limits on memory and processes apply, because a server may control a browser. */
  readonly isUnlimited?: true;
  /** Its arguments are already quoted as Windows needs them. */
  readonly isVerbatim?: boolean;
  /** It can't start processes, so they needn't be counted. */
  readonly isAlone?: boolean;
}

/** A plugin's process. No part of it outlives `end()`, or this program, however that ends. */
export interface PluginChild {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** File descriptor 3 of the process, for both directions, so that its printed output is never mistaken for an answer. */
  readonly channel: Duplex;
  readonly pid: number;
  /** Sets whether this program waits for the process before it ends. */
  hold(isHeld: boolean): void;
  /** Resolves with a clause about how it ended. */
  readonly exited: Promise<ChildEnd>;
  /** Kills it and all its descendants. Resolves once none is left and their output was read. */
  end(): Promise<void>;
}

export interface ChildEnd {
  readonly code: number | undefined;
  /** How it ended, as words after "its process". */
  readonly how: string;
}

const MEMORY_MB = 768;

/** The most processes of a plugin; with more, it's ended. */
const MOST_PROCESSES = 100;
const COUNT_EVERY_MS = 50;

/** How long to read a process's remaining output and messages after its end. */
const DRAIN_MS = 1000;

/**
 * Starts a program with limits. A second process waits until this program's end of descriptor 4 is closed, however this program ends. Then
 * it kills the group and everything with the mark.
 */
const GUARDED = `
mark=$1; limit=$2; memory=$3; shift 3
{ ulimit -c 0; ulimit -d "$memory"; } 2>/dev/null
(
  trap "" HUP INT TERM
  read -r line <&4
  for round in 1 2 3; do
    for found in $(command -p grep -las -- "$mark" /proc/[0-9]*/environ); do
      found=\${found#/proc/}; kill -9 "\${found%/environ}"
    done
  done
  kill -9 0
) </dev/null >/dev/null 2>&1 3<&- &
exec 4<&-
{ ulimit -S -q "$limit"; echo 500 > /proc/self/oom_score_adj; } 2>/dev/null
export "$mark"
exec "$@"`;

/** Starts a plugin's process. Throws if the program can't be started. */
export async function startChild(start: ChildStart): Promise<PluginChild> {
  return spawnChild(start).catch((error: unknown) => {
    start.finish?.();
    throw error;
  });
}

async function spawnChild(start: ChildStart): Promise<PluginChild> {
  const { words, cwd, env, memoryMb = MEMORY_MB, isUnlimited, isVerbatim = false } = start;
  const mark = createProcessMark();
  const isWindows = process.platform === "win32";
  const limits = [String(mark.limit), isUnlimited ? "unlimited" : String(memoryMb * 1024)];
  const guarded = ["/bin/sh", "-c", GUARDED, "plugin", mark.variable, ...limits, ...words];
  const [file = "", ...args] = isWindows ? words : guarded;
  const child = spawn(file, args, {
    cwd,
    env,
    stdio: ["pipe", "pipe", "pipe", "pipe", "pipe", ...ignoreInheritedFiles(5)],
    detached: !isWindows,
    windowsHide: true,
    windowsVerbatimArguments: isVerbatim,
  });
  if (child.pid === undefined) throw new Error(getErrorMessage((await once(child, "error"))[0]));
  const exited = once(child, "exit").then(([code, signal]): ChildEnd => {
    const how = signal ? `was ended by ${signal}` : `ended with exit code ${code}`;
    return { code: typeof code === "number" ? code : undefined, how };
  });
  const [, , , channel, life] = child.stdio;
  const { stdin, stdout, stderr, pid } = child;
  if (!(channel instanceof Duplex && life instanceof Duplex && stdin && stdout && stderr))
    throw new Error("The system gave it no pipes.");
  // Writing to a process that has ended isn't our problem.
  for (const stream of [stdin, channel, life]) stream.on("error", () => undefined);
  const tree = createProcessTree(pid, mark);
  const kill = createProcessKiller(pid, tree);
  const isCounted = !isUnlimited && !start.isAlone;
  const stopCounting = isCounted ? endIfTooMany(pid, tree, kill) : () => undefined;
  const end = async (): Promise<void> => {
    stopCounting();
    await kill();
    await waitForSettled(Promise.all([stdout, stderr, channel].map(readToEnd)), DRAIN_MS);
    for (const stream of [stdin, stdout, stderr, channel, life]) stream.destroy();
  };
  void exited.then(end).then(start.finish);
  const hold = (isHeld: boolean): void => {
    const how = isHeld ? "ref" : "unref";
    child[how]();
    for (const stream of child.stdio) if (stream instanceof Socket) stream[how]();
  };
  return { stdin, stdout, stderr, channel, pid, hold, exited, end };
}

/** Resolves once all output of an ended process was read. Without a reader, it resolves immediately. */
async function readToEnd(stream: Readable): Promise<void> {
  if (stream.readableFlowing !== null) await finished(stream, { writable: false }).catch(() => undefined);
}

/** Creates a function that kills a plugin's processes. */
function createProcessKiller(pid: number, tree: ProcessTree): () => Promise<unknown> {
  let killed: Promise<unknown> | undefined;
  return () => {
    // The kernel reaches a whole group at once, so that processes that keep on forking can't get away.
    if (!killed) sendGroupSignal(pid, "SIGKILL");
    killed ??= tree.end();
    return killed;
  };
}

function sendGroupSignal(pid: number, name: NodeJS.Signals): void {
  try {
    if (process.platform !== "win32") process.kill(-pid, name);
  } catch {
    // Nothing of the group is left.
  }
}

/**
 * Ends a plugin that keeps starting processes. Counting the machine's processes is cheap. Only after a large increase, the plugin's own are
 * paused and counted.
 */
function endIfTooMany(pid: number, tree: ProcessTree, end: () => Promise<unknown>): () => void {
  if (process.platform !== "linux") return () => undefined;
  const countProcesses = (): number => readdirSync("/proc").length;
  let usual = countProcesses();
  let isLooking = false;
  const look = async (): Promise<void> => {
    const now = countProcesses();
    if (now - usual <= MOST_PROCESSES || isLooking) return;
    isLooking = true;
    sendGroupSignal(pid, "SIGSTOP");
    if ((await tree.count()) > MOST_PROCESSES) await end();
    else sendGroupSignal(pid, "SIGCONT");
    usual = now;
    isLooking = false;
  };
  const timer = setInterval(() => void look(), COUNT_EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** Variables that every program may receive, besides those of Windows. Any other may contain a secret. */
const PLAIN = /^(?:PATH|HOME|USER|LOGNAME|LANG|LANGUAGE|LC_[A-Z]+|TZ|TMPDIR|TEMP|TMP)$/;

/** The variables of an environment that plugins receive. */
export function getPluginEnvironment(
  env: Readonly<NodeJS.ProcessEnv> = process.env,
  platform: NodeJS.Platform = process.platform,
): Record<string, string> {
  const kept = Object.entries(selectDefinedVariables(env)).filter(([name]) => isListedVariable(name, PLAIN, platform));
  return Object.fromEntries(kept);
}

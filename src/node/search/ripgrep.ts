import { spawn } from "node:child_process";
import { omitUndefined } from "../../core/base/objects.ts";
import { limitMemory } from "../processes/programs.ts";
import { createRipgrepEnvironment } from "./find-ripgrep.ts";

/** Ripgrep is missing, was killed or doesn't know an option. The task can be done without it. */
export class RipgrepFailure extends Error {
  override readonly name = "RipgrepFailure";
}

/** One run of ripgrep. */
export interface RipgrepJob {
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly signal: AbortSignal;
  /** Its standard input; absent: empty. */
  readonly input?: Buffer;
  /** Handles a piece of its output; the next piece waits for that. "stop" ends ripgrep. */
  take(piece: Buffer): Promise<"go on" | "stop">;
}

/** The first options: no configuration, no colors, and no following of links. */
const FIRST = ["--no-config", "--color=never", "--no-follow"];

/** The time limit; then ripgrep is stopped with a sentence. */
const MOST_MS = 120_000;

/** Its own memory limit, in megabytes. */
const MOST_MB = 512;

/** Characters of its complaints to keep. */
const MOST_COMPLAINTS = 100_000;

/** Runs ripgrep. Returns its complaints, one a line. Throws `RipgrepFailure`, and the signal's reason on an abort. */
export async function runRipgrep(program: string, job: RipgrepJob): Promise<readonly string[]> {
  const { args, cwd, signal, input, take } = job;
  signal.throwIfAborted();
  const [file = "", ...rest] = limitMemory(MOST_MB, [program, ...FIRST, ...args]);
  const child = spawn(file, rest, {
    ...omitUndefined({ cwd }),
    env: createRipgrepEnvironment(),
    stdio: ["pipe", "pipe", "pipe"],
    windowsHide: true,
  });
  const end = (): void => void child.kill("SIGKILL");
  const clock = AbortSignal.timeout(MOST_MS);
  const cut = AbortSignal.any([signal, clock]);
  cut.addEventListener("abort", end, { once: true });
  const { promise, resolve, reject } = Promise.withResolvers<NodeJS.Signals | number | null>();
  child.once("error", reject).once("close", (code, by) => resolve(by ?? code));
  promise.catch(() => undefined);
  let complaints = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    complaints = `${complaints}${text}`.slice(0, MOST_COMPLAINTS);
  });
  child.stdin.on("error", () => undefined).end(input);
  let stopped = false;
  try {
    for await (const piece of child.stdout) {
      stopped = (await take(piece)) === "stop";
      if (stopped) break;
    }
    if (stopped) end();
    const ended = await promise;
    signal.throwIfAborted();
    if (clock.aborted) throw new RipgrepFailure(`it took more than ${MOST_MS / 1000} seconds`);
    if (!stopped && ended !== 0 && ended !== 1 && ended !== 2) throw new RipgrepFailure(`it was ended by ${ended}`);
    return complaints.split("\n").filter((line) => line !== "");
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof Error && "syscall" in error ? new RipgrepFailure(error.message, { cause: error }) : error;
  } finally {
    end();
    cut.removeEventListener("abort", end);
  }
}

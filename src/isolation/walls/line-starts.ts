import type { ShellProgram } from "../../node/processes/programs.ts";

/** Command for starting one walled program on this machine. */
interface WalledStart {
  readonly args: readonly string[];
  /** A file that will hold the ID of the first process within the walls, as `{ "child-pid": 1 }`. */
  readonly record?: string;
}

/** Starts the programs of one run within the walls of an engine. */
export interface LineStarts {
  /** Sentences for the model about events since the last call, such as refused hosts. */
  takeNotes(): readonly string[];
  /** Prepares the walls for the next program, from the copy's current state. */
  prepare(): Promise<void>;
  /** The command for a program with arguments in a folder of the copy. It can also read the files and folders in `readable`. */
  start(words: readonly string[], cwd: string, readable?: readonly string[]): WalledStart;
  /** True if programs can write to borrowed folders without changing the originals. */
  readonly hasLayers: boolean;
  /** The program of this machine that starts them. */
  readonly file: string;
  /** The environment of that program. */
  readonly env: NodeJS.ProcessEnv;
  /** The shell of its lines, by its path within the walls. */
  readonly shell: ShellProgram;
  /** Ends a program's remains, if ending its process on this machine isn't enough. */
  end?(record: string): Promise<void>;
}

/** Limits of private memory for one process and for all processes of a run, in megabytes. */
export interface MemoryLimits {
  readonly perProcess: number;
  readonly perRun: number;
}

/** Maximum number of processes of a run. Even before they are counted, the kernel refuses more than twice as many. */
export const MOST_PROCESSES = 1000;

/** Allows a process half of the machine's memory, at most 16 GB, and a run three quarters. Both get at least 2 GB. */
export function computeMemoryLimits(machineBytes: number): MemoryLimits {
  const megabytes = machineBytes / 1_048_576;
  return {
    perProcess: Math.max(2048, Math.min(16_384, Math.round(megabytes / 2))),
    perRun: Math.max(2048, Math.round((megabytes * 3) / 4)),
  };
}

/** Resource limits of a program, in the kernel's units. */
export interface ResourceLimits {
  readonly memoryMb: number;
  readonly fileMb: number;
  /** Undefined where the limit would count the user's other processes. */
  readonly processes?: number;
}

/** A shell command that limits the program after it, and makes it the first to be killed when memory runs out. */
export function wrapWithLimits(
  { memoryMb, fileMb, processes }: ResourceLimits,
  words: readonly string[],
): readonly string[] {
  const limits = [
    "ulimit -c 0",
    `ulimit -d ${memoryMb * 1024}`,
    // In blocks of 512 bytes, as POSIX has it.
    `ulimit -f ${fileMb * 2048}`,
    ...(processes === undefined ? [] : [`{ ulimit -u ${processes} || ulimit -p ${processes}; }`]),
    "echo 500 > /proc/self/oom_score_adj",
  ];
  return ["/bin/sh", "-c", `{ ${limits.join("; ")}; } 2>/dev/null; exec "$@"`, "limited", ...words];
}

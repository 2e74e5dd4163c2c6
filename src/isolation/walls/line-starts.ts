import type { ShellProgram } from "../../node/processes/programs.ts";

/** How to start one walled program on this machine. */
interface WalledStart {
  readonly args: readonly string[];
  /** A file that will hold the ID of the first process within the walls, as `{ "child-pid": 1 }`. */
  readonly record?: string;
}

/** Starts the programs of one run within the walls of an engine. */
export interface LineStarts {
  /** Events since the last call that the model should know, as sentences: refused hosts. */
  takeNotes(): readonly string[];
  /** Makes the walls ready for the next program, based on the copy as it is now. */
  prepare(): Promise<void>;
  /** How to start a program with arguments in a folder of the copy. It may also read the files and folders in `readable`. */
  start(words: readonly string[], cwd: string, readable?: readonly string[]): WalledStart;
  /** Programs can write to borrowed folders without changing them. */
  readonly hasLayers: boolean;
  /** The program of this machine that starts them. */
  readonly file: string;
  /** The environment to start it with. */
  readonly env: NodeJS.ProcessEnv;
  /** The shell of its lines, by its path within the walls. */
  readonly shell: ShellProgram;
  /** Ends what belongs to one program, where ending its process on this machine isn't enough. */
  end?(record: string): Promise<void>;
}

/** Megabytes of private memory that one process may have, and all processes of a run. */
export interface MemoryLimits {
  readonly perProcess: number;
  readonly perRun: number;
}

/** Most processes of a run. The kernel refuses more than twice as many before they are counted. */
export const MOST_PROCESSES = 1000;

/** Half of the machine's memory for a process, at most 16 GB, and three quarters for a run, but never less than 2 GB. */
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

/** A shell's words that limit the program after them, and offer it to the system first when memory runs out. */
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

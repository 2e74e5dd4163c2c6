// Ports for the programs of the machine; the others are in ports.ts.

// ---- Shell -----------------------------------------------------------------

export interface ShellResult {
  /** Undefined when it was killed. */
  readonly code?: number;
  readonly ended: "exit" | "timeout" | "stopped" | "failed";
  /** Standard output and error as they came, head and tail kept when long. */
  readonly output: string;
  /** Bytes in all. */
  readonly bytes: number;
  /** Where the whole output is kept, when `output` is not all of it. */
  readonly file?: string;
  /** Processes that outlived the shell and were ended; absent when there were none. */
  readonly leftBehind?: number;
  /** Sentences about what else it did. */
  readonly notes?: readonly string[];
}

/** The full outputs of a run's commands, by step. */
export interface CommandOutputs {
  /** Undefined when that step kept none. */
  read(step: number): Promise<string | undefined>;
}

/** Runs command lines. */
export interface Shell {
  /** What the model should know: the shell's name and syntax. */
  readonly name: string;
  run(
    commandLine: string,
    options: {
      readonly cwd: string;
      readonly step: number;
      readonly timeoutSeconds: number;
      readonly signal: AbortSignal;
      /** As in `Decided`. */
      readonly harmlessIn?: readonly string[] | undefined;
      output(chunk: string): void;
    },
  ): Promise<ShellResult>;
}

// ---- Python ----------------------------------------------------------------

/** How a file of Python is started. */
export interface PythonStart {
  /** The program and its arguments, the file among them; the file's own arguments come behind. */
  readonly words: readonly string[];
  /** Where that is, for people: "on this machine". */
  readonly where: string;
  /** It runs in a container, so the words are not a command line to judge by what it names. */
  readonly confined?: boolean;
  /** Ends what the words may leave behind when they are cut off. */
  clear?(): Promise<void>;
}

/** Python, as the user wants it used. */
export interface Python {
  /** Why it cannot be used, as a sentence; undefined when it can. */
  readonly problem?: string;
  /** Where a step's own code would be kept. */
  codeFile(step: number): string;
  keep(step: number, code: string): Promise<void>;
  /** Takes a step's code away again: the run's log has it, without secrets. */
  drop(step: number): Promise<void>;
  /** How to run a file, given by its real path, in a folder. Throws `WorkspaceError` when there is no Python any more. */
  start(file: string, cwd: string): Promise<PythonStart>;
}

// ---- Processes -------------------------------------------------------------

/** A program that runs beside the steps. */
export interface BackgroundProcess {
  /** From 1, in the order in which they were started. */
  readonly id: number;
  readonly commandLine: string;
  /** Real path. */
  readonly cwd: string;
  /** The step that started it; its whole output is that step's. */
  readonly step: number;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly state: "running" | "ended" | "stopped";
  /** Its exit code; absent while it runs, and when it was killed. */
  readonly code?: number;
  /** Bytes that it has printed. */
  readonly bytes: number;
  /** The user keeps it when the run ends. */
  readonly kept: boolean;
}

/** What a process has printed since it was last read. */
export interface ProcessOutput {
  readonly process: BackgroundProcess;
  readonly text: string;
  /** Bytes before the text that were left out, for there were too many. */
  readonly skipped: number;
}

/** Programs that survive the step that started them. They end with the run, unless the user keeps them. */
export interface Processes {
  /** Starts a command line; a string says why it could not be, as a sentence. */
  start(
    commandLine: string,
    options: {
      readonly cwd: string;
      readonly step: number;
      /** As in `Decided`. */
      readonly harmlessIn?: readonly string[] | undefined;
    },
  ): Promise<BackgroundProcess | string>;
  list(): readonly BackgroundProcess[];
  /** Its news; waits for some, or for its end, at most so long. Undefined when there is no such process. */
  read(id: number, waitMs: number, signal: AbortSignal): Promise<ProcessOutput | undefined>;
  /** Ends it with all that came of it. Undefined when there is no such process. */
  stop(id: number): Promise<BackgroundProcess | undefined>;
}

// ---- Git -------------------------------------------------------------------

/** A git repository, as it was found around a folder. */
export interface Repository {
  /** Real path of its work tree. */
  readonly root: string;
  /** Real path of the folder that holds its history. */
  readonly gitFolder: string;
  /** Real paths beside that folder that git reads history from, by links and the like. */
  readonly elsewhere?: readonly string[];
}

/** What git printed, or why it did not do it, as a sentence. */
export type GitAnswer =
  | { readonly ok: true; readonly text: string /** There was more. */; readonly isCut: boolean }
  | { readonly ok: false; readonly why: string };

/** A repository to fetch. */
export interface CloneOptions {
  /** Without name and password. */
  readonly url: string;
  /** Real path of a folder that is not there yet. */
  readonly target: string;
  readonly branch?: string;
  /** Commits of its history; all of it when it is absent. */
  readonly depth?: number;
  readonly signal: AbortSignal;
  output(chunk: string): void;
}

/** The git program, held so that nothing in a repository, its settings or the environment makes it run another one. */
export interface Git {
  /** Undefined when the folder, given by its real path, is in no repository. */
  repositoryAt(folder: string): Promise<Repository | undefined>;
  /** Runs a subcommand that only reads, with arguments that the caller vouches for. */
  read(repository: Repository, args: readonly string[], signal: AbortSignal): Promise<GitAnswer>;
  clone(cloning: CloneOptions): Promise<GitAnswer>;
}

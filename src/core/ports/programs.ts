import type { DisplayText, Sentence } from "../../texts/display-text.ts";
export interface ShellResult {
  /** Undefined if the program was killed. */
  readonly code?: number;
  /** `closed`: the user closed its terminal. */
  readonly ended: "exit" | "timeout" | "stopped" | "closed" | "failed";
  /** How long it ran; absent if it wasn't started. */
  readonly seconds?: number;
  /** Standard output and error in order; only the beginning and end of a long output. */
  readonly output: string;
  /** Total bytes. */
  readonly bytes: number;
  /** File with the whole output, if `output` isn't all of it. */
  readonly file?: string;
  /** Number of processes that outlived the shell and were ended; absent if none. */
  readonly leftBehind?: number;
  /** Sentences about further effects. */
  readonly notes?: readonly string[];
}

/** The first place where a text breaks the syntax of its language. Lines count from 1. */
interface SyntaxFault {
  readonly line: number;
  readonly message: string;
}

/** Parses Python code without running it. Undefined where that isn't possible. */
export type PythonSyntax = (code: string, signal: AbortSignal) => Promise<SyntaxFault | "fine" | undefined>;

/** The full outputs of a run's commands, by step. */
export interface CommandOutputs {
  /** Undefined if that step kept no output. */
  read(step: number): Promise<string | undefined>;
}

/** The version of the PowerShell that comes with Windows. It lacks `&&` and `||`. */
export const OLD_POWERSHELL = "5.1";

/** Where approved lines run. */
export interface ApprovedPlace {
  readonly place: DisplayText;
  /** A sentence about it that the user should read each time. */
  readonly remark?: DisplayText;
}

/** Runs command lines. */
export interface Shell {
  /** The shell's name and syntax, for the model. */
  readonly name: string;
  /** Its version, if it lacks what the model expects of a shell with this name. */
  readonly version?: string | undefined;
  /** Where the shell runs a line that a person approves; undefined if it runs such a line like any other. */
  describeApprovedPlace?(commandLine: string): ApprovedPlace | undefined;
  run(
    commandLine: string,
    options: {
      readonly cwd: string;
      readonly step: number;
      readonly timeoutSeconds: number;
      readonly signal: AbortSignal;
      /** See `RunContext.approvedByUser`. */
      readonly approvedByUser?: true | undefined;
      /** See `DecisionRecord.harmlessIn`. */
      readonly harmlessIn?: readonly string[] | undefined;
      reportOutput(chunk: string): void;
    },
  ): Promise<ShellResult>;
}

/** A shell's name for the model, with its version where that matters. */
export function formatShellName({ name, version }: Pick<Shell, "name" | "version">): string {
  return version === undefined ? name : `${name} ${version}`;
}

/** How to start a Python file. */
export interface PythonStart {
  /** The program and its arguments including the file; the file's own arguments follow. */
  readonly words: readonly string[];
  /** Where it runs, for people: "on this machine". */
  readonly where: DisplayText;
  /** It runs in a container, so the policy doesn't judge the words as a command line. */
  readonly confined?: boolean;
  /** Ends whatever an interrupted start may have left behind. */
  clear?(): Promise<void>;
}

/** Python as configured by the user. */
export interface Python {
  /** Why it can't be used, as a sentence; undefined if it can. */
  readonly problem?: Sentence;
  /** Path where a step's own code is stored. */
  getCodePath(step: number): string;
  keep(step: number, code: string): Promise<void>;
  /** Deletes a step's code; the run's log has it, without secrets. */
  drop(step: number): Promise<void>;
  /** Returns how to run a file, given by its real path, in a folder. Throws `WorkspaceError` if Python is gone. */
  start(file: string, cwd: string): Promise<PythonStart>;
}

/** A program that runs in the background. */
export interface BackgroundProcess {
  /** Counts from 1 in the order of starts. */
  readonly id: number;
  readonly commandLine: string;
  /** Real path. */
  readonly cwd: string;
  /** The step that started the process; the output belongs to that step. */
  readonly step: number;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly state: "running" | "ended" | "stopped";
  /** Exit code; absent while it runs or if it was killed. */
  readonly code?: number;
  /** Bytes printed so far. */
  readonly bytes: number;
  /** The user keeps the process when the run ends. */
  readonly kept: boolean;
}

/** Output of a process since it was last read. */
export interface ProcessOutput {
  readonly process: BackgroundProcess;
  readonly text: string;
  /** Bytes before the text that were skipped. */
  readonly skipped: number;
}

/** Programs that survive the step that started them. They end with the run, unless the user keeps them. */
export interface Processes {
  /** Starts a command line. Returns a sentence if it couldn't be started. */
  start(
    commandLine: string,
    options: {
      readonly cwd: string;
      readonly step: number;
      /** See `DecisionRecord.harmlessIn`. */
      readonly harmlessIn?: readonly string[] | undefined;
    },
  ): Promise<BackgroundProcess | string>;
  list(): readonly BackgroundProcess[];
  /** Reads a process's new output, waiting up to `waitMs` for output or its end. Undefined if there is no such process. */
  read(id: number, waitMs: number, signal: AbortSignal): Promise<ProcessOutput | undefined>;
  /** Ends a process with all its descendants. Undefined if there is no such process. */
  stop(id: number): Promise<BackgroundProcess | undefined>;
}

/** The git repository that contains a folder. */
export interface Repository {
  /** Real path of its working tree. */
  readonly root: string;
  /** Real path of the folder with its history. */
  readonly gitFolder: string;
  /** Other real paths that git reads history from, for example through links. */
  readonly elsewhere?: readonly string[];
  /** The folders among these that only the working tree itself claims as its own; absent: its own folder and `elsewhere`. */
  readonly claimed?: readonly string[];
}

/** Output of git, or a sentence that explains its failure. */
export type GitAnswer =
  | { readonly ok: true; readonly text: string /** There was more. */; readonly isCut: boolean }
  | { readonly ok: false; readonly why: string };

/** Options of a clone. */
export interface CloneOptions {
  /** Without name and password. */
  readonly url: string;
  /** Real path of a folder that doesn't exist yet. */
  readonly target: string;
  readonly branch?: string;
  /** Number of commits to fetch; absent for all. */
  readonly depth?: number;
  readonly signal: AbortSignal;
  reportOutput(chunk: string): void;
}

/** Git, restricted so that no repository, setting or environment variable can make it start another program. */
export interface Git {
  /** Finds the repository of a real path; undefined if there is none. */
  findRepository(folder: string): Promise<Repository | undefined>;
  /** Runs a read-only subcommand with arguments that the caller has checked. */
  read(repository: Repository, args: readonly string[], signal: AbortSignal): Promise<GitAnswer>;
  clone(cloning: CloneOptions): Promise<GitAnswer>;
}

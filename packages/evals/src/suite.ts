import { type AgentEvent, COMMAND, type RunEnd, type SettingName } from "../../../src/headless/library.ts";

/** One call of a solution. */
export interface OracleCall {
  readonly command: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/**
 * A task for the agent, with a grader. In its texts `{{origin}}` becomes the address of its pages, `{{host}}` their host and port, and
 * `{{elsewhere}}` the same server under another name.
 */
export interface EvalTask {
  readonly name: string;
  /** The agent's task. */
  readonly task: string;
  /** Files of the folder before the run, by path. */
  readonly files: Readonly<Record<string, string>>;
  /** Calls with which the oracle solves the task, in order. Each must succeed. `task_complete` follows automatically. */
  readonly oracle: readonly OracleCall[];
  /** Calls requested by an injection in its files or pages; an obedient player makes them after the first call. */
  readonly injected?: readonly OracleCall[];
  readonly maxSteps?: number;
  /** Why this machine can't run the task, as a sentence; it's listed as skipped. */
  readonly skip?: string;
  /** Pages that are served on loopback while it runs, by path. */
  readonly pages?: Readonly<Record<string, string>>;
  /** Settings that it needs beside those of the suite. */
  readonly settings?: Readonly<Partial<Record<SettingName, unknown>>>;
  /** Prepares the folder after its files are written, beyond what files can express. */
  prepare?(folder: string, signal: AbortSignal): Promise<void>;
  grade(run: GradedRun): Promise<Grade>;
}

/** A finished run, as passed to graders. */
export interface GradedRun {
  readonly folder: string;
  readonly end: RunEnd;
  readonly events: readonly AgentEvent[];
  /** Requests of the task's pages, each as a line with method, path, headers and body. */
  readonly requests: readonly string[];
  readonly signal: AbortSignal;
}

export interface Grade {
  readonly passed: boolean;
  /** Why it didn't pass, for reports. */
  readonly why?: string;
}

/** Options for creating a suite's tasks. */
export interface SuiteOptions {
  /** Folder with the Python packages from which a suite reads its tasks, such as a `site-packages`. */
  readonly packages?: string;
  /** Makes the choice of tasks repeatable. */
  readonly seed: number;
  /** Maximum number of tasks; absent for all. */
  readonly count?: number;
}

/** Tasks that are measured together. */
export interface Suite {
  readonly name: string;
  /** One sentence for `--list`. */
  readonly description: string;
  /** Settings for all of its tasks. */
  readonly settings?: Readonly<Partial<Record<SettingName, unknown>>>;
  /** Its tasks; throws a sentence that says what is missing. */
  loadTasks(options: SuiteOptions): Promise<readonly EvalTask[]>;
}

/** Creates calls for solutions, by purpose. */
export const solution = {
  read: (filename: string) => call(COMMAND.read, { filename }),
  write: (filename: string, contents: string) => call(COMMAND.write, { filename, contents }),
  append: (filename: string, contents: string) => call(COMMAND.append, { filename, contents }),
  edit: (filename: string, search: string, replace: string) =>
    call(COMMAND.edit, { filename, edits: [{ search, replace }] }),
  move: (source: string, destination: string) => call(COMMAND.move, { source, destination }),
  remove: (filename: string) => call(COMMAND.delete, { filename }),
  folder: (folder: string) => call(COMMAND.createFolder, { folder }),
  list: (folder = ".") => call(COMMAND.list, { folder }),
  search: (pattern: string) => call(COMMAND.search, { pattern }),
  shell: (line: string) => call(COMMAND.shell, { command_line: line }),
  browse: (url: string) => call("browse_website", { url }),
} as const;

function call(command: string, args: OracleCall["args"]): OracleCall {
  return { command, args };
}

import type { DisplayText } from "../../texts/display-text.ts";
import type { Shell, ShellResult } from "./programs.ts";

/** A task that the editor can run. */
export interface EditorTask {
  readonly name: string;
  /** Where the task is defined, for people: `Workspace` for tasks.json, or the tool that it was detected for, like `npm`. */
  readonly source: string;
  /** Name of its workspace folder; "" if it belongs to none. */
  readonly folder: string;
  /** The line that the task runs; or `why`, a sentence that explains why its command line can't be known in advance. */
  readonly runs: TaskLine | { readonly why: string };
  /** Its definition, as far as it's known, for people. */
  readonly definition: string;
  /** The task runs tests; "default" for the one that the user has chosen for that. */
  readonly tests?: "default" | "some";
  /** The task keeps running, like a server or a watcher. */
  readonly isBackground: boolean;
}

/** Everything that a task runs, as one line for the command-line shell. */
export interface TaskLine {
  readonly text: string;
  /** Absolute path. */
  readonly cwd: string;
}

/** The editor's tasks. */
export interface Tasks {
  list(): Promise<readonly EditorTask[]>;
  /** A sentence about the environment of terminals that the user should read. */
  describeEnvironment?(): DisplayText | undefined;
  /** Runs a listed task to its end, in a terminal that the user sees. */
  run(task: EditorTask, options: Parameters<Shell["run"]>[1]): Promise<ShellResult>;
}

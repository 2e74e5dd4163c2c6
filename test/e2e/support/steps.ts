import type { PlayedStep } from "./played-model.ts";

/** A step that would run a command line. */
export function shell(commandLine: string, more: Partial<PlayedStep> = {}): PlayedStep {
  return {
    text: `I run ${commandLine}.`,
    command: "execute_shell",
    args: { command_line: commandLine },
    ...more,
  };
}

/** A step that would write a whole file. */
export function write(filename: string, contents: string, more: Partial<PlayedStep> = {}): PlayedStep {
  return { text: `I write ${filename}.`, command: "write_to_file", args: { filename, contents }, ...more };
}

/** A step that reads a file, which is not asked about. */
export function read(filename: string, more: Partial<PlayedStep> = {}): PlayedStep {
  return { text: `I read ${filename}.`, command: "read_file", args: { filename }, ...more };
}

/** A step that would end the run. */
export function complete(reason = "All is done."): PlayedStep {
  return { text: "The task is done.", command: "task_complete", args: { reason } };
}

import type { Outcome } from "../core/outcome.ts";
import { type Args, requiredText } from "./arguments.ts";
import { FOLDER_ALIASES } from "./file-arguments.ts";
import { failed } from "./outcomes.ts";

/** The schemas of a command line and of the folder to run it in. */
export const LINE_ARGUMENTS = {
  command_line: { type: "string", minLength: 1 },
  folder: { type: "string", description: "The workspace folder if left out." },
} as const;

/** Older and other names of these. */
export const LINE_ALIASES: Readonly<Record<string, string>> = {
  ...FOLDER_ALIASES,
  command: "command_line",
  cmd: "command_line",
  cwd: "folder",
  working_directory: "folder",
};

/** The command line, or what is wrong with it. */
export function lineOf(args: Args): string | Outcome {
  const line = requiredText(args, "command_line");
  if (line.trim() === "") return failed("The command line is empty. Say what to run.");
  return line.includes("\0") ? failed("The command line holds a NUL character. Leave it out.") : line;
}

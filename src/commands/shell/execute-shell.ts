import { type Command, type Prepared, prepared, type Running } from "../../core/command.ts";
import type { Outcome } from "../../core/outcome.ts";
import type { Place, Shell, ShellResult, Workspace } from "../../core/ports.ts";
import { type Args, number, objectSchema, requiredText, text } from "../arguments.ts";
import { FOLDER_ALIASES } from "../file-arguments.ts";
import { folderPath } from "../folder-path.ts";
import { done, failed } from "../outcomes.ts";
import { counted, size } from "../units.ts";

/** What running command lines works with. */
export interface ShellParts {
  readonly workspace: Workspace;
  /** Absent when the user has turned the shell off. */
  readonly shell?: Shell | undefined;
  /** The time limit unless the call gives another. */
  readonly shellTimeoutSeconds?: number | undefined;
}

const DEFAULT_SECONDS = 120;
const MOST_SECONDS = 3600;

/** Runs a command line and waits for its end. */
export function executeShell(parts: ShellParts): Command {
  const { shell, shellTimeoutSeconds = DEFAULT_SECONDS } = parts;
  return {
    name: "execute_shell",
    aliases: ["execute_command", "run_command", "run_shell", "run", "shell", "bash"],
    category: "shell",
    effect: "run",
    description: `Runs a ${shell?.name ?? "shell"} command line and gives its exit code and output. Nobody can type into it; it is ended after ${counted(shellTimeoutSeconds, "second")} unless told otherwise, and whatever it leaves running ends with it.`,
    parameters: objectSchema(
      {
        command_line: { type: "string", minLength: 1 },
        folder: { type: "string", description: "Where to run it; the workspace folder when it is left out." },
        timeout_seconds: { type: "integer", minimum: 1, maximum: MOST_SECONDS },
      },
      ["command_line"],
    ),
    argumentAliases: {
      ...FOLDER_ALIASES,
      command: "command_line",
      cmd: "command_line",
      cwd: "folder",
      working_directory: "folder",
      timeout: "timeout_seconds",
    },
    withheld: () => (shell ? undefined : "Shell commands are turned off (autogpt.shell.enabled)."),
    prepare: (args) => prepare(parts, args),
  };
}

async function prepare(
  { workspace, shell, shellTimeoutSeconds }: ShellParts,
  args: Args,
): Promise<Prepared | Outcome> {
  if (!shell) return failed("Shell commands are turned off.");
  const commandLine = requiredText(args, "command_line");
  if (commandLine.trim() === "") return failed("The command line is empty. Say what to run.");
  if (commandLine.includes("\0")) return failed("The command line holds a NUL character. Leave it out.");
  const seconds = number(args, "timeout_seconds") ?? shellTimeoutSeconds ?? DEFAULT_SECONDS;
  const place = await workspace.locate(folderPath(text(args, "folder")));
  if (place.kind !== "folder") return failed(`There is no folder "${place.label}" to run it in.`);
  const preview = `${commandLine}\n\nRuns with ${shell.name} in ${place.path}, for ${counted(seconds, "second")} at most.`;
  return prepared("run", preview, (running) => run(shell, commandLine, place, seconds, running), {
    shell: commandLine,
    cwd: place.path,
    fresh: () => isStillThere(workspace, place),
  });
}

async function isStillThere(workspace: Workspace, { path }: Place): Promise<boolean> {
  const now = await workspace.locate(path).catch(() => undefined);
  return now?.path === path && now.kind === "folder";
}

async function run(
  shell: Shell,
  commandLine: string,
  place: Place,
  seconds: number,
  { step, signal, output }: Running,
): Promise<Outcome> {
  const result = await shell.run(commandLine, {
    cwd: place.path,
    step,
    timeoutSeconds: seconds,
    signal,
    output,
  });
  const told = [result.output.trimEnd(), ...notes(result, step)].filter((part) => part !== "").join("\n");
  switch (result.ended) {
    case "exit":
      return done(`${exit(result)}\n${told || "It printed nothing."}`);
    case "timeout":
      return failed(
        `It was ended after ${counted(seconds, "second")} and may have done a part of its work. Give more timeout_seconds, or run something shorter.\n${told}`.trimEnd(),
      );
    case "stopped":
      return failed(`The user stopped it; it may have done a part of its work.\n${told}`.trimEnd());
    case "failed":
      return failed(told);
  }
}

function exit({ code }: ShellResult): string {
  return code === undefined ? "It was killed." : `Exit code ${code}.`;
}

function notes({ file, bytes, leftBehind }: ShellResult, step: number): readonly string[] {
  return [
    file === undefined
      ? ""
      : `[It printed ${size(bytes)}. Read all of it with read_file, filename "output:${step}".]`,
    leftBehind === undefined
      ? ""
      : `[It left ${counted(leftBehind, "process", "processes")} running in the background; ${leftBehind === 1 ? "it was" : "they were"} ended.]`,
  ];
}

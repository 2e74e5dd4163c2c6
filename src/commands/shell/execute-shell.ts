import { type Command, createPreparedCall, type PreparedCall } from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import { formatShellName, OLD_POWERSHELL } from "../../core/ports/programs.ts";
import { type Args, createObjectSchema, getNumberArgument, getTextArgument } from "../arguments.ts";
import { createFailure } from "../outcomes.ts";
import { getFolderPath } from "../places.ts";
import {
  DEFAULT_SECONDS,
  describeLinePlace,
  isStillThere,
  LINE_ALIASES,
  LINE_ARGUMENTS,
  readCommandLineArgument,
  runLine,
  type ShellDependencies,
  TIMEOUT_SECONDS,
  WITHOUT_CHAINS,
} from "./run-line.ts";

/** Runs a command line and waits for its end. */
export function executeShell(parts: ShellDependencies): Command {
  const { shell, shellTimeoutSeconds = DEFAULT_SECONDS } = parts;
  return {
    name: "execute_shell",
    aliases: ["execute_command", "run_command", "run_shell", "run", "shell", "bash"],
    category: "shell",
    effect: "run",
    traits: {
      titles: [{ code: "RunCommand", command: "command_line" }],
      question: { code: "runLine" },
      role: "shell",
      rank: 0,
      isLean: true,
      keepsOutput: true,
      resource: "The programs on this machine.",
    },
    description: `Runs a ${shell ? formatShellName(shell) : "shell"} command line to its end, for ${shellTimeoutSeconds} seconds by default, without input. For servers, watchers and long programs use execute_shell_popen.${shell?.version === OLD_POWERSHELL ? ` ${WITHOUT_CHAINS}` : ""}`,
    parameters: createObjectSchema({ ...LINE_ARGUMENTS, timeout_seconds: TIMEOUT_SECONDS }, ["command_line"]),
    argumentAliases: { ...LINE_ALIASES, timeout: "timeout_seconds" },
    withheld: () => (shell ? undefined : "Shell commands are turned off (autogpt.shell.enabled)."),
    prepare: (args) => prepare(parts, args),
  };
}

async function prepare(
  { workspace, shell, outputs, reports, shellTimeoutSeconds }: ShellDependencies,
  args: Args,
): Promise<PreparedCall | Outcome> {
  if (!shell) return createFailure("Shell commands are turned off.");
  const line = readCommandLineArgument(args);
  if (typeof line !== "string") return line;
  const seconds = getNumberArgument(args, "timeout_seconds") ?? shellTimeoutSeconds ?? DEFAULT_SECONDS;
  const place = await workspace.locate(getFolderPath(getTextArgument(args, "folder")));
  if (place.kind !== "folder") return createFailure(`There is no folder "${place.label}" to run it in.`);
  const how = `Runs with ${shell.name} in ${place.path}`;
  const describePlace = () => describeLinePlace(shell, line, { how, by: shell.name, folder: place, seconds });
  const shown = describePlace();
  return createPreparedCall(
    "run",
    `${line}\n\n${shown.text}`,
    (running) =>
      runLine({ shell, outputs, reports }, { text: line, cwd: place.path, folder: place.label, seconds }, running),
    {
      shell: line,
      captions: shown.captions,
      cwd: place.path,
      fresh: async () => describePlace().text === shown.text && (await isStillThere(workspace, place)),
    },
  );
}

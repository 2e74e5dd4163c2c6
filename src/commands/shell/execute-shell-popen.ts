import { type Command, createPreparedCall, type PreparedCall, type RunContext } from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import type { Processes } from "../../core/ports/programs.ts";
import { displayText } from "../../texts/display-text.ts";
import { type Args, createObjectSchema, getTextArgument } from "../arguments.ts";
import { createFailure, createSuccess } from "../outcomes.ts";
import { getFolderPath } from "../places.ts";
import { describeProcessNews, NO_PROCESSES, summarizeStartedProcess } from "./process-text.ts";
import {
  formatFolderName,
  isStillThere,
  LINE_ALIASES,
  LINE_ARGUMENTS,
  readCommandLineArgument,
  type ShellDependencies,
} from "./run-line.ts";

/** Dependencies of background processes. */
export interface PopenDependencies extends ShellDependencies {
  readonly processes?: Processes | undefined;
}

/** Time in which a program that can't start fails, so that its message is reported. */
const FIRST_NEWS_MS = 700;

/** Starts a command line and doesn't wait for its end. */
export function executeShellPopen(parts: PopenDependencies): Command {
  return {
    name: "execute_shell_popen",
    aliases: ["start_process", "run_in_background", "execute_shell_background"],
    category: "shell",
    effect: "run",
    traits: {
      titles: [{ code: "StartProcess", command: "command_line" }],
      question: { code: "startProgram" },
      rank: 100,
      practice: "Run servers and long programs in the background with execute_shell_popen.",
    },
    description:
      "Starts a server, watcher or long program in the background. It ends with the run. Follow it with read_process_output, end it with stop_process.",
    parameters: createObjectSchema(LINE_ARGUMENTS, ["command_line"]),
    argumentAliases: { ...LINE_ALIASES, query: "command_line" },
    withheld: () => (parts.shell && parts.processes ? undefined : NO_PROCESSES),
    prepare: (args) => prepare(parts, args),
  };
}

async function prepare(
  { workspace, shell, processes }: PopenDependencies,
  args: Args,
): Promise<PreparedCall | Outcome> {
  if (!shell || !processes) return createFailure("Shell commands are turned off.");
  const line = readCommandLineArgument(args);
  if (typeof line !== "string") return line;
  const place = await workspace.locate(getFolderPath(getTextArgument(args, "folder")));
  if (place.kind !== "folder") return createFailure(`There is no folder "${place.label}" to run it in.`);
  const sentence = `Runs with ${shell.name} in ${place.path}, in the background until it ends, is stopped, or the run is over.`;
  const shown = displayText("approval.placeBackground", { folder: formatFolderName(place), by: shell.name });
  return createPreparedCall("run", `${line}\n\n${sentence}`, (running) => start(processes, line, place.path, running), {
    shell: line,
    captions: [{ sentence, shown }],
    cwd: place.path,
    fresh: () => isStillThere(workspace, place),
  });
}

async function start(
  processes: Processes,
  line: string,
  cwd: string,
  { step, signal, harmlessIn }: RunContext,
): Promise<Outcome> {
  const started = await processes.start(line, { cwd, step, harmlessIn });
  if (typeof started === "string") return createFailure(started);
  const news = await processes.read(started.id, FIRST_NEWS_MS, signal);
  const process = news?.process ?? started;
  const outcome = createSuccess(
    `Started process ${started.id}.\n${news ? describeProcessNews(news) : ""}`.trimEnd(),
    summarizeStartedProcess(process, news?.text ?? ""),
  );
  return process.state === "ended" && process.code !== 0 ? { ...outcome, exitCode: process.code ?? null } : outcome;
}

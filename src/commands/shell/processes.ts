import { formatQuantity } from "../../core/base/text.ts";
import { type Command, createPreparedCall, type PreparedCall, type RunContext } from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import type { BackgroundProcess, Processes } from "../../core/ports/programs.ts";
import { displayText } from "../../texts/display-text.ts";
import { type Args, createObjectSchema, getNumberArgument, getTextArgument } from "../arguments.ts";
import { createFailure, createSuccess, createTextSummary } from "../outcomes.ts";
import { getFolderPath } from "../places.ts";
import { formatByteSize } from "../units.ts";
import {
  describeProcessNews,
  describeProcessState,
  explainMissingProcess,
  NO_PROCESS,
  NO_PROCESSES,
  PROCESS,
  PROCESS_ALIASES,
  summarizeEndedProcess,
  summarizeProcessNews,
  summarizeStartedProcess,
} from "./process-text.ts";
import {
  formatFolderName,
  isStillThere,
  LINE_ALIASES,
  LINE_ARGUMENTS,
  readCommandLineArgument,
  type ShellDependencies,
} from "./run-line.ts";

/** Dependencies of background processes. */
interface PopenDependencies extends ShellDependencies {
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
    prepare: (args) => prepareStart(parts, args),
  };
}

async function prepareStart(
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

/** Lists the background processes. */
export function listProcesses(processes: Processes | undefined): Command {
  return {
    name: "list_processes",
    aliases: ["get_processes", "show_processes"],
    category: "shell",
    effect: "none",
    traits: { titles: [{ code: "ListProcesses" }], rank: 220, reads: "state", isPolled: true },
    description: "Lists the background processes.",
    parameters: createObjectSchema({}),
    withheld: () => (processes ? undefined : NO_PROCESSES),
    prepare: async () =>
      createPreparedCall("none", "List the background processes of this run.", async () => {
        const all = processes?.list() ?? [];
        if (all.length === 0)
          return createSuccess("No background process was started in this run.", displayText("results.noProcesses"));
        const running = all.filter(({ state }) => state === "running").length;
        return createSuccess(
          all.map(formatProcessLine).join("\n"),
          displayText("results.processesRunning", { running, all: all.length }),
        );
      }),
  };
}

function formatProcessLine(process: BackgroundProcess): string {
  const { id, commandLine, step, bytes } = process;
  return `${id}: ${JSON.stringify(commandLine)}, started in step ${step}, ${describeProcessState(process)}, has printed ${formatByteSize(bytes)}`;
}

const MOST_SECONDS = 60;

/** Reads the new output of a background process. */
export function readProcessOutput(processes: Processes | undefined): Command {
  return {
    name: "read_process_output",
    aliases: ["get_process_output", "process_output", "poll_process"],
    category: "shell",
    effect: "none",
    traits: { titles: [{ code: "ReadProcess", id: "process" }], rank: 100, reads: "once", isPolled: true },
    description: "Gives a background process's state and its output since the last read.",
    parameters: createObjectSchema(
      {
        process: PROCESS,
        wait_seconds: {
          type: "integer",
          minimum: 0,
          maximum: MOST_SECONDS,
          description: "Wait this long for output or its end.",
        },
      },
      ["process"],
    ),
    argumentAliases: { ...PROCESS_ALIASES, wait: "wait_seconds", timeout: "wait_seconds" },
    withheld: () => (processes ? undefined : NO_PROCESSES),
    prepare: (args) => prepareRead(processes, args),
  };
}

async function prepareRead(processes: Processes | undefined, args: Args): Promise<PreparedCall | Outcome> {
  const id = getNumberArgument(args, "process") ?? 0;
  const seconds = getNumberArgument(args, "wait_seconds") ?? 0;
  const all = processes?.list() ?? [];
  const process = all.find((one) => one.id === id);
  if (!processes || !process) return createFailure(explainMissingProcess(id, all), NO_PROCESS);
  const wait = seconds > 0 ? `, waiting up to ${formatQuantity(seconds, "second")} for some` : "";
  return createPreparedCall(
    "none",
    `Read what process ${id} has printed lately${wait}: ${process.commandLine}`,
    async ({ signal }) => {
      const news = await processes.read(id, seconds * 1000, signal);
      return news
        ? createSuccess(describeProcessNews(news), summarizeProcessNews(news))
        : createFailure(explainMissingProcess(id, processes.list()), NO_PROCESS);
    },
    { printedBy: process.commandLine, cwd: process.cwd },
  );
}

/** Ends a background process and its children. */
export function stopProcess(processes: Processes | undefined): Command {
  return {
    name: "stop_process",
    aliases: ["kill_process", "terminate_process", "end_process"],
    category: "shell",
    effect: "none",
    traits: { titles: [{ code: "StopProcess", id: "process" }], rank: 100 },
    description: "Ends a background process and its children.",
    parameters: createObjectSchema({ process: PROCESS }, ["process"]),
    argumentAliases: PROCESS_ALIASES,
    withheld: () => (processes ? undefined : NO_PROCESSES),
    prepare: (args) => prepareStop(processes, args),
  };
}

async function prepareStop(processes: Processes | undefined, args: Args): Promise<PreparedCall | Outcome> {
  const id = getNumberArgument(args, "process") ?? 0;
  const all = processes?.list() ?? [];
  const process = all.find((one) => one.id === id);
  if (!processes || !process) return createFailure(explainMissingProcess(id, all), NO_PROCESS);
  if (process.state !== "running")
    return createSuccess(
      `Process ${id} ${describeProcessState(process)} already.`,
      process.state === "stopped" ? undefined : summarizeEndedProcess(process.code),
    );
  return createPreparedCall("none", `Stop process ${id}: ${process.commandLine}`, async () => {
    const stopped = await processes.stop(id);
    return stopped
      ? createSuccess(`Process ${id} ${describeProcessState(stopped)}.`, createTextSummary(process.commandLine))
      : createFailure(explainMissingProcess(id, processes.list()), NO_PROCESS);
  });
}

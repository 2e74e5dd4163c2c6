import { type Command, prepared } from "../../core/commands/command.ts";
import type { BackgroundProcess, Processes } from "../../core/ports/programs.ts";
import { displayText } from "../../texts/display-text.ts";
import { objectSchema } from "../arguments.ts";
import { done } from "../outcomes.ts";
import { size } from "../units.ts";
import { NO_PROCESSES, stateText } from "./process-text.ts";

/** Lists the background processes. */
export function listProcesses(processes: Processes | undefined): Command {
  return {
    name: "list_processes",
    aliases: ["get_processes", "show_processes"],
    category: "shell",
    effect: "none",
    description: "Lists the background processes.",
    parameters: objectSchema({}),
    withheld: () => (processes ? undefined : NO_PROCESSES),
    prepare: async () =>
      prepared("none", "List the background processes of this run.", async () => {
        const all = processes?.list() ?? [];
        if (all.length === 0)
          return done("No background process was started in this run.", displayText("results.noProcesses"));
        const running = all.filter(({ state }) => state === "running").length;
        return done(
          all.map(lineOf).join("\n"),
          displayText("results.processesRunning", { running, all: all.length }),
        );
      }),
  };
}

function lineOf(process: BackgroundProcess): string {
  const { id, commandLine, step, bytes } = process;
  return `${id}: ${JSON.stringify(commandLine)}, started in step ${step}, ${stateText(process)}, has printed ${size(bytes)}`;
}

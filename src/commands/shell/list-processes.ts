import { type Command, createPreparedCall } from "../../core/commands/command.ts";
import type { BackgroundProcess, Processes } from "../../core/ports/programs.ts";
import { displayText } from "../../texts/display-text.ts";
import { createObjectSchema } from "../arguments.ts";
import { createSuccess } from "../outcomes.ts";
import { formatByteSize } from "../units.ts";
import { describeProcessState, NO_PROCESSES } from "./process-text.ts";

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

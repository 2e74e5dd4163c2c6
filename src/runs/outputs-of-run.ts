import type { Outputs } from "../core/machine-ports.ts";
import { outcomeText } from "../core/outcome.ts";
import { readLog } from "./read-log.ts";

/** The full output of each step of a run: as its command kept it in a file, else as the run's log has it. */
export function outputsOfRun(folder: string, kept: Outputs): Outputs {
  return {
    async read(step) {
      const output = await kept.read(step);
      if (output !== undefined) return output;
      const { events } = await readLog(folder).catch(() => ({ events: [] }));
      const ended = events.findLast((event) => event.type === "ended" && event.step === step);
      return ended?.type === "ended" ? outcomeText(ended.outcome) : undefined;
    },
  };
}

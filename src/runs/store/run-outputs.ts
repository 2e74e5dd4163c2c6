import { copyFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { getOutcomeText } from "../../core/commands/outcome.ts";
import type { CommandOutputs } from "../../core/ports/programs.ts";
import { readLog } from "../log/read-log.ts";

/** The full output of each step of a run, from the file that its command wrote, or else from the run's log. */
export function createRunOutputs(folder: string, kept: CommandOutputs): CommandOutputs {
  return {
    async read(step) {
      const output = await kept.read(step);
      if (output !== undefined) return output;
      const { events } = await readLog(folder).catch(() => ({ events: [] }));
      const ended = events.findLast((event) => event.type === "ended" && event.step === step);
      if (ended?.type !== "ended") return undefined;
      return [ended.outcome, ...(ended.also ?? [])].map(getOutcomeText).join("\n\n");
    },
  };
}

/** Copies the full outputs of commands up to a step into a fork's folder, so that the agent can read them there. */
export async function copyOutputs(from: string, to: string, step: number): Promise<void> {
  const entries = await readdir(from, { withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  const taken = files.filter((name) => /^\d+\.txt$/.test(name) && Number.parseInt(name, 10) <= step);
  await Promise.all(taken.map((name) => copyFile(join(from, name), join(to, name))));
}

import { dirname } from "node:path";
import { getErrorMessage } from "../../core/base/errors.ts";
import { isPrepared, type PreparedCall } from "../../core/commands/command.ts";
import type { CommandSet } from "../../core/commands/command-set.ts";
import { diskFiles, type SeenFiles } from "./file-state.ts";
import { createNotKeptOutcome, type UndoJournal } from "./journal.ts";
import type { ProgramView } from "./program-view.ts";
import { createProgramRunner } from "./running-programs.ts";

/**
 * Makes the file changes of commands undoable: keeps the old contents before each command, and records the results after it. Reports the
 * changes of programs as far as a view shows them.
 */
export function addUndo(
  commands: CommandSet,
  journal: UndoJournal,
  view?: ProgramView,
  files: SeenFiles = diskFiles,
): CommandSet {
  const runProgram = createProgramRunner(commands, journal, view);
  return {
    ...commands,
    async prepare(call, preparing) {
      const prepared = await commands.prepare(call, preparing);
      if (isPrepared(prepared) && prepared.effect === "run") view?.prepare();
      return prepared;
    },
    async run(prepared, running) {
      if (prepared.effect === "run") return runProgram(prepared, running);
      const paths = await listChangedPaths(prepared, files);
      if (paths.length === 0) return commands.run(prepared, running);
      const changing = { by: "step", step: running.step, files: paths.map((path) => ({ path })) } as const;
      const change = await journal.begin(changing).catch(getErrorMessage);
      if (typeof change === "string") return createNotKeptOutcome(change);
      try {
        return await commands.run(prepared, running);
      } finally {
        await journal.settle(change, paths).catch(() => undefined);
      }
    },
  };
}

/** The paths that would change, with the folders that must be created for them. */
async function listChangedPaths({ touches }: PreparedCall, files: SeenFiles): Promise<readonly string[]> {
  const paths = new Set<string>();
  for (const { path, how } of touches) {
    if (how === "read") continue;
    paths.add(path);
    let folder = dirname(path);
    while (how === "write" && dirname(folder) !== folder && (await files.readState(folder)).kind === "missing") {
      paths.add(folder);
      folder = dirname(folder);
    }
  }
  return [...paths];
}

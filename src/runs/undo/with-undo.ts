import { lstat } from "node:fs/promises";
import { dirname } from "node:path";
import { errorMessage } from "../../core/base/errors.ts";
import type { PreparedCall } from "../../core/commands/command.ts";
import type { CommandSet } from "../../core/commands/command-set.ts";
import { notKept, type UndoJournal } from "./journal.ts";
import { runningPrograms, type SnapshotSource } from "./running-programs.ts";

/**
 * Commands whose file changes can be undone: the old contents are kept before each command, and the results are recorded after
 * it. The changes of programs are reported as far as snapshots show them.
 */
export function withUndo(commands: CommandSet, journal: UndoJournal, sight?: SnapshotSource): CommandSet {
  const runProgram = runningPrograms(commands, journal, sight);
  return {
    ...commands,
    async run(prepared, running) {
      if (prepared.effect === "run") return runProgram(prepared, running);
      const paths = await changedBy(prepared);
      if (paths.length === 0) return commands.run(prepared, running);
      const files = paths.map((path) => ({ path }));
      const change = await journal.begin({ by: "step", step: running.step, files }).catch(errorMessage);
      if (typeof change === "string") return notKept(change);
      try {
        return await commands.run(prepared, running);
      } finally {
        await journal.settle(change, paths).catch(() => undefined);
      }
    },
  };
}

/** The paths that would change, with the folders that must be created for them. */
async function changedBy({ touches }: PreparedCall): Promise<readonly string[]> {
  const paths = new Set<string>();
  for (const { path, how } of touches) {
    if (how === "read") continue;
    paths.add(path);
    let folder = dirname(path);
    while (how === "write" && dirname(folder) !== folder && !(await isThere(folder))) {
      paths.add(folder);
      folder = dirname(folder);
    }
  }
  return [...paths];
}

async function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

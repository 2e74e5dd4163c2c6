import { lstat } from "node:fs/promises";
import { dirname } from "node:path";
import type { PreparedCall } from "../../core/commands/command.ts";
import type { CommandSet } from "../../core/commands/command-set.ts";
import { notKept, type UndoJournal, whyNot } from "./journal.ts";
import { runningPrograms, type SnapshotSource } from "./running-programs.ts";

/**
 * Commands whose changes of files can be undone: what is there is kept before each, and what stands there after it is written down. What a
 * program changed is told as far as it can be seen; of the files that the agent had changed itself the content is kept then too.
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
      const change = await journal.begin({ by: "step", step: running.step, files }).catch(whyNot);
      if (typeof change === "string") return notKept(change);
      try {
        return await commands.run(prepared, running);
      } finally {
        await journal.settle(change, paths).catch(() => undefined);
      }
    },
  };
}

/** The paths that would change, with the folders that would have to be made for them. */
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

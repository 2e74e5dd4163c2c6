import { lstat } from "node:fs/promises";
import { dirname } from "node:path";
import type { Prepared } from "../../core/command.ts";
import type { Commands } from "../../core/commands.ts";
import type { UndoJournal } from "./journal.ts";

/** Commands whose changes of files can be undone: what is there is kept before each, and what stands there after it is written down. */
export function withUndo(commands: Commands, journal: UndoJournal): Commands {
  return {
    ...commands,
    async run(prepared, running) {
      const ran = prepared.effect === "run";
      const paths = await changedBy(prepared);
      if (paths.length === 0 && !ran) return commands.run(prepared, running);
      const files = paths.map((path) => ({ path }));
      const change = await journal
        .begin({ by: "step", step: running.step, files, ...(ran ? { ran } : {}) })
        .catch((error: unknown) => `${error instanceof Error ? error.message : String(error)}`);
      if (typeof change === "string") return { status: "failed", error: notKept(change) };
      try {
        return await commands.run(prepared, running);
      } finally {
        if (paths.length > 0) await journal.settle(change, paths).catch(() => undefined);
      }
    },
  };
}

function notKept(why: string): string {
  return `Nothing was done, because what is there now could not be kept for undo: ${why}. Ask the user to see that the disk has room and can be written.`;
}

/** The paths that would change, with the folders that would have to be made for them. */
async function changedBy({ touches }: Prepared): Promise<readonly string[]> {
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

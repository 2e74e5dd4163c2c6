import { createJournalReader } from "../undo/journal-lines.ts";
import type { RunSummary } from "./run-summary.ts";

/** Knows which other run is working on a file. */
export interface FileLocks {
  /** The first of the paths that another unfinished run has changed; undefined if there is none. */
  findLock(paths: readonly string[]): Promise<{ readonly path: string; readonly by: string } | undefined>;
}

/** A run that hasn't continued for this long no longer locks files. */
const FRESH_MS = 24 * 3_600_000;

/** The files that the unfinished runs among these have changed, in this window or another, according to their journals. */
export function createFileLocks(own: string, runs: () => Promise<readonly RunSummary[]>): FileLocks {
  const readers = new Map<string, ReturnType<typeof createJournalReader>>();

  const hasChanged = async (folder: string, paths: readonly string[]): Promise<string | undefined> => {
    const read = readers.get(folder) ?? createJournalReader(folder);
    readers.set(folder, read);
    const lines = await read();
    return paths.find((path) =>
      lines.some((line) => "files" in line && line.files.some((touched) => touched.path === path)),
    );
  };

  return {
    async findLock(paths) {
      if (paths.length === 0) return undefined;
      for (const run of await runs()) {
        if (run.id === own || !isUnfinished(run)) continue;
        const path = await hasChanged(run.folder, paths);
        if (path !== undefined) return { path, by: run.title ?? run.task };
      }
      return undefined;
    },
  };
}

/** A sub-agent is listed as read-only, because only its parent can resume it, but it still locks files. */
function isUnfinished({ state, readOnly, isAgent, writtenMs }: RunSummary): boolean {
  const goesOn = readOnly === undefined || isAgent === true;
  return (state === "open" || state === "paused") && goesOn && Date.now() - writtenMs < FRESH_MS;
}

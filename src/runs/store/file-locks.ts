import { journalReader } from "../undo/journal-lines.ts";
import type { RunSummary } from "./run-summary.ts";

/** Tells which other run is at work on a file. */
export interface FileLocks {
  /** The first of the paths that another run has changed and not finished with; undefined when none is. */
  on(paths: readonly string[]): Promise<{ readonly path: string; readonly by: string } | undefined>;
}

/** A run that nobody has gone on with for so long claims nothing any more. */
const FRESH_MS = 24 * 3_600_000;

/** The claims of the unfinished runs among these, in this window or another: what their journals say that they have changed. */
export function fileLocksOf(own: string, runs: () => Promise<readonly RunSummary[]>): FileLocks {
  const readers = new Map<string, ReturnType<typeof journalReader>>();

  const hasChanged = async (folder: string, paths: readonly string[]): Promise<string | undefined> => {
    const read = readers.get(folder) ?? journalReader(folder);
    readers.set(folder, read);
    const lines = await read();
    return paths.find((path) =>
      lines.some((line) => "files" in line && line.files.some((touched) => touched.path === path)),
    );
  };

  return {
    async on(paths) {
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

/** An agent can be gone on with by the run that it works for alone, so it claims though it is listed as read-only. */
function isUnfinished({ state, readOnly, isAgent, writtenMs }: RunSummary): boolean {
  const goesOn = readOnly === undefined || isAgent === true;
  return (state === "open" || state === "paused") && goesOn && Date.now() - writtenMs < FRESH_MS;
}

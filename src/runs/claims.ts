import { stat } from "node:fs/promises";
import { join } from "node:path";
import { preImages } from "./pre-images.ts";
import type { RunSummary } from "./summary.ts";
import { undoJournal } from "./undo/journal.ts";

/** Tells which other run is at work on a file. */
export interface Claims {
  /** The first of the paths that another run has changed and not finished with; undefined when none is. */
  on(paths: readonly string[]): Promise<{ readonly path: string; readonly by: string } | undefined>;
}

/** A run that nobody has gone on with for so long claims nothing any more. */
const FRESH_MS = 24 * 3_600_000;

/** The claims of the unfinished runs among these, in this window or another: what their journals say that they have changed. */
export function claimsOf(own: string, runs: () => Promise<readonly RunSummary[]>): Claims {
  const known = new Map<string, { readonly stamp: string; readonly paths: ReadonlySet<string> }>();

  const pathsOf = async (folder: string): Promise<ReadonlySet<string>> => {
    const found = await stat(join(folder, "undo.jsonl")).catch(() => undefined);
    if (!found) return new Set();
    const stamp = `${found.size} ${found.mtimeMs}`;
    const before = known.get(folder);
    if (before?.stamp === stamp) return before.paths;
    const lines = await undoJournal(folder, preImages(folder)).read();
    const paths = new Set(
      lines.flatMap((line) => ("files" in line ? line.files.map(({ path }) => path) : [])),
    );
    known.set(folder, { stamp, paths });
    return paths;
  };

  return {
    async on(paths) {
      if (paths.length === 0) return undefined;
      for (const run of await runs()) {
        if (run.id === own || !isUnfinished(run)) continue;
        const claimed = await pathsOf(run.folder);
        const path = paths.find((one) => claimed.has(one));
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

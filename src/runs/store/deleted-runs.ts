import { mkdir, readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { renameFile } from "../../disk/rename-file.ts";
import { DisplayError } from "../../texts/display-text.ts";
import { findFolderProblem, getRunsFolder, isOurs } from "./run-folder.ts";
import type { RunSummary } from "./run-summary.ts";

const DAY_MS = 86_400_000;

/** Lists the runs unused for so many days that may be removed, except open or pinned ones and those from another machine. 0 days: none. */
export function listExpiredRuns(
  runs: readonly RunSummary[],
  { days, now, open }: { readonly days: number; readonly now: number; readonly open: ReadonlySet<string> },
): readonly RunSummary[] {
  if (days <= 0) return [];
  return runs.filter(
    ({ id, pinned, readOnly, writtenMs }) =>
      !open.has(id) && !pinned && readOnly === undefined && writtenMs < now - days * DAY_MS,
  );
}

/** The folder for deleted runs until they are removed permanently. */
const ASIDE = ".deleted";

/** Deletes a run so that it can still be restored. Returns its new folder. */
export async function deleteRunSoftly(folder: string): Promise<string> {
  const aside = join(dirname(folder), ASIDE);
  const problem = await findFolderProblem(aside);
  if (problem !== undefined) throw new DisplayError(problem);
  await mkdir(aside, { recursive: true, mode: 0o700 });
  const to = join(aside, basename(folder));
  await renameFile(folder, to);
  return to;
}

/** Restores a deleted run. */
export async function restoreDeleted(aside: string): Promise<void> {
  await renameFile(aside, join(dirname(dirname(aside)), basename(aside)));
}

/** The deleted runs of a folder that were neither restored nor removed permanently. */
export async function listSoftDeletedRuns(runs: string): Promise<readonly string[]> {
  const aside = join(runs, ASIDE);
  if (!(await isOurs(dirname(runs))) || (await findFolderProblem(aside)) !== undefined) return [];
  const names = await readdir(aside).catch((): string[] => []);
  return names.map((name) => join(aside, name));
}

/** The folders where a run of one of these homes may be: its own, or the one to which its deletion moved it. */
export function listRunPlaces(homes: readonly string[], run: string): readonly string[] {
  return homes.map(getRunsFolder).flatMap((runs) => [join(runs, run), join(runs, ASIDE, run)]);
}

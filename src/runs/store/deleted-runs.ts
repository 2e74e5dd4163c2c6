import { mkdir, readdir, rename } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { folderProblem, isOurs } from "./run-folder.ts";
import type { RunSummary } from "./run-summary.ts";

const DAY_MS = 86_400_000;

/** The runs unused for so many days that may be removed: none that is open, pinned, or written on another machine. 0 days: none. */
export function expiredRuns(
  runs: readonly RunSummary[],
  { days, now, open }: { readonly days: number; readonly now: number; readonly open: ReadonlySet<string> },
): readonly RunSummary[] {
  if (days <= 0) return [];
  return runs.filter(
    ({ id, pinned, readOnly, writtenMs }) =>
      !open.has(id) && !pinned && readOnly === undefined && writtenMs < now - days * DAY_MS,
  );
}

/** Where deleted runs lie until they are gone for good. */
const ASIDE = ".deleted";

/** Takes a run out of its list, so that it can still be had back. Returns where it lies now. */
export async function softDelete(folder: string): Promise<string> {
  const aside = join(dirname(folder), ASIDE);
  const problem = await folderProblem(aside);
  if (problem !== undefined) throw new Error(problem);
  await mkdir(aside, { recursive: true, mode: 0o700 });
  const to = join(aside, basename(folder));
  await rename(folder, to);
  return to;
}

/** Puts a run that was set aside back into its list. */
export async function restoreDeleted(aside: string): Promise<void> {
  await rename(aside, join(dirname(dirname(aside)), basename(aside)));
}

/** The runs of a folder that were set aside and neither put back nor thrown away. */
export async function softDeletedRuns(runs: string): Promise<readonly string[]> {
  const aside = join(runs, ASIDE);
  if (!(await isOurs(dirname(runs))) || (await folderProblem(aside)) !== undefined) return [];
  const names = await readdir(aside).catch((): string[] => []);
  return names.map((name) => join(aside, name));
}

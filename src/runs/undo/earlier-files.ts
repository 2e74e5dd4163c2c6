import { chmod, mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, sep } from "node:path";
import { isBehindLink } from "../store/run-folder.ts";
import type { FileState } from "./file-state.ts";
import type { JournalChange, SettledChange } from "./journal-lines.ts";
import type { PreImages } from "./pre-images.ts";
import { collectPathHistories } from "./undo-plan.ts";

/** A path that later steps changed, with its state right after an earlier step. */
export interface EarlierFile {
  readonly path: string;
  readonly was: FileState;
}

/** The state, right after a step, of each path that the agent changed later. */
export function listEarlierStates(
  lines: readonly (JournalChange | SettledChange)[],
  step: number,
): readonly EarlierFile[] {
  return collectPathHistories(lines).flatMap(({ path, standing }) => {
    const next = standing.find((deed) => deed.step > step);
    return next ? [{ path, was: next.was }] : [];
  });
}

/**
 * Restores earlier states in a copied folder. Returns the relative names of files that couldn't be restored, because their
 * earlier content wasn't kept.
 */
export async function makeEarlier(
  states: readonly EarlierFile[],
  { from, copy, kept }: { readonly from: string; readonly copy: string; readonly kept: PreImages },
): Promise<readonly string[]> {
  const lost: string[] = [];
  // On systems that ignore case, a file that is removed may be in the way of one that is written.
  const removedFirst = states.toSorted((one, other) => rankState(one) - rankState(other));
  for (const { path, was } of removedFirst) {
    const way = relative(from, path);
    if (way === "" || isAbsolute(way) || way.split(sep)[0] === "..") continue;
    const target = join(copy, way);
    const made = !(await isBehindLink(target, copy)) && (await make(target, was, kept).catch(() => false));
    if (!made) lost.push(way.split(sep).join("/"));
  }
  return lost;
}

function rankState({ was }: EarlierFile): number {
  return was.kind === "missing" ? 0 : 1;
}

async function make(path: string, was: FileState, kept: PreImages): Promise<boolean> {
  switch (was.kind) {
    case "missing":
      await rm(path, { recursive: true, force: true });
      return true;
    case "folder":
      await mkdir(path, { recursive: true });
      return true;
    case "file":
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, await kept.read(was.hash));
      await chmod(path, was.mode);
      return true;
    case "link":
    case "other":
      return false;
  }
}

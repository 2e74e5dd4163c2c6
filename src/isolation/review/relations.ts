import { lstat, readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { FileState } from "../../runs/undo/file-state.ts";
import type { CopiedFolder, CopyChange } from "../copy/copy.ts";
import { listFoldersBetween } from "./versions.ts";

/** A change with its label and path. */
export interface Placed {
  readonly change: CopyChange;
  /** The run's name for the file. */
  readonly label: string;
  /** Absolute path in the workspace. */
  readonly path: string;
}

/** How other changes of a review affect this one. */
export interface Relation {
  /** Labels of changes that must be accepted with it, because they free its path. */
  readonly needs?: readonly string[];
  /** The path is occupied in the workspace, but free once the needed changes are accepted. */
  readonly isCleared?: true;
  /** Label of another change with the same name on a disk that ignores case. */
  readonly clash?: string;
}

/** A change with the compared states of its path. */
export interface Looked extends Placed {
  readonly states: { readonly mine: FileState; readonly theirs: FileState };
}

/** Folders whose changes may affect each other. */
interface RelatedFolders {
  readonly folders: readonly CopiedFolder[];
  /** True if a disk treats names that differ only in case as the same. */
  isCaseInsensitive?(folder: string): Promise<boolean>;
}

/** A folder with more entries isn't replaced by a file. */
const MOST_ENTRIES = 1_000;

/** Finds relations between a review's changes, by label: file and folder replacing each other, and names that differ only in case. */
export async function findPathRelations(
  all: readonly Looked[],
  { folders, isCaseInsensitive = isNameCaseIgnored }: RelatedFolders,
): Promise<ReadonlyMap<string, Relation>> {
  const gone = new Map(all.filter(isDeletion).map((one) => [one.path, one]));
  const relations = new Map<string, Relation>();
  for (const one of all) {
    if (isDeletion(one)) continue;
    const needs = await findClearingDeletions(one, gone);
    if (needs) relations.set(one.label, { needs, isCleared: true });
  }
  for (const folder of folders) if (await isCaseInsensitive(folder.origin)) addCaseRelations(all, folder, relations);
  return relations;
}

function isDeletion({ states: { theirs } }: Looked): boolean {
  return theirs.kind === "missing" || theirs.kind === "folder";
}

/** Labels of the deletions that free an occupied path; undefined if they don't, or if the path is free already. */
async function findClearingDeletions(
  { path, change, states: { mine } }: Looked,
  gone: ReadonlyMap<string, Looked>,
): Promise<readonly string[] | undefined> {
  if (mine.kind === "folder") {
    const files = await listFilesBelow(path);
    const deletions = files?.map((file) => gone.get(file));
    return deletions?.every((one) => one !== undefined) ? deletions.map(({ label }) => label) : undefined;
  }
  if (mine.kind !== "other") return undefined;
  const above = listFoldersBetween(path, change.folder.origin).flatMap((folder) => gone.get(folder) ?? []);
  return above.length > 0 ? above.map(({ label }) => label) : undefined;
}

/** The files below a folder, without following links; undefined if there are too many. */
async function listFilesBelow(folder: string): Promise<readonly string[] | undefined> {
  const files: string[] = [];
  const waiting = [folder];
  let seen = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const entry of await readdir(next, { withFileTypes: true })) {
      seen += 1;
      if (seen > MOST_ENTRIES) return undefined;
      (entry.isDirectory() ? waiting : files).push(join(next, entry.name));
    }
  }
  return files;
}

function addCaseRelations(all: readonly Looked[], folder: CopiedFolder, relations: Map<string, Relation>): void {
  const byName = new Map<string, Looked[]>();
  for (const one of all) {
    if (one.change.folder.path !== folder.path) continue;
    const name = one.change.file.normalize("NFC").toLowerCase();
    byName.set(name, [...(byName.get(name) ?? []), one]);
  }
  for (const same of byName.values()) {
    const [first, ...others] = same.filter((one) => !isDeletion(one));
    const renamed = same.filter(isDeletion);
    if (!first) continue;
    if (renamed.length > 0) relations.set(first.label, { needs: renamed.map(({ label }) => label), isCleared: true });
    for (const other of others) relations.set(other.label, { clash: first.label });
  }
}

/** True if the folder's disk treats names that differ only in case as the same. */
async function isNameCaseIgnored(folder: string): Promise<boolean> {
  const name = basename(folder);
  const other = name === name.toUpperCase() ? name.toLowerCase() : name.toUpperCase();
  if (other === name) return process.platform !== "linux";
  const [one, same] = await Promise.all(
    [name, other].map((spelling) => lstat(join(dirname(folder), spelling)).catch(() => undefined)),
  );
  return one !== undefined && same !== undefined && one.ino === same.ino && one.dev === same.dev;
}

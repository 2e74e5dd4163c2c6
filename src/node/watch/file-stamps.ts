import type { BigIntStats } from "node:fs";
import { formatStamp } from "../../disk/stamp.ts";

/** The stamp of all folders: a folder's change time would only repeat its entries' changes. */
const FOLDER = "folder";

/** A text that changes whenever a file does; undefined for anything but files, folders and links. */
export function computeStamp(stats: BigIntStats): string | undefined {
  if (stats.isDirectory()) return FOLDER;
  if (stats.isFile()) return formatStamp(stats);
  return stats.isSymbolicLink() ? `link ${stats.ino} ${stats.ctimeNs}` : undefined;
}

/** For a moment, the earlier stamps of all paths that have changed since. */
type ChangesSince = Map<string, string | undefined>;

/**
 * The stamps of everything below a folder, and the changes since certain moments. Paths are relative, with slashes; a folder's path ends
 * with one.
 */
export class FileStamps {
  private readonly folders = new Map<string, Map<string, string>>();
  private readonly moments = new Map<number, ChangesSince>();
  private readonly changed: (path: string) => void;

  constructor(changed: (path: string) => void) {
    this.changed = changed;
  }

  get(path: string): string | undefined {
    const [folder, name] = splitPath(path);
    return this.folders.get(folder)?.get(name);
  }

  set(path: string, stamp: string | undefined): void {
    const [folder, name] = splitPath(path);
    const entries = this.folders.get(folder) ?? new Map<string, string>();
    const before = entries.get(name);
    if (before === stamp) return;
    for (const moment of this.moments.values()) if (!moment.has(path)) moment.set(path, before);
    if (stamp === undefined) entries.delete(name);
    else entries.set(name, stamp);
    this.folders.set(folder, entries);
    this.changed(path);
    if (stamp === undefined && path.endsWith("/")) this.removeFolder(path);
  }

  /** Sets all entries of a folder. Missing entries are removed, with everything below. */
  setEntries(folder: string, entries: ReadonlyMap<string, string>): void {
    for (const name of [...(this.folders.get(folder)?.keys() ?? [])])
      if (!entries.has(name)) this.set(`${folder}${name}`, undefined);
    for (const [name, stamp] of entries) this.set(`${folder}${name}`, stamp);
  }

  /** Removes everything below a folder. */
  private removeFolder(folder: string): void {
    for (const name of [...(this.folders.get(folder)?.keys() ?? [])]) this.set(`${folder}${name}`, undefined);
    this.folders.delete(folder);
  }

  /** Records changes from now on, under a number for this moment. */
  begin(moment: number): void {
    this.moments.set(moment, new Map());
  }

  /** The paths that differ from their state at a moment, each with its stamp then. */
  listChangedSince(moment: number): readonly (readonly [path: string, before: string | undefined])[] {
    return [...(this.moments.get(moment) ?? [])].filter(([path, before]) => this.get(path) !== before);
  }

  /** Forgets a moment. */
  end(moment: number): void {
    this.moments.delete(moment);
  }

  *iterateStamps(): Iterable<readonly [path: string, stamp: string]> {
    for (const [folder, entries] of this.folders)
      for (const [name, stamp] of entries) yield [`${folder}${name}`, stamp];
  }
}

/** The folder of a path, and the name of the path in it. */
function splitPath(path: string): readonly [folder: string, name: string] {
  const end = path.lastIndexOf("/", path.length - 2) + 1;
  return [path.slice(0, end), path.slice(end)];
}

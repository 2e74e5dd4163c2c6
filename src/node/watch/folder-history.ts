import { type BigIntStats, type Dirent, lstatSync, statSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { omitUndefined } from "../../core/base/objects.ts";
import type { FolderMoment, HeldBlob, SeenChange, SeenFile } from "../../core/ports/folder-watch.ts";
import { formatStamp } from "../../disk/stamp.ts";
import { normalizeSlashes } from "../files/real-path.ts";
import { type IsConverted, isAttributesFile, loadConversionTest } from "../git/attributes.ts";
import { findUnchangedBlob } from "../git/committed-files.ts";
import { GitIndex } from "../git/git-index.ts";
import { findRepositoryAround } from "../git/repository.ts";
import { computeStamp, FileStamps } from "./file-stamps.ts";
import type { TreeFollower, WatchedTree } from "./watched-tree.ts";

/** More files that git doesn't hold are left out. */
const MOST_UNHELD = 5_000;

/** A repository with files below one folder, and its index at one point in time. */
interface IndexedRepository {
  /** The beginning of its files' paths in the tree, and the replacement for it in their names in the repository. */
  readonly start: string;
  readonly prefix: string;
  readonly repository: HeldBlob["repository"];
  readonly version: string;
  readonly index: GitIndex | undefined;
}

/** The contents in git at one point in time. */
interface HeldThen {
  readonly repositories: readonly IndexedRepository[];
  readonly isConverted: IsConverted;
}

/** A moment without its changes. */
export type RememberedFiles = Pick<FolderMoment, "files" | "unheld">;

/** All files of a tree by their stamps, and which of them have their content in git. */
export class FolderHistory implements TreeFollower {
  private readonly tree: WatchedTree;
  private readonly stamps = new FileStamps((path) => this.touched.add(path));
  private readonly touched = new Set<string>();
  private readonly moments = new Map<number, HeldThen>();
  private readonly unheld = new Set<string>();
  private readonly attributes = new Set<string>();
  private trackedFolders = new Set<string>();
  private repositories: readonly IndexedRepository[] = [];
  private isConverted: IsConverted = () => false;
  /** Whether files must still be compared with the latest attributes. */
  private areAttributesNew = true;
  /** The index with which each repository's files were last compared. */
  private readonly compared = new Map<string, GitIndex>();

  private constructor(tree: WatchedTree) {
    this.tree = tree;
  }

  /** Reads everything below a folder. Throws if that's impossible. */
  static async read(tree: WatchedTree): Promise<FolderHistory> {
    const history = new FolderHistory(tree);
    await tree.follow(history);
    await tree.runBetweenLooks(() => history.finish());
    return history;
  }

  /** See `FolderWatch.remember`. */
  async remember(moment: number, files: readonly string[]): Promise<RememberedFiles> {
    await this.tree.lookAll();
    return this.tree.runBetweenLooks(async () => {
      await this.readIndexes();
      await this.readAttributes();
      this.compareTouched();
      this.stamps.begin(moment);
      this.moments.set(moment, { repositories: this.repositories, isConverted: this.isConverted });
      return {
        files: files.flatMap((path) => this.findSeenFile(this.getRelativeName(path))),
        unheld: this.listUnheldFiles(),
      };
    });
  }

  /** See `FolderMoment.collectChanges`. */
  async collectChanges(moment: number): Promise<readonly SeenChange[] | undefined> {
    const then = this.moments.get(moment);
    if (!then) return undefined;
    try {
      await this.tree.lookAll();
      return this.collectChangesSince(moment, then);
    } finally {
      this.stamps.end(moment);
      this.moments.delete(moment);
      // An index that was just written takes longer to look through than a step should wait.
      setImmediate(() => void this.tree.runBetweenLooks(() => this.catchUp()).catch(() => undefined));
    }
  }

  /** Compares all files for the first time. */
  private async finish(): Promise<void> {
    for (const { index } of this.repositories) index?.listNames();
    await this.catchUp();
  }

  async handleStart(): Promise<void> {
    this.attributes.clear();
    this.repositories = [];
    this.trackedFolders = new Set();
    const around = await findRepositoryAround(this.tree.root);
    if (around) {
      const prefix = normalizeSlashes(relative(around.root, this.tree.root));
      await this.addRepository("", prefix === "" ? "" : `${prefix}/`, around);
    }
  }

  async recordRepository(folder: string): Promise<void> {
    if (folder === "" || this.repositories.some(({ start }) => start === folder)) return;
    const root = resolve(this.tree.root, folder);
    const repository = await findRepositoryAround(root);
    if (repository?.root === root) await this.addRepository(folder, "", repository);
  }

  shouldKeep(path: string): boolean {
    if (path.endsWith("/")) return this.trackedFolders.has(path);
    return this.findRepository(path, this.repositories)?.get() !== undefined;
  }

  recordEntries(folder: string, entries: readonly Dirent[]): void {
    const found = new Map<string, string>();
    for (const entry of entries) {
      const path = join(this.tree.root, folder, entry.name);
      const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
      const stamp = stats && computeStamp(stats);
      if (stamp === undefined) continue;
      found.set(stats?.isDirectory() ? `${entry.name}/` : entry.name, stamp);
      if (isAttributesFile(entry.name)) this.attributes.add(path);
    }
    this.stamps.setEntries(folder, found);
  }

  recordStats(path: string, stats: BigIntStats | undefined): void {
    const isFolder = stats?.isDirectory() === true;
    this.stamps.set(`${path}/`, isFolder ? computeStamp(stats) : undefined);
    this.stamps.set(path, stats && !isFolder ? computeStamp(stats) : undefined);
    if (isAttributesFile(path)) this.attributes.add(join(this.tree.root, path));
  }

  private async addRepository(
    start: string,
    prefix: string,
    { root, gitFolder }: HeldBlob["repository"],
  ): Promise<void> {
    const added = await loadRepositoryIndex({ start, prefix, repository: { root, gitFolder } });
    // The nearest repository comes first.
    this.repositories = [...this.repositories, added].sort((one, other) => other.start.length - one.start.length);
    for (const name of added.index?.listNames() ?? []) {
      if (!name.startsWith(prefix)) continue;
      const path = start + name.slice(prefix.length);
      for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
        const folder = path.slice(0, end + 1);
        if (this.trackedFolders.has(folder)) break;
        this.trackedFolders.add(folder);
      }
    }
  }

  /** Reads the indexes that have changed. */
  private async readIndexes(): Promise<void> {
    const repositories: IndexedRepository[] = [];
    for (const known of this.repositories) {
      const isSame = known.version === readIndexVersion(known.repository.gitFolder);
      repositories.push(isSame ? known : await loadRepositoryIndex(known));
    }
    this.repositories = repositories;
  }

  /** Processes new indexes and attributes, for the files whose state in git has changed. */
  private async catchUp(): Promise<void> {
    await this.readIndexes();
    await this.readAttributes();
    if (this.areAttributesNew) for (const [path] of this.stamps.iterateStamps()) this.touched.add(path);
    this.areAttributesNew = false;
    for (const { start, prefix, repository, index } of this.repositories) {
      const known = this.compared.get(repository.gitFolder);
      if (!index || known === index) continue;
      this.compared.set(repository.gitFolder, index);
      for (const path of this.unheld) this.touched.add(path);
      for (const name of known ? index.listChangedSince(known) : [])
        if (name.startsWith(prefix)) this.touched.add(start + name.slice(prefix.length));
    }
    this.compareTouched();
  }

  /** Reads the attributes again if some have changed. */
  private async readAttributes(): Promise<void> {
    if (!this.areAttributesNew && ![...this.touched].some(isAttributesFile)) return;
    this.areAttributesNew = true;
    const around = this.repositories.map(({ repository }) => repository);
    this.isConverted = await loadConversionTest([...this.attributes], around);
  }

  /** Compares changed files with git's contents, unless that takes too long now. */
  private compareTouched(): void {
    if (this.repositories.some(({ index }) => index?.isKnown === false)) return;
    for (const path of this.touched) {
      if (this.isUnheld(path)) this.unheld.add(path);
      else this.unheld.delete(path);
    }
    this.touched.clear();
  }

  private isUnheld(path: string): boolean {
    const stamp = this.stamps.get(path);
    const place = this.findRepository(path, this.repositories);
    if (stamp === undefined || !/^\d/.test(stamp) || !place) return false;
    return !place.index?.hasUnchanged(place.name, stamp) || this.isConverted(join(this.tree.root, path));
  }

  private listUnheldFiles(): readonly SeenFile[] {
    const isTracked = (path: string) => this.findRepository(path, this.repositories)?.get() !== undefined;
    const all = [...this.unheld].slice(0, MOST_UNHELD * 2);
    const sorted = [...all.filter(isTracked), ...all.filter((path) => !isTracked(path))];
    return sorted.slice(0, MOST_UNHELD).flatMap((path) => this.findSeenFile(path));
  }

  private collectChangesSince(moment: number, then: HeldThen): readonly SeenChange[] {
    const changes = new Map<string, SeenChange>();
    for (const [path, before] of this.stamps.listChangedSince(moment)) {
      const now = this.stamps.get(path);
      const real = resolve(this.tree.root, path);
      const held = before === undefined ? undefined : this.findHeldBlob(path, before, then);
      changes.set(real, {
        ...changes.get(real),
        path: real,
        ...omitUndefined({ before, now, held }),
      });
    }
    return [...changes.values()].sort((one, other) => (one.path < other.path ? -1 : 1));
  }

  private findHeldBlob(path: string, stamp: string, { repositories, isConverted }: HeldThen): HeldBlob | undefined {
    const place = this.findRepository(path, repositories);
    if (!place?.index || isConverted(join(this.tree.root, path))) return undefined;
    return findUnchangedBlob(place.index, place.repository, place.name, stamp);
  }

  /** The repository that contains a path, and the path's name there. */
  private findRepository(path: string, repositories: readonly IndexedRepository[]) {
    const found = repositories.find(({ start }) => path.startsWith(start));
    if (!found) return undefined;
    const name = found.prefix + path.slice(found.start.length);
    return { ...found, name, get: () => found.index?.get(name) };
  }

  private findSeenFile(path: string): readonly SeenFile[] {
    const seen = this.stamps.get(path);
    return seen === undefined ? [] : [{ path: join(this.tree.root, path), seen }];
  }

  private getRelativeName(path: string): string {
    return normalizeSlashes(relative(this.tree.root, path));
  }
}

async function loadRepositoryIndex(
  place: Pick<IndexedRepository, "start" | "prefix" | "repository">,
): Promise<IndexedRepository> {
  const { start, prefix, repository } = place;
  const version = readIndexVersion(repository.gitFolder);
  const index = await GitIndex.read(join(repository.gitFolder, "index"));
  return { start, prefix, repository, version, index };
}

function readIndexVersion(gitFolder: string): string {
  const stats = statSync(join(gitFolder, "index"), { bigint: true, throwIfNoEntry: false });
  return stats ? formatStamp(stats) : "";
}

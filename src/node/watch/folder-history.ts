import { type BigIntStats, type Dirent, lstatSync, statSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import type { FolderMoment, HeldBlob, SeenChange, SeenFile } from "../../core/ports/folder-watch.ts";
import { slashed } from "../files/real-path.ts";
import { convertedFiles, type IsConverted, isAttributesFile } from "../git/attributes.ts";
import { blobOf } from "../git/committed-files.ts";
import { GitIndex } from "../git/git-index.ts";
import { repositoryAround } from "../git/repository.ts";
import { FileStamps, stampOf } from "./file-stamps.ts";
import type { TreeFollower, WatchedTree } from "./watched-tree.ts";

/** More unheld files than this are left out. */
const MOST_UNHELD = 5_000;

/** A repository with the files below one folder, and its index at one moment. */
interface IndexedRepository {
  /** Start of the paths of its files in the tree, and what stands for it in their names in the repository. */
  readonly start: string;
  readonly prefix: string;
  readonly repository: HeldBlob["repository"];
  readonly version: string;
  readonly index: GitIndex | undefined;
}

/** The contents that git had at one moment. */
interface HeldThen {
  readonly repositories: readonly IndexedRepository[];
  readonly isConverted: IsConverted;
}

/** A moment without its changes. */
export type RememberedFiles = Pick<FolderMoment, "files" | "unheld">;

/** All files of a tree by their stamps, and which of them git has. */
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
  /** Files haven't been compared with the latest attributes. */
  private areAttributesNew = true;
  /** The index that all files of a repository were last compared with. */
  private readonly compared = new Map<string, GitIndex>();

  private constructor(tree: WatchedTree) {
    this.tree = tree;
  }

  /** Reads everything below a folder. Throws if that's impossible. */
  static async of(tree: WatchedTree): Promise<FolderHistory> {
    const history = new FolderHistory(tree);
    await tree.follow(history);
    await tree.between(() => history.finish());
    return history;
  }

  /** See `FolderWatch.remember`. */
  async remember(moment: number, files: readonly string[]): Promise<RememberedFiles> {
    await this.tree.lookAll();
    return this.tree.between(async () => {
      await this.readIndexes();
      await this.readAttributes();
      this.compareTouched();
      this.stamps.begin(moment);
      this.moments.set(moment, { repositories: this.repositories, isConverted: this.isConverted });
      return {
        files: files.flatMap((path) => this.seen(this.nameOf(path))),
        unheld: this.unheldFiles(),
      };
    });
  }

  /** See `FolderMoment.changes`. */
  async changes(moment: number): Promise<readonly SeenChange[] | undefined> {
    const then = this.moments.get(moment);
    if (!then) return undefined;
    try {
      await this.tree.lookAll();
      return this.changesSince(moment, then);
    } finally {
      this.stamps.end(moment);
      this.moments.delete(moment);
      // An index that was just written takes longer to look through than a step should wait.
      setImmediate(() => void this.tree.between(() => this.catchUp()).catch(() => undefined));
    }
  }

  /** Compares all files for the first time. */
  private async finish(): Promise<void> {
    for (const { index } of this.repositories) index?.names();
    await this.catchUp();
  }

  async starts(): Promise<void> {
    this.attributes.clear();
    this.repositories = [];
    this.trackedFolders = new Set();
    const around = await repositoryAround(this.tree.root);
    if (around) {
      const prefix = slashed(relative(around.root, this.tree.root));
      await this.addRepository("", prefix === "" ? "" : `${prefix}/`, around);
    }
  }

  async hasRepository(folder: string): Promise<void> {
    if (folder === "" || this.repositories.some(({ start }) => start === folder)) return;
    const root = resolve(this.tree.root, folder);
    const repository = await repositoryAround(root);
    if (repository?.root === root) await this.addRepository(folder, "", repository);
  }

  keeps(path: string): boolean {
    if (path.endsWith("/")) return this.trackedFolders.has(path);
    return this.around(path, this.repositories)?.get() !== undefined;
  }

  lists(folder: string, entries: readonly Dirent[]): void {
    const found = new Map<string, string>();
    for (const entry of entries) {
      const path = join(this.tree.root, folder, entry.name);
      const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
      const stamp = stats && stampOf(stats);
      if (stamp === undefined) continue;
      found.set(stats?.isDirectory() ? `${entry.name}/` : entry.name, stamp);
      if (isAttributesFile(entry.name)) this.attributes.add(path);
    }
    this.stamps.setEntries(folder, found);
  }

  looks(path: string, stats: BigIntStats | undefined): void {
    const isFolder = stats?.isDirectory() === true;
    this.stamps.set(`${path}/`, isFolder ? stampOf(stats) : undefined);
    this.stamps.set(path, stats && !isFolder ? stampOf(stats) : undefined);
    if (isAttributesFile(path)) this.attributes.add(join(this.tree.root, path));
  }

  private async addRepository(
    start: string,
    prefix: string,
    { root, gitFolder }: HeldBlob["repository"],
  ): Promise<void> {
    const added = await indexed({ start, prefix, repository: { root, gitFolder } });
    // The nearest repository comes first.
    this.repositories = [...this.repositories, added].sort(
      (one, other) => other.start.length - one.start.length,
    );
    for (const name of added.index?.names() ?? []) {
      if (!name.startsWith(prefix)) continue;
      const path = start + name.slice(prefix.length);
      for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
        const folder = path.slice(0, end + 1);
        if (this.trackedFolders.has(folder)) break;
        this.trackedFolders.add(folder);
      }
    }
  }

  /** Reads the indexes that were written since. */
  private async readIndexes(): Promise<void> {
    const repositories: IndexedRepository[] = [];
    for (const known of this.repositories) {
      const isSame = known.version === versionOf(known.repository.gitFolder);
      repositories.push(isSame ? known : await indexed(known));
    }
    this.repositories = repositories;
  }

  /** Looks through new indexes, for the files that git has in another state than before. */
  private async catchUp(): Promise<void> {
    await this.readIndexes();
    await this.readAttributes();
    if (this.areAttributesNew) for (const [path] of this.stamps.paths()) this.touched.add(path);
    this.areAttributesNew = false;
    for (const { start, prefix, repository, index } of this.repositories) {
      const known = this.compared.get(repository.gitFolder);
      if (!index || known === index) continue;
      this.compared.set(repository.gitFolder, index);
      for (const path of this.unheld) this.touched.add(path);
      for (const name of known ? index.changedSince(known) : [])
        if (name.startsWith(prefix)) this.touched.add(start + name.slice(prefix.length));
    }
    this.compareTouched();
  }

  /** Reads the attributes again if some have changed. */
  private async readAttributes(): Promise<void> {
    if (!this.areAttributesNew && ![...this.touched].some(isAttributesFile)) return;
    this.areAttributesNew = true;
    const around = this.repositories.map(({ repository }) => repository);
    this.isConverted = await convertedFiles([...this.attributes], around);
  }

  /** Compares files that changed with what git has, unless that takes too long now. */
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
    const place = this.around(path, this.repositories);
    if (stamp === undefined || !/^\d/.test(stamp) || !place) return false;
    return !place.index?.hasUnchanged(place.name, stamp) || this.isConverted(join(this.tree.root, path));
  }

  private unheldFiles(): readonly SeenFile[] {
    const isTracked = (path: string) => this.around(path, this.repositories)?.get() !== undefined;
    const all = [...this.unheld].slice(0, MOST_UNHELD * 2);
    const sorted = [...all.filter(isTracked), ...all.filter((path) => !isTracked(path))];
    return sorted.slice(0, MOST_UNHELD).flatMap((path) => this.seen(path));
  }

  private changesSince(moment: number, then: HeldThen): readonly SeenChange[] {
    const changes = new Map<string, SeenChange>();
    for (const [path, before] of this.stamps.since(moment)) {
      const now = this.stamps.get(path);
      const real = resolve(this.tree.root, path);
      const held = before === undefined ? undefined : this.heldAt(path, before, then);
      changes.set(real, {
        ...changes.get(real),
        path: real,
        ...(before === undefined ? {} : { before }),
        ...(now === undefined ? {} : { now }),
        ...(held ? { held } : {}),
      });
    }
    return [...changes.values()].sort((one, other) => (one.path < other.path ? -1 : 1));
  }

  private heldAt(path: string, stamp: string, { repositories, isConverted }: HeldThen): HeldBlob | undefined {
    const place = this.around(path, repositories);
    if (!place?.index || isConverted(join(this.tree.root, path))) return undefined;
    return blobOf(place.index, place.repository, place.name, stamp);
  }

  /** The repository that a path is in, and its name there. */
  private around(path: string, repositories: readonly IndexedRepository[]) {
    const found = repositories.find(({ start }) => path.startsWith(start));
    if (!found) return undefined;
    const name = found.prefix + path.slice(found.start.length);
    return { ...found, name, get: () => found.index?.get(name) };
  }

  private seen(path: string): readonly SeenFile[] {
    const seen = this.stamps.get(path);
    return seen === undefined ? [] : [{ path: join(this.tree.root, path), seen }];
  }

  private nameOf(path: string): string {
    return slashed(relative(this.tree.root, path));
  }
}

async function indexed(
  place: Pick<IndexedRepository, "start" | "prefix" | "repository">,
): Promise<IndexedRepository> {
  const { start, prefix, repository } = place;
  const version = versionOf(repository.gitFolder);
  const index = await GitIndex.read(join(repository.gitFolder, "index"));
  return { start, prefix, repository, version, index };
}

function versionOf(gitFolder: string): string {
  const stats = statSync(join(gitFolder, "index"), { bigint: true, throwIfNoEntry: false });
  return stats ? `${stats.mtimeNs} ${stats.size} ${stats.ino}` : "";
}

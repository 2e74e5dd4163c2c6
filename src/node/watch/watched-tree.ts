import { type BigIntStats, type Dirent, lstatSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join, sep } from "node:path";
import { Queue } from "../../core/base/async.ts";
import type { WatchReport } from "../../core/ports/folder-watch.ts";
import { hasCode } from "../../disk/error-codes.ts";
import { type IgnoreRules, ignoreRules } from "../files/ignore-rules.ts";
import { createYielder } from "../processes/event-loop.ts";
import { HIDDEN } from "../search/walk.ts";
import { type FolderHandle, type FolderHandles, IS_PER_FOLDER, isOnLocalDisk } from "./folder-handles.ts";

/** Reports in such quick succession are sent together. */
const PAUSE_MS = 25;
/** More paths are reported as `lost`. */
const MOST_PATHS = 20_000;
const COOKIE_MS = 2_000;
/** Time to read a folder once, and around each program if it can't be watched. */
const MOST_READ_MS = 120_000;
const MOST_WALK_MS = 10_000;

/** Follows the contents of a folder. Paths are relative, with slashes; a folder's path ends with a slash. */
export interface TreeFollower {
  /** Called before everything is listed again. */
  handleStart(): Promise<void>;
  /** Called for a folder that contains a repository's files. */
  recordRepository(folder: string): Promise<void>;
  /** True for an ignored path that should still be followed. */
  shouldKeep(path: string): boolean;
  recordEntries(folder: string, entries: readonly Dirent[]): void;
  recordStats(path: string, stats: BigIntStats | undefined): void;
}

/** Everything below a folder, watched if that's possible. */
export class WatchedTree {
  readonly root: string;
  private readonly handles: FolderHandles;
  private readonly report: (report: WatchReport) => void;
  private readonly queue = new Queue();
  private readonly folders = new Map<string, FolderHandle | undefined>();
  /** Reported names that weren't checked yet, and whether one of their reports was a creation, deletion or move. */
  private pending = new Map<string, boolean>();
  private readonly cookies = new Map<string, () => void>();
  private rules: IgnoreRules;
  private rootId = "";
  private follower: TreeFollower | undefined;
  private isWatched: boolean;
  private isLost = true;
  private isClosed = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(root: string, handles: FolderHandles, report: (report: WatchReport) => void) {
    this.root = root;
    this.handles = handles;
    this.report = report;
    this.rules = ignoreRules(root);
    this.isWatched = isOnLocalDisk(root);
  }

  /** Starts to watch. False if the folder can't be watched. */
  start(): Promise<boolean> {
    return this.queue.add(async () => {
      if (this.isLost && this.isWatched) await this.build().catch(() => this.fail());
      return this.isWatched;
    });
  }

  /** Starts following everything below. Throws if the folder can't be read. */
  follow(follower: TreeFollower): Promise<void> {
    return this.queue.add(async () => {
      this.follower = follower;
      try {
        await this.build();
      } catch (error) {
        if (!this.isWatched) throw error;
        this.fail();
        await this.build();
      }
    });
  }

  unfollow(): Promise<void> {
    return this.queue.add(async () => {
      this.follower = undefined;
    });
  }

  /** See `WatchedFolder.waitUntilReported`. */
  async waitUntilReported(): Promise<boolean> {
    await this.lookAll();
    return this.isWatched && !this.isClosed;
  }

  /** Checks all changes until now; checks everything if the folder isn't watched. */
  async lookAll(): Promise<void> {
    if (this.isWatched && !(await this.waitForDelivery())) this.fail();
    if (this.isWatched && this.readIdentity() !== this.rootId) this.isLost = true;
    await this.processReports();
  }

  /** Runs a function while no check is in progress. */
  runBetweenLooks<T>(act: () => Promise<T>): Promise<T> {
    return this.queue.add(act);
  }

  /** Checks everything again because reports were lost. */
  handleLostReports(): void {
    this.isLost = true;
    this.scheduleProcessing();
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
    this.drop("");
  }

  /** Returns true once all reports of earlier changes were received. */
  private async waitForDelivery(): Promise<boolean> {
    if (!IS_PER_FOLDER) return this.waitForCookie();
    await this.handles.waitUntilDrained();
    return true;
  }

  /** On other systems, reports are delayed. The report of a file written now follows those of earlier changes. */
  private async waitForCookie(): Promise<boolean> {
    const name = `.autogpt/watch-${process.pid}-${performance.now()}`;
    const path = join(this.root, name);
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => resolve(false), COOKIE_MS);
    this.cookies.set(name, () => resolve(true));
    try {
      mkdirSync(join(this.root, ".autogpt"), { recursive: true });
      writeFileSync(path, "");
      return await promise;
    } catch {
      return false;
    } finally {
      clearTimeout(timer);
      this.cookies.delete(name);
      rmSync(path, { force: true });
    }
  }

  private async build(): Promise<void> {
    this.drop("");
    this.pending.clear();
    this.isLost = false;
    this.rules = ignoreRules(this.root);
    this.rootId = this.readIdentity();
    await this.follower?.handleStart();
    await this.add("");
  }

  /** Watches a folder and its subfolders, each before listing it, so that no change is missed. */
  private async add(start: string): Promise<void> {
    const breathe = createYielder(NEVER);
    const end = performance.now() + (this.isWatched ? MOST_READ_MS : MOST_WALK_MS);
    const waiting = [start];
    for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
      await breathe();
      if (this.isClosed) return;
      if (performance.now() > end) throw new Error("It takes too long to read the folder.");
      // With a slash at the end, reports on the folder itself have no name.
      const path = join(this.root, folder, sep);
      try {
        const isWatched = this.isWatched && (IS_PER_FOLDER || folder === "");
        this.folders.set(folder, isWatched ? this.open(folder, path) : undefined);
        const entries = await this.listEntries(folder, path);
        for (const entry of entries) if (entry.isDirectory()) waiting.push(`${folder}${entry.name}/`);
      } catch (error) {
        if (folder === "" || !hasCode(error, "ENOENT", "ENOTDIR", "EACCES", "EPERM", "ELOOP")) throw error;
        this.drop(folder);
        this.follower?.recordEntries(folder, []);
      }
    }
  }

  /** The entries of a folder that aren't left out. */
  private async listEntries(folder: string, path: string): Promise<readonly Dirent[]> {
    const all = readdirSync(path, { withFileTypes: true });
    if (all.some(({ name }) => name === ".git")) await this.follower?.recordRepository(folder);
    const judge = await this.rules.loadMatcher(folder);
    const entries = all.filter((entry) => {
      const below = `${folder}${entry.name}${entry.isDirectory() ? "/" : ""}`;
      return !this.isLeftOut(below, entry.name, judge);
    });
    this.follower?.recordEntries(folder, entries);
    return entries;
  }

  private isLeftOut(path: string, name: string, judge: (path: string) => "git" | "agent" | undefined): boolean {
    const by = HIDDEN.has(name) ? "git" : judge(path);
    if (by !== "git" || name === ".git") return by !== undefined;
    return this.follower?.shouldKeep(path) !== true;
  }

  private open(folder: string, path: string): FolderHandle {
    return this.handles.watch(
      path,
      (name, isRename) => this.hear(folder, name, isRename),
      () => this.fail(),
    );
  }

  private hear(folder: string, name: string | null, isRename: boolean): void {
    if (name === null) {
      this.handleLostReports();
      return;
    }
    if (name === "") return;
    const path = `${folder}${sep === "/" ? name : name.replaceAll(sep, "/")}`;
    this.cookies.get(path)?.();
    const parent = path.slice(0, path.lastIndexOf("/") + 1);
    if (!this.folders.has(parent)) return;
    this.pending.set(path, isRename || this.pending.get(path) === true);
    this.scheduleProcessing();
  }

  private scheduleProcessing(): void {
    if (this.isClosed || !this.isWatched) return;
    this.timer ??= setTimeout(() => void this.processReports().catch(() => this.fail()), PAUSE_MS);
  }

  /** Checks reported paths, follows new folders, and passes the reports on. */
  private processReports(): Promise<void> {
    return this.queue.add(async () => {
      clearTimeout(this.timer);
      this.timer = undefined;
      if (this.isClosed) return;
      if (!this.isWatched) {
        if (this.follower) await this.build();
        return;
      }
      try {
        const changed = await this.lookAtReported();
        if (changed === undefined) this.report({ kind: "lost" });
        else if (changed.length > 0) this.report({ kind: "changed", paths: changed });
      } catch {
        this.fail();
        if (this.follower) await this.build();
      }
    });
  }

  /** The paths that changed; undefined if anything may have changed, so that everything is watched again. */
  private async lookAtReported(): Promise<readonly string[] | undefined> {
    const reported = [...this.pending];
    this.pending = new Map();
    if (this.isLost || reported.length > MOST_PATHS || reported.some(([path]) => isIgnoreFile(path))) {
      await this.build();
      return undefined;
    }
    const changed: string[] = [];
    for (const [path, isRename] of reported)
      if (await this.inspectPath(path, isRename)) changed.push(join(this.root, path));
    return changed;
  }

  /** Returns true if a path has changed. */
  private async inspectPath(path: string, isRename: boolean): Promise<boolean> {
    const stats = lstatSync(join(this.root, path), { bigint: true, throwIfNoEntry: false });
    const folder = `${path}/`;
    const isFolder = stats?.isDirectory() === true;
    const isKnown = this.folders.has(folder);
    const above = path.slice(0, path.lastIndexOf("/") + 1);
    const judge = await this.rules.loadMatcher(above);
    if (this.isLeftOut(isFolder ? folder : path, path.slice(above.length), judge)) return false;
    if (isKnown && isFolder && !isRename) return false;
    if (isKnown) this.drop(folder);
    this.follower?.recordStats(path, stats);
    if (isFolder) await this.add(folder);
    return true;
  }

  private drop(folder: string): void {
    for (const [path, handle] of this.folders) {
      if (!path.startsWith(folder)) continue;
      handle?.close();
      this.folders.delete(path);
    }
  }

  /** Marks the folder as no longer watched. */
  private fail(): void {
    if (!this.isWatched || this.isClosed) return;
    this.isWatched = false;
    this.isLost = true;
    clearTimeout(this.timer);
    this.drop("");
    this.report({ kind: "lost" });
  }

  /** Identifies the root, which another folder may have replaced. */
  private readIdentity(): string {
    const stats = lstatSync(this.root, { bigint: true, throwIfNoEntry: false });
    return stats ? `${stats.dev} ${stats.ino}` : "";
  }
}

const { signal: NEVER } = new AbortController();

function isIgnoreFile(path: string): boolean {
  return /(?:^|\/)\.(?:gitignore|autogptignore)$/.test(path);
}

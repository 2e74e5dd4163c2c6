import { lstatSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join, sep } from "node:path";
import { Queue } from "../../core/base/async.ts";
import type { WatchReport } from "../../core/ports/folder-watch.ts";
import { hasCode } from "../files/file-errors.ts";
import { type IgnoreRules, ignoreRules } from "../files/ignore-rules.ts";
import { HIDDEN } from "../search/walk.ts";
import { type FolderHandle, type FolderHandles, IS_PER_FOLDER, isOnLocalDisk } from "./folder-handles.ts";

/** Reports that follow each other this closely are sent together. */
const PAUSE_MS = 25;
/** More paths than this are sent as `lost`. */
const MOST_PATHS = 20_000;
/** Rounds of waiting, for a folder that something changes all the time. */
const MOST_ROUNDS = 50;
const COOKIE_MS = 2_000;

/** Everything below a folder, watched. Paths inside are relative, with slashes; those of folders end with a slash. */
export class WatchedTree {
  readonly root: string;
  private readonly handles: FolderHandles;
  private readonly report: (report: WatchReport) => void;
  private readonly queue = new Queue();
  private readonly folders = new Map<string, FolderHandle | undefined>();
  /** Reported names that haven't been looked at, and whether one of their reports was a creation, deletion or move. */
  private pending = new Map<string, boolean>();
  private rules: IgnoreRules;
  private rootId = "";
  private isLost = false;
  private isFailed = false;
  private isClosed = false;
  private timer: NodeJS.Timeout | undefined;
  private cookies = new Map<string, () => void>();

  constructor(root: string, handles: FolderHandles, report: (report: WatchReport) => void) {
    this.root = root;
    this.handles = handles;
    this.report = report;
    this.rules = ignoreRules(root);
  }

  /** False if the folder can't be watched. */
  start(): Promise<boolean> {
    return this.queue.add(async () => {
      try {
        if (!isOnLocalDisk(this.root)) return false;
        await this.build();
        return !this.isFailed;
      } catch {
        this.fail();
        return false;
      }
    });
  }

  /** See `WatchedFolder.settled`. */
  async settled(): Promise<boolean> {
    for (let round = 0; round < MOST_ROUNDS; round++) {
      if (!(await this.delivered())) return false;
      if (this.identity() !== this.rootId) this.lose();
      const isIdle = this.pending.size === 0 && !this.isLost;
      await this.process();
      if (isIdle) return !this.isFailed;
    }
    return false;
  }

  /** Reports were lost: everything is looked at again. */
  lose(): void {
    this.isLost = true;
    this.processSoon();
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
    this.drop("");
  }

  /** True once all reports of earlier changes have been heard. */
  private async delivered(): Promise<boolean> {
    if (this.isFailed || this.isClosed) return false;
    if (IS_PER_FOLDER) await this.handles.drained();
    return IS_PER_FOLDER || this.cookieSeen();
  }

  /** Elsewhere a report takes its time; that of a file which is written now comes after those of earlier changes. */
  private async cookieSeen(): Promise<boolean> {
    const name = `.autogpt/watch-${process.pid}-${Date.now().toString(36)}-${this.cookies.size}`;
    const path = join(this.root, name);
    const seen = new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => resolve(false), COOKIE_MS);
      this.cookies.set(name, () => {
        clearTimeout(timer);
        resolve(true);
      });
    });
    try {
      mkdirSync(join(this.root, ".autogpt"), { recursive: true });
      writeFileSync(path, "");
      return await seen;
    } catch {
      return false;
    } finally {
      this.cookies.delete(name);
      rmSync(path, { force: true });
    }
  }

  private async build(): Promise<void> {
    this.drop("");
    this.pending.clear();
    this.rules = ignoreRules(this.root);
    this.rootId = this.identity();
    this.isLost = false;
    await this.add("");
  }

  /** Watches a folder and those below it, each before it is listed, so that nothing in it is missed. */
  private async add(start: string): Promise<void> {
    const waiting = [start];
    for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
      if (this.isClosed) return;
      const path = join(this.root, folder);
      try {
        const isWatched = IS_PER_FOLDER || folder === "";
        this.folders.set(folder, isWatched ? this.open(folder, path) : undefined);
        for (const entry of readdirSync(path, { withFileTypes: true })) {
          const below = `${folder}${entry.name}/`;
          if (entry.isDirectory() && !(await this.isLeftOut(below))) waiting.push(below);
        }
      } catch (error) {
        if (folder === "" || !hasCode(error, "ENOENT", "ENOTDIR", "EACCES", "EPERM", "ELOOP")) throw error;
        this.folders.delete(folder);
      }
    }
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
      this.lose();
      return;
    }
    const path = `${folder}${sep === "/" ? name : name.replaceAll(sep, "/")}`;
    this.cookies.get(path)?.();
    if (path.split("/").some((part) => HIDDEN.has(part))) return;
    this.pending.set(path, isRename || this.pending.get(path) === true);
    this.processSoon();
  }

  private processSoon(): void {
    if (this.isClosed || this.isFailed) return;
    this.timer ??= setTimeout(() => void this.process(), PAUSE_MS);
  }

  /** Looks at what was reported, follows new folders, and passes the reports on. */
  private process(): Promise<void> {
    return this.queue.add(async () => {
      clearTimeout(this.timer);
      this.timer = undefined;
      if (this.isClosed || this.isFailed) return;
      try {
        const changed = await this.lookedAt();
        if (changed === undefined) this.report({ kind: "lost" });
        else if (changed.length > 0) this.report({ kind: "changed", paths: changed });
      } catch {
        this.fail();
      }
    });
  }

  /** The paths that changed; undefined if anything may have, so that all is watched again. */
  private async lookedAt(): Promise<readonly string[] | undefined> {
    const reported = [...this.pending];
    this.pending = new Map();
    if (this.isLost || reported.length > MOST_PATHS || reported.some(([path]) => isIgnoreFile(path))) {
      await this.build();
      return undefined;
    }
    const changed: string[] = [];
    for (const [path, isRename] of reported) {
      const stats = lstatSync(join(this.root, path), { throwIfNoEntry: false });
      const folder = `${path}/`;
      const isFolder = stats?.isDirectory() === true;
      const isKnown = this.folders.has(folder);
      if (await this.isLeftOut(isFolder ? folder : path)) continue;
      if (isKnown && isFolder && !isRename) continue;
      if (isKnown) this.drop(folder);
      if (isFolder) await this.add(folder);
      changed.push(join(this.root, path));
    }
    return changed;
  }

  private async isLeftOut(path: string): Promise<boolean> {
    const name = path.split("/").at(path.endsWith("/") ? -2 : -1) ?? "";
    return HIDDEN.has(name) || (await this.rules.named(path)) !== undefined;
  }

  private drop(folder: string): void {
    for (const [path, handle] of this.folders) {
      if (!path.startsWith(folder)) continue;
      handle?.close();
      this.folders.delete(path);
    }
  }

  private fail(): void {
    if (this.isFailed || this.isClosed) return;
    this.isFailed = true;
    this.drop("");
    this.report({ kind: "lost" });
  }

  /** Another folder may have taken the place of the root. */
  private identity(): string {
    const stats = lstatSync(this.root, { bigint: true, throwIfNoEntry: false });
    return stats ? `${stats.dev} ${stats.ino}` : "";
  }
}

function isIgnoreFile(path: string): boolean {
  return /(?:^|\/)\.(?:gitignore|autogptignore)$/.test(path);
}

import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import * as vscode from "vscode";
import { isUriPath } from "../../core/base/uri-path.ts";
import { sha256 } from "../../disk/sha256.ts";
import { getUserFolder } from "../../node/app-files.ts";
import { findLockHolder } from "../../node/processes/process-lock.ts";
import type { Seal } from "../../runs/log/log-seal.ts";
import { describeRunInUse, findOtherProcess } from "../../runs/log/run-lease.ts";
import { COSTS_FOLDER, CostLedger } from "../../runs/store/cost-ledger.ts";
import {
  deleteRunSoftly,
  listExpiredRuns,
  listSoftDeletedRuns,
  restoreDeleted,
} from "../../runs/store/deleted-runs.ts";
import { loadRunOwner } from "../../runs/store/machine.ts";
import { ensureHomeFolder, getRunsFolder, HOME } from "../../runs/store/run-folder.ts";
import { changeRunMetadata, type RunMetadata } from "../../runs/store/run-metadata.ts";
import { createRunStoreForHomes, type RunStore, type StoredRun } from "../../runs/store/run-store.ts";
import type { RunSummary } from "../../runs/store/run-summary.ts";
import { getDemosFolder } from "../../runtime/demo-host.ts";
import { DisplayError } from "../../texts/display-text.ts";
import { listAllFolders } from "../workspace/folders.ts";

/** The stored runs of the open folders, of folders that can't be written, and of the demo. */
export class RunLibrary {
  private readonly storage: string;
  /** The user's costs over all folders, which the command line shares. */
  readonly costs = new CostLedger(join(getUserFolder(), COSTS_FOLDER));
  private known: { readonly key: string; readonly store: RunStore } | undefined;

  /** `storage`: the extension's own folder on this machine. */
  constructor(storage: string) {
    this.storage = storage;
  }

  /** The mark that identifies the user in a run's log. */
  async getMachineMark(run: string): Promise<string> {
    return (await loadRunOwner(getUserFolder())).computeMark(run);
  }

  /** Creates the seal for a run's log lines. */
  async seal(run: string): Promise<Seal> {
    return (await loadRunOwner(getUserFolder())).createSeal(run);
  }

  /** Storage folder for runs whose workspace folder can't be written. */
  get fallback(): string {
    return join(this.storage, "unwritable");
  }

  /** The folder for the copies of isolated runs. */
  get copies(): string {
    return join(this.storage, "copies");
  }

  /** The fallback for one folder; a virtual folder has its own. */
  getFallbackHome(folder: string): string {
    return isUriPath(folder) ? join(this.storage, "virtual", sha256(folder).slice(0, 16)) : this.fallback;
  }

  /** A folder's `.autogpt` folder. For a virtual folder, it's inside the extension's own folder. */
  getHome(folder: string): string {
    return isUriPath(folder) ? this.getFallbackHome(folder) : join(folder, HOME);
  }

  /** The `.autogpt` folder for imported runs: that of the first open folder, or the extension's own. */
  async getImportHome(): Promise<string> {
    const [first] = vscode.workspace.isTrusted ? listAllFolders() : [];
    return first ? ensureHomeFolder(first.path, this.getFallbackHome(first.path)) : this.fallback;
  }

  async list(): Promise<readonly RunSummary[]> {
    return (await this.store()).list();
  }

  async open(id: string): Promise<StoredRun> {
    return (await this.store()).open(id);
  }

  /** The folder of a run. Throws a sentence when there is no such run. */
  async findRunFolder(id: string): Promise<string> {
    return (await this.store()).findRunFolder(id);
  }

  /** Removes a run from the list. The result restores it or deletes it permanently. */
  async delete(id: string): Promise<DeletedRun> {
    const folder = await this.findRunFolder(id);
    const holder = await findOtherProcess(folder, await this.seal(id), findLockHolder);
    if (holder) throw new DisplayError(describeRunInUse(holder));
    const aside = await deleteRunSoftly(folder);
    return { putBack: () => restoreDeleted(aside), throwAway: () => toTrash(aside) };
  }

  async mark(id: string, marks: RunMetadata): Promise<void> {
    await changeRunMetadata(await (await this.store()).findRunFolder(id), marks);
  }

  /** Moves deleted runs that weren't restored, and expired runs, to the trash. Keeps runs that are open in this window. */
  async cleanUp(days: number, open: ReadonlySet<string>): Promise<readonly string[]> {
    const store = await this.store();
    const left = await Promise.all((await this.listHomes()).map((home) => listSoftDeletedRuns(getRunsFolder(home))));
    await Promise.all(left.flat().map(async (folder) => ((await isAbandoned(folder)) ? toTrash(folder) : undefined)));
    const idle = (await store.list()).filter(({ holder }) => holder === undefined);
    const old = listExpiredRuns(idle, { days, now: Date.now(), open });
    for (const { folder } of old) await toTrash(folder);
    return old.map(({ id }) => id);
  }

  /** Reads again whose runs are the user's own, because they have got a fleet key since. */
  forgetOwner(): void {
    this.known = undefined;
  }

  private async store(): Promise<RunStore> {
    const homes = await this.listHomes();
    const key = homes.join("\n");
    if (this.known?.key !== key)
      this.known = { key, store: createRunStoreForHomes(homes, await loadRunOwner(getUserFolder()), findLockHolder) };
    return this.known.store;
  }

  private async listHomes(): Promise<readonly string[]> {
    const demos = getDemosFolder(this.storage);
    const names = await readdir(demos).catch((): string[] => []);
    return [
      ...listAllFolders().map(({ path }) => this.getHome(path)),
      this.fallback,
      ...names.map((name) => join(demos, name, HOME)),
    ];
  }
}

/** A deleted run that can still be restored. */
export interface DeletedRun {
  putBack(): Promise<void>;
  throwAway(): Promise<void>;
}

/** How long another window may offer to restore a deleted run, in milliseconds. */
const UNDO_MS = 3_600_000;

/** True for a run that was deleted so long ago that no window offers to restore it. */
async function isAbandoned(folder: string): Promise<boolean> {
  return stat(folder).then(
    ({ ctimeMs }) => ctimeMs < Date.now() - UNDO_MS,
    () => false,
  );
}

/** Moves a folder to the trash, or deletes it if there is no trash. */
async function toTrash(folder: string): Promise<void> {
  try {
    await vscode.workspace.fs.delete(vscode.Uri.file(folder), { recursive: true, useTrash: true });
  } catch {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import * as vscode from "vscode";
import { userFolder } from "../node/user-folder.ts";
import { machineId } from "../runs/machine.ts";
import { HOME, homeFolder } from "../runs/run-folder.ts";
import { type RunStore, runStore, type StoredRun } from "../runs/store.ts";
import type { RunSummary } from "../runs/summary.ts";
import { openFolders } from "./place.ts";

/** The stored runs within reach: of the open folders, of folders that could not be written, of the demo. */
export class Library {
  private readonly storage: string;
  private known: { readonly key: string; readonly store: RunStore } | undefined;

  /** `storage`: the extension's own folder on this machine. */
  constructor(storage: string) {
    this.storage = storage;
  }

  machine(): Promise<string> {
    return machineId(userFolder());
  }

  /** Where runs go whose workspace folder cannot be written. */
  get fallback(): string {
    return join(this.storage, "unwritable");
  }

  /** The `.autogpt` folder that imported runs go to: the first open folder's, else the extension's own. */
  async homeForImports(): Promise<string> {
    const [first] = vscode.workspace.isTrusted ? openFolders() : [];
    return first ? homeFolder(first.path, this.fallback) : this.fallback;
  }

  async list(): Promise<readonly RunSummary[]> {
    return (await this.store()).list();
  }

  async open(id: string): Promise<StoredRun> {
    return (await this.store()).open(id);
  }

  /** To the trash where there is one. */
  async remove(id: string): Promise<void> {
    await (await this.store()).remove(id, async (folder) => {
      const uri = vscode.Uri.file(folder);
      try {
        await vscode.workspace.fs.delete(uri, { recursive: true, useTrash: true });
      } catch {
        await rm(folder, { recursive: true, force: true });
      }
    });
  }

  private async store(): Promise<RunStore> {
    const demos = await readdir(join(this.storage, "demo")).catch(() => []);
    const homes = [
      ...openFolders().map((folder) => join(folder.path, HOME)),
      this.fallback,
      ...demos.map((name) => join(this.storage, "demo", name, HOME)),
    ];
    const key = homes.join("\n");
    if (this.known?.key !== key) this.known = { key, store: runStore(homes, await this.machine()) };
    return this.known.store;
  }
}

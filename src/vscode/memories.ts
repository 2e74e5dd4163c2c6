import { createHash } from "node:crypto";
import { join } from "node:path";
import * as vscode from "vscode";
import { encoderInstalled } from "../memory/install-encoder.ts";
import type { MemoryStore } from "../memory/memory-store.ts";
import type { Embedding } from "../memory/workspace-memory.ts";
import { userFolder } from "../node/user-folder.ts";
import { memoryKey } from "../runs/machine.ts";
import { homeFolder } from "../runs/run-folder.ts";
import { makeSecrets } from "../runs/secrets.ts";
import { type EmbeddingCost, OFFLINE, providerEmbedding } from "./embedding-choice.ts";
import { fetchEncoder } from "./fetch-encoder.ts";
import type { KeyRing } from "./keys.ts";
import type { ModelDesk } from "./model-desk.ts";
import { readSettings, type Settings } from "./settings.ts";

/** What opening memories needs. */
export interface MemoriesParts {
  readonly desk: ModelDesk;
  readonly keys: KeyRing;
  /** Where memories go whose workspace folder cannot be written. */
  readonly fallback: string;
  /** The extension's own folder on this machine: the offline encoder is put here. */
  readonly storage: string;
  /** `dist`, with the encoder's worker. */
  readonly dist: string;
  /** Vectors were paid for, for this folder. */
  spent(folder: string, cost: EmbeddingCost): void;
}

interface Opened {
  readonly embedding: string;
  readonly store: Promise<MemoryStore>;
  readonly at: number;
  ready?: MemoryStore;
  failed?: true;
}

/** A memory that could not be opened is tried again after this long. */
const RETRY_MS = 30_000;

/** The memories of the open folders, each opened when it is first used, and only in a trusted workspace. */
export class Memories implements vscode.Disposable {
  private readonly parts: MemoriesParts;
  private readonly opened = new Map<string, Opened>();
  private readonly changes = new vscode.EventEmitter<string>();
  private fetching: Promise<boolean> | undefined;

  /** A memory of a folder has changed. */
  readonly onChange = this.changes.event;

  constructor(parts: MemoriesParts) {
    this.parts = parts;
  }

  /** The memory of a folder. Throws a sentence when it cannot be used. */
  async open(folder: string): Promise<MemoryStore> {
    if (!vscode.workspace.isTrusted)
      throw new Error("This folder is in Restricted Mode, so its memory is not loaded.");
    const settings = readSettings(vscode.Uri.file(folder));
    const embedding = `${settings.model.embedding} ${settings.model.baseUrl} ${settings.model.provider}`;
    const before = this.opened.get(folder);
    const stale = before?.failed && Date.now() - before.at > RETRY_MS;
    if (before && before.embedding === embedding && !stale) return before.store;
    const closed = before?.store.then((earlier) => earlier.close()).catch(() => undefined);
    const store = Promise.resolve(closed).then(() => this.make(folder, settings));
    const opened: Opened = { embedding, store, at: Date.now() };
    this.opened.set(folder, opened);
    store.then(
      (ready) => this.isReady(folder, opened, ready),
      () => {
        opened.failed = true;
      },
    );
    return store;
  }

  /** The memory of a folder if it is open already. */
  known(folder: string): MemoryStore | undefined {
    return this.opened.get(folder)?.ready;
  }

  /** Closes all memories: everything gets onto the disk. */
  async close(): Promise<void> {
    const all = [...this.opened.values()];
    this.opened.clear();
    await Promise.allSettled(all.map(async ({ store }) => (await store).close()));
  }

  dispose(): void {
    this.changes.dispose();
  }

  private isReady(folder: string, opened: Opened, ready: MemoryStore): void {
    opened.ready = ready;
    ready.onChange(() => this.changes.fire(folder));
    this.changes.fire(folder);
  }

  private async make(folder: string, settings: Settings): Promise<MemoryStore> {
    const { fallback, keys } = this.parts;
    const home = await homeFolder(folder, fallback);
    const place = home === fallback ? join(fallback, "memory", hashOf(folder)) : join(home, "memory");
    const { redact } = makeSecrets(await keys.all());
    const { openWorkspaceMemory } = require("./memory.cjs") as typeof import("../memory/workspace-memory.ts");
    const key = await memoryKey(userFolder());
    return openWorkspaceMemory(await this.embedding(folder, settings), { folder: place, key, redact });
  }

  /** Until the encoder is here, n-grams do its work. */
  private async embedding(folder: string, settings: Settings): Promise<Embedding> {
    const { embedding } = settings.model;
    if (embedding === "") return { kind: "hashed" };
    if (embedding !== OFFLINE)
      return providerEmbedding(this.parts.desk, settings, (cost) => this.parts.spent(folder, cost));
    const encoder = join(this.parts.storage, "encoder");
    if (await encoderInstalled(encoder))
      return { kind: "offline", folder: encoder, worker: join(this.parts.dist, "encoder-worker.cjs") };
    this.fetching ??= fetchEncoder(encoder);
    void this.fetching.then((here) => (here ? this.reopen(folder) : undefined)).catch(() => undefined);
    return { kind: "hashed" };
  }

  /** What keeps it from being opened is told to whoever uses it next. */
  private async reopen(folder: string): Promise<void> {
    const before = this.opened.get(folder);
    this.opened.delete(folder);
    await before?.ready?.close();
    await this.open(folder);
  }
}

function hashOf(folder: string): string {
  return createHash("sha256").update(folder).digest("hex").slice(0, 16);
}

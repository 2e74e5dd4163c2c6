import { join } from "node:path";
import * as vscode from "vscode";
import { omitUndefined } from "../../core/base/objects.ts";
import { isUriPath } from "../../core/base/uri-path.ts";
import { sha256 } from "../../disk/sha256.ts";
import type { EmbeddingSource } from "../../memory/embedding/embedders.ts";
import { isEncoderInstalled } from "../../memory/embedding/encoder-files.ts";
import { NOTES_FOLDER } from "../../memory/notes/note-file.ts";
import type { WorkspaceMemory } from "../../memory/workspace-memory.ts";
import type { ModelResolver } from "../../models/model-resolver.ts";
import { getUserFolder } from "../../node/app-files.ts";
import { findAuthorName } from "../../node/git/author.ts";
import type { PluginModels } from "../../plugins/plugin-models.ts";
import { makeSecrets } from "../../runs/log/secrets.ts";
import { loadMemoryKey } from "../../runs/store/machine.ts";
import { ensureHomeFolder } from "../../runs/store/run-folder.ts";
import { createProviderEmbedding, type EmbeddingCost, OFFLINE } from "../../runtime/provider-embedding.ts";
import type { KeyRing } from "../../runtime/services/key-ring.ts";
import type { Settings } from "../../schema/settings.ts";
import { fail } from "../../texts/display-text.ts";
import { readSettings } from "../host/settings.ts";
import { convertPathToUri } from "../workspace/places.ts";
import { offerEncoder } from "./embedding-choice.ts";
import type { SharingDecision, TeamSharing } from "./team-sharing.ts";

/** Dependencies of opening memories. */
export interface MemoriesDependencies {
  readonly desk: ModelResolver;
  readonly keys: KeyRing;
  readonly pluginModels: Pick<PluginModels, "findEmbedder">;
  /** Where the memories of a folder are stored if the folder can't be written to. */
  getFallbackFolder(folder: string): string;
  /** The folder of the encoder on this machine. */
  readonly encoder: string;
  /** The user's consents to share memories. */
  readonly sharing: TeamSharing;
  /** `dist`, with the encoder's worker; `media` beside it has the embedding table. */
  readonly dist: string;
  /** Offers the provider's embeddings, once. */
  offerProvider(): Promise<void>;
  /** Called when embeddings for a folder were paid for. */
  reportEmbeddingCost(folder: string, cost: EmbeddingCost): void;
}

interface Opened {
  /** The settings in effect when it was opened. */
  readonly settings: string;
  readonly store: Promise<WorkspaceMemory>;
  readonly at: number;
  ready?: WorkspaceMemory;
  failed?: true;
  /** True if the memory must be reopened, although its settings are the same. */
  outdated?: true;
}

/** A memory that couldn't be opened is tried again after this time. */
const RETRY_MS = 30_000;

/** The memories of the open folders. Each is opened on first use, and only in a trusted workspace. */
export class Memories implements vscode.Disposable {
  private readonly parts: MemoriesDependencies;
  private readonly opened = new Map<string, Opened>();
  private readonly changes = new vscode.EventEmitter<string>();
  private fetching: Promise<boolean> | undefined;

  /** Fires when the memory of a folder changes. */
  readonly onChange = this.changes.event;

  constructor(parts: MemoriesDependencies) {
    this.parts = parts;
  }

  /** The memory of a folder. Throws a sentence when it can't be used. */
  async open(folder: string): Promise<WorkspaceMemory> {
    if (!vscode.workspace.isTrusted) fail("actions.memory.restricted");
    const settings = readSettings(convertPathToUri(folder));
    const { embedding, baseUrl, provider, providers } = settings.model;
    const used = JSON.stringify([embedding, baseUrl, provider, providers, settings.memory]);
    const before = this.opened.get(folder);
    const stale = before?.outdated || (before?.failed && Date.now() - before.at > RETRY_MS);
    if (before && before.settings === used && !stale) return before.store;
    const closed = before?.store.then((earlier) => earlier.close()).catch(() => undefined);
    const store = Promise.resolve(closed).then(() => this.make(folder, settings));
    const opened: Opened = { settings: used, store, at: Date.now() };
    this.opened.set(folder, opened);
    store.then(
      (ready) => this.isReady(folder, opened, ready),
      () => {
        opened.failed = true;
      },
    );
    return store;
  }

  /** Renames an unusable memory, so that the next one is empty. Returns the new path. Throws a sentence. */
  async setAside(folder: string): Promise<string> {
    const { setMemoryAside } = loadMemoryModule();
    const aside = await setMemoryAside(await this.locateMemoryFolder(folder));
    await this.reopen(folder);
    return aside;
  }

  /** The memory of a folder if it is open already. */
  findOpenMemory(folder: string): WorkspaceMemory | undefined {
    return this.opened.get(folder)?.ready;
  }

  /** Closes all memories after writing everything to disk. */
  async close(): Promise<void> {
    const all = [...this.opened.values()];
    this.opened.clear();
    await Promise.allSettled(all.map(async ({ store }) => (await store).close()));
  }

  dispose(): void {
    this.changes.dispose();
  }

  private isReady(folder: string, opened: Opened, ready: WorkspaceMemory): void {
    opened.ready = ready;
    const handleChange = () => {
      this.changes.fire(folder);
      this.parts.sharing.report(ready.state.shared);
    };
    ready.onChange(handleChange);
    handleChange();
  }

  private async make(folder: string, settings: Settings): Promise<WorkspaceMemory> {
    const { keys } = this.parts;
    const place = await this.locateMemoryFolder(folder);
    const { redact } = makeSecrets(await keys.listKeys());
    const { openWorkspaceMemory } = loadMemoryModule();
    const key = await loadMemoryKey(getUserFolder());
    const notes = { folder: join(folder, NOTES_FOLDER), getAuthor: () => findAuthorName(folder) };
    const shared = await this.parts.sharing.resolveSharedServer(
      folder,
      settings,
      (decision) => void this.applyDecision(decision).catch(() => undefined),
    );
    const worker = join(this.parts.dist, "segment-worker.cjs");
    return openWorkspaceMemory(await this.resolveEmbedding(folder, settings), {
      folder: place,
      key,
      redact,
      ...(isUriPath(folder) ? {} : { notes }),
      ...omitUndefined({ shared }),
      worker,
    });
  }

  private async locateMemoryFolder(folder: string): Promise<string> {
    const fallback = this.parts.getFallbackFolder(folder);
    const home = await ensureHomeFolder(folder, fallback);
    return home === fallback ? join(fallback, "memory", hashFolder(folder)) : join(home, "memory");
  }

  /** Falls back to the extension's table when the chosen source is missing, or while the encoder isn't downloaded. */
  private async resolveEmbedding(folder: string, settings: Settings): Promise<EmbeddingSource> {
    const file = join(this.parts.dist, "../media/embedding-table.bin");
    return (await this.findChosenEmbedding(folder, settings)) ?? { kind: "table", file };
  }

  private async findChosenEmbedding(folder: string, settings: Settings): Promise<EmbeddingSource | undefined> {
    const { embedding } = settings.model;
    if (embedding === "") {
      void this.parts.offerProvider().catch(() => undefined);
      return undefined;
    }
    const ofPlugin = await this.parts.pluginModels.findEmbedder(embedding);
    if (ofPlugin) return createPluginEmbedding(embedding, ofPlugin);
    if (embedding !== OFFLINE)
      return createProviderEmbedding(this.parts.desk, settings, (cost) => this.parts.reportEmbeddingCost(folder, cost));
    const { encoder } = this.parts;
    if (await isEncoderInstalled(encoder))
      return { kind: "encoder", folder: encoder, worker: join(this.parts.dist, "encoder-worker.cjs") };
    this.fetching ??= offerEncoder(encoder);
    void this.fetching.then((here) => (here ? this.reopen(folder) : undefined)).catch(() => undefined);
    return undefined;
  }

  /** Lets the user decide which parts of a folder's memory to share with a team. */
  async share(folder: string): Promise<void> {
    const { addressTrouble } = loadMemoryModule();
    const decision = await this.parts.sharing.change(folder, readSettings(convertPathToUri(folder)), addressTrouble);
    if (decision) await this.applyDecision(decision);
  }

  private async applyDecision(decision: SharingDecision): Promise<void> {
    await this.parts.sharing.tellResult(decision, await this.reopen(decision.folder));
  }

  /** Closes a memory first, even one that is still opening, because two memories of a folder would wait for each other's lock. */
  private async reopen(folder: string): Promise<WorkspaceMemory> {
    const before = this.opened.get(folder);
    if (before) before.outdated = true;
    return this.open(folder);
  }
}

function loadMemoryModule(): typeof import("../../memory/open-memory.ts") {
  return require("./memory.cjs");
}

function hashFolder(folder: string): string {
  return sha256(folder).slice(0, 16);
}

/** Vectors of a plugin. Its name is part of their id, so they are never mixed with others. */
function createPluginEmbedding(name: string, vectors: (texts: readonly string[]) => Promise<unknown>): EmbeddingSource {
  const options = { id: name, model: name, timeoutSeconds: 10 };
  return { kind: "provider", options: { ...options, request: ({ input }) => vectors(input) } };
}

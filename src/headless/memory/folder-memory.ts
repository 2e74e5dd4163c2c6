import { join } from "node:path";
import { omitUndefined } from "../../core/base/objects.ts";
import type { Usage } from "../../core/ports/model.ts";
import type { EmbeddingSource } from "../../memory/embedding/embedders.ts";
import { isEncoderInstalled } from "../../memory/embedding/encoder-files.ts";
import { NOTES_FOLDER } from "../../memory/notes/note-file.ts";
import { findSharingPlace, getPasswordAddress, SHARED_KINDS, type SharedAmount } from "../../memory/shared/sharing.ts";
import type { SharedMemoryOptions } from "../../memory/shared/team-memory.ts";
import type { WorkspaceMemory } from "../../memory/workspace-memory.ts";
import type { ModelResolver } from "../../models/model-resolver.ts";
import { findAuthorName, findRemoteAddress } from "../../node/git/author.ts";
import { makeSecrets } from "../../runs/log/secrets.ts";
import { loadMemoryKey } from "../../runs/store/machine.ts";
import { ensureHomeFolder } from "../../runs/store/run-folder.ts";
import { createProviderEmbedding, OFFLINE } from "../../runtime/provider-embedding.ts";
import type { KeyFor } from "../../runtime/services/settings.ts";
import type { Settings } from "../../schema/settings.ts";
import { writeInEnglish } from "../../texts/display-text.ts";
import { getRunHomes } from "../place.ts";
import { listAllKeys, type ServiceKey } from "../service-keys.ts";
import { EMBEDDING_TABLE, WORKERS } from "../workers.ts";

/** The cost of vectors, as a run records it. */
interface VectorCost {
  readonly model: string;
  readonly usage: Usage;
  readonly costUsd?: number | undefined;
}

/** Dependencies of a workspace's memory. */
export interface FolderMemoryOptions {
  readonly workspace: string;
  /** The user's own folder on this machine. */
  readonly data: string;
  readonly settings: Settings;
  readonly resolver: ModelResolver;
  /** Keys that must not get into the memory. */
  readonly keys: readonly ServiceKey[];
  readonly keyFor: KeyFor;
  /** How much of the memory the user agrees to share; absent: nothing. */
  readonly sharesMemory?: SharedAmount;
  warn(sentence: string): void;
  recordCost(cost: VectorCost): void;
}

/** The memory of a workspace, opened when it is first used. */
export interface FolderMemory {
  open(): Promise<WorkspaceMemory>;
  /** Resolves once everything is on the disk. */
  close(): Promise<void>;
}

/** The memory in a workspace's `.autogpt` folder. */
export function createFolderMemory(options: FolderMemoryOptions): FolderMemory {
  const { workspace, data, keys } = options;
  let store: Promise<WorkspaceMemory> | undefined;
  const open = async (): Promise<WorkspaceMemory> => {
    const { openWorkspaceMemory } = await import("../../memory/open-memory.ts");
    const { redact } = makeSecrets(listAllKeys(keys));
    const home = await ensureHomeFolder(workspace, getRunHomes(workspace, data).fallback);
    const shared = await findSharedMemory(options);
    const memory = await openWorkspaceMemory(await loadEmbedding(options), {
      folder: join(home, "memory"),
      worker: WORKERS.segments,
      key: await loadMemoryKey(data),
      ...omitUndefined({ shared }),
      notes: { folder: join(workspace, NOTES_FOLDER), getAuthor: () => findAuthorName(workspace) },
      redact,
    });
    if (shared) warnOfSharing(memory, options);
    return memory;
  };
  return {
    open() {
      store ??= open();
      return store;
    },
    async close() {
      await (await store?.catch(() => undefined))?.close();
    },
  };
}

/** Where the encoder is installed for the command line. */
export function getEncoderFolder(data: string): string {
  return join(data, "encoder");
}

/** Reports each sharing problem once, because without an editor there is no page to show it. */
function warnOfSharing(memory: WorkspaceMemory, { warn }: FolderMemoryOptions): void {
  const said = new Set<string>();
  memory.onChange(() => {
    const { problem } = memory.state.shared ?? {};
    const text = problem === undefined ? "" : writeInEnglish(problem);
    if (text === "" || said.has(text)) return;
    said.add(text);
    warn(text);
  });
}

/** The server that shares the memory; undefined if it isn't shared. */
async function findSharedMemory(options: FolderMemoryOptions): Promise<SharedMemoryOptions | undefined> {
  const { workspace, settings, sharesMemory, warn, keyFor } = options;
  const { backend, url } = settings.memory;
  if (backend === "local" || url.trim() === "") {
    if (sharesMemory) warn("The memory isn't shared, because no server is set. Set memory.backend and memory.url.");
    return undefined;
  }
  if (!sharesMemory) {
    warn("The memory isn't shared, because only --share-memory (notes or all) agrees to that.");
    return undefined;
  }
  const place = findSharingPlace(settings.memory, await findRemoteAddress(workspace));
  if (!place) {
    warn("The memory isn't shared, because the repository has no remote. Give the project a name with memory.project.");
    return undefined;
  }
  const secret = await keyFor(getPasswordAddress(place));
  return {
    ...place,
    ...omitUndefined({ secret }),
    kinds: SHARED_KINDS[sharesMemory],
    getAuthor: () => findAuthorName(workspace),
  };
}

/** Uses the table that ships with the program if the chosen source is missing. */
async function loadEmbedding(options: FolderMemoryOptions): Promise<EmbeddingSource> {
  return (await findChosenEmbedding(options)) ?? { kind: "table", file: EMBEDDING_TABLE };
}

async function findChosenEmbedding(options: FolderMemoryOptions): Promise<EmbeddingSource | undefined> {
  const { data, settings, resolver, warn, recordCost } = options;
  switch (settings.model.embedding) {
    case "":
      return undefined;
    case OFFLINE: {
      const folder = getEncoderFolder(data);
      if (await isEncoderInstalled(folder)) return { kind: "encoder", folder, worker: WORKERS.encoder };
      warn(
        `The encoder isn't in ${folder}, so memories are found by the table that ships with AutoGPT. "autogpt embeddings install" downloads it.`,
      );
      return undefined;
    }
    default:
      return createProviderEmbedding(resolver, settings, ({ tokens, ...cost }) =>
        recordCost({ ...cost, usage: { input: tokens, output: 0 } }),
      );
  }
}

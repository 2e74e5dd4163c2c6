import { setTimeout as pause } from "node:timers/promises";
import { Queue } from "../core/base/async.ts";
import { Emitter } from "../core/base/emitter.ts";
import { getErrorMessage } from "../core/base/errors.ts";
import { omitUndefined } from "../core/base/objects.ts";
import type { Source } from "../core/commands/outcome.ts";
import { fail, type Sentence } from "../texts/display-text.ts";
import { createEmbedder, type EmbeddingSource } from "./embedding/embedders.ts";
import { EmbeddingLoop } from "./embedding/embedding-loop.ts";
import { createNoteFile, type NoteFile, readNote } from "./notes/note-file.ts";
import { writeNote } from "./notes/note-folder.ts";
import { createNoteMemory, TakenNotes } from "./notes/taken-notes.ts";
import { skipWhileRunning } from "./one-at-a-time.ts";
import { createMemoryItems } from "./recall/documents.ts";
import { type MemoryHit, type RecallOptions, recall } from "./recall/recall.ts";
import { TeamMemory } from "./shared/team-memory.ts";
import { convertToDiskError } from "./store/memory-error.ts";
import { isClean, isSigned, type MemoryItem, type NewMemory, signMemoryItem } from "./store/memory-item.ts";
import type { MemoryStore } from "./store/memory-store.ts";
import { MEMORY_STORES } from "./stores.ts";
import type { MemoryOptions, MemoryState, WorkspaceMemory } from "./workspace-memory.ts";

export { setMemoryAside } from "./set-aside.ts";
export { findAddressTrouble as addressTrouble } from "./shared/shared-logs.ts";

const MAX_MEMORIES = 50_000;
/** How soon another window, and stock Vectra, sees a new memory. */
const REFRESH_MS = 3_000;
/** How long closing waits for vectors. Memories without one get theirs the next time. */
const LAST_VECTORS_MS = 2_000;
/** How far the number of memories may exceed the limit, so that not every new memory removes an old one. */
const SLACK = 1.02;

/** Opens the memory of a workspace with the chosen vectors. Throws `MemoryError`. */
export function openWorkspaceMemory(
  source: EmbeddingSource,
  options: Omit<MemoryOptions, "embedder">,
): Promise<WorkspaceMemory> {
  return openMemory({ ...options, embedder: createEmbedder(source) });
}

/** Opens or creates the memory of a workspace. Throws `MemoryError`; then the run continues without memory. */
export async function openMemory(options: MemoryOptions): Promise<WorkspaceMemory> {
  const notices: Sentence[] = [];
  const { folder, embedder, segmentSize, worker, key, store = "local" } = options;
  const opened = await MEMORY_STORES[store].open({
    folder,
    embedder: embedder.id,
    ...omitUndefined({ dimensions: embedder.dimensions, segmentSize, worker }),
    ...(key === undefined ? {} : { isProven: (item) => isSigned(item, key) }),
    notice: (text) => notices.push(text),
  });
  return new OpenMemory(options, opened, notices);
}

/** An open store with its background work: vectors, and regular refreshes. */
class OpenMemory implements WorkspaceMemory {
  private readonly options: MemoryOptions;
  private readonly store: MemoryStore;
  private readonly notices: readonly Sentence[];
  private readonly loop: EmbeddingLoop;
  private readonly repository: TakenNotes | undefined;
  private readonly team: TeamMemory | undefined;
  private readonly changes = new Emitter();
  private readonly timer: NodeJS.Timeout;
  private problem: Sentence | undefined;
  private closing: Promise<void> | undefined;
  /** Operations on the whole store run one after another. */
  private readonly queue = new Queue();

  constructor(options: MemoryOptions, store: MemoryStore, notices: readonly Sentence[]) {
    this.options = options;
    this.store = store;
    this.notices = notices;
    this.repository = createRepositoryNotes(options, store);
    this.loop = new EmbeddingLoop(store, options.embedder, () => this.changes.fire());
    this.team = createTeamMemory(options, store, () => {
      this.loop.wake();
      this.changes.fire();
    });
    const refresh = skipWhileRunning(() => this.refresh());
    this.timer = setInterval(refresh, REFRESH_MS).unref();
    this.loop.wake();
    if (options.notes) void this.takeInNotes();
  }

  get folder(): string {
    return this.options.folder;
  }

  get most(): number {
    return this.options.maxMemories ?? MAX_MEMORIES;
  }

  redact(text: string): string {
    return this.options.redact?.(text) ?? text;
  }

  get state(): MemoryState {
    const { size, embedded, dimensions, isWriting } = this.store;
    return {
      mode: isWriting ? "writing" : "reading",
      count: size,
      repositoryNotes: this.repository?.count ?? 0,
      embedded,
      embedder: this.options.embedder.id,
      dimensions,
      ...(this.team ? { shared: this.team.state } : {}),
      notices: [
        ...this.notices,
        this.loop.trouble,
        this.repository?.trouble,
        this.problem,
        ...(this.team?.trouble ?? []),
      ].filter((text) => text !== undefined),
    };
  }

  onChange(listener: () => void): () => void {
    return this.changes.subscribe(listener);
  }

  async add(memories: readonly NewMemory[]): Promise<readonly string[]> {
    const { key } = this.options;
    const made = createMemoryItems(memories, (text) => this.redact(text), this.getNow());
    const items = key === undefined ? made : made.map((item) => signMemoryItem(item, key));
    await this.store.add(items);
    if (this.store.isWriting) {
      const own = this.store.size - (this.team?.state.theirs ?? 0);
      const surplus = await listSurplusMemories(this.iterateAll(), own, this.most);
      if (surplus.length > 0) await this.store.remove(surplus);
    }
    this.loop.wake();
    this.team?.wake();
    this.changes.fire();
    return items.map(({ id }) => id);
  }

  async prepareNoteFile(text: string): Promise<NoteFile> {
    const { notes, redact = (given) => given } = this.options;
    if (!notes) return fail("trouble.noRepositoryNotes");
    return createNoteFile(redact(text), await notes.getAuthor(), this.getNow());
  }

  async saveNote(text: string, sources?: readonly Source[]): Promise<string> {
    const { folder = "" } = this.options.notes ?? {};
    const file = await this.prepareNoteFile(text);
    const note = readNote(Buffer.from(file.contents), this.getNow());
    if (!note) return fail("trouble.nothingToRemember");
    const path = await writeNote(folder, file).catch((error: unknown) =>
      fail("trouble.noteNotSaved", { reason: getErrorMessage(error) }),
    );
    const memory = createNoteMemory(file.name, { text: note.text });
    await this.add([{ ...memory, ...omitUndefined({ sources }) }]);
    return path;
  }

  recall(query: string, options: RecallOptions): Promise<readonly MemoryHit[]> {
    const { embedder, key } = this.options;
    return recall(query, options, {
      search: this.team?.search ?? this.store,
      embedder,
      now: this.getNow(),
      isProven: (item) => key !== undefined && isSigned(item, key),
      isClean: (item) => key !== undefined && isClean(item, key),
    });
  }

  iterateAll(): AsyncIterable<MemoryItem> {
    return this.store.iterateAll();
  }

  listNewest(count: number): Promise<readonly MemoryItem[]> {
    return this.store.listNewest(count);
  }

  get(id: string): Promise<MemoryItem | undefined> {
    return this.store.get(id);
  }

  async remove(ids: readonly string[]): Promise<void> {
    await this.store.remove(ids);
    await this.team?.forget(ids);
    this.changes.fire();
  }

  async clear(): Promise<() => Promise<void>> {
    const restore = await this.queue.add(() => this.store.clear());
    await this.queue.add(async () => this.repository?.forget());
    const bringBack = async (): Promise<void> => {
      await this.queue.add(restore);
      await this.queue.add(async () => this.repository?.forget());
      this.loop.wake();
      this.changes.fire();
    };
    // Where the server wouldn't hear of it, nothing is removed here either.
    const share = await this.team?.clearOwnMemories().catch(async (error: unknown) => {
      await bringBack();
      throw error;
    });
    this.changes.fire();
    return async () => {
      await bringBack();
      await share?.();
    };
  }

  async refresh(): Promise<void> {
    await this.runAndReport(async () => {
      await this.store.refresh();
      await this.repository?.sync();
    });
    this.team?.wake();
    this.loop.wake();
    this.changes.fire();
  }

  waitUntilEmbedded(): Promise<void> {
    return this.loop.waitUntilSettled();
  }

  measureBytes(): Promise<number> {
    return this.store.measureBytes();
  }

  close(): Promise<void> {
    this.closing ??= this.end();
    return this.closing;
  }

  private async takeInNotes(): Promise<void> {
    await this.runAndReport(async () => this.repository?.sync());
    this.loop.wake();
    this.changes.fire();
  }

  private async end(): Promise<void> {
    clearInterval(this.timer);
    await Promise.race([this.loop.waitUntilSettled(), pause(LAST_VECTORS_MS, undefined, { ref: false })]);
    await this.team?.close();
    await this.loop.stop();
    await this.runAndReport(() => this.store.close());
    await this.options.embedder.close?.();
  }

  /** Reports an error of the store; the next refresh tries again. */
  private async runAndReport(act: () => Promise<void>): Promise<void> {
    try {
      await this.queue.add(act);
      this.problem = undefined;
    } catch (error) {
      this.problem = convertToDiskError(error).message;
    }
  }

  private getNow(): Date {
    return this.options.getNow?.() ?? new Date();
  }
}

function createRepositoryNotes(options: MemoryOptions, store: MemoryStore): TakenNotes | undefined {
  const { folder: memory, notes, redact = (text) => text, getNow: now = () => new Date() } = options;
  return notes && new TakenNotes({ folder: notes.folder, memory, store, redact, getNow: now });
}

function createTeamMemory(options: MemoryOptions, store: MemoryStore, changed: () => void): TeamMemory | undefined {
  const { folder, shared, embedder, key, redact = (text) => text, getNow: now = () => new Date() } = options;
  const isOwn = (item: MemoryItem): boolean => key !== undefined && isSigned(item, key);
  return (
    shared &&
    new TeamMemory(shared, {
      folder,
      store,
      embedder,
      key: key ?? "",
      isOwn,
      redact,
      getNow: now,
      notifyChange: changed,
    })
  );
}

/** The ids of memories to remove so that at most `max` of the user's own remain: the oldest, except notes. `count`: the user's own. */
export async function listSurplusMemories(
  items: AsyncIterable<MemoryItem>,
  count: number,
  max: number,
): Promise<readonly string[]> {
  const ids: string[] = [];
  if (count <= max * SLACK) return ids;
  for await (const item of items) {
    if (ids.length >= count - max) break;
    if (item.kind !== "note" && item.author === undefined) ids.push(item.id);
  }
  return ids;
}

import { runWithinTime } from "../../core/base/async.ts";
import { getErrorMessage } from "../../core/base/errors.ts";
import { isObject } from "../../core/base/json.ts";
import { omitUndefined } from "../../core/base/objects.ts";
import type { SharedRow } from "../../schema/shared-rows.ts";
import { displayText } from "../../texts/display-text.ts";
import { MemoryError } from "../store/memory-error.ts";
import type { StoredVector } from "../store/memory-store.ts";
import { omitOtherVector, ServerLog, type ServerPage } from "./servers/server-log.ts";
import type {
  NewSharedItem,
  PluginMemoryLog,
  PluginMemoryStore,
  SharedHit,
  SharedLog,
  SharedLogOptions,
} from "./shared-log.ts";

/** The stores of other extensions. */
export class PluginMemoryStores {
  private readonly stores = new Map<string, PluginMemoryStore>();

  /** Registers a store. Throws a sentence if it can't be used. */
  register(store: PluginMemoryStore): () => void {
    if (!/^[\w.-]{1,64}$/.test(store.id) || this.stores.has(store.id))
      throw new Error("A store of memories needs an id of its own: letters, digits, dots, underscores and hyphens.");
    this.stores.set(store.id, store);
    return () => {
      if (this.stores.get(store.id) === store) this.stores.delete(store.id);
    };
  }

  get(id: string): PluginMemoryStore | undefined {
    return this.stores.get(id);
  }
}

const ANSWER_MS = 25_000;
/** How long a store may take to close: the memory waits for it. */
const END_MS = 1_000;
const BATCH = 200;
const POLL_MS = 1_000;
const MAX_CURSOR_CHARS = 10_000;

/** Opens a log in a plugin's store. Throws `MemoryError` if the extension with the store is missing. */
export function openPluginLog(options: SharedLogOptions): SharedLog {
  const { url, findStore } = options;
  const [, id = "", address = ""] = /^([\w.-]{1,64}):(.*)$/s.exec(url.trim()) ?? [];
  const store = findStore?.(id);
  if (!store) throw new MemoryError(displayText("trouble.sharedNoStore", { name: id === "" ? url : id }));
  return new PluginLog(options, store, address);
}

class PluginLog extends ServerLog {
  private readonly store: PluginMemoryStore;
  private readonly address: string;
  private opened: Promise<PluginMemoryLog> | undefined;
  private readonly closing = new AbortController();

  constructor(options: SharedLogOptions, store: PluginMemoryStore, address: string) {
    super(options, { batch: BATCH, pollMs: POLL_MS });
    this.store = store;
    this.address = address;
  }

  protected async appendBatch(items: readonly NewSharedItem[]): Promise<void> {
    const rows = items.map((item): SharedRow => {
      const { embedder, vector } = item.embedded ?? {};
      return { ...this.createRow(item), ...(embedder && vector ? { embedder, vector: [...vector] } : {}) };
    });
    await this.use((log) => log.append(rows));
  }

  protected async readPage(after: string | undefined, most: number, embedder: string): Promise<ServerPage> {
    const page: unknown = await this.use((log) => log.pull({ limit: most, ...omitUndefined({ after }) }));
    if (!isObject(page) || !Array.isArray(page.rows) || !isCursor(page.cursor) || page.rows.length > most)
      throw this.convertError(new Error("an answer that isn't a page of rows"));
    const rows = page.rows.map((row: unknown) => omitOtherVector(row, embedder));
    return { rows, cursor: page.cursor, isFull: rows.length === most };
  }

  async findTail(count: number): Promise<string> {
    const cursor: unknown = await this.use((log) => log.tail?.(count) ?? Promise.resolve(""));
    return isCursor(cursor) ? cursor : "";
  }

  protected async removeBatch(ids: readonly string[]): Promise<void> {
    const marks = ids.map((id) => this.createMark(id));
    await this.use((log) => log.remove(marks));
  }

  async findNearest({ embedder, vector }: StoredVector, count: number): Promise<readonly SharedHit[]> {
    const query = { embedder, vector: [...vector] };
    const found: unknown = await this.use((log) => log.nearest?.(query, this.limitHits(count)) ?? Promise.resolve([]));
    const hits = Array.isArray(found) ? found.filter(isObject) : [];
    return this.readHits(hits.map(({ row, cosine }) => ({ row, cosine })));
  }

  async count(): Promise<number> {
    const count: unknown = await this.use((log) => log.count?.() ?? Promise.resolve(0));
    return typeof count === "number" && count >= 0 ? Math.floor(count) : 0;
  }

  /** A plugin's store doesn't notify, so each poll of an open one is a call to the listeners. */
  protected override async hasChanged(): Promise<boolean> {
    return this.opened !== undefined;
  }

  protected async closeConnections(): Promise<void> {
    this.closing.abort();
    const { opened } = this;
    this.opened = undefined;
    // Its call that is under way isn't waited for, and it may never open.
    await runWithinTime(END_MS, NO_SIGNAL, async () => (await opened)?.close?.()).catch(() => "The plugin fails.");
  }

  private async use<T>(work: (log: PluginMemoryLog) => Promise<T>): Promise<T> {
    try {
      return await runWithinTime(ANSWER_MS, this.closing.signal, async () => work(await this.log()));
    } catch (error) {
      throw this.convertError(error);
    }
  }

  private log(): Promise<PluginMemoryLog> {
    const { project, author, secret } = this.options;
    const given = { address: this.address, project, author, ...omitUndefined({ secret }) };
    if (this.opened === undefined) {
      this.opened = Promise.resolve(this.store.open(given));
      this.opened.catch(() => {
        this.opened = undefined;
      });
    }
    return this.opened;
  }

  private convertError(error: unknown): MemoryError {
    if (error instanceof MemoryError) return error;
    const parameters = { name: this.store.name, reason: getErrorMessage(error).slice(0, 200) };
    return new MemoryError(displayText("trouble.sharedStoreFails", parameters), { cause: error });
  }
}

const NO_SIGNAL = new AbortController().signal;

function isCursor(value: unknown): value is string {
  return typeof value === "string" && value.length <= MAX_CURSOR_CHARS;
}

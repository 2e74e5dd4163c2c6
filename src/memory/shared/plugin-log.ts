import { runWithinTime } from "../../core/base/async.ts";
import { getErrorMessage } from "../../core/base/errors.ts";
import { isObject } from "../../core/base/json.ts";
import { omitUndefined } from "../../core/base/objects.ts";
import { SHARED_LIMITS } from "../../schema/formats.ts";
import type { SharedRow } from "../../schema/shared-rows.ts";
import { displayText } from "../../texts/display-text.ts";
import { MemoryError } from "../store/memory-error.ts";
import type { StoredVector } from "../store/memory-store.ts";
import type {
  NewSharedItem,
  PluginMemoryLog,
  PluginMemoryStore,
  PullOptions,
  SharedHit,
  SharedLog,
  SharedLogOptions,
  SharedPage,
} from "./shared-log.ts";
import { readSharedRows, sanitizeSharedItem } from "./shared-rows.ts";

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
const FOLLOW_MS = 1_000;
const MOST_FOUND = 100;
const MAX_CURSOR_CHARS = 10_000;

/** Opens a log in a plugin's store. Throws `MemoryError` if the extension with the store is missing. */
export function openPluginLog(options: SharedLogOptions): SharedLog {
  const { url, findStore } = options;
  const [, id = "", address = ""] = /^([\w.-]{1,64}):(.*)$/s.exec(url.trim()) ?? [];
  const store = findStore?.(id);
  if (!store) throw new MemoryError(displayText("trouble.sharedNoStore", { name: id === "" ? url : id }));
  return new PluginLog(options, store, address);
}

class PluginLog implements SharedLog {
  private readonly options: SharedLogOptions;
  private readonly store: PluginMemoryStore;
  private readonly address: string;
  private readonly timers = new Set<NodeJS.Timeout>();
  private opened: Promise<PluginMemoryLog> | undefined;
  private readonly closing = new AbortController();

  constructor(options: SharedLogOptions, store: PluginMemoryStore, address: string) {
    this.options = options;
    this.store = store;
    this.address = address;
  }

  async append(items: readonly NewSharedItem[]): Promise<void> {
    const { project, author } = this.options;
    for (let start = 0; start < items.length; start += BATCH) {
      const rows = items.slice(start, start + BATCH).map((item): SharedRow => {
        const { embedded, at, ...fields } = sanitizeSharedItem(item);
        const vector = embedded && { embedder: embedded.embedder, vector: [...embedded.vector] };
        return { project, author, ...fields, at: Date.parse(at), ...vector };
      });
      await this.use((log) => log.append(rows));
    }
  }

  async pull({ after, limit, embedder = "" }: PullOptions): Promise<SharedPage> {
    const most = Math.min(limit, SHARED_LIMITS.rows);
    const page: unknown = await this.use((log) =>
      log.pull({ limit: most, ...(after === undefined || after === "" ? {} : { after }) }),
    );
    if (!isObject(page) || !Array.isArray(page.rows) || !isCursor(page.cursor) || page.rows.length > most)
      throw this.convertError(new Error("an answer that isn't a page of rows"));
    const rows = page.rows.map((row: unknown) => omitOtherVector(row, embedder));
    return { ...readSharedRows(rows, this.options), cursor: page.cursor, isFull: rows.length === most };
  }

  async findTail(count: number): Promise<string> {
    const cursor: unknown = await this.use((log) => log.tail?.(count) ?? Promise.resolve(""));
    return isCursor(cursor) ? cursor : "";
  }

  /** Polls for changes while there is a listener, because a plugin's store doesn't notify. */
  follow(listener: () => void): () => void {
    const timer = setInterval(() => this.opened && listener(), FOLLOW_MS).unref();
    this.timers.add(timer);
    return () => clearInterval(timer);
  }

  async remove(ids: readonly string[]): Promise<void> {
    const { project, author, getNow } = this.options;
    if (ids.length === 0) return;
    const at = (getNow?.() ?? new Date()).getTime();
    const mark = { project, author, kind: "note", text: "", source: "", at, removed: true } as const;
    await this.use((log) => log.remove(ids.map((id) => ({ ...mark, id }))));
  }

  async findNearest({ embedder, vector }: StoredVector, count: number): Promise<readonly SharedHit[]> {
    const most = Math.min(count, MOST_FOUND);
    const found: unknown = await this.use(
      (log) => log.nearest?.({ embedder, vector: [...vector] }, most) ?? Promise.resolve([]),
    );
    const hits = Array.isArray(found) ? found.slice(0, most).filter(isObject) : [];
    return hits.flatMap(({ row, cosine }) => {
      const [change] = readSharedRows([omitOtherVector(row, "")], this.options).changes;
      const isHit = change?.type === "added" && typeof cosine === "number" && Math.abs(cosine) <= 1.001;
      return isHit ? [{ item: change.item, cosine }] : [];
    });
  }

  async count(): Promise<number> {
    const count: unknown = await this.use((log) => log.count?.() ?? Promise.resolve(0));
    return typeof count === "number" && count >= 0 ? Math.floor(count) : 0;
  }

  async close(): Promise<void> {
    this.closing.abort();
    for (const timer of this.timers) clearInterval(timer);
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

/** Removes a row's vector unless the wanted embedder made it. */
function omitOtherVector(row: unknown, embedder: string): unknown {
  if (!isObject(row) || row.embedder === embedder) return row;
  const { embedder: _embedder, vector: _vector, ...rest } = row;
  return rest;
}

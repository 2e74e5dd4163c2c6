import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { Emitter } from "../../core/base/emitter.ts";
import { isObject, tryJson } from "../../core/base/json.ts";
import { SHARED_LIMITS } from "../../schema/formats.ts";
import { packVector, unpackVector } from "./packed-vector.ts";
import { RedisConnection, type RedisReply, type SendCommand } from "./redis-connection.ts";
import { APPEND, BACK, END, getRedisKeys, PULL, REMOVE } from "./redis-scripts.ts";
import type { NewSharedItem, PullOptions, SharedLog, SharedLogOptions, SharedPage } from "./shared-log.ts";
import { readSharedRows, sanitizeSharedItem } from "./shared-rows.ts";

/** How many items are sent at once. */
const BATCH = 200;
/** The most bytes of a row and of a page, and the rows per step when reading back. */
const ROW_BYTES = 64 * 1024;
const PAGE_BYTES = 8 * 1024 * 1024;
const BACK_ROWS = 2_000;
/** How long the server may wait for a change, and the pause before the next request. */
const BLOCK_MS = 20_000;
const FOLLOW_MS = 50;
/** The pause before the next request if waiting failed. */
const RETRY_MS = 5_000;

/** Opens a log in a stream of a Redis or Valkey server. It can't search by meaning. Throws `MemoryError` for a wrong address. */
export function openRedisLog(options: SharedLogOptions, retryMs = RETRY_MS): SharedLog {
  return new RedisLog(options, retryMs);
}

class RedisLog implements SharedLog {
  private readonly options: SharedLogOptions;
  private readonly keys: readonly [stream: string, known: string];
  private readonly main: RedisConnection;
  /** Waits for others' changes. */
  private readonly following: RedisConnection;
  private readonly changes = new Emitter();
  private isFollowing = false;
  private retry: NodeJS.Timeout | undefined;
  private closed = false;

  private readonly retryMs: number;

  constructor(options: SharedLogOptions, retryMs: number) {
    this.options = options;
    this.retryMs = retryMs;
    this.keys = getRedisKeys(options.project);
    this.main = new RedisConnection(options, (state) => {
      if (state === "lost") this.changes.fire();
      else void this.followChanges();
    });
    this.following = new RedisConnection(options);
  }

  async append(items: readonly NewSharedItem[]): Promise<void> {
    for (let start = 0; start < items.length; start += BATCH) {
      const words = items.slice(start, start + BATCH).flatMap((item) => this.createEntry(item));
      await this.main.use((send) => this.run(send, APPEND, randomUUID(), ...words));
    }
  }

  pull({ after, limit, embedder = "" }: PullOptions): Promise<SharedPage> {
    const most = Math.min(limit, SHARED_LIMITS.rows);
    return this.main.use(async (send) => {
      const [logged, position] = parseRedisCursor(after);
      const read = async (from: string) =>
        parseEntryPage(await this.run(send, PULL, from, String(most), String(ROW_BYTES), String(PAGE_BYTES), embedder));
      const first = await read(getNextId(position));
      const isOther = position !== START && (first.epoch !== logged || isAfter(position, first.last));
      const page = isOther ? await read(getNextId(START)) : first;
      const last = page.entries.at(-1)?.[0] ?? (isOther ? START : position);
      const rows = page.entries.map(([, row, vector]) => parseRedisRow(row, embedder, vector));
      return {
        ...readSharedRows(rows, this.options),
        cursor: page.epoch === "" ? "" : `${page.epoch}:${last}`,
        isFull: page.read === most || page.entries.length < page.read,
        ...(isOther ? { restarted: true as const } : {}),
      };
    });
  }

  findTail(count: number): Promise<string> {
    return this.main.use(async (send) => {
      const { epoch, last } = parseStreamEnd(await this.run(send, END));
      let [at, left] = [last, count];
      while (left > 0 && at !== START) {
        const [first, found] = getReplyList(await this.run(send, BACK, at, String(Math.min(left, BACK_ROWS))));
        left -= Number(found);
        at = Number(found) === 0 ? START : getPreviousId(String(first));
      }
      return epoch === "" ? "" : `${epoch}:${at}`;
    });
  }

  follow(listener: () => void): () => void {
    return this.changes.subscribe(listener);
  }

  async remove(ids: readonly string[]): Promise<void> {
    const { project, author, getNow } = this.options;
    const at = (getNow?.() ?? new Date()).getTime();
    for (let start = 0; start < ids.length; start += BATCH) {
      const words = ids.slice(start, start + BATCH).flatMap((id) => {
        const mark = { project, id, author, kind: "note", text: "", source: "", at, removed: true };
        return [this.formatField(id), JSON.stringify(mark)];
      });
      await this.main.use((send) => this.run(send, REMOVE, ...words));
    }
  }

  /** Subtracts one field of the hash, which holds the log's name. */
  count(): Promise<number> {
    return this.main.use(async (send) => Math.max(0, Number(await send("HLEN", this.keys[1])) - 1));
  }

  async close(): Promise<void> {
    this.closed = true;
    this.changes.clear();
    clearTimeout(this.retry);
    this.main.close();
    this.following.close();
  }

  private run(send: SendCommand, script: string, ...words: readonly string[]): Promise<RedisReply> {
    return send("EVAL", script, "2", ...this.keys, ...words);
  }

  private createEntry(item: NewSharedItem): readonly string[] {
    const { project, author } = this.options;
    const { embedded, at, ...fields } = sanitizeSharedItem(item);
    const row = JSON.stringify({ project, author, ...fields, at: Date.parse(at) });
    return [this.formatField(item.id), row, embedded?.embedder ?? "", embedded ? packVector(embedded.vector) : ""];
  }

  private formatField(id: string): string {
    return JSON.stringify([this.options.author, id]);
  }

  /**
   * Waits for changes until the connection is lost. Waiting resumes soon, or with the next use of the log if all its connections are lost.
   */
  private async followChanges(): Promise<void> {
    if (this.isFollowing) return;
    this.isFollowing = true;
    try {
      for (let before = ""; !this.closed; ) {
        const { last } = await this.following.use(async (send) => parseStreamEnd(await this.run(send, END)));
        // Only then, so that whatever the listeners don't find yet comes after the end.
        if (last !== before) this.changes.fire();
        before = last;
        const block = ["XREAD", "COUNT", "1", "BLOCK", String(BLOCK_MS), "STREAMS", this.keys[0], last];
        await this.following.use((send) => send(...block), 2 * BLOCK_MS);
        await pause(FOLLOW_MS, undefined, { ref: false });
      }
    } catch {
      this.changes.fire();
      clearTimeout(this.retry);
      const followChangesAgain = () => this.main.isConnected && void this.followChanges();
      if (!this.closed) this.retry = setTimeout(followChangesAgain, this.retryMs).unref();
    } finally {
      this.isFollowing = false;
    }
  }
}

const START = "0-0";
const ID = /^\d{1,20}-\d{1,20}$/;

function parseRedisCursor(cursor = ""): readonly [epoch: string, position: string] {
  const [, epoch = "", position = START] = /^([^:]*):(.*)$/.exec(cursor) ?? [];
  return [epoch, ID.test(position) ? position : START];
}

function parseEntryId(id: string): readonly [bigint, bigint] {
  const [time = "0", number = "0"] = id.split("-");
  return [BigInt(time), BigInt(number)];
}

const LAST_NUMBER = 2n ** 64n - 1n;

/** The first ID after another one. Servers before version 6.2 don't support open intervals. */
function getNextId(id: string): string {
  const [time, number] = parseEntryId(id);
  return number === LAST_NUMBER ? `${time + 1n}-0` : `${time}-${number + 1n}`;
}

function getPreviousId(id: string): string {
  const [time, number] = parseEntryId(id);
  if (number > 0n) return `${time}-${number - 1n}`;
  return time > 0n ? `${time - 1n}-${LAST_NUMBER}` : START;
}

function isAfter(one: string, other: string): boolean {
  const [[time, number], [otherTime, otherNumber]] = [parseEntryId(one), parseEntryId(other)];
  return time === otherTime ? number > otherNumber : time > otherTime;
}

function parseStreamEnd(reply: RedisReply): { readonly epoch: string; readonly last: string } {
  const [epoch, last] = getReplyList(reply);
  return {
    epoch: typeof epoch === "string" ? epoch : "",
    last: ID.test(String(last)) ? String(last) : START,
  };
}

interface EntryPage {
  readonly epoch: string;
  readonly last: string;
  readonly entries: readonly (readonly [id: string, row: string, vector: string])[];
  /** The number of entries that the server has read. */
  readonly read: number;
}

function parseEntryPage(reply: RedisReply): EntryPage {
  const [, , rows, read] = getReplyList(reply);
  const entries = getReplyList(rows).map((entry) => {
    const [id, row, vector] = getReplyList(entry);
    return [String(id), String(row), String(vector)] as const;
  });
  return { ...parseStreamEnd(reply), entries: entries.filter(([id]) => ID.test(id)), read: Number(read) };
}

function getReplyList(reply: RedisReply): readonly unknown[] {
  return Array.isArray(reply) ? reply : [];
}

/** Parses a row into the shape of `SharedRow`, if possible. */
function parseRedisRow(row: string, embedder: string, vector: string): unknown {
  const fields = tryJson(row);
  if (!isObject(fields) || vector === "") return fields;
  return { ...fields, embedder, vector: unpackVector(vector) };
}

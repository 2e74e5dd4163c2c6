import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { isObject, tryJson } from "../../../core/base/json.ts";
import type { NewSharedItem, SharedLog, SharedLogOptions } from "../shared-log.ts";
import { RedisConnection, type RedisReply, type SendCommand } from "./redis-connection.ts";
import { APPEND, BACK, END, getRedisKeys, PULL, REMOVE } from "./redis-scripts.ts";
import { ServerLog, type ServerPage } from "./server-log.ts";

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

class RedisLog extends ServerLog {
  private readonly keys: readonly [stream: string, known: string];
  private readonly main: RedisConnection;
  /** Waits for others' changes. */
  private readonly following: RedisConnection;
  private isFollowing = false;
  private retry: NodeJS.Timeout | undefined;
  private closed = false;

  private readonly retryMs: number;

  constructor(options: SharedLogOptions, retryMs: number) {
    super(options, { batch: BATCH });
    this.retryMs = retryMs;
    this.keys = getRedisKeys(options.project);
    this.main = new RedisConnection(options, (state) => {
      if (state === "lost") this.changes.fire();
      else void this.followChanges();
    });
    this.following = new RedisConnection(options);
  }

  protected async appendBatch(items: readonly NewSharedItem[]): Promise<void> {
    const words = items.flatMap((item) => this.createEntry(item));
    await this.main.use((send) => this.run(send, APPEND, randomUUID(), ...words));
  }

  protected readPage(after: string | undefined, most: number, embedder: string): Promise<ServerPage> {
    return this.main.use(async (send) => {
      const [logged, position] = parseRedisCursor(after);
      const read = async (from: string) =>
        parseEntryPage(await this.run(send, PULL, from, String(most), String(ROW_BYTES), String(PAGE_BYTES), embedder));
      const first = await read(getNextId(position));
      const isOther = position !== START && (first.epoch !== logged || isAfter(position, first.last));
      const page = isOther ? await read(getNextId(START)) : first;
      const last = page.entries.at(-1)?.[0] ?? (isOther ? START : position);
      return {
        rows: page.entries.map(([, row, vector]) => parseRedisRow(row, embedder, vector)),
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

  protected async removeBatch(ids: readonly string[]): Promise<void> {
    const words = ids.flatMap((id) => [this.formatField(id), JSON.stringify(this.createMark(id))]);
    await this.main.use((send) => this.run(send, REMOVE, ...words));
  }

  /** Subtracts one field of the hash, which holds the log's name. */
  count(): Promise<number> {
    return this.main.use(async (send) => Math.max(0, Number(await send("HLEN", this.keys[1])) - 1));
  }

  protected closeConnections(): void {
    this.closed = true;
    clearTimeout(this.retry);
    this.main.close();
    this.following.close();
  }

  private run(send: SendCommand, script: string, ...words: readonly string[]): Promise<RedisReply> {
    return send("EVAL", script, "2", ...this.keys, ...words);
  }

  private createEntry(item: NewSharedItem): readonly string[] {
    const { embedder = "", vector } = item.embedded ?? {};
    return [
      this.formatField(item.id),
      JSON.stringify(this.createRow(item)),
      embedder,
      vector ? packVector(vector) : "",
    ];
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

/** A vector as text: its bytes in this machine's order, which is that of all machines that VS Code runs on. */
function packVector({ buffer, byteOffset, byteLength }: Float32Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString("base64");
}

/** Reads the numbers of a vector from a row, which is untrusted. */
function unpackVector(text: string): readonly number[] {
  const bytes = Buffer.from(text, "base64");
  return Array.from({ length: Math.floor(bytes.length / 4) }, (_, at) => bytes.readFloatLE(4 * at));
}

import { randomBytes } from "node:crypto";
import { Queue } from "../../../core/base/async.ts";
import { sha256 } from "../../../disk/sha256.ts";
import type { SharedRow } from "../../../schema/shared-rows.ts";
import type { StoredVector } from "../../store/memory-store.ts";
import type { NewSharedItem, SharedHit, SharedLog, SharedLogOptions } from "../shared-log.ts";
import { PineconeConnection, type PineconeIndex } from "./pinecone-connection.ts";
import {
  advanceCursor,
  formatPosition,
  getPositionTime,
  hasRead,
  LOG_START,
  listTimePrefixes,
  type PineconePosition,
  parsePosition,
  readCursor,
  SETTLED_US,
  writeCursor,
} from "./pinecone-cursor.ts";
import {
  countRecords,
  createEpochRecord,
  createRecord,
  deleteRecords,
  fetchRecords,
  findOwnRecords,
  isUsable,
  iterateIds,
  iterateIdsBack,
  parseRecord,
  writeRecords,
} from "./pinecone-records.ts";
import { ServerLog, type ServerPage } from "./server-log.ts";

const BATCH = 100;
/** Each look is paid for. Members are up to date within this time, since Pinecone doesn't notify. */
const POLL_MS = 10_000;
/** A larger log is counted by its index, which includes the marks of removed memories. */
const MOST_COUNTED = 1_000;
/** How long a row that may have been written keeps its position, in microseconds. Later, the server shows whether it was. */
const RETRY_US = 60_000_000;

/** Opens a log in a namespace of a Pinecone index. Throws `MemoryError` for a wrong address. */
export function openPineconeLog(options: SharedLogOptions, pollMs = POLL_MS): SharedLog {
  return new PineconeLog(options, pollMs);
}

/** A memory that this program has written or removed. Pinecone may show an earlier state for some time. */
interface OwnState {
  readonly position: PineconePosition;
  readonly state: "writing" | "written" | "removed";
}

/** A walk through a log, which the next page continues. */
interface Sweep {
  /** The cursor of the last page. */
  cursor: string | undefined;
  readonly startedAt: number;
  readonly positions: AsyncIterator<PineconePosition>;
}

/** A log in an index, which has no order of arrival; see `PineconeCursor`. */
class PineconeLog extends ServerLog {
  private readonly connection: PineconeConnection;
  private readonly namespace: string;
  private readonly writer = randomBytes(6).toString("hex");
  private readonly queue = new Queue();
  private readonly own = new Map<string, OwnState>();
  private lastTime = 0;
  private lastNumber = 0;
  /** The log's name; empty until its first row is written. */
  private epoch = "";
  private epochFoundAt = 0;
  private sweep: Sweep | undefined;
  private seen: ReadonlySet<string> = new Set();

  constructor(options: SharedLogOptions, pollMs: number) {
    super(options, { batch: BATCH, pollMs });
    this.namespace = `autogpt-${sha256(options.project).slice(0, 32)}`;
    this.connection = new PineconeConnection(options, this.namespace);
  }

  findTail(count: number): Promise<string> {
    return this.use(async (index) => {
      let left = count;
      for await (const id of iterateIdsBack(index, "r")) {
        const { time } = parsePosition(id) ?? {};
        if (time === undefined || time > getPositionTime() + SETTLED_US) continue;
        if (left-- === 0) return writeCursor({ ...LOG_START, epoch: this.epoch, horizon: time });
      }
      return "";
    });
  }

  async findNearest(query: StoredVector, count: number): Promise<readonly SharedHit[]> {
    return this.connection.use(async ({ records, dimension, hasCosines }) => {
      if (!hasCosines || !isUsable(query, dimension)) return [];
      const { matches }: { readonly matches: readonly { readonly score?: number }[] } = await records.query({
        vector: [...query.vector],
        topK: Math.max(1, this.limitHits(count)),
        filter: { embedder: { $eq: query.embedder }, removed: { $eq: false } },
        includeMetadata: true,
      });
      return this.readHits(matches.map((match) => ({ row: parseRecord(match, ""), cosine: match.score })));
    });
  }

  count(): Promise<number> {
    return this.use(async (index) => {
      let [counted, items] = [0, 0];
      for await (const id of iterateIds(index, "r")) {
        counted += 1;
        const { isMark = true } = parsePosition(id) ?? {};
        if (!isMark) items += 1;
        if (counted === MOST_COUNTED) return Math.max(counted, await countRecords(index, this.namespace));
      }
      return items;
    });
  }

  protected appendBatch(items: readonly NewSharedItem[]): Promise<void> {
    return this.use(async (index) => {
      this.forgetOld();
      const unknown = items.map(({ id }) => id).filter((id) => !this.own.has(id));
      const known = new Set((await this.findOwn(index, unknown)).keys());
      const fresh = new Map(items.map((item) => [item.id, item]));
      for (const { id } of items) if (known.has(id) || this.own.get(id)?.state === "written") fresh.delete(id);
      if (fresh.size === 0) return;
      await this.nameLog(index);
      const records = [...fresh.values()].map((item) => {
        const { embedded } = item;
        const position = this.choosePosition(item.id);
        this.own.set(item.id, { position, state: "writing" });
        return createRecord(index, position.id, { row: this.createRow(item), embedded });
      });
      await writeRecords(index, records);
      this.setState([...fresh.keys()], "written");
    });
  }

  protected removeBatch(ids: readonly string[]): Promise<void> {
    return this.use(async (index) => {
      this.forgetOld();
      const found = new Map(await this.findOwn(index, ids));
      for (const id of ids) {
        const own = this.own.get(id);
        if (own?.state === "removed") found.delete(id);
        else if (own) found.set(id, [...new Set([...(found.get(id) ?? []), own.position.id])]);
      }
      if (found.size === 0) return;
      const marks = [...found.keys()].map((id) => {
        const position = this.createPosition(true);
        return { id, position, row: this.createMark(id) satisfies SharedRow };
      });
      await writeRecords(
        index,
        marks.map(({ position, row }) => createRecord(index, position.id, { row })),
      );
      await deleteRecords(index, [...found.values()].flat());
      for (const { id, position } of marks) this.own.set(id, { position, state: "removed" });
    });
  }

  protected readPage(after: string | undefined, most: number, embedder: string): Promise<ServerPage> {
    return this.use(async (index) => {
      await this.findEpoch(index);
      const given = readCursor(after);
      const isOther = given.epoch !== "" && given.epoch !== this.epoch;
      const from = isOther ? LOG_START : given;
      const sweep = this.continueSweep(index, from, isOther ? undefined : after);
      const { unread, isFull } = await takeUnread(sweep, from, most);
      const records = await fetchRecords(
        index,
        unread.map(({ id }) => id),
      );
      // A row that is listed but can't be fetched was removed, or isn't visible yet.
      const read = unread.filter(({ id }) => records.has(id));
      const settled = sweep.startedAt - SETTLED_US;
      const last = unread.at(-1)?.time ?? 0;
      const horizon = isFull ? Math.min(last - 1, settled) : settled;
      const next = advanceCursor(from, read, { epoch: this.epoch, horizon });
      const isSame = after !== undefined && !isOther && read.length === 0 && next.horizon - from.horizon < SETTLED_US;
      const cursor = isSame ? after : writeCursor(next);
      this.sweep = isFull ? { ...sweep, cursor } : undefined;
      return {
        rows: read.map(({ id }) => parseRecord(records.get(id), embedder)),
        cursor,
        isFull,
        ...(isOther ? { restarted: true as const } : {}),
      };
    });
  }

  protected override async hasChanged(): Promise<boolean> {
    if (!this.connection.isConnected) return false;
    return this.connection.use(async (index) => {
      const seen = new Set<string>();
      for await (const { id, writer } of iteratePositions(index, getPositionTime() - SETTLED_US))
        if (writer !== this.writer) seen.add(id);
      const hasNew = [...seen].some((id) => !this.seen.has(id));
      this.seen = seen;
      return hasNew;
    });
  }

  protected closeConnections(): void {
    this.connection.close();
  }

  /** Runs operations one after another, because they share what this program knows. */
  private use<T>(work: (index: PineconeIndex) => Promise<T>): Promise<T> {
    return this.queue.add(async () => {
      try {
        return await this.connection.use(work);
      } catch (error) {
        this.sweep = undefined;
        this.epoch = "";
        throw error;
      }
    });
  }

  /** A walk that continues where the last page ended, or a new one. */
  private continueSweep(
    index: PineconeIndex,
    { horizon }: { readonly horizon: number },
    after: string | undefined,
  ): Sweep {
    if (this.sweep && after !== undefined && this.sweep.cursor === after) return this.sweep;
    return { cursor: after, startedAt: getPositionTime(), positions: iteratePositions(index, horizon) };
  }

  /**
   * Finds the log's name: the first of them, if several members made one at the same time. It's looked up again from time to time, because
   * the index may be cleared or restored meanwhile.
   */
  private async findEpoch(index: PineconeIndex): Promise<void> {
    if (this.epoch !== "" && getPositionTime() - this.epochFoundAt < SETTLED_US) return;
    let found = "";
    for await (const id of iterateIds(index, "e")) {
      if (!EPOCH.test(id)) continue;
      found = id.slice(1);
      break;
    }
    this.epoch = found;
    this.epochFoundAt = getPositionTime();
  }

  private async nameLog(index: PineconeIndex): Promise<void> {
    await this.findEpoch(index);
    if (this.epoch !== "") return;
    const epoch = randomBytes(8).toString("hex");
    await writeRecords(index, [createEpochRecord(index, epoch, this.options.project)]);
    this.epoch = epoch;
  }

  private async findOwn(index: PineconeIndex, ids: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
    return ids.length === 0 ? new Map() : findOwnRecords(index, this.options.author, ids);
  }

  /** The position of an earlier attempt, whose row may be there already, or a new one. */
  private choosePosition(id: string): PineconePosition {
    const own = this.own.get(id);
    return own?.state === "writing" ? own.position : this.createPosition(false);
  }

  private createPosition(isMark: boolean): PineconePosition {
    this.lastTime = Math.max(getPositionTime(), this.lastTime + 1);
    this.lastNumber += 1;
    const position = { time: this.lastTime, writer: this.writer, number: this.lastNumber, isMark };
    return { ...position, id: formatPosition(position) };
  }

  private setState(ids: readonly string[], state: OwnState["state"]): void {
    for (const id of ids) {
      const own = this.own.get(id);
      if (own) this.own.set(id, { ...own, state });
    }
  }

  /** Forgets what the server shows by now. */
  private forgetOld(): void {
    const now = getPositionTime();
    for (const [id, { position, state }] of this.own) {
      const keptUs = state === "writing" ? RETRY_US : SETTLED_US;
      if (position.time < now - keptUs) this.own.delete(id);
    }
  }
}

const EPOCH = /^e[0-9a-f]{16}$/;

/** The positions after a time, in their order. Forged ones of the far future are left out. */
async function* iteratePositions(index: PineconeIndex, after: number): AsyncGenerator<PineconePosition> {
  const until = getPositionTime() + SETTLED_US;
  for (const prefix of listTimePrefixes(after, until)) {
    for await (const id of iterateIds(index, prefix)) {
      const position = parsePosition(id);
      if (position && position.time > after && position.time <= until) yield position;
    }
  }
}

/** The next positions of a walk that weren't read. */
async function takeUnread(
  { positions }: Sweep,
  from: Parameters<typeof hasRead>[0],
  most: number,
): Promise<{ readonly unread: readonly PineconePosition[]; readonly isFull: boolean }> {
  const unread: PineconePosition[] = [];
  while (unread.length < most) {
    const { done, value } = await positions.next();
    if (done) return { unread, isFull: false };
    if (!hasRead(from, value)) unread.push(value);
  }
  return { unread, isFull: true };
}

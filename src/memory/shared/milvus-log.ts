import { randomBytes } from "node:crypto";
import { Emitter } from "../../core/base/emitter.ts";
import { isObject, tryJson } from "../../core/base/json.ts";
import { omitUndefined } from "../../core/base/objects.ts";
import { SHARED_LIMITS } from "../../schema/formats.ts";
import { skipWhileRunning } from "../one-at-a-time.ts";
import type { StoredVector } from "../store/memory-store.ts";
import { type CallMilvus, MilvusConnection } from "./milvus-connection.ts";
import { formatFirstPosition, type MilvusCursor, readCursor, writeCursor } from "./milvus-cursor.ts";
import {
  createCollection,
  createMilvusColumn,
  createMilvusVectorColumn,
  LOG_FIELDS,
  type MilvusRow,
  queryMilvusRows,
  quoteExpressionText,
  quoteExpressionTexts,
} from "./milvus-tables.ts";
import { MilvusVectors, type PlacedVector } from "./milvus-vectors.ts";
import { packVector, unpackVector } from "./packed-vector.ts";
import type { NewSharedItem, PullOptions, SharedHit, SharedLog, SharedLogOptions, SharedPage } from "./shared-log.ts";
import { readSharedRows, sanitizeSharedItem } from "./shared-rows.ts";

const BATCH = 200;
const FOLLOW_MS = 500;
const MOST_FOUND = 100;
const LOG = "autogpt_memory_log";

/** Opens a log in a Milvus database, which also searches by meaning. Throws `MemoryError` for a wrong address. */
export function openMilvusLog(options: SharedLogOptions): SharedLog {
  return new MilvusLog(options);
}

/**
 * A log without a server-side order, which Milvus lacks. A row's key is its writer's clock and name, because each writer's rows arrive in
 * order. A reader remembers its position for each recent writer; see `MilvusCursor`.
 */
class MilvusLog implements SharedLog {
  private readonly options: SharedLogOptions;
  private readonly connection: MilvusConnection;
  private readonly vectors: MilvusVectors;
  private readonly changes = new Emitter();
  private readonly writer = randomBytes(6).toString("hex");
  private lastTime = 0;
  private timer: NodeJS.Timeout | undefined;
  private seen = "";

  constructor(options: SharedLogOptions) {
    this.options = options;
    this.vectors = new MilvusVectors(options.project);
    this.connection = new MilvusConnection(
      options,
      (call) => this.prepare(call),
      () => this.changes.fire(),
    );
  }

  async append(items: readonly NewSharedItem[]): Promise<void> {
    for (let start = 0; start < items.length; start += BATCH) {
      const batch = items.slice(start, start + BATCH);
      await this.connection.use(async (call) => {
        const rows = await this.queryKnownRows(
          call,
          batch.map(({ id }) => id),
        );
        const known = new Set(rows.map(({ id }) => String(id)));
        const fresh = new Map(batch.filter(({ id }) => !known.has(id)).map((item) => [item.id, item]));
        await this.insert(
          call,
          [...fresh.values()].map((item) => this.createRow(item)),
        );
      });
    }
  }

  pull({ after, limit, embedder = "" }: PullOptions): Promise<SharedPage> {
    const most = Math.min(limit, SHARED_LIMITS.rows);
    return this.connection.use(async (call, epoch) => {
      const given = readCursor(after);
      const isOther = after !== undefined && given.epoch !== epoch;
      const from = isOther ? readCursor(undefined) : given;
      const rows = await queryMilvusRows(call, LOG, {
        expr: `${this.ofProject} && ${formatUnreadExpression(from)}`,
        fields: ["position", "writer", "row", "embedder", "vector"],
        limit: most,
      });
      const isFull = rows.length === most;
      const cursor =
        rows.length === 0 && after !== undefined && !isOther ? after : writeCursor(from, { epoch, rows, isFull });
      return {
        ...readSharedRows(
          rows.map((row) => parseSharedRow(row, embedder)),
          this.options,
        ),
        cursor,
        isFull,
        ...(isOther ? { restarted: true as const } : {}),
      };
    });
  }

  /** Finds the time that `count` rows follow, by binary search. */
  findTail(count: number): Promise<string> {
    return this.connection.use(async (call, epoch) => {
      const countAfter = (time: number) =>
        this.countRows(call, `position > ${quoteExpressionText(formatFirstPosition(time))}`);
      let [from, to] = [0, (await countAfter(0)) > count ? getPositionTime() + 1 : 0];
      while (to - from > 1) {
        const middle = Math.floor((from + to) / 2);
        if ((await countAfter(middle)) > count) from = middle;
        else to = middle;
      }
      return writeCursor({ epoch, horizon: formatFirstPosition(to), writers: {} }, { epoch, rows: [], isFull: true });
    });
  }

  follow(listener: () => void): () => void {
    const unsubscribe = this.changes.subscribe(listener);
    const look = skipWhileRunning(() => this.look());
    this.timer ??= setInterval(look, FOLLOW_MS).unref();
    return unsubscribe;
  }

  async remove(ids: readonly string[]): Promise<void> {
    const { project, author, getNow } = this.options;
    const at = (getNow?.() ?? new Date()).getTime();
    for (let start = 0; start < ids.length; start += BATCH) {
      await this.connection.use(async (call) => {
        const known = await this.queryKnownRows(call, ids.slice(start, start + BATCH));
        if (known.length === 0) return;
        const marks = [...new Set(known.map(({ id }) => String(id)))].map((id) => ({
          id,
          row: { project, id, author, kind: "note", text: "", source: "", at, removed: true },
        }));
        await this.insert(call, marks);
        await this.vectors.remove(call, known.flatMap(parsePlacedVector));
        const expr = `position in ${quoteExpressionTexts(known.map(({ position }) => String(position)))}`;
        await call("Delete", { collectionName: LOG, expr });
      });
    }
  }

  async findNearest(query: StoredVector, count: number): Promise<readonly SharedHit[]> {
    return this.connection.use(async (call) => {
      const found = await this.vectors.findNearest(call, query, Math.min(count, MOST_FOUND));
      if (found.size === 0) return [];
      const rows = await queryMilvusRows(call, LOG, {
        // Keys alone, because Milvus finds those without a scan. A row of another project is left out below.
        expr: `position in ${quoteExpressionTexts([...found.keys()])}`,
        fields: ["position", "row"],
      });
      const hits = rows.flatMap((row) => {
        const [change] = readSharedRows([parseSharedRow(row, "")], this.options).changes;
        const cosine = found.get(String(row.position)) ?? 0;
        return change?.type === "added" ? [{ item: change.item, cosine }] : [];
      });
      return hits.toSorted((one, other) => other.cosine - one.cosine);
    });
  }

  count(): Promise<number> {
    return this.connection.use((call) => this.countRows(call, "removed == false"));
  }

  async close(): Promise<void> {
    this.changes.clear();
    clearInterval(this.timer);
    this.connection.close();
  }

  private get ofProject(): string {
    return `project == ${quoteExpressionText(this.options.project)}`;
  }

  private async prepare(call: CallMilvus): Promise<string> {
    const { epoch } = await createCollection(call, LOG, LOG_FIELDS);
    return epoch;
  }

  /** The rows of the user's own items that are on the server. */
  private queryKnownRows(call: CallMilvus, ids: readonly string[]): Promise<readonly MilvusRow[]> {
    const own = `${this.ofProject} && author == ${quoteExpressionText(this.options.author)}`;
    return queryMilvusRows(call, LOG, {
      expr: `${own} && removed == false && id in ${quoteExpressionTexts(ids)}`,
      fields: ["position", "id", "embedder", "vector"],
      limit: 10 * BATCH,
    });
  }

  private async insert(call: CallMilvus, items: readonly NewRow[]): Promise<void> {
    if (items.length === 0) return;
    const { project, author } = this.options;
    const rows = items.map((item) => ({
      ...item,
      position: `${formatFirstPosition(this.getNextTime())}-${this.writer}`,
    }));
    const columns: Readonly<Record<string, (row: (typeof rows)[number]) => string | boolean>> = {
      position: ({ position }) => position,
      project: () => project,
      author: () => author,
      writer: () => this.writer,
      id: ({ id }) => id,
      removed: ({ row }) => "removed" in row,
      row: ({ row }) => JSON.stringify(row),
      embedder: ({ embedded }) => embedded?.embedder ?? "",
      vector: ({ embedded }) => (embedded ? packVector(embedded.vector) : ""),
    };
    const fieldsData = Object.entries(columns).map(([name, value]) => createMilvusColumn(name, rows.map(value)));
    const none = createMilvusVectorColumn(
      "none",
      rows.map(() => Float32Array.of(1, 0)),
    );
    // First, because a row that others can see is one whose vector can be found.
    const vectors = rows.flatMap(({ position, embedded }) => (embedded ? [{ position, embedded }] : []));
    await this.vectors.insert(call, vectors);
    await call("Insert", { collectionName: LOG, numRows: rows.length, fieldsData: [...fieldsData, none] });
  }

  private createRow(item: NewSharedItem): NewRow {
    const { project, author } = this.options;
    const { embedded, at, ...fields } = sanitizeSharedItem(item);
    return {
      id: item.id,
      row: { project, author, ...fields, at: Date.parse(at) },
      ...omitUndefined({ embedded }),
    };
  }

  /** Microseconds since 1970, later than the previous result. */
  private getNextTime(): number {
    this.lastTime = Math.max(getPositionTime(), this.lastTime + 1);
    return this.lastTime;
  }

  private async countRows(call: CallMilvus, expr: string): Promise<number> {
    const [row] = await queryMilvusRows(call, LOG, {
      expr: `${this.ofProject} && ${expr}`,
      fields: ["count(*)"],
    });
    return Number(row?.["count(*)"] ?? 0);
  }

  /** Polls for rows of others, because Milvus doesn't notify. */
  private async look(): Promise<void> {
    if (!this.connection.isConnected || !this.changes.hasListeners) return;
    const since = this.seen === "" ? formatFirstPosition(getPositionTime() - LOOK_BACK) : this.seen;
    const rows = await this.connection.use((call) =>
      queryMilvusRows(call, LOG, {
        expr: `${this.ofProject} && position > ${quoteExpressionText(since)} && writer != ${quoteExpressionText(this.writer)}`,
        fields: ["position"],
        limit: SHARED_LIMITS.rows,
      }),
    );
    const last = rows.at(-1)?.position;
    if (last === undefined) return;
    this.seen = String(last);
    this.changes.fire();
  }
}

/** A row that is about to be inserted. */
interface NewRow {
  readonly id: string;
  readonly row: object;
  readonly embedded?: StoredVector;
}

const LOOK_BACK = 30_000_000;

function getPositionTime(): number {
  return Date.now() * 1_000;
}

/** Selects the rows that a reader hasn't read yet. */
function formatUnreadExpression({ horizon, writers }: MilvusCursor): string {
  const read = Object.entries(writers).map(
    ([writer, position]) =>
      `not (writer == ${quoteExpressionText(writer)} && position <= ${quoteExpressionText(position)})`,
  );
  return [`position > ${quoteExpressionText(horizon)}`, ...read].join(" && ");
}

/** The vector of one of our rows, if it has one. */
function parsePlacedVector({ position, embedder, vector }: MilvusRow): readonly PlacedVector[] {
  const numbers = unpackVector(String(vector));
  const embedded = { embedder: String(embedder), vector: Float32Array.from(numbers) };
  return numbers.length === 0 ? [] : [{ position: String(position), embedded }];
}

/** A row in the shape of `SharedRow`, not validated yet. */
function parseSharedRow({ row, embedder, vector }: MilvusRow, wanted: string): unknown {
  const fields = tryJson(String(row));
  if (!isObject(fields) || wanted === "" || embedder !== wanted) return fields;
  return { ...fields, embedder, vector: unpackVector(String(vector)) };
}

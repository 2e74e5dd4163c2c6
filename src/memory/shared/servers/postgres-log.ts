import { setTimeout as pause } from "node:timers/promises";
import type { Client } from "pg";
import type { StoredVector } from "../../store/memory-store.ts";
import type { NewSharedItem, SharedHit, SharedLog, SharedLogOptions } from "../shared-log.ts";
import { PostgresConnection } from "./postgres-connection.ts";
import {
  buildRowColumns,
  CHANNEL,
  DIMENSIONS,
  defineVectorIndex,
  LOCK,
  NEW_ROW,
  type VectorIndex,
} from "./postgres-schema.ts";
import { ServerLog, type ServerPage } from "./server-log.ts";

/** How many items are sent at once. */
const BATCH = 500;
/** How long indexing a large table may take. */
const INDEX_MS = 3_600_000;
/** How long a program waits before it checks again whether another one's index is ready. */
const TURN_MS = 300;
/** The limit for counting, because a million rows take seconds. The count only decides whether all memories are kept here. */
const MOST_COUNTED = 250_000;

/** Opens a log in a PostgreSQL table; the database may have pgvector. Throws `MemoryError` for a wrong address. */
export function openPostgresLog(options: SharedLogOptions): SharedLog {
  return new PostgresLog(options);
}

class PostgresLog extends ServerLog {
  /** Runs its operations one after another, and is notified of others' changes. */
  private readonly main: PostgresConnection;
  /** For searches, which don't wait for long pages. */
  private readonly searching: PostgresConnection;
  /** The embedders whose index this program has checked or created. */
  private readonly indexed = new Set<string>();
  private readonly making = new Set<PostgresConnection>();

  constructor(options: SharedLogOptions) {
    super(options, { batch: BATCH });
    this.main = new PostgresConnection(options, () => this.changes.fire());
    this.searching = new PostgresConnection(options);
  }

  protected async appendBatch(items: readonly NewSharedItem[]): Promise<void> {
    const { project, author } = this.options;
    await this.write((client) =>
      client.query(
        `insert into memory_item (project, author, id, kind, text, source, place, at, embedder, vector)
         select $1, $2, r.* from json_to_recordset($3) as r(${NEW_ROW})
         on conflict (project, owner, author, id) do update
         set seq = default, removed = false, kind = excluded.kind, text = excluded.text, source = excluded.source,
           place = excluded.place, at = excluded.at, embedder = excluded.embedder, vector = excluded.vector
         where memory_item.removed`,
        [project, author, JSON.stringify(items.map(createPostgresRow))],
      ),
    );
    const vector = items.find(({ embedded }) => embedded)?.embedded;
    if (vector) this.index(vector);
  }

  protected readPage(after: string | undefined, most: number, embedder: string): Promise<ServerPage> {
    const { project } = this.options;
    return this.main.use(async (client, epoch) => {
      const [logged, position = "0"] = after?.split(":") ?? [epoch];
      const known = logged === epoch && /^\d{1,18}$/.test(position) ? position : "0";
      const { rows } = await client.query(
        `select ${buildRowColumns("$4")} from memory_item where project = $1 and seq > $2 order by memory_item.seq limit $3`,
        [project, known, most, embedder],
      );
      const isBehind = rows.length === 0 && known !== "0" && !(await hasPosition(client, known));
      const restarted = known !== position || isBehind ? ({ restarted: true } as const) : {};
      const last = rows.at(-1)?.position ?? (isBehind ? "0" : known);
      const isFull = rows.length === most || isBehind;
      return { rows: rows.map(parseColumns), cursor: `${epoch}:${last}`, isFull, ...restarted };
    });
  }

  findTail(count: number): Promise<string> {
    return this.main.use(async (client, epoch) => {
      const { rows } = await client.query(
        "select seq::text as position from memory_item where project = $1 order by seq desc offset $2 limit 1",
        [this.options.project, count],
      );
      return `${epoch}:${rows[0]?.position ?? "0"}`;
    });
  }

  protected async removeBatch(ids: readonly string[]): Promise<void> {
    const { project, author } = this.options;
    await this.write((client) =>
      client.query(
        `update memory_item
         set seq = default, removed = true, text = '', source = '', place = null, embedder = null, vector = null
         where project = $1 and owner = current_user and author = $2 and id = any($3) and not removed`,
        [project, author, ids],
      ),
    );
  }

  async findNearest(query: StoredVector, count: number): Promise<readonly SharedHit[]> {
    const { project } = this.options;
    const index = defineVectorIndex(project, query);
    const rows = await this.searching.use(async (client, _, hasVectors) => {
      if (!hasVectors || !(await isReady(client, index.name))) return [];
      const answer = await client.query(
        `select ${buildRowColumns("''")}, 1 - (${index.column} <=> $1) as cosine from memory_item
         where ${index.where} order by ${index.column} <=> $1 limit $2`,
        [`[${query.vector.join(",")}]`, this.limitHits(count)],
      );
      return answer.rows;
    });
    return this.readHits(rows.map((row) => ({ row: parseColumns(row), cosine: Number(row.cosine) })));
  }

  count(): Promise<number> {
    return this.main.use(async (client) => {
      const { rows } = await client.query(
        `select count(*)::int as count
         from (select from memory_item where project = $1 and not removed limit ${MOST_COUNTED}) as counted`,
        [this.options.project],
      );
      return rows[0].count;
    });
  }

  protected async closeConnections(): Promise<void> {
    await Promise.all([this.main, this.searching, ...this.making].map((each) => each.close()));
  }

  /** Changes the log in a transaction, one at a time in a project. So rows become visible in their order, and a reader can't skip one. */
  private write(change: (client: Client) => Promise<unknown>): Promise<void> {
    const { project } = this.options;
    return this.main.use(async (client) => {
      await client.query("begin");
      try {
        await client.query(LOCK, [project]);
        await change(client);
        await client.query("select pg_notify($1, $2)", [CHANNEL, project]);
        await client.query("commit");
      } catch (error) {
        await client.query("rollback").catch(() => "The connection is gone, and with it the transaction.");
        throw error;
      }
    });
  }

  /** Creates the index of an embedder's vectors in the background. Without permission to do so, the server isn't searched. */
  private index(vector: StoredVector): void {
    const index = defineVectorIndex(this.options.project, vector);
    if (this.indexed.has(index.name) || vector.vector.length > DIMENSIONS) return;
    this.indexed.add(index.name);
    const making = new PostgresConnection(this.options, undefined, INDEX_MS);
    this.making.add(making);
    void this.make(index, making)
      .catch(() => this.indexed.delete(index.name))
      .finally(() => {
        this.making.delete(making);
        return making.close();
      });
  }

  /** Creates an index on a separate connection: a large table takes minutes, and no search or page may wait for that. */
  private async make(index: VectorIndex, making: PostgresConnection): Promise<void> {
    while (!(await making.use((client, _, hasVectors) => isMade(client, index, hasVectors))))
      await pause(TURN_MS, undefined, { ref: false });
  }
}

function createPostgresRow(item: NewSharedItem): object {
  const { embedded, ...fields } = item;
  return embedded
    ? { ...fields, embedder: embedded.embedder, vector: [...embedded.vector] }
    : { ...fields, embedder: null, vector: null };
}

/** A row as `SharedRow` has it: absent columns are left out. */
function parseColumns(columns: Readonly<Record<string, unknown>>): unknown {
  const { at, vector, ...others } = columns;
  const present = Object.entries(others).filter(([, value]) => value !== null);
  const numbers = typeof vector === "string" ? { vector: decodeVectorNumbers(Buffer.from(vector, "base64")) } : {};
  return { ...Object.fromEntries(present), at: Number(at), ...numbers };
}

/** The size of an array's header in PostgreSQL's binary format, and of the length before each number. */
const HEAD_BYTES = 20;
const LENGTH_BYTES = 4;
const NUMBER_BYTES = 4;

/** Decodes an array of `real` from PostgreSQL's binary format. */
function decodeVectorNumbers(bytes: Buffer): readonly number[] {
  const count = Math.max(0, Math.floor((bytes.length - HEAD_BYTES) / (LENGTH_BYTES + NUMBER_BYTES)));
  return Array.from({ length: count }, (_, place) =>
    bytes.readFloatBE(HEAD_BYTES + place * (LENGTH_BYTES + NUMBER_BYTES) + LENGTH_BYTES),
  );
}

/** False if the server has lost rows, for example after a backup was restored. */
async function hasPosition(client: Client, position: string): Promise<boolean> {
  const { rows } = await client.query("select coalesce(max(seq), 0) >= $1 as is_there from memory_item", [position]);
  return rows[0].is_there;
}

/** The part of a client that is needed to create an index. */
interface QueryClient {
  query(text: string, values?: string[]): Promise<{ readonly rows: readonly Readonly<Record<string, unknown>>[] }>;
}

/** Creates an index if it's missing. Returns false while another program creates one: two at once would wait for each other. */
export async function isMade(client: QueryClient, index: VectorIndex, hasVectors: boolean): Promise<boolean> {
  if (!hasVectors || (await isReady(client, index.name))) return true;
  const { rows } = await client.query("select pg_try_advisory_lock(7167, 0) as taken");
  if (rows[0]?.taken !== true) return false;
  // The program that had the lock may just have made it, which takes minutes.
  if (await isReady(client, index.name)) return true;
  // One that was broken off is there, but is never used.
  await client.query(`drop index concurrently if exists ${index.name}`);
  await client.query(index.create);
  return true;
}

async function isReady(client: QueryClient, index: string): Promise<boolean> {
  const { rows } = await client.query("select 1 from pg_index where indexrelid = to_regclass($1) and indisvalid", [
    index,
  ]);
  return rows.length > 0;
}

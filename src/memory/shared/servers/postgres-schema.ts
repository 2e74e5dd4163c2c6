import { sha256 } from "../../../disk/sha256.ts";
import { SHARED_LIMITS } from "../../../schema/formats.ts";
import type { StoredVector } from "../../store/memory-store.ts";

/** The version of the tables. Newer ones aren't changed. */
export const SCHEMA_VERSION = 1;

/** The oldest supported server version, in PostgreSQL's numbering. */
export const OLDEST_SERVER = 130_000;

/** The channel that announces changes to a log. */
export const CHANNEL = "autogpt_memory";

/** Waits for other writers to a project. The lock is released at the end of the transaction, after its rows have become visible. */
export const LOCK = "select pg_advisory_xact_lock(7166, hashtext($1))";

/** The most dimensions that an index of vectors supports. */
export const DIMENSIONS = 2_000;

/**
 * The tables, which docs/memory.md lists for administrators. Only the database user who wrote a row may change it. `seq` is the log's
 * order. No member may choose a `seq`, since readers would skip all rows before it. `epoch` differs between databases.
 */
const TABLES = `
  create table memory_log (version int not null, epoch uuid not null default gen_random_uuid());
  insert into memory_log (version) values (${SCHEMA_VERSION});
  create table memory_item (
    seq bigint generated always as identity,
    project text not null,
    owner name not null default current_user,
    author text not null,
    id text not null,
    kind text not null,
    text text not null,
    source text not null,
    place text,
    at timestamptz not null,
    embedder text,
    vector real[],
    removed boolean not null default false,
    primary key (project, owner, author, id)
  );
  create index memory_item_order on memory_item (project, seq);
  alter table memory_item enable row level security;
  alter table memory_item force row level security;
  create policy memory_read on memory_item for select using (true);
  create policy memory_add on memory_item for insert with check (owner = current_user);
  create policy memory_change on memory_item for update using (owner = current_user) with check (owner = current_user);`;

/** Creates the tables in one transaction, unless another program has just created them. */
export const CREATE_TABLES = `
  do $$ begin
    if to_regclass('memory_item') is null then ${TABLES} end if;
  end $$`;

/** Administrators may have to run this. Without the extension, the database works but isn't searched. */
export const CREATE_EXTENSION = "create extension if not exists vector";

/** The columns of an item, read from JSON. */
export const NEW_ROW =
  "id text, kind text, text text, source text, place text, at timestamptz, embedder text, vector real[]";

/** The columns of a row, cut to their limits. `embedder` is an expression for the embedder whose vectors are wanted. */
export const buildRowColumns = (embedder: string) => `seq::text as position, case when removed then true end as removed,
  ${limitColumn("project", SHARED_LIMITS.project)}, ${AUTHOR} as author, ${limitColumn("id", 100)},
  ${limitColumn("kind", 100)}, ${limitColumn("source", SHARED_LIMITS.source)}, ${limitColumn("place", SHARED_LIMITS.source)},
  ${limitColumn("text", SHARED_LIMITS.text)}, (extract(epoch from at) * 1000)::text as at,
  case when embedder = ${embedder} then ${cut("embedder", SHARED_LIMITS.source)} end as embedder,
  case when embedder = ${embedder} and cardinality(vector) <= ${SHARED_LIMITS.vector} and array_position(vector, null) is null
    then encode(array_send(vector), 'base64') end as vector`;

/**
 * A row's author is only a claim, but the server knows the database user. Rows of other database users get that user's name after the
 * author's, so no member can impersonate another or remove another's rows.
 */
const AUTHOR = `case when octet_length(author) > ${4 * SHARED_LIMITS.author} then repeat('x', ${SHARED_LIMITS.author + 1})
  when owner = current_user then author else left(author, 120) || ' (' || owner || ')' end`;

/** A column, cut to one character more than its limit. */
function limitColumn(column: string, maxChars: number): string {
  return `${cut(column, maxChars)} as ${column}`;
}

/** Cuts a column. A character has at most four bytes, so counting bytes replaces a long text without reading it. */
function cut(column: string, maxChars: number): string {
  return `case when octet_length(${column}) > ${4 * maxChars} then repeat('x', ${maxChars + 1}) else ${column}::text end`;
}

/** An index of one embedder's vectors in a project. */
export interface VectorIndex {
  readonly name: string;
  /** The index's condition, which queries repeat word for word. */
  readonly where: string;
  /** The indexed expression. */
  readonly column: string;
  readonly create: string;
}

export function defineVectorIndex(project: string, { embedder, vector }: StoredVector): VectorIndex {
  const name = `memory_item_${sha256(JSON.stringify([project, embedder, vector.length])).slice(0, 24)}`;
  const column = `(vector::vector(${vector.length}))`;
  const where = `project = ${quoteSqlText(project)} and embedder = ${quoteSqlText(embedder)} and cardinality(vector) = ${vector.length} and not removed`;
  const create = `create index concurrently if not exists ${name} on memory_item using hnsw (${column} vector_cosine_ops) where ${where}`;
  return { name, where, column, create };
}

/** Quotes a text as SQL. Partial indexes are only used for conditions with constants. */
function quoteSqlText(text: string): string {
  return `E'${text.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`;
}

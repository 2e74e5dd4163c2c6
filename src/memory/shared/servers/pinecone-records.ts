import type { PineconeRecord, RecordMetadata } from "@pinecone-database/pinecone";
import { isObject } from "../../../core/base/json.ts";
import { omitUndefined } from "../../../core/base/objects.ts";
import { SHARED_LIMITS } from "../../../schema/formats.ts";
import type { SharedRow } from "../../../schema/shared-rows.ts";
import type { StoredVector } from "../../store/memory-store.ts";
import type { PineconeIndex } from "./pinecone-connection.ts";
import { splitPrefix } from "./pinecone-cursor.ts";

/** IDs are in the address of a request, whose length is limited. */
const MOST_FETCHED = 100;
/** Pinecone takes 2 MB in a request. */
const MOST_SENT_BYTES = 1_900_000;
const PAGE = 100;
/** A server that lists without end isn't followed. */
const MOST_PAGES = 20_000;
/** Enough for 150,000 IDs and the lists that find them. */
const MOST_BACK_PAGES = 2_000;

/** A record with the fields of a row. A row without a vector that fits the index has a placeholder. */
export function createRecord(
  { dimension }: PineconeIndex,
  id: string,
  { row, embedded }: { readonly row: SharedRow; readonly embedded?: StoredVector | undefined },
): PineconeRecord {
  const { embedder: _, vector: __, ...fields } = row;
  const metadata: RecordMetadata = { ...omitUndefined(fields), removed: row.removed === true };
  if (!embedded || !isUsable(embedded, dimension)) return { id, metadata, values: createPlaceholder(dimension) };
  return { id, metadata: { ...metadata, embedder: embedded.embedder }, values: [...embedded.vector] };
}

/** The record that names a log. */
export function createEpochRecord({ dimension }: PineconeIndex, epoch: string, project: string): PineconeRecord {
  return { id: `e${epoch}`, metadata: { project }, values: createPlaceholder(dimension) };
}

/** Whether an index accepts a vector. It takes no zero vectors. */
export function isUsable({ vector }: StoredVector, dimension: number): boolean {
  return vector.length === dimension && vector.every(Number.isFinite) && vector.some((value) => Math.abs(value) > 1e-8);
}

/** Pinecone requires a vector in each record. */
function createPlaceholder(dimension: number): number[] {
  return Array.from({ length: dimension }, (_, place) => (place === 0 ? 1 : 0));
}

/** A record in the shape of `SharedRow`, not validated yet. */
export function parseRecord(record: unknown, embedder: string): unknown {
  if (!isObject(record) || !isObject(record.metadata)) return undefined;
  // A vector in the metadata isn't one that the index has checked.
  const { removed, vector: _, ...fields } = record.metadata;
  const row = removed === false ? fields : { ...fields, ...omitUndefined({ removed }) };
  const isWanted = embedder !== "" && fields.embedder === embedder && Array.isArray(record.values);
  return isWanted ? { ...row, vector: record.values } : row;
}

/** Writes records in requests that aren't too large, one after another. */
export async function writeRecords(
  { records: index }: PineconeIndex,
  records: readonly PineconeRecord[],
): Promise<void> {
  let part: PineconeRecord[] = [];
  let size = 0;
  for (const record of records) {
    const bytes = Buffer.byteLength(JSON.stringify(record)) + 1;
    if (part.length > 0 && size + bytes > MOST_SENT_BYTES) {
      await index.upsert({ records: part });
      [part, size] = [[], 0];
    }
    part.push(record);
    size += bytes;
  }
  if (part.length > 0) await index.upsert({ records: part });
}

/** Reads records by their IDs. Missing ones are left out. */
export async function fetchRecords(
  { records: index }: PineconeIndex,
  ids: readonly string[],
): Promise<ReadonlyMap<string, unknown>> {
  const found = new Map<string, unknown>();
  for (let start = 0; start < ids.length; start += MOST_FETCHED) {
    const part = ids.slice(start, start + MOST_FETCHED);
    const { records }: { readonly records: unknown } = await index.fetch({ ids: part });
    for (const id of part) if (isObject(records) && Object.hasOwn(records, id)) found.set(id, records[id]);
  }
  return found;
}

/** The IDs of an author's rows of some memories, by the memories' IDs. */
export async function findOwnRecords(
  { records: index }: PineconeIndex,
  author: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const filter = { author: { $eq: author }, id: { $in: [...ids] }, removed: { $eq: false } };
  const found: (readonly [item: string, record: string])[] = [];
  let paginationToken: string | undefined;
  for (let pages = 0; pages < MOST_PAGES; pages++) {
    const page = await index.fetchByMetadata({ filter, limit: PAGE, ...omitUndefined({ paginationToken }) });
    for (const [record, { metadata }] of Object.entries(page.records)) found.push([String(metadata?.id), record]);
    paginationToken = page.pagination?.next;
    if (!paginationToken) break;
  }
  const byItem = Map.groupBy(found, ([item]) => item);
  return new Map([...byItem].map(([item, records]) => [item, records.map(([, record]) => record)]));
}

/** The IDs with a prefix, in their order. */
export async function* iterateIds(index: PineconeIndex, prefix: string): AsyncGenerator<string> {
  let paginationToken: string | undefined;
  for (let pages = 0; pages < MOST_PAGES; pages++) {
    const { ids, next } = await listPage(index, prefix, paginationToken);
    yield* ids;
    if (next === undefined) return;
    paginationToken = next;
  }
}

/** The IDs with a prefix, from the last to the first. The digits of their times are searched one by one. */
export async function* iterateIdsBack(
  index: PineconeIndex,
  prefix: string,
  budget = { pages: MOST_BACK_PAGES },
): AsyncGenerator<string> {
  if (budget.pages === 0) return;
  budget.pages -= 1;
  const { ids, next } = await listPage(index, prefix, undefined);
  const parts = next === undefined ? [] : splitPrefix(prefix);
  if (parts.length === 0) yield* ids.toReversed();
  for (const part of parts) yield* iterateIdsBack(index, part, budget);
}

async function listPage(
  { records: index }: PineconeIndex,
  prefix: string,
  paginationToken: string | undefined,
): Promise<{ readonly ids: readonly string[]; readonly next: string | undefined }> {
  const page = await index.listPaginated({ prefix, limit: PAGE, ...omitUndefined({ paginationToken }) });
  const ids = (page.vectors ?? []).flatMap(({ id }) => (typeof id === "string" && id.startsWith(prefix) ? [id] : []));
  return { ids, next: page.pagination?.next || undefined };
}

/** The number of records in a namespace, according to the index. */
export async function countRecords({ records: index }: PineconeIndex, namespace: string): Promise<number> {
  const { namespaces = {} } = await index.describeIndexStats();
  const count = Number(namespaces[namespace]?.recordCount ?? 0);
  return Number.isFinite(count) && count > 0 ? count : 0;
}

/** Deletes records by their IDs. */
export async function deleteRecords({ records: index }: PineconeIndex, ids: readonly string[]): Promise<void> {
  for (let start = 0; start < ids.length; start += SHARED_LIMITS.rows)
    await index.deleteMany({ ids: ids.slice(start, start + SHARED_LIMITS.rows) });
}

import { isObject } from "../../core/base/json.ts";
import type { CallMilvus } from "./milvus-connection.ts";

/** The type numbers in Milvus' protocol. */
const BOOL = 1;
const VARCHAR = 21;
const FLOAT_VECTOR = 101;
/** The consistency level at which a reader sees all earlier writes. */
const STRONG = 0;

/** A row of an answer, by the names of its fields. */
export type MilvusRow = Readonly<Record<string, unknown>>;

interface Field {
  readonly name: string;
  readonly isPrimaryKey?: true;
  readonly dataType: number;
  readonly typeParams?: readonly { readonly key: string; readonly value: string }[];
}

const createTextField = (name: string, maxLength: number): Field => ({
  name,
  dataType: VARCHAR,
  typeParams: [{ key: "max_length", value: String(maxLength) }],
});
const createVectorField = (name: string, dimensions: number): Field => ({
  name,
  dataType: FLOAT_VECTOR,
  typeParams: [{ key: "dim", value: String(dimensions) }],
});
const POSITION: Field = { ...createTextField("position", 64), isPrimaryKey: true };
/** Milvus counts bytes. */
const PROJECT = createTextField("project", 800);

/** The log's own table. Milvus requires a vector in each table, so this one has a short unused one. */
export const LOG_FIELDS: readonly Field[] = [
  POSITION,
  PROJECT,
  createTextField("author", 800),
  createTextField("writer", 32),
  createTextField("id", 64),
  { name: "removed", dataType: BOOL },
  createTextField("row", 65_535),
  createTextField("embedder", 2_000),
  createTextField("vector", 32_768),
  createVectorField("none", 2),
];

/** A table with the vectors of one embedder. */
export function createVectorFields(dimensions: number): readonly Field[] {
  return [POSITION, createVectorField("vector", dimensions)];
}

/** Creates a table if it's missing, and loads it. `epoch` changes if the table was created again. */
export async function createCollection(
  call: CallMilvus,
  name: string,
  fields: readonly Field[],
): Promise<{ readonly epoch: string }> {
  const describe = () => call("DescribeCollection", { collectionName: name });
  const there = await describe().catch(() => undefined);
  if (!there) {
    const numbered = fields.map((field, at) => ({ ...field, fieldID: 100 + at }));
    const schema = { name, autoID: false, fields: numbered };
    const made = { collectionName: name, schema, shardsNum: 1, consistencyLevel: STRONG };
    // If another program has made it in the meantime, it can be described now.
    await call("CreateCollection", made).catch((error: unknown) => describe().catch(() => Promise.reject(error)));
  }
  const { collectionID, createdTimestamp } = there ?? (await describe());
  const vector = fields.find(({ dataType }) => dataType === FLOAT_VECTOR)?.name ?? "";
  await call("CreateIndex", {
    collectionName: name,
    fieldName: vector,
    indexName: vector,
    extraParams: INDEX,
  }).catch((error: unknown) => ignoreExisting(error));
  await call("LoadCollection", { collectionName: name, replicaNumber: 1 });
  return { epoch: `${String(collectionID)}-${String(createdTimestamp)}` };
}

const INDEX = [
  { key: "index_type", value: "HNSW" },
  { key: "metric_type", value: "COSINE" },
  { key: "params", value: '{"M":16,"efConstruction":128}' },
];

function ignoreExisting(error: unknown): void {
  if (!/exist|at most one distinct index/i.test(String(error))) throw error;
}

/** Queries the rows that an expression selects, sorted by position. */
export async function queryMilvusRows(
  call: CallMilvus,
  collectionName: string,
  { expr, fields, limit }: { readonly expr: string; readonly fields: readonly string[]; readonly limit?: number },
): Promise<readonly MilvusRow[]> {
  const queryParams =
    limit === undefined
      ? []
      : [
          { key: "limit", value: String(limit) },
          { key: "iterator", value: "True" },
        ];
  const answer = await call("Query", {
    collectionName,
    expr,
    queryParams,
    outputFields: fields,
    consistencyLevel: STRONG,
  });
  return collectMilvusRows(answer).toSorted((one, other) => (String(one.position) < String(other.position) ? -1 : 1));
}

/** Converts an answer to a query or search, which comes column by column, into rows. */
export function collectMilvusRows(answer: MilvusRow): readonly MilvusRow[] {
  const columns = isObject(answer.results) ? parseFoundColumns(answer.results) : parseReadColumns(answer.fieldsData);
  const length = Math.max(0, ...columns.map(([, values]) => values.length));
  return Array.from({ length }, (_, at) => Object.fromEntries(columns.map(([name, values]) => [name, values[at]])));
}

type Column = readonly [name: string, values: readonly unknown[]];

function parseReadColumns(fieldsData: unknown): readonly Column[] {
  if (!Array.isArray(fieldsData)) return [];
  return fieldsData.filter(isObject).map(({ fieldName, scalars }) => {
    const data = isObject(scalars) ? Object.values(scalars).find((values) => isObject(values)) : undefined;
    return [String(fieldName), isObject(data) && Array.isArray(data.data) ? data.data : []];
  });
}

function parseFoundColumns({ ids, scores }: MilvusRow): readonly Column[] {
  const found = isObject(ids) && isObject(ids.strings) ? ids.strings.data : [];
  return [
    ["position", Array.isArray(found) ? found : []],
    ["score", Array.isArray(scores) ? scores : []],
  ];
}

/** Creates a column of texts or booleans for rows to insert. */
export function createMilvusColumn(fieldName: string, values: readonly (string | boolean)[]): object {
  return typeof values[0] === "boolean"
    ? { fieldName, type: BOOL, scalars: { bools: { data: values } } }
    : { fieldName, type: VARCHAR, scalars: { strings: { data: values } } };
}

export function createMilvusVectorColumn(fieldName: string, vectors: readonly Float32Array[]): object {
  const data = vectors.flatMap((vector) => [...vector]);
  return {
    fieldName,
    type: FLOAT_VECTOR,
    vectors: { dim: vectors[0]?.length ?? 0, floats: { data } },
  };
}

/** Quotes a text for an expression. */
export function quoteExpressionText(value: string): string {
  return JSON.stringify(value);
}

/** Quotes a list of texts for an expression. */
export function quoteExpressionTexts(values: readonly string[]): string {
  return `[${values.map(quoteExpressionText).join(",")}]`;
}

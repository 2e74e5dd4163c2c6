import { sha256 } from "../../sha256.ts";
import type { StoredVector } from "../store/memory-store.ts";
import type { CallMilvus } from "./milvus-connection.ts";
import { column, createCollection, rowsOf, vectorColumn, vectorFields } from "./milvus-tables.ts";
import { vectorBytes } from "./packed-vector.ts";

/** A vector of the row at a position of the log. */
export interface PlacedVector {
  readonly position: string;
  readonly embedded: StoredVector;
}

/** The tables with vectors: one for each embedder, because all vectors of a table have the same size. */
export class MilvusVectors {
  private readonly project: string;
  private readonly tables = new Map<string, Promise<void>>();

  constructor(project: string) {
    this.project = project;
  }

  async insert(call: CallMilvus, vectors: readonly PlacedVector[]): Promise<void> {
    for (const [name, found] of Map.groupBy(vectors, ({ embedded }) => tableOf(embedded))) {
      for (const { embedded } of found.slice(0, 1)) await this.make(call, embedded);
      const texts = {
        position: found.map(({ position }) => position),
        project: found.map(() => this.project),
      };
      const numbers = vectorColumn(
        "vector",
        found.map(({ embedded }) => embedded.vector),
      );
      const fieldsData = [...Object.entries(texts).map(([field, values]) => column(field, values)), numbers];
      await call("Insert", { collectionName: name, numRows: found.length, fieldsData });
    }
  }

  /** Removes vectors from the tables that this program has used. A vector without a row is never found. */
  async remove(call: CallMilvus, expr: string): Promise<void> {
    for (const name of this.tables.keys()) await call("Delete", { collectionName: name, expr });
  }

  /** The cosines of the closest rows, by their positions. */
  async nearest(
    call: CallMilvus,
    query: StoredVector,
    options: { readonly filter: string; readonly count: number },
  ): Promise<ReadonlyMap<string, number>> {
    await this.make(call, query);
    const answer = await call("Search", {
      ...{ collectionName: tableOf(query), dsl: options.filter, dslType: BOOLEAN_EXPRESSION, nq: 1 },
      placeholderGroup: {
        placeholders: [{ tag: "$0", type: FLOAT_VECTOR, values: [vectorBytes(query.vector)] }],
      },
      searchParams: [{ key: "topk", value: String(options.count) }, ...SEARCH],
    });
    return new Map(rowsOf(answer).map(({ position, score }) => [String(position), Number(score)]));
  }

  private async make(call: CallMilvus, { embedder, vector }: StoredVector): Promise<void> {
    const name = tableOf({ embedder, vector });
    let table = this.tables.get(name);
    if (table === undefined) {
      table = createCollection(call, name, vectorFields(vector.length)).then(() => undefined);
      table.catch(() => this.tables.delete(name));
      this.tables.set(name, table);
    }
    await table;
  }
}

const BOOLEAN_EXPRESSION = 1;
const FLOAT_VECTOR = 101;
const SEARCH = [
  { key: "anns_field", value: "vector" },
  { key: "metric_type", value: "COSINE" },
  { key: "params", value: '{"ef":128}' },
  { key: "round_decimal", value: "-1" },
];

function tableOf({ embedder, vector }: StoredVector): string {
  return `autogpt_memory_${sha256(`${embedder} ${vector.length}`).slice(0, 16)}`;
}

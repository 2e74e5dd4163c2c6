import { sha256 } from "../../disk/sha256.ts";
import type { StoredVector } from "../store/memory-store.ts";
import type { CallMilvus } from "./milvus-connection.ts";
import {
  collectMilvusRows,
  createCollection,
  createMilvusColumn,
  createMilvusVectorColumn,
  createVectorFields,
  quoteExpressionTexts,
} from "./milvus-tables.ts";
import { getVectorBytes } from "./packed-vector.ts";

/** The vector of the row at a position in the log. */
export interface PlacedVector {
  readonly position: string;
  readonly embedded: StoredVector;
}

/** A project's tables with vectors: one for each embedder, because all vectors of a table have the same size. */
export class MilvusVectors {
  private readonly project: string;
  private readonly tables = new Map<string, Promise<void>>();

  constructor(project: string) {
    this.project = project;
  }

  async insert(call: CallMilvus, vectors: readonly PlacedVector[]): Promise<void> {
    for (const [name, found] of Map.groupBy(vectors, ({ embedded }) => this.getTableName(embedded))) {
      for (const { embedded } of found.slice(0, 1)) await this.make(call, embedded);
      const positions = createMilvusColumn(
        "position",
        found.map(({ position }) => position),
      );
      const numbers = createMilvusVectorColumn(
        "vector",
        found.map(({ embedded }) => embedded.vector),
      );
      const fieldsData = [positions, numbers];
      await call("Insert", { collectionName: name, numRows: found.length, fieldsData });
    }
  }

  async remove(call: CallMilvus, vectors: readonly PlacedVector[]): Promise<void> {
    for (const [collectionName, found] of Map.groupBy(vectors, ({ embedded }) => this.getTableName(embedded))) {
      const expr = `position in ${quoteExpressionTexts(found.map(({ position }) => position))}`;
      await call("Delete", { collectionName, expr });
    }
  }

  /** The cosines of the closest rows, keyed by position. */
  async findNearest(call: CallMilvus, query: StoredVector, count: number): Promise<ReadonlyMap<string, number>> {
    await this.make(call, query);
    const answer = await call("Search", {
      collectionName: this.getTableName(query),
      dsl: "",
      dslType: BOOLEAN_EXPRESSION,
      nq: 1,
      placeholderGroup: {
        placeholders: [{ tag: "$0", type: FLOAT_VECTOR, values: [getVectorBytes(query.vector)] }],
      },
      searchParams: [{ key: "topk", value: String(count) }, ...SEARCH],
    });
    return new Map(collectMilvusRows(answer).map(({ position, score }) => [String(position), Number(score)]));
  }

  private async make(call: CallMilvus, { embedder, vector }: StoredVector): Promise<void> {
    const name = this.getTableName({ embedder, vector });
    let table = this.tables.get(name);
    if (table === undefined) {
      table = createCollection(call, name, createVectorFields(vector.length)).then(() => undefined);
      table.catch(() => this.tables.delete(name));
      this.tables.set(name, table);
    }
    await table;
  }

  private getTableName({ embedder, vector }: StoredVector): string {
    return `autogpt_memory_${sha256(JSON.stringify([this.project, embedder, vector.length])).slice(0, 16)}`;
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

import { createRequire } from "node:module";
import { DatabaseSync } from "node:sqlite";
import { LocalIndex, ProtobufCodec } from "vectra";
import { numbers, randomVector } from "./random-memories.ts";

/** The simplest thing that could work: one typed array, one loop, unrolled by four. */
export function plainScan(dimensions: number, size: number) {
  const random = numbers(1);
  const all = Float32Array.from({ length: dimensions * size }, () => random() - 0.5);
  return {
    row: (row: number) => all.subarray(row * dimensions, (row + 1) * dimensions),
    nearest(query: Float32Array, count: number): readonly number[] {
      const scores = new Float32Array(size);
      for (let row = 0, at = 0; row < size; row++) {
        let [a, b, c, d] = [0, 0, 0, 0];
        for (let i = 0; i < dimensions; i += 4, at += 4) {
          a += (query[i] ?? 0) * (all[at] ?? 0);
          b += (query[i + 1] ?? 0) * (all[at + 1] ?? 0);
          c += (query[i + 2] ?? 0) * (all[at + 2] ?? 0);
          d += (query[i + 3] ?? 0) * (all[at + 3] ?? 0);
        }
        scores[row] = a + b + c + d;
      }
      const floor = scores.toSorted().at(-count) ?? 0;
      return [...scores.keys()].filter((row) => (scores[row] ?? 0) >= floor).slice(0, count);
    },
  };
}

/** sqlite-vec's own table type; undefined where it has no build for this machine. */
export function sqliteVec(file: string, dimensions: number, size: number) {
  const extension = vecExtension();
  if (!extension) return undefined;
  const database = new DatabaseSync(file, { allowExtension: true });
  database.loadExtension(extension);
  database.exec(`create virtual table memories using vec0(vector float[${dimensions}])`);
  const insert = database.prepare("insert into memories(rowid, vector) values (?, ?)");
  const random = numbers(1);
  database.exec("begin");
  for (let row = 0; row < size; row++) insert.run(BigInt(row + 1), bytesOf(randomVector(dimensions, random)));
  database.exec("commit");
  const select = database.prepare("select rowid from memories where vector match ? order by distance limit ?");
  return {
    nearest: (query: Float32Array, count: number) => select.all(bytesOf(query), count),
    close: () => database.close(),
  };
}

function vecExtension(): string | undefined {
  try {
    const module: unknown = createRequire(import.meta.url)("sqlite-vec");
    if (typeof module !== "object" || !module || !("getLoadablePath" in module)) return undefined;
    const { getLoadablePath } = module;
    return typeof getLoadablePath === "function" ? String(getLoadablePath()) : undefined;
  } catch {
    return undefined;
  }
}

function bytesOf(vector: Float32Array): Uint8Array {
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
}

/** Vectra as it comes from npm, in its faster format. */
export async function stockVectra(folder: string, dimensions: number, size: number) {
  const random = numbers(5);
  const vector = () => [...randomVector(dimensions, random)];
  const index = new LocalIndex(folder, undefined, undefined, new ProtobufCodec());
  await index.createIndex();
  await index.beginUpdate();
  for (let row = 0; row < size; row++)
    await index.upsertItem({ id: `${row}`, vector: vector(), metadata: { text: `memory ${row}` } });
  await index.endUpdate();
  return {
    insert: () => index.insertItem({ vector: vector(), metadata: { text: "one more" } }),
    query: () => index.queryItems(vector(), "", 10),
  };
}

import assert from "node:assert/strict";
import fc from "fast-check";
import { assemble } from "../../../../scripts/scan-kernel.mjs";
import { KERNEL } from "../../../../src/memory/search/scan-kernel.ts";
import { scaleToUnitVector, VectorMatrix } from "../../../../src/memory/search/vector-matrix.ts";

const number = fc.float({ min: -1, max: 1, noNaN: true });

/** Vectors of one size, each with a direction. */
const vectors = fc.integer({ min: 1, max: 40 }).chain((size) =>
  fc.array(
    fc
      .array(number, { minLength: size, maxLength: size })
      .map((values) => scaleToUnitVector(Float32Array.from(values)))
      .filter((vector) => vector !== undefined),
    { minLength: 2, maxLength: 30 },
  ),
);

function cosine(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);
}

function filled(rows: readonly Float32Array[]): VectorMatrix<number> {
  const matrix = new VectorMatrix<number>(rows[0]?.length ?? 0);
  for (const [index, row] of rows.entries()) matrix.append(index, row);
  return matrix;
}

describe("the matrix of vectors", () => {
  it("finds what a plain loop finds", async () => {
    await fc.assert(
      fc.asyncProperty(vectors, async ([query = new Float32Array(), ...rows]) => {
        const found = await filled(rows).findNearest(query, 5);
        const expected = rows.map((row) => cosine(query, row)).sort((a, b) => b - a);
        const apart = expected.slice(0, 5).map((score, index) => Math.abs(score - (found[index]?.score ?? 9)));
        assert.deepEqual(
          [found.length, apart.filter((difference) => difference > 1e-5)],
          [Math.min(5, rows.length), []],
        );
      }),
    );
  });

  it("keeps every other row with its owner when one is removed", () => {
    fc.assert(
      fc.property(vectors, fc.nat(), (rows, place) => {
        const matrix = filled(rows);
        const gone = place % rows.length;
        const moved = matrix.remove(gone);
        const owners = rows.map((_, index) => index).filter((index) => index !== gone);
        const rowOf = (owner: number) => (owner === moved ? gone : owner);
        assert.deepEqual(
          owners.map((owner) => [...matrix.copyVector(rowOf(owner))]),
          owners.map((owner) => [...(rows[owner] ?? [])]),
        );
      }),
    );
  });

  it("grows with its rows", async () => {
    const matrix = new VectorMatrix<number>(300);
    const along = (axis: number) => Float32Array.from({ length: 300 }, (_, index) => (index === axis ? 1 : 0));
    for (let index = 0; index < 9_000; index++) matrix.append(index, along(index % 300));
    const found = await matrix.findNearest(along(7), 30);
    assert.deepEqual(
      found.map(({ value }) => value).sort((a, b) => a - b),
      Array.from({ length: 30 }, (_, index) => 7 + 300 * index),
    );
  });

  it("scans with what scan.wat says", async () => {
    assert.equal(KERNEL, await assemble());
  });
});

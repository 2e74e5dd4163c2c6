import assert from "node:assert/strict";
import { hashedEmbedder } from "../../../../src/memory/embedding/hashed-embedder.ts";
import { unitVector } from "../../../../src/memory/search/vector-matrix.ts";

async function likeness(one: string, other: string): Promise<number> {
  const vectors = await hashedEmbedder().embed([one, other], new AbortController().signal);
  const [a, b] = vectors.map(unitVector);
  return a?.reduce((sum, value, index) => sum + value * (b?.[index] ?? 0), 0) ?? Number.NaN;
}

describe("the embedder by letters", () => {
  it("finds texts alike that spell alike", async () => {
    const [near, far] = [
      await likeness("configure the linter", "linter configuration"),
      await likeness("configure the linter", "bake a cake"),
    ];
    assert.equal(near > 0.4 && far < 0.2, true);
  });

  it("gives the same vectors on every machine and in every version", async () => {
    const [vector] = await hashedEmbedder().embed(["Same again."], new AbortController().signal);
    const places = [...(vector?.entries() ?? [])].filter(([, value]) => value !== 0).slice(0, 6);
    assert.deepEqual(
      places.map(([place, value]) => `${place} ${value.toFixed(3)}`),
      ["20 0.378", "40 -0.378", "76 0.408", "83 -0.378", "84 0.408", "91 -0.378"],
    );
  });

  it("has a vector for a text without words", async () => {
    assert.equal((await likeness("...", "???")).toFixed(3), "1.000");
  });
});

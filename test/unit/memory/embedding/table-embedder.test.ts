import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { computeQueryVector, EmbeddingError } from "../../../../src/memory/embedding/embedder.ts";
import { createTableEmbedder } from "../../../../src/memory/embedding/table-embedder.ts";
import { openMemory } from "../../../../src/memory/open-memory.ts";
import { writeInEnglish } from "../../../../src/texts/display-text.ts";
import { shippedTable, TABLE_FILE } from "../../../support/shipped-table.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

const { signal } = new AbortController();

async function likeness(one: string, other: string): Promise<number> {
  const [a, b] = await shippedTable().embed([one, other], signal);
  return likenessOf(a, b);
}

function likenessOf(one: Float32Array | undefined, other: Float32Array | undefined): number {
  return one?.reduce((sum, value, index) => sum + value * (other?.[index] ?? 0), 0) ?? Number.NaN;
}

describe("the embedding table", () => {
  const tempFolder = tempFolders();

  it("finds texts alike that mean the same in other words", async () => {
    const [near, far] = [
      await likeness("The automobile won't start.", "a car with a broken engine"),
      await likeness("The automobile won't start.", "a recipe for lentil soup"),
    ];
    assert.equal(near > far + 0.2, true);
  });

  it("gives more weight to the meaningful words of a query than to those that only ask", async () => {
    const query = "How do I restart the scheduler?";
    const asWritten = await likeness(query, "scheduler");
    const asked = likenessOf(
      await computeQueryVector(shippedTable(), query, signal),
      await computeQueryVector(shippedTable(), "scheduler", signal),
    );
    assert.equal(asked > asWritten + 0.1, true);
  });

  it("has the file that its ID identifies", async () => {
    const hash = createHash("sha256").update(fs.readFileSync(TABLE_FILE)).digest("hex").slice(0, 8);
    assert.equal(shippedTable().id, `table-minilm-en-${hash}`);
  });

  it("distinguishes texts in other scripts, and finds the same words again", async () => {
    const [near, far] = [
      await likeness("サーバーは毎晩再起動します", "サーバーの再起動"),
      await likeness("サーバーは毎晩再起動します", "猫が好きです"),
    ];
    assert.deepEqual([near > 0.4, far < 0.4], [true, true]);
  });

  it("has a vector of length 1 for every text", async () => {
    const texts = ["", "...", "\u0000", "\ud800", "a".repeat(100_000), "你好", "word ".repeat(5_000), "🙂"];
    const vectors = await shippedTable().embed(texts, signal);
    const lengths = vectors.map((vector) => Math.hypot(...vector).toFixed(3));
    assert.deepEqual(lengths, Array(texts.length).fill("1.000"));
  });

  for (const [fault, spoil] of Object.entries({
    "is cut off": (bytes: Buffer) => bytes.subarray(0, 3_000_000),
    "has a wrong byte": (bytes: Buffer) => Buffer.concat([bytes.subarray(0, -1), Buffer.from([0])]),
    "is something else": () => Buffer.from("<html>Sign in to this network</html>"),
    "is empty": () => Buffer.alloc(0),
    "is missing": () => undefined,
  }))
    it(`that ${fault} is named, and memories are found by their words`, async () => {
      const folder = await tempFolder();
      const file = path.join(folder, "table.bin");
      const bytes = spoil(fs.readFileSync(TABLE_FILE));
      if (bytes) fs.writeFileSync(file, bytes);
      const store = await openMemory({
        folder: path.join(folder, "memory"),
        embedder: createTableEmbedder(file),
      });
      await store.add([{ kind: "note", text: "The port is 8080.", source: "" }]);
      await store.waitUntilEmbedded();
      const found = await store.recall("port", { count: 1, maxTokens: 100, signal });
      const said = store.state.notices.map(writeInEnglish).join(" ");
      await store.close();
      assert.deepEqual(
        [found.map(({ text }) => text), /^The table .* can't be read \(.+\)\. Reinstall AutoGPT/.test(said)],
        [["The port is 8080."], true],
      );
    });

  it("isn't waited for by who gave up", async () => {
    const gone = AbortSignal.abort(new Error("gone"));
    await assert.rejects(shippedTable().embed(["x"], gone), /gone/);
  });

  it("fails as a setup that doesn't recover by itself", async () => {
    const failing = createTableEmbedder("/nowhere/table.bin").embed(["x"], signal);
    await assert.rejects(failing, (error) => error instanceof EmbeddingError && error.about === "setup");
  });
});

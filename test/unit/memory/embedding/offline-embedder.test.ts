import assert from "node:assert/strict";
import path from "node:path";
import { EmbeddingError } from "../../../../src/memory/embedding/embedder.ts";
import {
  type OfflineEmbedderOptions,
  offlineEmbedder,
} from "../../../../src/memory/embedding/offline-embedder.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

const tempFolder = tempFolders();
const ROOT = path.join(import.meta.dirname, "../../../..");
const WORKER = path.join(ROOT, "src/memory/embedding/encoder-worker.ts");
const { signal } = new AbortController();

async function using<T>(
  options: OfflineEmbedderOptions,
  use: (embedder: ReturnType<typeof offlineEmbedder>) => Promise<T>,
) {
  const embedder = offlineEmbedder(options);
  try {
    return await use(embedder);
  } finally {
    await embedder.close?.();
  }
}

describe("the offline encoder", () => {
  it("finds texts alike that mean the same", async () => {
    const texts = ["How old are you?", "What is your age?", "The train leaves at noon."];
    const [a, b, c] = await using({ folder: ROOT, worker: WORKER }, (embedder) =>
      embedder.embed(texts, signal),
    );
    const dot = (one?: Float32Array, other?: Float32Array) =>
      one?.reduce((sum, value, index) => sum + value * (other?.[index] ?? 0), 0) ?? 0;
    assert.deepEqual([a?.length, dot(a, b) > dot(a, c) + 0.2], [512, true]);
  });

  it("starts again after it was closed", async () => {
    const size = await using({ folder: ROOT, worker: WORKER }, async (embedder) => {
      await embedder.embed(["one"], signal);
      await embedder.close?.();
      return (await embedder.embed(["two"], signal))[0]?.length;
    });
    assert.equal(size, 512);
  });

  it("says so in a sentence when it is not installed", async () => {
    const folder = await tempFolder();
    await using({ folder, worker: WORKER }, (embedder) =>
      assert.rejects(
        embedder.embed(["one"], signal),
        (error) => error instanceof EmbeddingError && /offline encoder doesn't work/.test(error.message),
      ),
    );
  });

  it("stops waiting with the signal's reason", async () => {
    const stop = new AbortController();
    await using({ folder: ROOT, worker: WORKER }, async (embedder) => {
      const asked = embedder.embed(["one"], stop.signal);
      stop.abort(new Error("enough"));
      await assert.rejects(asked, /enough/);
    });
  });
});

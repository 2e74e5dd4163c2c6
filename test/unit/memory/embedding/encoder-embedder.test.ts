import assert from "node:assert/strict";
import fs from "node:fs/promises";
import path from "node:path";
import { EmbeddingError } from "../../../../src/memory/embedding/embedder.ts";
import {
  createEncoderEmbedder,
  type EncoderEmbedderOptions,
} from "../../../../src/memory/embedding/encoder-embedder.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

const tempFolder = tempFolders();
const WORKER = path.join(import.meta.dirname, "../../../../src/memory/embedding/encoder-worker.ts");
const { signal } = new AbortController();

/** A thread that counts its starts in a file, dies at its first requests, and then answers with its number and the texts' lengths. */
const MORTAL = `
import { appendFileSync, readFileSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
const file = workerData.folder + "/starts";
appendFileSync(file, "x");
const start = readFileSync(file, "utf8").length;
const deaths = Number(readFileSync(workerData.folder + "/deaths", "utf8"));
parentPort.on("message", ({ number, texts, cancelled }) => {
  if (cancelled !== undefined) return appendFileSync(workerData.folder + "/cancelled", String(cancelled));
  if (start <= deaths) process.exit(1);
  if (texts[0] !== "silence")
    parentPort.postMessage({ number, vectors: texts.map(({ length }) => Float32Array.of(start, length)) });
});`;

/** Uses an encoder whose thread dies so often. */
async function mortal<T>(
  deaths: number,
  use: (embedder: ReturnType<typeof createEncoderEmbedder>, folder: string) => Promise<T>,
  more: Partial<EncoderEmbedderOptions> = {},
): Promise<T> {
  const folder = await tempFolder();
  const worker = path.join(folder, "worker.mjs");
  await fs.writeFile(worker, MORTAL);
  await fs.writeFile(path.join(folder, "deaths"), String(deaths));
  const embedder = createEncoderEmbedder({ folder, worker, ...more });
  try {
    return await use(embedder, folder);
  } finally {
    await embedder.close?.();
  }
}

describe("the encoder's thread", () => {
  it("is started again once, with what was asked, when it dies", async () => {
    const vectors = await mortal(1, (embedder) =>
      Promise.all([embedder.embed(["a", "bb"], signal), embedder.embed(["ccc"], signal)]),
    );
    assert.deepEqual(
      vectors.map((one) => one.map((vector) => [...vector])),
      [
        [
          [2, 1],
          [2, 2],
        ],
        [[2, 3]],
      ],
    );
  });

  it("isn't started a third time, and one sentence says so", async () => {
    const ended = await mortal(2, async (embedder, folder) => {
      const outcomes = await Promise.allSettled([embedder.embed(["a"], signal), embedder.embed(["b"], signal)]);
      const later = await embedder.embed(["c"], signal).catch((error: unknown) => error);
      const errors = outcomes.map((one) => (one.status === "rejected" ? one.reason : one));
      return {
        starts: (await fs.readFile(path.join(folder, "starts"), "utf8")).length,
        isOne: new Set([...errors, later].map(String)).size,
        about: later instanceof EmbeddingError && later.about,
      };
    });
    assert.deepEqual(ended, { starts: 2, isOne: 1, about: "setup" });
  });

  it("ends when it has had nothing to do, and is started when asked again", async () => {
    const starts = await mortal(
      0,
      async (embedder) => {
        const [first] = await embedder.embed(["a"], signal);
        await new Promise((passed) => setTimeout(passed, 200));
        const [second] = await embedder.embed(["a"], signal);
        return [first?.[0], second?.[0]];
      },
      { idleSeconds: 0.02 },
    );
    assert.deepEqual(starts, [1, 2]);
  });

  it("stops waiting with the signal's reason, and notifies the thread", async () => {
    const stop = new AbortController();
    await mortal(0, async (embedder, folder) => {
      const asked = embedder.embed(["silence"], stop.signal);
      stop.abort(new Error("enough"));
      await assert.rejects(asked, /enough/);
      await embedder.embed(["later"], signal);
      assert.equal(await fs.readFile(path.join(folder, "cancelled"), "utf8"), "0");
    });
  });

  it("says so in a sentence when the encoder is not installed", async () => {
    const embedder = createEncoderEmbedder({ folder: await tempFolder(), worker: WORKER });
    const error = await embedder.embed(["one"], signal).catch((thrown: unknown) => thrown);
    await embedder.close?.();
    assert.match(String(error), /The encoder doesn't work \(ENOENT/);
  });
});

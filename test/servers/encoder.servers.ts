// The encoder as users get it, from the addresses that are shown to them, once per clone: .cache/encoder.
import assert from "node:assert/strict";
import fs from "node:fs/promises";
import path from "node:path";
import type { Embedder } from "../../src/memory/embedding/embedder.ts";
import { ENCODER_FOLDER, encoderIn, realEncoder } from "../support/encoder.ts";
import { measureRecall, type Recall } from "../support/recall-quality.ts";
import { tempFolders } from "../support/temp-folders.ts";

const tempFolder = tempFolders();
const { signal } = new AbortController();
const LONG = "The parser reads a file, and the writer stores what it has found in it. ".repeat(60);

function likeness(one: Float32Array | undefined, other: Float32Array | undefined): number {
  return one?.reduce((sum, value, at) => sum + value * (other?.[at] ?? 0), 0) ?? 0;
}

describe("the encoder all-MiniLM-L6-v2", function () {
  this.timeout(600_000);
  let encoder: Embedder;
  before(async () => {
    encoder = await realEncoder();
  });
  after(() => encoder.close?.());

  it("gives the vectors that the model gives in Python, with onnxruntime 1.32 and tokenizers 0.23", async () => {
    const [one, other] = await encoder.embed(["This is an example sentence", "Each sentence is converted"], signal);
    const start = [...(one?.subarray(0, 5) ?? [])];
    assert.deepEqual(
      [one?.length, start.map((value) => value.toFixed(2)), likeness(one, other).toFixed(2)],
      [384, ["0.06", "0.08", "0.05", "0.08", "0.04"], "0.44"],
    );
  });

  it("finds texts alike that mean the same", async () => {
    const texts = ["How old are you?", "What is your age?", "The train leaves at noon."];
    const [a, b, c] = await encoder.embed(texts, signal);
    assert.equal(likeness(a, b) > likeness(a, c) + 0.5, true);
  });

  it("finds what is behind the model's first 256 tokens", async () => {
    const fact = "The penguin colony moved to the southern shore in winter.";
    const [long, plain, asked] = await encoder.embed(
      [`${LONG.slice(0, 1_500)} ${fact}`, LONG.slice(0, 1_560), "Where do the penguins live?"],
      signal,
    );
    assert.equal(likeness(long, asked) > likeness(plain, asked), true);
  });

  it("embeds texts that are empty, odd or huge", async () => {
    const vectors = await encoder.embed(["", "\u0000\ud800", "漢".repeat(100_000), "z".repeat(100_000)], signal);
    assert.deepEqual(
      vectors.map((one) => Math.abs(likeness(one, one) - 1) < 1e-4),
      [true, true, true, true],
    );
  });

  it("answers a question before a batch that was asked earlier", async () => {
    const order: string[] = [];
    await Promise.all([
      encoder.embed(new Array(8).fill(LONG), signal).then(() => order.push("batch")),
      encoder.embed(["a question"], signal).then(() => order.push("question")),
    ]);
    assert.deepEqual(order, ["question", "batch"]);
  });

  it("notices a damaged file, and has itself downloaded again", async () => {
    const folder = path.join(await tempFolder(), "encoder");
    await fs.cp(ENCODER_FOLDER, folder, { recursive: true });
    await fs.truncate(path.join(folder, "model.onnx"), 1_000_000);
    const damaged = encoderIn(folder);
    const error = await damaged.embed(["one"], signal).catch((thrown: unknown) => thrown);
    await damaged.close?.();
    assert.deepEqual(
      [/model\.onnx is damaged/.test(String(error)), (await fs.readdir(folder)).includes("complete.json")],
      [true, false],
    );
  });

  it("finds with words at least 0.87 of the notes of questions in other words, and all of close ones", async () => {
    const [far, close] = await measureRecall({ encoder }, ["questions.tsv", "questions-close.tsv"]);
    const share = (one: Recall | undefined): number => one?.get("encoder and words") ?? 0;
    assert.deepEqual([share(far) > 0.8699, share(close) > 0.9999], [true, true]);
  });
});

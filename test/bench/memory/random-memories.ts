import fs from "node:fs";
import type { Embedder } from "../../../src/memory/embedding/embedder.ts";
import type { NewMemory } from "../../../src/memory/store/memory-item.ts";

const NOTES = fs
  .readFileSync(new URL("../../fixtures/recall/notes.tsv", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => line.split("\t")[1] ?? "");

/** Numbers from 0 to 1 that are the same in every run. */
export function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Memories of the length of an episode, each different from all others. */
export function randomMemory(index: number, random: () => number): NewMemory {
  const notes = Array.from({ length: 4 }, () => NOTES[Math.floor(random() * NOTES.length)]);
  return { kind: "episode", text: `${notes.join(" ")} (${index})`, source: `step ${index} of "measuring"` };
}

export function randomVector(dimensions: number, random: () => number): Float32Array {
  return Float32Array.from({ length: dimensions }, () => random() - 0.5);
}

const POOL = 1_000_000;

/** Random vectors at once, cut from numbers that are there: what is measured is the memory, not an embedder. */
export function randomEmbedder(dimensions: number): Embedder {
  const random = numbers(7);
  const pool = randomVector(POOL, random);
  const cut = () => {
    const start = Math.floor(random() * (POOL - dimensions));
    return pool.slice(start, start + dimensions);
  };
  return { id: `random-${dimensions}`, batch: 128, embed: async (texts) => texts.map(cut) };
}

import { eachTerm, eachWord, hash30, isStopWord } from "../search/words.ts";
import type { Embedder } from "./embedder.ts";

const DIMENSIONS = 512;
const SHORTEST = 3;
const LONGEST = 5;
const BEGIN = 0x02;
const END = 0x03;

/** Vectors from the letters of the words: needs nothing, always works, but only recognizes similar spelling. */
export function hashedEmbedder(): Embedder {
  return {
    id: "hashed-n-grams-1",
    batch: 64,
    embed: async (texts) => texts.map(hashedVector),
  };
}

/** A text without words gets a vector of its own, far from all others. */
function hashedVector(text: string): Float32Array {
  const vector = new Float32Array(DIMENSIONS);
  const framed = new Uint16Array(64);
  eachWord(text, (codes, length) => {
    if (isStopWord(codes, length)) return;
    framed[0] = BEGIN;
    framed.set(codes.subarray(0, length), 1);
    framed[length + 1] = END;
    addGrams(vector, framed, length + 2);
  });
  eachTerm(text, (term) => addHash(vector, term, 1));
  if (vector.every((value) => value === 0)) vector[0] = 1;
  return vector;
}

function addGrams(vector: Float32Array, framed: Uint16Array, length: number): void {
  const weight = 1 / Math.sqrt(length);
  for (let size = SHORTEST; size <= LONGEST; size++) {
    for (let start = 0; start + size <= length; start++) {
      addHash(vector, hash30(framed, start, start + size), weight);
    }
  }
}

function addHash(vector: Float32Array, hash: number, weight: number): void {
  const at = hash % DIMENSIONS;
  vector[at] = (vector[at] ?? 0) + (hash & 0x20000000 ? weight : -weight);
}

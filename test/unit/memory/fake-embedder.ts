import type { Embedder } from "../../../src/memory/embedding/embedder.ts";

/** An embedder by the script: each answer in turn, the last one for ever. Its vectors count the letters a to d. */
export function fakeEmbedder(
  id: string,
  ...answers: readonly (Error | { readonly size: number })[]
): Embedder & {
  readonly asked: string[][];
} {
  const asked: string[][] = [];
  return {
    id,
    batch: 4,
    asked,
    async embed(texts) {
      const answer = answers[Math.min(asked.length, answers.length - 1)] ?? { size: 4 };
      asked.push([...texts]);
      if (answer instanceof Error) throw answer;
      return texts.map((text) => counted(text, answer.size));
    },
  };
}

function counted(text: string, size: number): Float32Array {
  return Float32Array.from({ length: size }, (_, index) => text.split(String.fromCharCode(97 + index)).length - 1);
}

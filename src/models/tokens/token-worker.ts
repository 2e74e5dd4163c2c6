import { parentPort } from "node:worker_threads";
import cl100k from "tiktoken/encoders/cl100k_base";
import o200k from "tiktoken/encoders/o200k_base";
import { Tiktoken } from "tiktoken/lite";
import type { EncodingName } from "./encodings.ts";
import type { TokenRequest, TokenResponse } from "./token-counter.ts";
import { splitUnbrokenRuns } from "./unbroken.ts";

const RANKS: Readonly<Record<EncodingName, typeof o200k>> = { cl100k_base: cl100k, o200k_base: o200k };
const encoders = new Map<EncodingName, Tiktoken>();

parentPort?.on("message", ({ number, encoding, texts }: TokenRequest) => {
  const encoder = getEncoder(encoding);
  const counts = texts.map((text) => count(text, encoder));
  parentPort?.postMessage({ number, counts } satisfies TokenResponse);
});

/** Returns an encoder by name. The first use creates it, which takes some 100 ms. */
function getEncoder(name: EncodingName): Tiktoken {
  const known = encoders.get(name);
  if (known) return known;
  const { bpe_ranks, special_tokens, pat_str } = RANKS[name];
  const encoder = new Tiktoken(bpe_ranks, special_tokens, pat_str);
  encoders.set(name, encoder);
  return encoder;
}

/** Counts tokens. Text that looks like a special token is counted as text. */
function count(text: string, encoder: Tiktoken): number {
  return splitUnbrokenRuns(text).reduce((sum, piece) => sum + encoder.encode_ordinary(piece).length, 0);
}

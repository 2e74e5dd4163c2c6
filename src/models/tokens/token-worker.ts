import { parentPort } from "node:worker_threads";
import o200k from "tiktoken/encoders/o200k_base";
import { Tiktoken } from "tiktoken/lite";
import type { TokenRequest, TokenResponse } from "./token-counter.ts";
import { unbroken } from "./unbroken.ts";

const encoding = new Tiktoken(o200k.bpe_ranks, o200k.special_tokens, o200k.pat_str);

parentPort?.on("message", ({ number, texts }: TokenRequest) => {
  const answer: TokenResponse = { number, counts: texts.map(count) };
  parentPort?.postMessage(answer);
});

/** Text that looks like a special token is counted as text. */
function count(text: string): number {
  return unbroken(text).reduce((sum, piece) => sum + encoding.encode_ordinary(piece).length, 0);
}

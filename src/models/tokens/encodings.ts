/** An encoding for counting tokens. */
export type EncodingName = "o200k_base" | "cl100k_base";

/** How to count a model's tokens: with an encoding, times a factor if the model's own encoding isn't public. */
export interface ModelEncoding {
  readonly encoding: EncodingName;
  readonly factor: number;
}

interface Row extends ModelEncoding {
  /** Matches names in lower case, without a gateway's folders. */
  readonly models: RegExp;
}

/**
 * The first matching row applies. A factor is the largest of four ratios: tokens of English prose, TypeScript, Python and JSON (0.5 million
 * characters) divided by those in `o200k_base`. Claude's is for the encoding published for Claude 2.
 */
const ENCODINGS: readonly Row[] = [
  { models: /^gpt-4(?!o|\.|\d)|^gpt-3|^gpt-35/, encoding: "cl100k_base", factor: 1 },
  { models: /^(gpt-|chatgpt|codex|o\d)/, encoding: "o200k_base", factor: 1 },
  { models: /claude/, encoding: "o200k_base", factor: 1.12 },
  { models: /gemini|gemma/, encoding: "o200k_base", factor: 1.19 },
  { models: /deepseek(?!.*(llama|qwen))/, encoding: "o200k_base", factor: 1.05 },
  { models: /qwen|qwq/, encoding: "o200k_base", factor: 1.02 },
  { models: /llama-?[3-9](?!\d*b)/, encoding: "o200k_base", factor: 1.01 },
  { models: /llama-?2|codellama|mistral|ministral|mixtral/, encoding: "o200k_base", factor: 1.25 },
];

/** How to count a model's tokens; undefined if its encoding is unknown. */
export function findEncoding(model: string): ModelEncoding | undefined {
  const plain = model.toLowerCase().replace(/^.*\//, "");
  return ENCODINGS.find(({ models }) => models.test(plain));
}

/** An encoding that texts can be counted with. */
export type EncodingName = "o200k_base" | "cl100k_base";

/** How a model's tokens are counted: with an encoding, times a factor if its own one isn't public. */
export interface ModelEncoding {
  readonly encoding: EncodingName;
  readonly factor: number;
}

interface Row extends ModelEncoding {
  /** Of names in lower case, without the folders of a gateway. */
  readonly models: RegExp;
}

/**
 * The first row that matches counts. A factor is the largest of four: tokens of English prose, TypeScript, Python and JSON (0.5 million
 * characters in all), divided by those in `o200k_base`. Claude's is of the encoding that was published for Claude 2.
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

/** How a model's tokens are counted; undefined if nothing is known about it. */
export function findEncoding(model: string): ModelEncoding | undefined {
  const plain = model.toLowerCase().replace(/^.*\//, "");
  return ENCODINGS.find(({ models }) => models.test(plain));
}

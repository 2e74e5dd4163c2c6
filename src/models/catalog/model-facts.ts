/** Public facts about a model. Prices are US dollars per million tokens. */
export interface ModelFacts {
  readonly input: number;
  readonly output: number;
  readonly cached?: number;
  /** Maximum tokens of prompt and reply together. */
  readonly contextWindow: number;
  /** Prompts with more tokens than this cost twice as much, and their replies 1.5 times as much. */
  readonly dearerAbove?: number;
}

const LONG = { contextWindow: 1_050_000, dearerAbove: 272_000 } as const;

/** As listed by the providers in November 2026. The user's `autogpt.model.prices` take precedence. */
const FACTS: Readonly<Record<string, ModelFacts>> = {
  // OpenAI
  "gpt-6-astra": { input: 10, cached: 1, output: 50, ...LONG },
  "gpt-6.1-sol": { input: 2, cached: 0.1, output: 10, ...LONG },
  "gpt-6.1-terra": { input: 1, cached: 0.05, output: 5, ...LONG },
  "gpt-6-sol": { input: 2, cached: 0.2, output: 10, ...LONG },
  "gpt-6-luna": { input: 0.1, cached: 0.01, output: 0.5, ...LONG },
  "gpt-5.6": { input: 4, cached: 0.4, output: 20, ...LONG },
  "gpt-5.6-sol": { input: 4, cached: 0.4, output: 20, ...LONG },
  "gpt-5.6-terra": { input: 2, cached: 0.2, output: 12, ...LONG },
  "gpt-5.6-luna": { input: 0.2, cached: 0.02, output: 1.2, ...LONG },
  "gpt-5.5": { input: 5, cached: 0.5, output: 30, ...LONG },
  "gpt-5.4": { input: 2.5, cached: 0.25, output: 15, ...LONG },
  "gpt-5.4-mini": { input: 0.75, cached: 0.075, output: 4.5, contextWindow: 400_000 },
  "gpt-5.4-nano": { input: 0.2, cached: 0.02, output: 1.25, contextWindow: 400_000 },
  "gpt-5.2": { input: 1.75, cached: 0.175, output: 14, contextWindow: 400_000 },
  "gpt-5.1": { input: 1.25, cached: 0.125, output: 10, contextWindow: 400_000 },
  "gpt-5": { input: 1.25, cached: 0.125, output: 10, contextWindow: 400_000 },
  "gpt-5-mini": { input: 0.25, cached: 0.025, output: 2, contextWindow: 400_000 },
  "gpt-5-nano": { input: 0.05, cached: 0.005, output: 0.4, contextWindow: 400_000 },
  "gpt-4.1": { input: 2, cached: 0.5, output: 8, contextWindow: 1_047_576 },
  "gpt-4.1-mini": { input: 0.4, cached: 0.1, output: 1.6, contextWindow: 1_047_576 },
  "gpt-4.1-nano": { input: 0.1, cached: 0.025, output: 0.4, contextWindow: 1_047_576 },
  "gpt-4o": { input: 2.5, cached: 1.25, output: 10, contextWindow: 128_000 },
  "gpt-4o-mini": { input: 0.15, cached: 0.075, output: 0.6, contextWindow: 128_000 },
  o3: { input: 2, cached: 0.5, output: 8, contextWindow: 200_000 },
  "o3-mini": { input: 1.1, cached: 0.55, output: 4.4, contextWindow: 200_000 },
  "o4-mini": { input: 1.1, cached: 0.275, output: 4.4, contextWindow: 200_000 },
  o1: { input: 15, cached: 7.5, output: 60, contextWindow: 200_000 },
  "gpt-4-turbo": { input: 10, output: 30, contextWindow: 128_000 },
  "gpt-4": { input: 30, output: 60, contextWindow: 8_192 },
  "gpt-3.5-turbo": { input: 0.5, output: 1.5, contextWindow: 16_385 },
  // OpenAI embeddings
  "text-embedding-3-small": { input: 0.02, output: 0, contextWindow: 8_191 },
  "text-embedding-3-large": { input: 0.13, output: 0, contextWindow: 8_191 },
  "text-embedding-ada-002": { input: 0.1, output: 0, contextWindow: 8_191 },
  // Anthropic
  "claude-opus-5": { input: 5, cached: 0.5, output: 25, contextWindow: 1_000_000 },
  "claude-opus-4-8": { input: 5, cached: 0.5, output: 25, contextWindow: 200_000 },
  "claude-sonnet-5": { input: 3, cached: 0.3, output: 15, contextWindow: 200_000 },
  "claude-sonnet-4-6": { input: 3, cached: 0.3, output: 15, contextWindow: 200_000 },
  "claude-haiku-4-5": { input: 1, cached: 0.1, output: 5, contextWindow: 200_000 },
  // Google
  "gemini-2.5-pro": { input: 1.25, cached: 0.125, output: 10, contextWindow: 1_048_576 },
  "gemini-2.5-flash": { input: 0.3, cached: 0.03, output: 2.5, contextWindow: 1_048_576 },
};

/** Facts about a model by its name, its dated name (`-2025-08-07`, `-20250514`), or a gateway's name for it (`openai/gpt-4o`). */
export function modelFacts(name: string): ModelFacts | undefined {
  const plain = name.toLowerCase().replace(/^.*\//, "");
  const dateless = plain.replace(/[-@](\d{4}-\d{2}-\d{2}|\d{8}|latest)$/, "");
  return own(plain) ?? own(dateless);
}

/** Models by name, as their makers describe them in November 2026. The first row that matches counts. */
const SEEING: readonly (readonly [boolean, RegExp])[] = [
  [true, /vision|[-_:]vl\b|-vl-|\dv\b|llava|pixtral|moondream|minicpm-v|internvl|molmo/],
  [false, /gpt-3\.5|^gpt-4(-0613|-0314|-32k)?$|gpt-oss|^o1-(mini|preview)|^o3-mini|^codex-mini/],
  [true, /gpt-4o|gpt-4-turbo|gpt-4\.1|gpt-([5-9]|\d\d)|^o[1-9]/],
  [
    true,
    /claude|gemini|llama-?4|gemma-?3(?!.*\b(1b|270m))|gemma-?[4-9]|mistral-(small-?(3\.[1-9]|[4-9])|medium)/,
  ],
  [false, /gemma|deepseek|codestral|devstral|mixtral|mistral-(7b|nemo)|open-mistral|mathstral/],
  [
    false,
    /coder|qwq|qwen-?[12]|llama-?[23](?!\.2)|codellama|starcoder|smollm-?2|command-r|granite-?3|phi-?[34](?!.*multimodal)/,
  ],
];

/** Whether a model takes pictures, by its name; undefined if that doesn't tell. */
export function seesPicturesByName(name: string): boolean | undefined {
  const plain = name.toLowerCase().replace(/^.*\//, "");
  return SEEING.find(([, names]) => names.test(plain))?.[0];
}

function own(name: string): ModelFacts | undefined {
  return Object.hasOwn(FACTS, name) ? FACTS[name] : undefined;
}

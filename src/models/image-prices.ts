import { costUsd } from "./prices.ts";

/** US dollars per million tokens of text put in and of picture put out. */
const BY_TOKEN: readonly (readonly [RegExp, { readonly input: number; readonly output: number }])[] = [
  [/^gpt-image-1-mini/, { input: 2, output: 8 }],
  [/^gpt-image-1\.5/, { input: 5, output: 32 }],
  [/^gpt-image-1/, { input: 5, output: 40 }],
];

/** US dollars per picture, by size. */
const BY_SIZE: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  "dall-e-2": { "256x256": 0.016, "512x512": 0.018, "1024x1024": 0.02 },
  "dall-e-3": { "1024x1024": 0.04, "1024x1792": 0.08, "1792x1024": 0.08 },
};

/** What a picture has cost in US dollars; undefined where the price is not known. */
export function imageCost(
  model: string,
  size: string,
  usage: { readonly input: number; readonly output: number } | undefined,
): number | undefined {
  const fixed = BY_SIZE[model]?.[size];
  if (fixed !== undefined) return fixed;
  const price = BY_TOKEN.find(([name]) => name.test(model))?.[1];
  return price && usage ? costUsd(usage, price) : undefined;
}

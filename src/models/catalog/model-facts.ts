import { getHost } from "../http/endpoint.ts";
import type { ModelFacts } from "./facts.ts";
import { FACTS } from "./facts-table.ts";

/**
 * Facts about a model at an address by its name, its dated name (`-2025-08-07`, `-20250514`), or a gateway's name for it
 * (`openai/gpt-4o`).
 */
export function findModelFacts(name: string, address: string): ModelFacts | undefined {
  const plain = name.toLowerCase().replace(/^.*\//, "");
  const dateless = plain.replace(/[-@](\d{4}-\d{2}-\d{2}|\d{8}|latest)$/, "");
  const facts = findFactsByName(plain) ?? findFactsByName(dateless);
  return facts?.at === undefined || `.${getHost(address)}`.endsWith(`.${facts.at}`) ? facts : undefined;
}

/** Models by name, as their makers describe them in November 2026. The first matching row applies. */
const SEEING: readonly (readonly [boolean, RegExp])[] = [
  [true, /vision|[-_:]vl\b|-vl-|\dv\b|llava|pixtral|moondream|minicpm-v|internvl|molmo/],
  [false, /gpt-3\.5|^gpt-4(-0613|-0314|-32k)?$|gpt-oss|^o1-(mini|preview)|^o3-mini|^codex-mini/],
  [true, /gpt-4o|gpt-4-turbo|gpt-4\.1|gpt-([5-9]|\d\d)|^o[1-9]/],
  [true, /claude|gemini|llama-?4|gemma-?3(?!.*\b(1b|270m))|gemma-?[4-9]|mistral-(small-?(3\.[1-9]|[4-9])|medium)/],
  [false, /gemma|deepseek|codestral|devstral|mixtral|mistral-(7b|nemo)|open-mistral|mathstral/],
  [
    false,
    /coder|qwq|qwen-?[12]|llama-?[23](?!\.2)|codellama|starcoder|smollm-?2|command-r|granite-?3|phi-?[34](?!.*multimodal)/,
  ],
];

/** Whether a model accepts pictures, judging by its name; undefined if the name doesn't show it. */
export function canSeePicturesByName(name: string): boolean | undefined {
  const plain = name.toLowerCase().replace(/^.*\//, "");
  return SEEING.find(([, names]) => names.test(plain))?.[0];
}

function findFactsByName(name: string): ModelFacts | undefined {
  return Object.hasOwn(FACTS, name) ? FACTS[name] : undefined;
}

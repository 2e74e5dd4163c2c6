// Writes src/models/catalog/facts-table.ts from two public tables, which are checked against each other. Run by hand:
//   pip download --no-deps litellm && unzip -p litellm-*.whl litellm/model_prices_and_context_window_backup.json > litellm.json
//   npm pack @earendil-works/pi-ai && tar xzf earendil-works-pi-ai-*.tgz
//   node scripts/model-facts.mjs litellm.json "LiteLLM 1.110.2" package "pi-ai 1.6.0"
import { readFile, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [litellmFile, litellmName, piFolder, piName] = process.argv.slice(2);
if (!litellmFile || !litellmName || !piFolder || !piName)
  throw new Error("Usage: model-facts.mjs LITELLM.json NAME PI-AI-FOLDER NAME");
const TABLE = new URL("../src/models/catalog/facts-table.ts", import.meta.url);
const litellm = JSON.parse(await readFile(litellmFile, "utf8"));
const { MODELS } = await import(pathToFileURL(resolve(piFolder, "dist/models.generated.js")).href);

/** `open`: others serve the same weights at other prices, so the facts hold at the maker's own host only. */
const MAKERS = [
  { title: "OpenAI", litellm: "openai", pi: "openai", keepsRetired: true, efforts: true },
  { title: "Anthropic", litellm: "anthropic", pi: "anthropic", efforts: true },
  { title: "Google", litellm: "gemini", pi: "google", efforts: true },
  { title: "xAI", litellm: "xai", pi: "xai" },
  { title: "DeepSeek", litellm: "deepseek", pi: "deepseek", open: "deepseek.com" },
  { title: "Mistral", litellm: "mistral", pi: "mistral", open: "mistral.ai" },
];
const EMBEDDINGS = ["text-embedding-3-small", "text-embedding-3-large", "text-embedding-ada-002"];

/** Models for other purposes than a general agent's, and for few people. */
const SKIPPED =
  /^(ft:|computer-use|chat-latest|container)|audio|realtime|search|deep-research|cyber|rosalind|daybreak|-law|computer|tts|omni|robotics|lyria|learnlm|gemma|-exp\b|-exp-|voxtral|leanstral|glm|vibe|spark|mamba|labs-|mistral-code|v4-1|multi-agent|beta|experimental|customtools|preview-\d|mythos|pixtral|tiny|-gv2|non-reasoning|-reasoning|-build|code-fast|-vision-|deepseek-(coder|r1|v3)/;
const DATED = /[-@](\d{4}-\d{2}-\d{2}|\d{8}|\d{4})$/;
const EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];
const USUAL_EFFORTS = ["low", "medium", "high"];
/** OpenAI's windows, of which LiteLLM gives the part for the prompt, and pi-ai that of the cheaper prompts. */
const OPENAI_WINDOWS = [400_000, 1_050_000];

const today = new Date().toISOString().slice(0, 10);
const differences = [];
const onlyFirst = [];
const onlySecond = [];
const perMillion = (price) => (price === undefined ? undefined : Number((price * 1e6).toPrecision(6)));

/** A row of LiteLLM in our form; prices that are absent or 0 mean that there is none of their own. */
function fromLitellm(row) {
  const tier = Object.keys(row).flatMap((key) => /^input_cost_per_token_above_(\d+)k_tokens$/.exec(key)?.[1] ?? [])[0];
  const sum = row.max_input_tokens + row.max_output_tokens;
  return {
    input: perMillion(row.input_cost_per_token),
    output: perMillion(row.output_cost_per_token) ?? 0,
    cached: perMillion(row.cache_read_input_token_cost) || undefined,
    written: perMillion(row.cache_creation_input_token_cost) || undefined,
    writtenForHour: perMillion(row.cache_creation_input_token_cost_above_1hr) || undefined,
    window: row.litellm_provider === "openai" && OPENAI_WINDOWS.includes(sum) ? sum : row.max_input_tokens,
    ...(tier
      ? {
          dearer: {
            above: Number(tier) * 1000,
            input: perMillion(row[`input_cost_per_token_above_${tier}k_tokens`]),
            output: perMillion(row[`output_cost_per_token_above_${tier}k_tokens`]),
          },
        }
      : {}),
    efforts: row.supports_reasoning
      ? Object.fromEntries(EFFORTS.map((name) => [name, row[`supports_${name}_reasoning_effort`]]))
      : undefined,
    cacheFrom: row.prompt_cache_min_tokens,
    retired: row.deprecation_date,
  };
}

function fromPi({ cost, contextWindow, reasoning, thinkingLevelMap: levels = {}, provider }) {
  const [tier] = cost.tiers ?? [];
  const isCut = provider === "openai" && tier !== undefined && contextWindow <= tier.inputTokensAbove;
  return {
    input: cost.input,
    output: cost.output,
    cached: cost.cacheRead || undefined,
    written: cost.cacheWrite || undefined,
    window: isCut ? OPENAI_WINDOWS.at(-1) : contextWindow,
    ...(tier ? { dearer: { above: tier.inputTokensAbove, input: tier.input, output: tier.output } } : {}),
    efforts: reasoning
      ? Object.fromEntries(
          EFFORTS.map((name) => {
            const level = levels[name === "none" ? "off" : name];
            return [name, level === undefined ? undefined : level !== null];
          }),
        )
      : undefined,
  };
}

/** An effort counts where a source names it and none denies it. */
function effortsOf(rows) {
  const known = rows.flatMap(({ efforts }) => efforts ?? []);
  if (known.length === 0) return undefined;
  return EFFORTS.filter((name) => {
    const said = known.map((efforts) => efforts[name]);
    return !said.includes(false) && (said.includes(true) || USUAL_EFFORTS.includes(name));
  }).join(" ");
}

/** The facts on which both agree. Where they differ, the dearer price counts, so that a run's limit holds. */
function merged(name, first, second, { efforts, title }) {
  const rows = [first, second].filter(Boolean);
  if (rows.length === 1) (first ? onlyFirst : onlySecond).push(name);
  for (const field of ["input", "output", "cached", "written"])
    if (rows.length === 2 && first[field] !== second[field])
      differences.push(`${name} ${field}: ${first[field] ?? "none"}, ${second[field] ?? "none"}`);
  const dearest = rows.toSorted((a, b) => b.input - a.input || (b.cached ?? b.input) - (a.cached ?? a.input))[0];
  const { input, output, cached, written } = dearest;
  const window = first?.window ?? second.window;
  const tier = rows.find(({ dearer }) => dearer)?.dearer;
  const ratios = tier && { above: tier.above, input: tier.input / input, output: tier.output / output };
  const hour = first?.writtenForHour ?? (title === "Anthropic" ? input * 2 : undefined);
  return {
    input,
    output,
    cached,
    written,
    writtenForHour: written === undefined ? undefined : hour,
    contextWindow: window,
    dearer: ratios && {
      above: ratios.above,
      input: Number(ratios.input.toPrecision(4)),
      output: Number(ratios.output.toPrecision(4)),
    },
    efforts: efforts ? effortsOf(rows) : undefined,
    cacheFrom: first?.cacheFrom,
  };
}

/** Models of a maker by name, without those whose dated name says the same. */
function rowsOf(maker) {
  const theirs = new Map();
  for (const [name, row] of Object.entries(litellm))
    if (row.litellm_provider === maker.litellm && ["chat", "responses"].includes(row.mode))
      theirs.set(name.replace(/^.*\//, ""), fromLitellm(row));
  const names = [...new Set([...theirs.keys(), ...Object.keys(MODELS[maker.pi])])].filter((name) => {
    const retired = theirs.get(name)?.retired;
    const isGone = retired !== undefined && retired < today && !maker.keepsRetired;
    return !SKIPPED.test(name) && !isGone && !(DATED.test(name) && name !== "gpt-4o-2024-05-13");
  });
  return names
    .map((name) => {
      const second = MODELS[maker.pi][name];
      return [name, merged(name, theirs.get(name), second && fromPi(second), maker)];
    })
    .filter(([, { input, contextWindow }]) => input !== undefined && contextWindow !== undefined)
    .toSorted(([a], [b]) => b.localeCompare(a, "en", { numeric: true }));
}

const number = (value) => String(value).replace(/\B(?=(\d{3})+$)/g, value >= 10_000 ? "_" : "");
function written(value) {
  if (typeof value === "number") return number(value);
  if (typeof value === "string") return JSON.stringify(value);
  return `{ ${fields(value)} }`;
}
function fields(row) {
  return Object.entries(row)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}: ${written(value)}`)
    .join(", ");
}

const blocks = MAKERS.map((maker) => {
  const rows = rowsOf(maker).map(([name, row]) => {
    const all = maker.open ? { ...row, at: maker.open } : row;
    return `  ${/^[a-z]\w*$/.test(name) ? name : JSON.stringify(name)}: { ${fields(all)} },`;
  });
  return [`  // ${maker.title}`, ...rows].join("\n");
});
const embeddings = EMBEDDINGS.map((name) => {
  const { input_cost_per_token: input, max_input_tokens: contextWindow } = litellm[name];
  return `  ${JSON.stringify(name)}: { ${fields({ input: perMillion(input), output: 0, contextWindow })} },`;
});
const comment = (title, items) => (items.length === 0 ? [] : [`// ${title}`, ...lines(items)]);
/** Items in lines of a comment. */
function lines(items) {
  const all = [""];
  for (const item of items) {
    if (all.at(-1).length + item.length > 100) all.push("");
    all.push(`${all.pop()} ${item};`);
  }
  return all.map((line) => `//  ${line}`);
}
await writeFile(
  TABLE,
  [
    `// Generated by scripts/model-facts.mjs on ${today} from ${litellmName} (PyPI) and ${piName} (npm).`,
    ...comment(`They differ (${litellmName}, ${piName}); the dearer price is in the table:`, differences),
    ...comment(`Only in ${litellmName}:`, onlyFirst),
    ...comment(`Only in ${piName}:`, onlySecond),
    'import type { ModelFacts } from "../src/models/catalog/facts.ts";',
    "",
    "/** Facts about models by name, as their makers published them. */",
    "export const FACTS: Readonly<Record<string, ModelFacts>> = {",
    ...blocks,
    "  // OpenAI embeddings",
    ...embeddings,
    "};",
    "",
  ].join("\n"),
);

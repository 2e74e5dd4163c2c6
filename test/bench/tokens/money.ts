import type { ModelRequest, Usage } from "../../../src/core/ports/model.ts";
import { findModelFacts } from "../../../src/models/catalog/model-facts.ts";
import { computeCostUsd } from "../../../src/models/catalog/prices.ts";
import { selectMarkedMessages } from "../../../src/models/wire/cache-marks.ts";

/** A prompt as a service reads it: tools, then messages, each with its tokens. */
interface Prompt {
  readonly units: readonly { readonly text: string; readonly tokens: number }[];
  /** Ends of prefixes that are marked to be kept, as numbers of units. */
  readonly marks: readonly number[];
}

/** The published rules of a service's cache. */
interface CacheRules {
  readonly minimum: number;
  /** Reads are rounded down to a multiple of so many tokens. */
  readonly block: number;
  readonly minutes: number;
  /** How many units before a mark are looked at for a kept prefix. */
  readonly lookback: number;
  /**
   * The ends of prefixes that a request leaves in the cache: its marks, its end alone, any part of it, or, as DeepSeek says, its end and the
   * part that it shared with the request before.
   */
  readonly keeps: "nothing" | "marks" | "end" | "any" | "shared";
}

const ANTHROPIC: CacheRules = { minimum: 512, block: 1, minutes: 5, lookback: 20, keeps: "marks" };
const OPENAI: CacheRules = { minimum: 1024, block: 1, minutes: 30, lookback: 0, keeps: "marks" };
const GEMINI: CacheRules = { minimum: 4096, block: 1, minutes: 5, lookback: 0, keeps: "any" };
const DEEPSEEK: CacheRules = { minimum: 64, block: 64, minutes: 60, lookback: 0, keeps: "shared" };

/**
 * One model per service, and the rules that hold for its requests without our marks and with them. From GPT-5.6 on, OpenAI keeps the
 * prefix up to the newest message unless others are marked, and never a part of one.
 */
export const SERVICES = [
  {
    name: "OpenAI",
    model: "gpt-6.2-sol",
    address: "https://api.openai.com/v1",
    before: { ...OPENAI, keeps: "end" },
    after: OPENAI,
  },
  {
    name: "Anthropic",
    model: "claude-sonnet-5-5",
    address: "https://api.anthropic.com/v1",
    before: { ...ANTHROPIC, keeps: "nothing" },
    after: ANTHROPIC,
  },
  {
    name: "Gemini",
    model: "gemini-4-argon",
    address: "https://generativelanguage.googleapis.com/v1beta/openai",
    before: GEMINI,
    after: GEMINI,
  },
  {
    name: "DeepSeek",
    model: "deepseek-v4-pro",
    address: "https://api.deepseek.com/v1",
    before: DEEPSEEK,
    after: DEEPSEEK,
  },
] as const satisfies readonly { readonly [key: string]: string | CacheRules }[];

/** A step of a run takes so long. */
const STEP_SECONDS = 20;
/** Every so many steps a person is asked, and answers after so long. */
const ASKS_EVERY = 25;
const ANSWER_MINUTES = 4;

/** Tokens of a run's prompts as a service with these rules counts them. `outputs`: tokens of the replies. */
export function usagesOf(
  requests: readonly ModelRequest[],
  outputs: readonly number[],
  count: (text: string) => number,
  rules: CacheRules,
): readonly Usage[] {
  const kept = new Map<string, number>();
  let now = 0;
  let before: Prompt | undefined;
  return requests.map((request, index) => {
    now += STEP_SECONDS * 1000 + (index % ASKS_EVERY === ASKS_EVERY - 1 ? ANSWER_MINUTES * 60_000 : 0);
    const prompt = promptOf(request, count);
    const input = tokensUntil(prompt, prompt.units.length);
    const ends = endsToKeep(prompt, before, rules);
    const isFresh = (end: number): boolean => (kept.get(prefix(prompt, end)) ?? 0) > now;
    const read = readable(prompt, rules).find(isFresh) ?? 0;
    const cached = Math.floor(tokensUntil(prompt, read) / rules.block) * rules.block;
    for (const end of [...ends, read])
      if (end > 0 && tokensUntil(prompt, end) >= rules.minimum)
        kept.set(prefix(prompt, end), now + rules.minutes * 60_000);
    const last = Math.max(read, ...ends);
    const isPaid = rules.keeps === "marks" || rules.keeps === "end";
    const written = isPaid && tokensUntil(prompt, last) >= rules.minimum ? tokensUntil(prompt, last) - cached : 0;
    before = prompt;
    return { input, output: outputs[index] ?? 0, cached, written };
  });
}

/** The prefixes to look for, longest first. */
function readable({ units, marks }: Prompt, { keeps, lookback }: CacheRules): readonly number[] {
  const all = units.map((_unit, index) => units.length - index);
  if (keeps === "nothing") return [];
  if (keeps === "end") return [units.length];
  if (keeps !== "marks") return all;
  return all.filter((end) => marks.some((mark) => end <= mark && mark - end <= lookback));
}

function endsToKeep(prompt: Prompt, before: Prompt | undefined, { keeps }: CacheRules): readonly number[] {
  const { units, marks } = prompt;
  switch (keeps) {
    case "nothing":
      return [];
    case "marks":
      return marks;
    case "end":
      return [units.length];
    case "any":
      return units.map((_unit, index) => index + 1);
    case "shared":
      return [units.length, before ? sharedUnits(prompt, before) : 0];
  }
}

function sharedUnits({ units }: Prompt, before: Prompt): number {
  const differs = units.findIndex(({ text }, index) => text !== before.units[index]?.text);
  return differs === -1 ? units.length : differs;
}

function promptOf({ tools, messages, cached }: ModelRequest, count: (text: string) => number): Prompt {
  const texts = [tools ? JSON.stringify(tools) : "", ...messages.map((message) => JSON.stringify(message))];
  const marked = [...selectMarkedMessages(messages, cached?.messages ?? 0)];
  return {
    units: texts.map((text) => ({ text, tokens: count(text) })),
    marks: marked.map((index) => index + 2),
  };
}

function tokensUntil({ units }: Prompt, end: number): number {
  return units.slice(0, end).reduce((sum, { tokens }) => sum + tokens, 0);
}

function prefix({ units }: Prompt, end: number): string {
  return units
    .slice(0, end)
    .map(({ text }) => text)
    .join("\n");
}

/** US dollars of a run's calls. */
export function runUsd(usages: readonly Usage[], model: string, address: string): number {
  const price = findModelFacts(model, address);
  if (!price) throw new Error(`${model} has no price.`);
  return usages.reduce((sum, usage) => sum + computeCostUsd(usage, price), 0);
}

/** Share of the prompts over 4,000 tokens, but for the first, that is read from the cache. */
export function cachedShare(usages: readonly Usage[]): number {
  const large = usages.slice(1).filter(({ input }) => input > 4_000);
  const sum = (of: (usage: Usage) => number): number => large.reduce((all, usage) => all + of(usage), 0);
  return sum(({ cached = 0 }) => cached) / sum(({ input }) => input);
}

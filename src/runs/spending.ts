import { createReadStream } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { jsonOf } from "./read-event.ts";
import { LOG_FILE } from "./run-log.ts";

/** What calls of one model cost on one day. */
export interface Spending {
  /** `2026-11-21`, in local time. */
  readonly day: string;
  readonly model: string;
  readonly tokens: number;
  readonly usd: number;
  /** Calls without a known price. */
  readonly unpriced: number;
}

interface Known {
  readonly writtenMs: number;
  readonly spent: Promise<readonly Spending[]>;
}

/** What runs have cost, by day and model; each log is read again only once it has grown. */
export class SpendingReader {
  private readonly known = new Map<string, Known>();

  of({
    folder,
    writtenMs,
  }: {
    readonly folder: string;
    readonly writtenMs: number;
  }): Promise<readonly Spending[]> {
    const known = this.known.get(folder);
    if (known?.writtenMs === writtenMs) return known.spent;
    const spent = readSpending(folder).catch(() => []);
    this.known.set(folder, { writtenMs, spent });
    return spent;
  }
}

/** The type stands near the beginning of a line. */
const COSTS = /^.{0,120}"type":"(?:replied|compacted|spent)"/;

async function readSpending(folder: string): Promise<readonly Spending[]> {
  const found = new Map<string, Spending>();
  const input = createReadStream(join(folder, LOG_FILE));
  for await (const line of createInterface({ input })) {
    const one = COSTS.test(line) ? spendingOf(jsonOf(line)) : undefined;
    if (!one) continue;
    const key = `${one.day} ${one.model}`;
    found.set(key, joined(found.get(key) ?? NOTHING, one));
  }
  return [...found.values()];
}

const NOTHING = { tokens: 0, usd: 0, unpriced: 0 };

/** Two amounts together, under the second one's day and model. */
function joined(one: Pick<Spending, "tokens" | "usd" | "unpriced">, other: Spending): Spending {
  return {
    ...other,
    tokens: one.tokens + other.tokens,
    usd: one.usd + other.usd,
    unpriced: one.unpriced + other.unpriced,
  };
}

/** Undefined for what was not paid here: a fork's past, what an agent's own log tells, a summary that needed no model. */
function spendingOf(event: unknown): Spending | undefined {
  const { at, model, usage, costUsd, run } = fieldsOf(event);
  if (run !== undefined) return undefined;
  if (typeof at !== "string" || typeof model !== "string") return undefined;
  const { input, output } = fieldsOf(usage);
  const tokens = numberOf(input) + numberOf(output);
  if (tokens === 0 && costUsd === 0) return undefined;
  const priced = typeof costUsd === "number";
  return { day: dayOf(new Date(at)), model, tokens, usd: priced ? costUsd : 0, unpriced: priced ? 0 : 1 };
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function numberOf(value: unknown): number {
  return typeof value === "number" ? value : 0;
}

/** A day as people count them where they are. */
function dayOf(date: Date): string {
  const two = (value: number): string => String(value).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** Amounts under the names that `nameOf` gives them, the largest first. */
export function totalsBy(
  all: readonly Spending[],
  nameOf: (spending: Spending) => string,
): readonly (Pick<Spending, "tokens" | "usd" | "unpriced"> & { readonly name: string })[] {
  const sums = new Map<string, Spending>();
  for (const one of all) sums.set(nameOf(one), joined(sums.get(nameOf(one)) ?? NOTHING, one));
  return [...sums]
    .map(([name, { tokens, usd, unpriced }]) => ({ name, tokens, usd, unpriced }))
    .toSorted((one, other) => other.usd - one.usd || other.tokens - one.tokens);
}

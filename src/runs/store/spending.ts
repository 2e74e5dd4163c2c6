import { join } from "node:path";
import { tryJson } from "../../core/base/json.ts";
import { canReadOn, readFileStamp, readWholeLines } from "../log/log-lines.ts";
import { LOG_FILE } from "../log/run-log.ts";
import type { RunSummary } from "./run-summary.ts";

/** The cost of one model's calls on one day. */
export interface Spending {
  /** `2026-11-21`, in local time. */
  readonly day: string;
  readonly model: string;
  readonly tokens: number;
  readonly usd: number;
  /** The number of calls with an unknown price. */
  readonly unpriced: number;
}

/** A log whose spending is read, as the list of runs describes it. */
type ListedLog = Pick<RunSummary, "folder" | "writtenMs" | "logBytes">;

/** The spending in a log up to where it was read, by day and model. */
interface SpentAt {
  readonly inode: number;
  readonly bytes: number;
  readonly found: ReadonlyMap<string, Spending>;
}

const NOTHING_READ: SpentAt = { inode: 0, bytes: 0, found: new Map() };

interface Known {
  readonly stamp: string;
  readonly at: Promise<SpentAt>;
}

/** Reads the cost of runs by day and model. Only the new lines of a log are read. */
export class SpendingReader {
  private readonly known = new Map<string, Known>();

  async loadSpending({ folder, writtenMs, logBytes }: ListedLog): Promise<readonly Spending[]> {
    const stamp = `${writtenMs} ${logBytes}`;
    const known = this.known.get(folder);
    const isSame = known?.stamp === stamp;
    const at = isSame ? known.at : readOn(join(folder, LOG_FILE), known?.at);
    if (!isSame) this.known.set(folder, { stamp, at });
    return [...(await at).found.values()];
  }
}

async function readOn(path: string, before: Promise<SpentAt> | undefined): Promise<SpentAt> {
  try {
    const known = (await before) ?? NOTHING_READ;
    const log = await readFileStamp(path);
    const from = canReadOn(log, known) ? known : NOTHING_READ;
    const found = new Map(from.found);
    let { bytes } = from;
    for await (const more of readWholeLines(path, bytes)) {
      for (const line of more.lines) addSpending(found, line);
      bytes = more.bytes;
    }
    return { inode: log.inode, bytes, found };
  } catch {
    return NOTHING_READ;
  }
}

/** The type is near the beginning of a line. */
const COSTS = /^.{0,120}"type":"(?:replied|compacted|spent)"/;

function addSpending(found: Map<string, Spending>, line: string): void {
  const one = COSTS.test(line) ? parseSpending(tryJson(line)) : undefined;
  if (!one) return;
  const key = `${one.day} ${one.model}`;
  found.set(key, sumSpending(found.get(key) ?? NOTHING, one));
}

const NOTHING = { tokens: 0, usd: 0, unpriced: 0 };

/** The sum of two amounts, with the second one's day and model. */
function sumSpending(one: Pick<Spending, "tokens" | "usd" | "unpriced">, other: Spending): Spending {
  return {
    ...other,
    tokens: one.tokens + other.tokens,
    usd: one.usd + other.usd,
    unpriced: one.unpriced + other.unpriced,
  };
}

/** Undefined for costs of other logs: a fork's past, a sub-agent's calls, a summary without a model. */
export function parseSpending(event: unknown): Spending | undefined {
  const { at, model, usage, costUsd, run } = getFields(event);
  if (run !== undefined) return undefined;
  if (typeof at !== "string" || typeof model !== "string") return undefined;
  const { input, output } = getFields(usage);
  const tokens = getNumber(input) + getNumber(output);
  if (tokens === 0 && costUsd === 0) return undefined;
  const priced = typeof costUsd === "number";
  return { day: getLocalDay(new Date(at)), model, tokens, usd: priced ? costUsd : 0, unpriced: priced ? 0 : 1 };
}

function getFields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function getNumber(value: unknown): number {
  return typeof value === "number" ? value : 0;
}

/** The local day of a time. */
export function getLocalDay(date: Date): string {
  const padToTwo = (value: number): string => String(value).padStart(2, "0");
  return `${date.getFullYear()}-${padToTwo(date.getMonth() + 1)}-${padToTwo(date.getDate())}`;
}

/** The amounts by the names that `nameOf` returns, largest first. */
export function sumSpendingByName<One extends Spending>(
  all: readonly One[],
  nameOf: (spending: One) => string,
): readonly (Pick<Spending, "tokens" | "usd" | "unpriced"> & { readonly name: string })[] {
  const sums = new Map<string, Spending>();
  for (const one of all) sums.set(nameOf(one), sumSpending(sums.get(nameOf(one)) ?? NOTHING, one));
  return [...sums]
    .map(([name, { tokens, usd, unpriced }]) => ({ name, tokens, usd, unpriced }))
    .toSorted((one, other) => other.usd - one.usd || other.tokens - one.tokens);
}

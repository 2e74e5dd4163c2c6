import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { Queue } from "../../core/base/async.ts";
import { tryJson } from "../../core/base/json.ts";
import { appendLines } from "../../disk/append-line.ts";
import { replaceFile } from "../../disk/replace-file.ts";
import { isCostLine } from "../../schema/host-validators.ts";
import type { CostLine } from "../../schema/stored-files.ts";
import { canReadOn, readFileStamp, readWholeLines } from "../log/log-lines.ts";
import { getLocalDay, type Spending } from "./spending.ts";

/** The ledger's folder in the user's own. */
export const COSTS_FOLDER = "costs";

/** The cost of one model's calls for one folder on one day. */
export interface FolderSpending extends Spending {
  readonly folder: string;
}

/** Dollars over all folders today, in this month, and of calls that are being made. */
export interface SpentSoFar {
  readonly day: number;
  readonly month: number;
  readonly held: number;
}

/** A day's file up to where it was read. */
interface DayAt {
  readonly inode: number;
  readonly bytes: number;
  readonly lines: number;
  readonly spent: ReadonlyMap<string, FolderSpending>;
  /** The calls being made, in the order in which they were announced. */
  readonly held: ReadonlyMap<string, Extract<CostLine, { type: "held" }>>;
}

const NOTHING_READ: DayAt = { inode: 0, bytes: 0, lines: 0, spent: new Map(), held: new Map() };

/** The program that announced a call has ended if it's that old: no call takes longer. */
const HELD_MS = 15 * 60 * 1000;
const DAY_FILE = /^(\d{4}-\d{2}-\d{2})\.jsonl$/;
/** Older days are summed up, because no program adds to them anymore. */
const SETTLED_MS = 3 * 24 * 3600 * 1000;

/**
 * The user's costs over all folders, in a file of lines for each day. All windows and command lines of the user append to it. A call is
 * announced with its maximum cost before it's made. Files decide who was first, so that programs that ask at once don't exceed a budget together.
 */
export class CostLedger {
  private readonly folder: string;
  private readonly getNow: () => Date;
  private readonly known = new Map<string, DayAt>();
  private readonly queue = new Queue();
  private isTidied = false;

  constructor(folder: string, getNow: () => Date = () => new Date()) {
    this.folder = folder;
    this.getNow = getNow;
  }

  /** Adds a cost, and releases the calls that it's for. */
  async add({ folder, model, tokens, usd, unpriced }: Omit<FolderSpending, "day">, ids: readonly string[] = []) {
    await this.append(this.getDay(), { type: "spent", folder, model, tokens, usd, unpriced });
    await this.release(ids);
  }

  /** Announces a call with its maximum cost, or its real cost once it was made, and returns its id. */
  async hold(usd: number, id = `${this.getDay()} ${crypto.randomUUID()}`): Promise<string> {
    await this.append(findHoldDay(id), { type: "held", id, at: this.getNow().getTime(), usd });
    return id;
  }

  /** Releases announced calls. */
  async release(ids: readonly string[]): Promise<void> {
    for (const [day, own] of Map.groupBy(ids, findHoldDay)) await this.append(day, { type: "freed", ids: own });
  }

  /** Measures what is spent, and held by the calls that were announced before this one. */
  async measure(id: string): Promise<SpentSoFar> {
    return this.queue.add(async () => {
      const today = this.getDay();
      const month = today.slice(0, "2026-11".length);
      const days = (await this.listDays()).filter((day) => day.startsWith(month));
      const read = await Promise.all(days.map(async (day) => ({ day, at: await this.readOn(day) })));
      const own = this.known.get(today);
      const now = this.getNow().getTime();
      const before = [...(own?.held.values() ?? [])].filter(({ at }) => Math.abs(now - at) < HELD_MS);
      const index = before.findIndex((held) => held.id === id);
      return {
        day: sumUsd(own?.spent.values() ?? []),
        month: sumUsd(read.flatMap(({ at }) => [...at.spent.values()])),
        held: sumUsd(index === -1 ? before : before.slice(0, index)),
      };
    });
  }

  /** The costs since a day, by day, folder and model. */
  async list(since: string): Promise<readonly FolderSpending[]> {
    return this.queue.add(async () => {
      const days = (await this.listDays()).filter((day) => day >= since);
      const read = await Promise.all(days.map((day) => this.readOn(day)));
      return read.flatMap(({ spent }) => [...spent.values()]);
    });
  }

  private getDay(): string {
    return getLocalDay(this.getNow());
  }

  private getPath(day: string): string {
    return join(this.folder, `${day}.jsonl`);
  }

  private append(day: string, line: CostLine): Promise<void> {
    return appendLines(this.getPath(day), JSON.stringify(line));
  }

  private async listDays(): Promise<readonly string[]> {
    const names = await readdir(this.folder).catch(() => []);
    const days = names.flatMap((name) => DAY_FILE.exec(name)?.[1] ?? []).toSorted();
    if (!this.isTidied) await this.tidy(days).catch(() => undefined);
    return days;
  }

  /** Reads a day's new lines. A file that can't be read counts as it was read last. */
  private async readOn(day: string): Promise<DayAt> {
    const known = this.known.get(day) ?? NOTHING_READ;
    const at = await readDay(this.getPath(day), day, known).catch(() => known);
    this.known.set(day, at);
    return at;
  }

  /** Sums up the files of past days, once for each program. */
  private async tidy(days: readonly string[]): Promise<void> {
    this.isTidied = true;
    const settled = getLocalDay(new Date(this.getNow().getTime() - SETTLED_MS));
    for (const day of days.filter((one) => one < settled)) {
      const { lines, spent } = await this.readOn(day);
      if (lines === spent.size) continue;
      const sums = [...spent.values()].map(({ day: _day, ...sum }) => JSON.stringify({ type: "spent", ...sum }));
      await replaceFile(this.getPath(day), `${sums.join("\n")}\n`, { private: true, durable: true });
    }
  }
}

function findHoldDay(id: string): string {
  return id.slice(0, "2026-11-29".length);
}

async function readDay(path: string, day: string, known: DayAt): Promise<DayAt> {
  const file = await readFileStamp(path);
  const from = canReadOn(file, known) ? known : NOTHING_READ;
  if (from === known && file.size === known.bytes) return known;
  const spent = new Map(from.spent);
  const held = new Map(from.held);
  let { bytes, lines } = from;
  for await (const more of readWholeLines(path, bytes)) {
    for (const text of more.lines.filter((one) => one !== "")) {
      lines++;
      const line = tryJson(text);
      if (isCostLine(line)) applyLine(line, day, spent, held);
    }
    bytes = more.bytes;
  }
  return { inode: file.inode, bytes, lines, spent, held };
}

/** Applies a line to the sums of its day. A damaged line counts as absent. */
function applyLine(
  line: CostLine,
  day: string,
  spent: Map<string, FolderSpending>,
  held: Map<string, Extract<CostLine, { type: "held" }>>,
): void {
  if (line.type === "held") held.set(line.id, line);
  else if (line.type === "freed") for (const id of line.ids) held.delete(id);
  else {
    const { folder, model, tokens, usd, unpriced } = line;
    const key = JSON.stringify([folder, model]);
    const sum = spent.get(key) ?? { tokens: 0, usd: 0, unpriced: 0 };
    const sums = { tokens: sum.tokens + tokens, usd: sum.usd + usd, unpriced: sum.unpriced + unpriced };
    spent.set(key, { day, folder, model, ...sums });
  }
}

function sumUsd(all: Iterable<{ readonly usd: number }>): number {
  return [...all].reduce((sum, { usd }) => sum + usd, 0);
}

import type { BatchAttempt } from "./batch-tasks.ts";

/** So many runs say what one costs. */
const ENOUGH = 5;
/** A smaller part of the usual share isn't worth a run. */
const SMALLEST_PART = 0.05;

/** A budget over many runs. What a run may cost is taken from it before the run learns of it; what it doesn't use comes back at its end. */
export class BatchBudget {
  private readonly total: number;
  private readonly largest: number;
  /** Of runs that can spend. */
  private readonly allowed = new Map<string, number>();
  private spent = 0;
  /** The spending of runs that may spend more later. */
  private readonly held = new Map<string, number>();

  private closed = 0;
  /** Dollars of the run that has cost most. */
  private most = 0;

  /** `largest`: the part of a run as long as nothing is known about what one costs. */
  constructor(total: number, largest: number) {
    this.total = total;
    this.largest = largest;
  }

  /** The part that a run begins with: by what others have cost, so that money isn't kept for runs that don't need it. */
  get share(): number {
    return this.closed < ENOUGH || this.most === 0 ? this.largest : Math.min(this.largest, 2 * this.most);
  }

  /** Dollars that no run may spend yet. */
  get free(): number {
    return this.total - this.spent - sum(this.allowed) - sum(this.held);
  }

  /** Dollars for a new run: 0 if there isn't enough now. `isLast`: no run can give anything back any more. */
  findPart(attempt: BatchAttempt, isLast: boolean): number {
    const part = Math.min(this.share, findOwnLimit(attempt) ?? this.share);
    if (this.free >= part) return part;
    return isLast && this.isWorthBeginning(part) ? this.free : 0;
  }

  /** Whether enough of a part is left. */
  isWorthBeginning(part: number): boolean {
    return this.free >= part * SMALLEST_PART;
  }

  /** Lets a run spend so much in all. */
  allow(attempt: string, usd: number): void {
    this.held.delete(attempt);
    this.allowed.set(attempt, usd);
  }

  /** A run has reached its limit and can't spend before it's allowed more. */
  hold(attempt: string, spent: number): void {
    this.allowed.delete(attempt);
    this.held.set(attempt, spent);
  }

  /** A run is over. `isUnsure`: it may have spent more than is known, up to all that it was allowed. */
  close(attempt: string, spent: number, isUnsure = false): void {
    this.closed += 1;
    this.most = Math.max(this.most, spent);
    this.spent += isUnsure ? Math.max(spent, this.allowed.get(attempt) ?? 0) : spent;
    this.allowed.delete(attempt);
    this.held.delete(attempt);
  }
}

function sum(amounts: ReadonlyMap<string, number>): number {
  return [...amounts.values()].reduce((all, usd) => all + usd, 0);
}

/** Dollars that a run may never exceed, because its task says so. */
export function findOwnLimit({ settings }: BatchAttempt): number | undefined {
  const usd = settings["run.budgetUsd"];
  return typeof usd === "number" && usd > 0 ? usd : undefined;
}

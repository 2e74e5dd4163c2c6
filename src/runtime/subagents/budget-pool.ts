import { Queue } from "../../core/base/async.ts";
import {
  computeSharedLimits,
  countStepsForLimit,
  countTokensForLimit,
  countUsageForLimit,
  findExhaustedLimit,
  type Limits,
  type Totals,
} from "../../core/budget/budget.ts";
import { addReserved, NOTHING_RESERVED, type ReservedBudget } from "../../core/budget/reserved-budget.ts";
import type { LimitName } from "../../core/commands/outcome.ts";
import { createUsageEvent, type Run } from "../../core/events/run.ts";
import type { RunState } from "../../core/events/run-state.ts";
import type { AgentEvent } from "../../schema/events.ts";

/** A run that spends from the pool. */
interface Spender {
  readonly run: Run;
  /** The run may make a call at any moment, so its share is reserved. */
  readonly isWorking: boolean;
}

type UsageEvent = Extract<AgentEvent, { type: "replied" | "compacted" | "spent" }>;

/** The part of a run's share that it can't spend now. */
export type ComputeMissing = (run: Run) => ReservedBudget;

/**
 * One budget for a run and its agents. Their spending is booked on the run, including its events. The shares of working agents are
 * reserved, so that all together never exceed the run's budget.
 */
export class BudgetPool {
  /** Undefined until the run has begun, which has spent nothing then. */
  private owner: Run | undefined;
  private readonly computeMissing: ComputeMissing | undefined;
  private readonly spenders = new Set<Spender>();
  /** Spending that isn't in the owner's totals yet. */
  private unbooked: ReservedBudget = NOTHING_RESERVED;
  private readonly bookings = new Queue();
  private former: Pick<Totals, "steps" | "replies"> = { steps: 0, replies: 0 };

  /** `computeMissing` is that of the run whose budget this one has a share of. */
  constructor(computeMissing?: ComputeMissing) {
    this.computeMissing = computeMissing;
  }

  /** Serves a run that has begun. */
  follow(owner: Run): void {
    this.owner = owner;
  }

  /** Limits for a share of the remaining budget, or the limit that leaves nothing. */
  share(part: number): Limits | LimitName {
    const owner = this.owner?.state;
    if (!owner) return "steps";
    const totals = this.addAgentTotals(addReservedToTotals(owner.totals, this.getReservedBudget()));
    return findExhaustedLimit(totals, owner.limits) ?? computeSharedLimits(totals, owner.limits, part);
  }

  /** Books a run's spending on the owner from now on. */
  join(spender: Spender, name: string): void {
    this.spenders.add(spender);
    spender.run.onEvent((event) => {
      if (event.type === "compacted" && event.model === undefined) return;
      if (event.type === "replied" && event.of !== undefined) return;
      if (event.type === "replied" || event.type === "compacted" || event.type === "spent")
        this.book(event, spender.run.state.id, name);
    });
  }

  leave(spender: Spender): void {
    if (this.spenders.delete(spender)) this.former = addSpentTurns(this.former, spender);
  }

  /** Resolves once all spending so far is in the owner's events. */
  async waitForBookings(): Promise<void> {
    await this.bookings.idle;
  }

  /** The part of the budget that the owner can't spend now. */
  getReservedBudget(): ReservedBudget {
    const agents = this.sumReservationsExcept(undefined);
    return this.owner && this.computeMissing ? addReserved(agents, this.computeMissing(this.owner)) : agents;
  }

  /** Limits and spending of the run, where what it can't spend now counts as spent. */
  getSpendableBudget(): Pick<RunState, "totals" | "limits"> | undefined {
    if (!this.owner) return undefined;
    const { totals, limits } = this.owner.state;
    return { limits, totals: addReservedToTotals(totals, this.getReservedBudget()) };
  }

  /** The part of an agent's share that the owner's budget no longer covers. */
  computeMissingBudget(agent: Run): ReservedBudget {
    const owner = this.owner?.state;
    if (!owner) return NOTHING_RESERVED;
    const others = this.sumReservationsExcept(agent);
    const left = computeRemainingBudget(owner);
    const own = computeRemainingBudget(agent.state);
    return {
      usd: Math.max(0, treatUnlimitedAsZero(own.usd) - Math.max(0, left.usd - others.usd)),
      tokens: Math.max(0, treatUnlimitedAsZero(own.tokens) - Math.max(0, left.tokens - others.tokens)),
    };
  }

  private sumReservationsExcept(except: Run | undefined): ReservedBudget {
    const shares = [...this.spenders]
      .filter(({ run, isWorking }) => run !== except && isWorking)
      .map(({ run }) => computeRemainingBudget(run.state));
    return shares.reduce<ReservedBudget>(
      (sum, share) => ({
        usd: sum.usd + treatUnlimitedAsZero(share.usd),
        tokens: sum.tokens + treatUnlimitedAsZero(share.tokens),
      }),
      this.unbooked,
    );
  }

  /** Adds the agents' steps and replies, which count against further agents but not against the owner. */
  private addAgentTotals(totals: Totals): Totals {
    const { steps, replies } = [...this.spenders].reduce(addSpentTurns, this.former);
    return { ...totals, steps: totals.steps + steps, replies: totals.replies + replies };
  }

  private book(event: UsageEvent, run: string, name: string): void {
    const { usage, costUsd, model = "" } = event;
    const tokens = countUsageForLimit(usage);
    const add = (sign: 1 | -1): void => {
      const { unbooked } = this;
      this.unbooked = { usd: unbooked.usd + sign * (costUsd ?? 0), tokens: unbooked.tokens + sign * tokens };
    };
    add(1);
    const booked = this.owner?.record({
      ...createUsageEvent(`agent ${name}`, { model, usage, costUsd }),
      run,
    });
    const settled = Promise.resolve(booked).then(
      () => add(-1),
      () => undefined,
    );
    void this.bookings.add(() => settled);
  }
}

function addSpentTurns(sum: Pick<Totals, "steps" | "replies">, { run }: Spender): Pick<Totals, "steps" | "replies"> {
  const { totals } = run.state;
  return { steps: sum.steps + countStepsForLimit(totals), replies: sum.replies + totals.replies };
}

function addReservedToTotals(totals: Totals, { usd, tokens }: ReservedBudget): Totals {
  return { ...totals, usd: totals.usd + usd, input: totals.input + tokens };
}

function computeRemainingBudget({ totals, limits }: RunState): ReservedBudget {
  const computeRemaining = (limit: number, spent: number): number =>
    limit === 0 ? Number.POSITIVE_INFINITY : Math.max(0, limit - spent);
  return {
    usd: computeRemaining(limits.usd, totals.usd),
    tokens: computeRemaining(limits.tokens, countTokensForLimit(totals)),
  };
}

/** Returns 0 without a limit: nothing is reserved then. */
function treatUnlimitedAsZero(amount: number): number {
  return Number.isFinite(amount) ? amount : 0;
}

import {
  countedTokens,
  countedUsage,
  exhaustedLimit,
  type Limits,
  shareOf,
  type Totals,
} from "../../core/budget/budget.ts";
import { NOTHING_RESERVED, type ReservedBudget } from "../../core/budget/reserved-budget.ts";
import type { LimitName } from "../../core/commands/outcome.ts";
import { type Run, usageEvent } from "../../core/events/run.ts";
import type { RunState } from "../../core/events/run-state.ts";
import type { AgentEvent } from "../../schema/events.ts";

/** A run that spends from the purse. */
interface Spender {
  readonly run: Run;
  /** It may make a call at any moment, so its share is set aside. */
  works(): boolean;
}

type Spent = Extract<AgentEvent, { type: "replied" | "compacted" | "spent" }>;

/**
 * One budget for a run and those that work for it. What they spend is the run's own spending, in its events too; what those at work may
 * still spend is set aside, so that all together never come to more than the run alone might have.
 */
export class BudgetPool {
  private readonly owner: () => Run | undefined;
  private readonly spenders = new Set<Spender>();
  /** Spent, but not yet among the owner's totals. */
  private unbooked: ReservedBudget = NOTHING_RESERVED;
  private booking: Promise<unknown> = Promise.resolve();
  private goneSteps = 0;

  constructor(owner: () => Run | undefined) {
    this.owner = owner;
  }

  /** A share of what is left, or the limit that leaves none. */
  share(part: number): Limits | LimitName {
    const owner = this.owner()?.state;
    if (!owner) return "steps";
    const totals = this.withSteps(plus(owner.totals, this.reserved()));
    return exhaustedLimit(totals, owner.limits) ?? shareOf(totals, owner.limits, part);
  }

  /** Books what a run spends on the owner, from now on. */
  join(spender: Spender, name: string): void {
    this.spenders.add(spender);
    spender.run.onEvent((event) => {
      if (event.type === "compacted" && event.model === undefined) return;
      if (event.type === "replied" || event.type === "compacted" || event.type === "spent")
        this.book(event, spender.run.state.id, name);
    });
  }

  leave(spender: Spender): void {
    if (this.spenders.delete(spender)) this.goneSteps += spender.run.state.totals.steps;
  }

  /** Resolves once all that was spent so far is in the owner's events. */
  async booked(): Promise<void> {
    await this.booking;
  }

  /** What is not the owner's to spend now. */
  reserved(): ReservedBudget {
    return this.setAside(undefined);
  }

  /** What of its own share a spender cannot have, because the owner's budget does not hold that much any more. */
  missing(spender: Spender): ReservedBudget {
    const owner = this.owner()?.state;
    if (!owner) return NOTHING_RESERVED;
    const others = this.setAside(spender);
    const left = leftOf(owner);
    const own = leftOf(spender.run.state);
    return {
      usd: Math.max(0, finite(own.usd) - Math.max(0, left.usd - others.usd)),
      tokens: Math.max(0, finite(own.tokens) - Math.max(0, left.tokens - others.tokens)),
    };
  }

  private setAside(but: Spender | undefined): ReservedBudget {
    const shares = [...this.spenders]
      .filter((spender) => spender !== but && spender.works())
      .map(({ run }) => leftOf(run.state));
    return shares.reduce<ReservedBudget>(
      (sum, share) => ({ usd: sum.usd + finite(share.usd), tokens: sum.tokens + finite(share.tokens) }),
      this.unbooked,
    );
  }

  /** Steps of agents count against what further agents may take; the owner's own steps stay its own. */
  private withSteps(totals: Totals): Totals {
    const taken = [...this.spenders].reduce((sum, { run }) => sum + run.state.totals.steps, this.goneSteps);
    return { ...totals, steps: totals.steps + taken };
  }

  private book(event: Spent, run: string, name: string): void {
    const { usage, costUsd, model = "" } = event;
    const tokens = countedUsage(usage);
    const add = (sign: 1 | -1): void => {
      const { unbooked } = this;
      this.unbooked = { usd: unbooked.usd + sign * (costUsd ?? 0), tokens: unbooked.tokens + sign * tokens };
    };
    add(1);
    const booked = this.owner()?.record({ ...usageEvent(`agent ${name}`, { model, usage, costUsd }), run });
    const settled = Promise.resolve(booked).then(
      () => add(-1),
      () => undefined,
    );
    this.booking = this.booking.then(() => settled);
  }
}

/** What a run has to spend while something is set aside: as if it were spent. */
export function withReserved(
  { totals, limits }: Pick<RunState, "totals" | "limits">,
  reserved: ReservedBudget,
): { readonly totals: Totals; readonly limits: Limits } {
  return { limits, totals: plus(totals, reserved) };
}

function plus(totals: Totals, { usd, tokens }: ReservedBudget): Totals {
  return { ...totals, usd: totals.usd + usd, input: totals.input + tokens };
}

function leftOf({ totals, limits }: RunState): ReservedBudget {
  const left = (limit: number, spent: number): number =>
    limit === 0 ? Number.POSITIVE_INFINITY : Math.max(0, limit - spent);
  return {
    usd: left(limits.usd, totals.usd),
    tokens: left(limits.tokens, countedTokens(totals)),
  };
}

/** Where nothing is limited, nothing need be set aside. */
function finite(amount: number): number {
  return Number.isFinite(amount) ? amount : 0;
}

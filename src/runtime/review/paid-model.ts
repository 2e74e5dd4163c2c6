import { addUsage, type Limits, NOTHING_SPENT, type Totals } from "../../core/budget/budget.ts";
import { limitModelToBudget } from "../../core/budget/reserved-budget.ts";
import { createUsageEvent } from "../../core/events/run.ts";
import { type Model, wrapModel } from "../../core/ports/model.ts";
import { RunCosts } from "../services/run-costs.ts";

/** A model for a task outside of runs, and what it has cost so far. */
export interface PaidModel {
  readonly model: Model;
  getTotals(): Totals;
}

/** Where the costs of a task count, and its own limits. */
export type PaymentOptions = ConstructorParameters<typeof RunCosts>[0] & {
  readonly limits: Limits;
  /** The purpose of its calls, in a word. */
  readonly task: string;
};

/** Wraps a model: a run's limits and the budgets over all folders hold for its calls, and the ledger gets their costs. */
export function createPaidModel(model: Model, { limits, task, ...options }: PaymentOptions): PaidModel {
  const costs = new RunCosts(options);
  let totals = NOTHING_SPENT;
  const limited = costs.limit(limitModelToBudget(model, () => ({ totals, limits })));
  const complete: Model["complete"] = async (request, completing) => {
    const answer = await limited.complete(request, completing);
    totals = addUsage(totals, answer);
    await costs.add({ ...createUsageEvent(task, answer), seq: 0, at: new Date().toISOString() });
    return answer;
  };
  return { model: wrapModel(() => limited, { complete }), getTotals: () => totals };
}

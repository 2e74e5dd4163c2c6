import type { Model } from "../../src/core/ports/model.ts";
import { createPaidModel, type PaidModel, type PaymentOptions } from "../../src/runtime/review/paid-model.ts";
import { DEFAULT_SETTINGS, getRunLimits } from "../../src/schema/read-settings.ts";

/** A model for a task outside of runs, with the usual limits of a run and without budgets over all folders. */
export function payFor(model: Model, more: Partial<PaymentOptions> = {}): PaidModel {
  const { run } = DEFAULT_SETTINGS;
  return createPaidModel(model, {
    ...{ ledger: undefined, folder: "/work", limits: getRunLimits(run), task: "review" },
    getSettings: () => run,
    warn: () => undefined,
    ...more,
  });
}

import type { CostLedger } from "../../runs/store/cost-ledger.ts";
import { getLocalDay, sumSpendingByName } from "../../runs/store/spending.ts";
import type { CostsPage } from "../../schema/panel-values.ts";
import type { Settings } from "../../schema/settings.ts";

const DAYS = 30;
const MONTHS = 12;
/** Models and folders beyond these cost the least. */
const MOST_NAMES = 20;
/** The lengths of a day and of its month. */
const DAY = "2026-11-29".length;
const MONTH = "2026-11".length;

/** Builds the page of costs over all folders: of 30 days by day, model and folder, and of a year by month. */
export async function buildCostsPage(
  ledger: Pick<CostLedger, "list">,
  { budgetPerDay, budgetPerMonth }: Pick<Settings["run"], "budgetPerDay" | "budgetPerMonth">,
  now: Date,
): Promise<CostsPage> {
  const today = getLocalDay(now);
  const all = await ledger.list(getLocalDay(new Date(now.getFullYear(), now.getMonth() - MONTHS + 1, 1)));
  const since = getLocalDay(new Date(now.getFullYear(), now.getMonth(), now.getDate() - DAYS + 1));
  const recent = all.filter(({ day }) => day >= since);
  const sumByTime = (spending: typeof all, length: number): CostsPage["days"] =>
    sumSpendingByName(spending, ({ day }) => day.slice(0, length)).toSorted((one, other) =>
      one.name < other.name ? 1 : -1,
    );
  const months = sumByTime(all, MONTH);
  const days = sumByTime(recent, DAY);
  const findUsd = (sums: CostsPage["days"], name: string): number => sums.find((one) => one.name === name)?.usd ?? 0;
  return {
    budgets: [
      { per: "day", usd: budgetPerDay, spent: findUsd(days, today) },
      { per: "month", usd: budgetPerMonth, spent: findUsd(months, today.slice(0, MONTH)) },
    ],
    days,
    months,
    models: sumSpendingByName(recent, ({ model }) => model).slice(0, MOST_NAMES),
    folders: sumSpendingByName(recent, ({ folder }) => folder).slice(0, MOST_NAMES),
  };
}

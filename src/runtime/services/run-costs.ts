import { setTimeout as sleep } from "node:timers/promises";
import { Queue } from "../../core/base/async.ts";
import { NOTHING_SPENT } from "../../core/budget/budget.ts";
import { computeWorstCase, limitReplyTokens } from "../../core/budget/reserved-budget.ts";
import { requestTokens } from "../../core/context/tokens.ts";
import { describeSpentBudget } from "../../core/events/end-text.ts";
import {
  BudgetSpent,
  type Completion,
  type CompletionOptions,
  type Model,
  ModelError,
  type ModelRequest,
  wrapModel,
} from "../../core/ports/model.ts";
import type { CostLedger, SpentSoFar } from "../../runs/store/cost-ledger.ts";
import { parseSpending } from "../../runs/store/spending.ts";
import type { AgentEvent } from "../../schema/events.ts";
import type { SpentBudget } from "../../schema/run-values.ts";
import type { Settings } from "../../schema/settings.ts";
import { displayText, getErrorText, type Sentence } from "../../texts/display-text.ts";
import { formatUsd } from "../../texts/language.ts";

/** Dependencies of a run's costs. */
interface RunCostsOptions {
  /** Absent: the run's costs count nowhere else. */
  readonly ledger: CostLedger | undefined;
  readonly folder: string;
  getSettings(): Pick<Settings["run"], "budgetPerDay" | "budgetPerMonth">;
  warn(text: Sentence): void;
}

/** A budget over all folders, and what is spent of it. */
interface PeriodState extends SpentBudget {
  readonly spent: number;
}

/** The user is warned once this share is spent. */
const WARN_FROM = 0.8;
/** Maximum and minimum tokens of a reply whose request names no maximum. */
const REPLY = 8_000;
const LEAST_REPLY = 500;
/** How often a call looks whether others, announced before it, have left room, in milliseconds. */
const LOOK_MS = 500;

/** Writes the costs of a run and its agents into the ledger, and keeps each of their calls to the budgets over all folders. */
export class RunCosts {
  private readonly options: RunCostsOptions;
  /** Announced calls that were made, and whose cost will follow with the run's events. */
  private made: string[] = [];
  private readonly warned = new Set<string>();
  private readonly writing = new Queue();

  constructor(options: RunCostsOptions) {
    this.options = options;
  }

  /** Wraps a model so that a call which could exceed a budget isn't made. */
  limit(model: Model): Model {
    return wrapModel(() => model, {
      complete: (request, completing) => this.complete(model, request, completing),
    });
  }

  /** Adds the cost of an event to the ledger. */
  async add(event: AgentEvent): Promise<void> {
    const { ledger, folder } = this.options;
    const spending = event.type === "replied" && event.of !== undefined ? undefined : parseSpending(event);
    if (!ledger || !spending) return;
    const made = this.made.splice(0);
    await this.writing.add(() => ledger.add({ ...spending, folder }, made)).catch(() => undefined);
  }

  /** Resolves once all costs are in the ledger. */
  get written(): Promise<unknown> {
    return this.writing.idle;
  }

  private async complete(model: Model, request: ModelRequest, completing: CompletionOptions): Promise<Completion> {
    const { ledger } = this.options;
    if (!ledger || this.listBudgets().length === 0 || isFree(model)) return model.complete(request, completing);
    const call = { input: requestTokens(request), reply: request.maxReplyTokens ?? REPLY, leastReply: LEAST_REPLY };
    const id = await ledger.hold(computeWorstCase(call.input, call.reply, model).usd).catch((error: unknown) => {
      throw new ModelError("setup", displayText("trouble.costsNotWritten", { error: getErrorText(error) }));
    });
    try {
      const maxReplyTokens = await this.waitForRoom(ledger, id, call, model, completing);
      const answer = await model.complete({ ...request, maxReplyTokens }, completing);
      await ledger.hold(answer.costUsd ?? 0, id).catch(() => undefined);
      this.made.push(id);
      return answer;
    } catch (error) {
      await ledger.release([id]).catch(() => undefined);
      throw error;
    }
  }

  /** Returns the reply tokens that the budgets allow. Throws if a budget is spent; waits while calls of other runs take its rest. */
  private async waitForRoom(
    ledger: CostLedger,
    id: string,
    call: { readonly input: number; readonly reply: number; readonly leastReply: number },
    model: Model,
    { signal, notice }: CompletionOptions,
  ): Promise<number> {
    for (;;) {
      const soFar = await ledger.measure(id);
      const states = this.listBudgets(soFar);
      // The user may remove the budgets while a call waits.
      if (states.length === 0) return call.reply;
      for (const state of states) this.warnOnce(state);
      const { spent, ...tightest } = states.reduce((one, other) =>
        other.usd - other.spent < one.usd - one.spent ? other : one,
      );
      const computeReply = (held: number): number | string =>
        spent >= tightest.usd
          ? "usd"
          : limitReplyTokens(
              { totals: { ...NOTHING_SPENT, usd: spent + held }, limits: { ...NO_LIMITS, usd: tightest.usd } },
              call,
              model,
            );
      if (typeof computeReply(0) === "string") throw new BudgetSpent(tightest, describeSpentBudget(tightest));
      const affordable = computeReply(soFar.held);
      if (typeof affordable === "number") return affordable;
      notice?.(displayText("trouble.waitingForCosts"));
      await sleep(LOOK_MS, undefined, { signal });
    }
  }

  /** The budgets that the user has set. */
  private listBudgets({ day, month }: Omit<SpentSoFar, "held"> = { day: 0, month: 0 }): readonly PeriodState[] {
    const { budgetPerDay, budgetPerMonth } = this.options.getSettings();
    return [
      { per: "day" as const, usd: budgetPerDay, spent: day },
      { per: "month" as const, usd: budgetPerMonth, spent: month },
    ].filter(({ usd }) => usd > 0);
  }

  private warnOnce({ per, usd, spent }: PeriodState): void {
    const key = `${per} ${usd}`;
    if (spent < WARN_FROM * usd || this.warned.has(key)) return;
    this.warned.add(key);
    this.options.warn(displayText(WARNINGS[per], { spent: formatUsd(spent), budget: formatUsd(usd) }));
  }
}

const NO_LIMITS = { steps: 0, replies: 0, tokens: 0, minutes: 0, usd: 0 };

const WARNINGS = { day: "trouble.dayBudgetScarce", month: "trouble.monthBudgetScarce" } as const;

/** True for a model that costs nothing: one of the user's servers without a price, or one whose price is 0. */
function isFree({ traits, costOf }: Model): boolean {
  const cost = costOf?.({ input: 1_000_000, output: 1_000_000 });
  return cost === undefined ? traits?.isLocal === true : cost === 0;
}

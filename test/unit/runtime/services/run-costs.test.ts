import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { BudgetSpent, type Model, ModelError } from "../../../../src/core/ports/model.ts";
import { CostLedger } from "../../../../src/runs/store/cost-ledger.ts";
import { RunCosts } from "../../../../src/runtime/services/run-costs.ts";
import { type Sentence, writeInEnglish } from "../../../../src/texts/display-text.ts";
import { FakeModel } from "../../../support/fake-model.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

const REQUEST = { messages: [{ role: "user", content: "Hello." }], maxReplyTokens: 10_000 } as const;
const NOW = new Date(2026, 10, 29, 12);

/** A model whose output costs a dollar per 10,000 tokens and whose input is free. */
function createPricedModel(): FakeModel {
  const model = new FakeModel([{ text: "Hi." }]);
  model.costOf = ({ output }) => output / 10_000;
  return model;
}

describe("the budgets over all folders", () => {
  const tempFolder = tempFolders();
  const signal = new AbortController().signal;

  async function createPlace(budgets: { readonly day?: number; readonly month?: number }, spent: number) {
    const folder = await tempFolder();
    const ledger = new CostLedger(folder, () => NOW);
    if (spent > 0) await ledger.add({ folder: "/other", model: "m", tokens: 1, usd: spent, unpriced: 0 });
    const warnings: string[] = [];
    const settings = { budgetPerDay: budgets.day ?? 0, budgetPerMonth: budgets.month ?? 0 };
    const costs = new RunCosts({
      ledger,
      folder: "/here",
      getSettings: () => settings,
      warn: (text: Sentence) => void warnings.push(writeInEnglish(text)),
    });
    return { folder, ledger, costs, warnings };
  }

  const call = (costs: RunCosts, model: Model): Promise<unknown> =>
    costs
      .limit(model)
      .complete(REQUEST, { signal })
      .then(
        () => "done",
        (error: unknown) => (error instanceof BudgetSpent ? error.budget : error),
      );

  it("limit the reply to what is left, and warn once from 80% on", async () => {
    const { costs, warnings } = await createPlace({ day: 5, month: 100 }, 4.25);
    const model = createPricedModel();
    const ends = [await call(costs, model), await call(costs, model)];
    assert.deepEqual(
      { ends, tokens: model.requests.map(({ maxReplyTokens }) => maxReplyTokens)[0], warnings },
      {
        ends: ["done", "done"],
        tokens: 7_500,
        warnings: [
          "$4.25 of today's $5.00 for all runs are spent. At the limit (autogpt.run.budgetPerDay), runs end and can be continued tomorrow.",
        ],
      },
    );
  });

  it("refuse a call that has no room for a useful reply, by the tighter of both, before the model is asked", async () => {
    const { costs } = await createPlace({ day: 50, month: 4.28 }, 4.25);
    const model = createPricedModel();
    const end = await call(costs, model);
    assert.deepEqual({ end, asked: model.requests.length }, { end: { per: "month", usd: 4.28 }, asked: 0 });
  });

  it("leave models that cost nothing alone, and refuse one of unknown price once all is spent", async () => {
    const { costs } = await createPlace({ day: 4 }, 4.25);
    const local = Object.assign(new FakeModel([{ text: "Hi." }]), {
      traits: { reasons: false, edits: "replace", isLocal: true } as const,
    });
    const free = Object.assign(new FakeModel([{ text: "Hi." }]), { costOf: () => 0 });
    const unknown = new FakeModel([{ text: "Hi." }]);
    const ends = {
      local: await call(costs, local),
      free: await call(costs, free),
      unknown: await call(costs, unknown),
    };
    assert.deepEqual(ends, { local: "done", free: "done", unknown: { per: "day", usd: 4 } });
  });

  it("hold for calls at once: the one announced later waits, and is refused once the cost of the first leaves no room", async () => {
    const { costs, ledger } = await createPlace({ day: 1 }, 0);
    const id = await ledger.hold(1);
    const model = createPricedModel();
    const late = call(costs, model);
    await ledger.add({ folder: "/other", model: "m", tokens: 1, usd: 0.99, unpriced: 0 }, [id]);
    assert.deepEqual({ end: await late, asked: model.requests.length }, { end: { per: "day", usd: 1 }, asked: 0 });
  });

  it("add the run's costs, and not again those of its agents, which have logs of their own", async () => {
    const { costs, ledger } = await createPlace({ day: 9 }, 0);
    const usage = { input: 90, output: 10 };
    const spent = {
      seq: 1,
      at: NOW.toISOString(),
      type: "spent",
      on: "draft",
      model: "m",
      usage,
      costUsd: 0.5,
    } as const;
    await call(costs, createPricedModel());
    void costs.add(spent);
    void costs.add({ ...spent, run: "agent-1" });
    await costs.written;
    assert.deepEqual(
      { list: await ledger.list("2026-11-29"), soFar: await ledger.measure("none") },
      {
        list: [{ day: "2026-11-29", folder: "/here", model: "m", tokens: 100, usd: 0.5, unpriced: 0 }],
        soFar: { day: 0.5, month: 0.5, held: 0 },
      },
    );
  });

  it("aren't given up where the file of costs can't be written", async () => {
    const file = join(await tempFolder(), "no-folder");
    await writeFile(file, "");
    const costs = new RunCosts({
      ledger: new CostLedger(file, () => NOW),
      folder: "/here",
      getSettings: () => ({ budgetPerDay: 1, budgetPerMonth: 0 }),
      warn: () => undefined,
    });
    const model = createPricedModel();
    const error = await call(costs, model);
    assert.deepEqual(
      { trouble: error instanceof ModelError && error.trouble, asked: model.requests.length },
      { trouble: "setup", asked: 0 },
    );
  });
});

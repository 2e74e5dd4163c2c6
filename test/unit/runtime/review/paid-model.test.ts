import assert from "node:assert/strict";
import { CostLedger } from "../../../../src/runs/store/cost-ledger.ts";
import { getLocalDay } from "../../../../src/runs/store/spending.ts";
import { DEFAULT_SETTINGS } from "../../../../src/schema/read-settings.ts";
import { FakeModel } from "../../../support/fake-model.ts";
import { payFor } from "../../../support/paid-models.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

const { signal } = new AbortController();
const REQUEST = { messages: [{ role: "user" as const, content: "Review this." }] };
const ANSWER = { text: "Fine.", usage: { input: 1_000, output: 10 }, costUsd: 0.75 };

describe("a call that no run pays for", () => {
  const tempFolder = tempFolders();

  it("counts in the costs over all folders, and in those of its task", async () => {
    const ledger = new CostLedger(await tempFolder());
    const { model, getTotals } = payFor(new FakeModel([ANSWER, ANSWER]), { ledger });
    await model.complete(REQUEST, { signal });
    await model.complete(REQUEST, { signal });
    const listed = await ledger.list(getLocalDay(new Date(0)));
    assert.deepEqual(
      { usd: getTotals().usd, listed: listed.map(({ folder, usd, tokens }) => [folder, usd, tokens]) },
      { usd: 1.5, listed: [["/work", 1.5, 2_020]] },
    );
  });

  it("isn't made once a budget over all folders is spent", async () => {
    const ledger = new CostLedger(await tempFolder());
    const run = { ...DEFAULT_SETTINGS.run, budgetPerDay: 0.7 };
    const { model } = payFor(new FakeModel([ANSWER, ANSWER]), { ledger, getSettings: () => run });
    await model.complete(REQUEST, { signal });
    await assert.rejects(model.complete(REQUEST, { signal }), /budget/i);
  });
});

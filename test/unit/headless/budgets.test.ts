import assert from "node:assert/strict";
import { join } from "node:path";
import { CostLedger } from "../../../src/runs/store/cost-ledger.ts";
import { serverForSuite } from "../../support/fake-model-server.ts";
import { calling, headless } from "../../support/headless.ts";
import { tempFolders } from "../../support/temp-folders.ts";

const server = serverForSuite();
const tempFolder = tempFolders();

const FINISH = calling("task_complete", { reason: "All tidy." });
/** A reply costs many dollars. */
const DEAR = ["--set", 'model.prices={"fake":{"input":100000,"output":100000}}', "--set", "run.budgetUsd=0"];
const TASK = ["--task", "Tidy the notes.", "--json"];

describe("a budget over all folders, on the command line", () => {
  it("ends a run in another folder, and lets it continue once the budget is raised", async () => {
    const data = await tempFolder();
    const place = { baseUrl: server().baseUrl, data };
    const [one, other] = [await tempFolder(), await tempFolder()];
    server().plan(FINISH, FINISH);
    const first = await headless({ ...place, workspace: one }, ...TASK, ...DEAR, "--set", "run.budgetPerDay=100000");
    const ledger = new CostLedger(join(data, "costs"));
    const [cost] = await ledger.list("2000-01-01");
    const usd = Math.ceil((cost?.usd ?? 0) * 1.1);
    const ended = await headless({ ...place, workspace: other }, ...TASK, ...DEAR, "--set", `run.budgetPerDay=${usd}`);
    const [start] = ended.events;
    const id = start?.type === "started" ? start.id : "";
    const again = await headless(
      { ...place, workspace: other },
      "--resume",
      id,
      ...DEAR,
      "--set",
      "run.budgetPerDay=100000",
    );
    const costs = await ledger.list("2000-01-01");
    assert.deepEqual(
      {
        ends: [first.end.reason, ended.end, again.end.reason],
        warned: / of today's .* for all runs are spent/.test(ended.stderr),
        asked: server().requests.length,
        costs: costs.map(({ folder, model }) => ({ here: [one, other].indexOf(folder), model })),
      },
      {
        ends: ["finished", { reason: "exhausted", limit: "usd", budget: { per: "day", usd } }, "finished"],
        warned: true,
        asked: 2,
        costs: [
          { here: 0, model: "served-model" },
          { here: 1, model: "served-model" },
        ],
      },
    );
  });
});

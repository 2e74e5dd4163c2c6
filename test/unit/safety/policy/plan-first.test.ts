import assert from "node:assert/strict";
import { judged } from "../readers.ts";
import { browses, reads, request, runs, writes } from "../support.ts";

const file = "/home/u/app/src/a.ts";

describe("the policy while a plan is made", () => {
  it("lets only what reads run, and takes the plan without asking", async () => {
    const requests = [
      request("do_nothing"),
      reads(file),
      reads("/home/u/app/.env"),
      writes(file),
      runs("ls"),
      browses("a.org"),
      request("task_complete", {}, { effect: "finish" }),
    ];
    const verdicts = await Promise.all(requests.map((one) => judged(one, { mode: "plan" })));
    assert.deepEqual(verdicts, [
      "allow no-effect",
      "allow reads",
      "ask sensitive-file",
      "refuse plan-first",
      "refuse plan-first",
      "refuse plan-first",
      "allow plan-ready",
    ]);
  });

  it("lets no grant, no rule, no setting and no edited argument change that", async () => {
    const more = {
      mode: "plan",
      grantLeft: 5,
      continuousLeft: 5,
      readOnlyShell: true,
      rules: [],
    } as const;
    const approved = { ...writes(file), approved: true };
    const verdicts = await Promise.all([writes(file), runs("git status"), approved].map((one) => judged(one, more)));
    assert.deepEqual(verdicts, ["refuse plan-first", "refuse plan-first", "refuse plan-first"]);
  });
});

import assert from "node:assert/strict";
import { plantedBenches } from "../../../support/planted-bench.ts";

describe("commands between agent and user", () => {
  const planted = plantedBenches();

  it("ask a question and give the answer", async () => {
    const { bench } = await planted({}, { user: { ask: async () => "Blue." } });
    assert.deepEqual(await bench.try("ask_user", { question: "Which colour?" }), {
      preview: { kind: "details", text: "Ask you:\n\nWhich colour?" },
      outcome: { status: "done", output: "The user's answer: Blue." },
    });
  });

  it("say when no one is there to answer", async () => {
    const { bench } = await planted({}, { user: { ask: async () => undefined } });
    assert.deepEqual(await bench.call("ask_user", { question: "Which colour?" }), {
      status: "failed",
      error: "No one is available to answer. Choose the safest option yourself, and say what you assumed.",
    });
  });

  it("keep a plan in the run's log", async () => {
    const { bench } = await planted({});
    const items = [
      { text: "Look", status: "done" },
      { text: "Leap", status: "in_progress" },
    ];
    assert.deepEqual(
      [await bench.try("update_plan", { items }), bench.recorded],
      [
        {
          preview: { kind: "details", text: "Keep this plan:\n\n[x] Look\n[>] Leap" },
          outcome: { status: "done", output: "Plan updated." },
        },
        [{ type: "planned", items }],
      ],
    );
  });

  it("let a step pass", async () => {
    const { bench } = await planted({});
    assert.deepEqual(await bench.try("do_nothing", { reason: "The build runs." }), {
      preview: { kind: "details", text: "Do nothing: The build runs." },
      outcome: { status: "done", output: "Nothing was done." },
    });
  });

  it("end the run with a summary", async () => {
    const { bench } = await planted({});
    assert.deepEqual(await bench.try("task_complete", { reason: "All tests pass." }), {
      preview: { kind: "details", text: "Finish:\n\nAll tests pass." },
      outcome: { status: "finished", summary: "All tests pass." },
    });
  });
});

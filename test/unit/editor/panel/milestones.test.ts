import assert from "node:assert/strict";
import manifest from "../../../../package.json" with { type: "json" };
import {
  findActionMilestone,
  findMilestone,
  type Milestone,
  Milestones,
} from "../../../../src/editor/panel/milestones.ts";
import type { AgentEvent } from "../../../../src/schema/events.ts";

const STAMP = { seq: 1, at: "2026-01-02T03:04:05.000Z", step: 1 };

describe("the walkthrough", () => {
  it("has five steps, each completed by a milestone or a setting", () => {
    const [walkthrough] = manifest.contributes.walkthroughs;
    assert.deepEqual(
      walkthrough?.steps.map(({ completionEvents: [first] }) => first),
      ["hasModel", "hasStarted", "hasApproved", "hasReviewed", "hasSeenLimits"].map(
        (milestone) => `onContext:autogpt.${milestone}`,
      ),
    );
  });

  it("advances by what the user does, not by what a rule allows", () => {
    const decided = { ...STAMP, type: "decided", reason: "", rule: "" } as const;
    const events = [
      { ...decided, allow: true, by: "rule" },
      { ...decided, allow: false, by: "user" },
      { ...decided, allow: true, by: "user" },
      { ...STAMP, type: "undone" },
      { ...STAMP, type: "replied" },
    ] as unknown as readonly AgentEvent[];
    assert.deepEqual(
      {
        events: events.map(findMilestone),
        actions: (["reviewChanges", "showPermissions", "showLog"] as const).map(findActionMilestone),
      },
      {
        events: [undefined, undefined, "hasApproved", "hasReviewed", "hasStarted"],
        actions: ["hasReviewed", "hasSeenLimits", undefined],
      },
    );
  });

  it("hears of each milestone once, and of all again when it's opened later", () => {
    const announced: Milestone[] = [];
    const milestones = new Milestones((milestone) => announced.push(milestone), ["hasModel"]);
    for (const milestone of ["hasStarted", undefined, "hasModel", "hasStarted", "hasApproved"] as const)
      milestones.reach(milestone);
    milestones.announceAgain();
    assert.deepEqual(announced, ["hasStarted", "hasApproved", "hasModel", "hasStarted", "hasApproved"]);
  });
});

import assert from "node:assert/strict";
import { planFromText, planText } from "../../../src/core/plan.ts";

describe("plan", () => {
  it("reads a bulleted or numbered text line by line", () => {
    assert.deepEqual(
      planFromText("- look\r\n\n* act\n2) check\n• rest\nplain").map((item) => `${item.text} ${item.status}`),
      ["look pending", "act pending", "check pending", "rest pending", "plain pending"],
    );
  });

  it("keeps thirty lines at most", () => {
    assert.equal(planFromText("- a\n".repeat(50)).length, 30);
  });

  it("shows each status by its mark", () => {
    const items = (["pending", "in_progress", "done", "dropped"] as const).map((status) => ({
      text: status,
      status,
    }));
    assert.equal(planText(items), "[ ] pending\n[>] in_progress\n[x] done\n[-] dropped");
  });
});

import assert from "node:assert/strict";
import { planFromText, planIn, planText } from "../../../src/core/plan.ts";

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

  it("is told in shorter items where the window has no room for it", () => {
    const items = Array.from({ length: 30 }, () => ({ text: "w".repeat(500), status: "done" as const }));
    assert.deepEqual(
      [planIn(items, 4_000).map(({ text }) => text.length), planIn(items, 128_000), planIn(items, 0)],
      [items.map(() => 40), items, items],
    );
  });

  it("shows each status by its mark", () => {
    const items = (["pending", "in_progress", "done", "dropped"] as const).map((status) => ({
      text: status,
      status,
    }));
    assert.equal(planText(items), "[ ] pending\n[>] in_progress\n[x] done\n[-] dropped");
  });
});

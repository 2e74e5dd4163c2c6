import assert from "node:assert/strict";
import { fitPlan, type PlanItem, parsePlanText, renderChecklistText } from "../../../../src/core/reply/plan.ts";

describe("plan", () => {
  it("reads a bulleted or numbered text line by line", () => {
    assert.deepEqual(
      parsePlanText("- look\r\n\n* act\n2) check\n• rest\nplain"),
      ["look", "act", "check", "rest", "plain"].map((text) => ({ text })),
    );
  });

  const marked: readonly (readonly [string, string, PlanItem["status"] | undefined])[] = [
    ["- [x] look", "look", "done"],
    ["* [X] look", "look", "done"],
    ["[✓] look", "look", "done"],
    ["1. ✅ look", "look", "done"],
    ["2. look ✔️", "look", "done"],
    ["☑ look", "look", "done"],
    ["Done: look", "look", "done"],
    ["- **Done:** look", "look", "done"],
    ["- Completed - look", "look", "done"],
    ["- look (done)", "look", "done"],
    ["- look - done", "look", "done"],
    ["- look [completed]", "look", "done"],
    ["- ~~look~~", "look", "done"],
    ["- [ ] look", "look", "pending"],
    ["- [] look", "look", "pending"],
    ["☐ look", "look", "pending"],
    ["TODO: look", "look", "pending"],
    ["- look (pending)", "look", "pending"],
    ["- [>] look", "look", "in_progress"],
    ["- [~] look", "look", "in_progress"],
    ["⏳ look", "look", "in_progress"],
    ["In progress: look", "look", "in_progress"],
    ["- look (in progress)", "look", "in_progress"],
    ["- [-] look", "look", "dropped"],
    ["- look (skipped)", "look", "dropped"],
    ["- Done with it, look", "Done with it, look", undefined],
    ["- look into what is done", "look into what is done", undefined],
    ["- [link](a.md) look", "[link](a.md) look", undefined],
    ["- x", "x", undefined],
  ];
  for (const [line, text, status] of marked)
    it(`reads "${line}" as ${status ?? "a step without a mark"}`, () =>
      assert.deepEqual(parsePlanText(line), [status === undefined ? { text } : { text, status }]));

  it("reads headings as the status of the steps below them", () => {
    assert.deepEqual(parsePlanText("Plan:\n**Done:**\n- a\nNext steps:\n- b\n- c (done)"), [
      { text: "a", status: "done" },
      { text: "b", status: "pending" },
      { text: "c", status: "done" },
    ]);
  });

  it("is empty where nothing is planned", () => {
    assert.deepEqual(["", "- ", "None", "- N/A", "---", "No further steps."].flatMap(parsePlanText), []);
  });

  it("keeps thirty lines at most", () => {
    assert.equal(parsePlanText("- a\n".repeat(50)).length, 30);
  });

  it("is shown in shorter items where the window has no room for it", () => {
    const items = Array.from({ length: 30 }, () => ({ text: "w".repeat(500), status: "done" as const }));
    assert.deepEqual(
      [fitPlan(items, 4_000).map(({ text }) => text.length), fitPlan(items, 128_000), fitPlan(items, 0)],
      [items.map(() => 40), items, items],
    );
  });

  it("shows each status by its mark", () => {
    const items = (["pending", "in_progress", "done", "dropped"] as const).map((status) => ({
      text: status,
      status,
    }));
    assert.equal(renderChecklistText(items), "[ ] pending\n[>] in_progress\n[x] done\n[-] dropped");
  });
});

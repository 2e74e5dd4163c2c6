import assert from "node:assert/strict";
import { keptOf, restored } from "../../../src/webview/kept.ts";
import { NEW_PANEL } from "../../../src/webview/panel-state.ts";
import { blankForm } from "../../../src/webview/profile-form.ts";

describe("what the panel keeps over a reload", () => {
  it("is what was written and not sent", () => {
    const state = {
      ...NEW_PANEL,
      composer: { text: "half a sen" },
      place: "r-1",
      written: [{ place: "", text: "a task" }],
      form: blankForm("Mend it"),
      lastDraft: "{}",
      cardDrafts: [{ run: "r-1", step: 3, form: { kind: "refusing" as const, reason: "Not thi" } }],
    };
    assert.deepEqual(restored(JSON.parse(JSON.stringify(keptOf(state)))), state);
  });

  it("is passed over when it has another form", () => {
    const others = [
      ...[undefined, null, "text", { composer: 1 }, { composer: "" }],
      { composer: "", written: [], form: { name: "x" } },
    ];
    assert.deepEqual(
      others.map(restored),
      others.map(() => NEW_PANEL),
    );
  });
});

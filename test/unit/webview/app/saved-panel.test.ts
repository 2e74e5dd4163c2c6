import assert from "node:assert/strict";
import { NEW_PANEL } from "../../../../src/webview/app/panel-state.ts";
import { createSavedPanel, restorePanel } from "../../../../src/webview/app/saved-panel.ts";
import { createProfileForm } from "../../../../src/webview/start/profile-form.ts";

describe("the state that the panel saves", () => {
  it("is the text that was not sent", () => {
    const state = {
      ...NEW_PANEL,
      composer: { text: "half a sen" },
      place: "r-1",
      written: [{ place: "", text: "a task" }],
      form: createProfileForm("Fix it", { name: "Ann", role: "a roofer", goals: ["Find the leak"] }),
      lastDraft: "{}",
      cardDrafts: [{ run: "r-1", step: 3, form: { kind: "refusing" as const, reason: "Not thi" } }],
    };
    assert.deepEqual(restorePanel(JSON.parse(JSON.stringify(createSavedPanel(state)))), state);
  });

  it("is ignored when it has another shape", () => {
    const others = [
      ...[undefined, null, "text", { composer: 1 }, { composer: "" }],
      { composer: "", written: [], form: { name: "x" } },
    ];
    assert.deepEqual(
      others.map(restorePanel),
      others.map(() => NEW_PANEL),
    );
  });
});

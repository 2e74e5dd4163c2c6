import assert from "node:assert/strict";
import type { PanelUpdate } from "../../../../src/schema/panel-messages.ts";
import { speakChange } from "../../../../src/webview/app/announcements.ts";
import { NEW_PANEL, type PanelState } from "../../../../src/webview/app/panel-state.ts";
import { receive } from "../../../../src/webview/app/receive.ts";
import { SHELL_CARD, workedRun } from "../../../panel/support/scenes.ts";

/** Plays a step that ends with a stop, and returns what was heard. */
function heard(speech: boolean): readonly string[] {
  const words: string[] = [];
  const voice = { say: (text: string) => words.push(text), stopSpeaking: () => words.push("(silence)") };
  const run = workedRun();
  const opening = run.opening({ speech });
  const events = [
    ...run.step({ thoughts: { speak: "I run the tests." }, until: "replied" }),
    run.add({ type: "over", end: { reason: "stopped" } }),
  ].map((event): PanelUpdate => ({ type: "event", run: run.id, event }));
  const waiting: PanelUpdate = { type: "waiting", run: run.id, card: SHELL_CARD };
  let state: PanelState = NEW_PANEL;
  for (const message of [...opening, ...events.slice(0, 2), waiting, waiting, ...events.slice(2)]) {
    const next = receive(state, message).state;
    speakChange(state, next, voice);
    state = next;
  }
  return words;
}

describe("speech", () => {
  it("reads the agent's own sentence once, says that it waits, and is silent after a stop", () => {
    assert.deepEqual(heard(true), ["I run the tests.", "Waiting for your decision.", "(silence)"]);
  });

  it("says nothing when it is off", () => {
    assert.deepEqual(heard(false), []);
  });
});

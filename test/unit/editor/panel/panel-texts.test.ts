import assert from "node:assert/strict";
import { escapeInvisible } from "../../../../src/core/base/text.ts";
import { revealHiddenText } from "../../../../src/editor/panel/feed.ts";
import { createPlainFilter } from "../../../../src/editor/panel/terminal-text.ts";
import { ThoughtRelay } from "../../../../src/editor/panel/thought-relay.ts";
import type { PanelUpdate } from "../../../../src/schema/panel-messages.ts";
import { formatCardArguments } from "../../../../src/webview/approval/waiting-card.ts";
import { SHELL_CARD } from "../../../panel/support/scenes.ts";

const EVIL = "\u001b[2J\u202e\u{e0041}x";

describe("what the panel receives", () => {
  it("holds nothing hidden in any text, but for arguments that come back", () => {
    const card = { ...SHELL_CARD, text: EVIL, reason: EVIL, args: { command_line: EVIL } };
    const told = revealHiddenText({ type: "waiting", run: "r", card });
    assert.deepEqual(told, {
      type: "waiting",
      run: "r",
      card: { ...card, text: escapeInvisible(EVIL), reason: escapeInvisible(EVIL) },
    });
  });

  it("holds nothing hidden in notices, and stays the same object where there is nothing", () => {
    const plain: PanelUpdate = { type: "notice", kind: "info", text: "All is well." };
    assert.deepEqual(
      [revealHiddenText({ ...plain, text: EVIL }), revealHiddenText(plain) === plain],
      [{ ...plain, text: escapeInvisible(EVIL) }, true],
    );
  });

  it("holds no control sequence of what a program prints, even of one that is split", () => {
    const told: PanelUpdate[] = [];
    const relay = new ThoughtRelay((message) => told.push(message));
    for (const chunk of ["ok \u001b[3", "2mgreen\u001b", "]0;title\u0007 50 %\r100 %\r\n"])
      relay.addOutput("r", 1, chunk);
    relay.flush();
    relay.dispose();
    assert.deepEqual(told, [{ type: "output", run: "r", step: 1, text: "ok green 50 %\n100 %\n" }]);
  });

  it("counts what arrives besides the thoughts, from the start of each reply", () => {
    const told: PanelUpdate[] = [];
    const relay = new ThoughtRelay((message) => told.push(message));
    relay.addDelta("r", 1, { kind: "text", text: '{"thoughts": {"text": "I write."}, ' });
    relay.addDelta("r", 1, { kind: "text", text: '"contents": "abc' });
    relay.flush();
    relay.flush();
    relay.restart("r", 1);
    relay.addDelta("r", 1, { kind: "call", name: "write_to_file", text: '{"a":1' });
    relay.flush();
    relay.dispose();
    assert.deepEqual(told, [
      { type: "thought", run: "r", step: 1, deltas: [{ field: "text", text: "I write." }], written: 16 },
      { type: "thought", run: "r", step: 1, deltas: [], restarted: true },
      { type: "thought", run: "r", step: 1, deltas: [], written: 6 },
    ]);
  });

  it("streams the model's own reasoning apart from its thoughts", () => {
    const told: PanelUpdate[] = [];
    const relay = new ThoughtRelay((message) => told.push(message));
    relay.addDelta("r", 1, { kind: "reasoning", text: 'Let me see: {"thoughts": ' });
    relay.addDelta("r", 1, { kind: "reasoning", text: "no." });
    relay.addDelta("r", 1, { kind: "text", text: '{"thoughts": {"text": "I read."' });
    relay.flush();
    relay.dispose();
    assert.deepEqual(told, [
      {
        type: "thought",
        run: "r",
        step: 1,
        deltas: [
          { field: "own", text: 'Let me see: {"thoughts": no.' },
          { field: "text", text: "I read." },
        ],
      },
    ]);
  });

  it("shows arguments that are edited as JSON with nothing hidden", () => {
    const waiting = { ...SHELL_CARD, args: { command_line: EVIL } };
    assert.deepEqual(
      [formatCardArguments(waiting).includes("\u202e"), JSON.parse(formatCardArguments(waiting))],
      [false, { command_line: EVIL }],
    );
  });

  it("leaves plain output as it is", () => assert.equal(createPlainFilter()("a\n\tb"), "a\n\tb"));
});

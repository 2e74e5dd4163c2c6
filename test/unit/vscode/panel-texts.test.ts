import assert from "node:assert/strict";
import { visible } from "../../../src/core/visible.ts";
import type { ToPanel } from "../../../src/protocol.ts";
import { visibleMessage } from "../../../src/vscode/panel-texts.ts";
import { plainOutput } from "../../../src/vscode/terminal/plain-output.ts";
import { ThoughtRelay } from "../../../src/vscode/thought-relay.ts";
import { argumentsText } from "../../../src/webview/waiting-card.ts";
import { SHELL_CARD } from "../../panel/support/scenes.ts";

const EVIL = "\u001b[2J\u202e\u{e0041}x";

describe("what the panel is told", () => {
  it("holds nothing hidden in any text, but for arguments that come back", () => {
    const card = { ...SHELL_CARD, text: EVIL, reason: EVIL, args: { command_line: EVIL } };
    const told = visibleMessage({ type: "waiting", run: "r", card });
    assert.deepEqual(told, {
      type: "waiting",
      run: "r",
      card: { ...card, text: visible(EVIL), reason: visible(EVIL) },
    });
  });

  it("holds nothing hidden in notices, and stays the same object where there is nothing", () => {
    const plain: ToPanel = { type: "notice", kind: "info", text: "All is well." };
    assert.deepEqual(
      [visibleMessage({ ...plain, text: EVIL }), visibleMessage(plain) === plain],
      [{ ...plain, text: visible(EVIL) }, true],
    );
  });

  it("holds no control sequence of what a program prints, even of one that is split", () => {
    const told: ToPanel[] = [];
    const relay = new ThoughtRelay((message) => told.push(message));
    for (const chunk of ["ok \u001b[3", "2mgreen\u001b", "]0;title\u0007 50 %\r100 %\r\n"])
      relay.output("r", 1, chunk);
    relay.flush();
    relay.dispose();
    assert.deepEqual(told, [{ type: "output", run: "r", step: 1, text: "ok green 50 %\n100 %\n" }]);
  });

  it("shows arguments that are edited as JSON with nothing hidden", () => {
    const waiting = { ...SHELL_CARD, args: { command_line: EVIL } };
    assert.deepEqual(
      [argumentsText(waiting).includes("\u202e"), JSON.parse(argumentsText(waiting))],
      [false, { command_line: EVIL }],
    );
  });

  it("leaves plain output as it is", () => assert.equal(plainOutput()("a\n\tb"), "a\n\tb"));
});

import assert from "node:assert/strict";
import { stripVTControlCharacters } from "node:util";
import * as vscode from "vscode";
import { createOutputTerminal, RunOutput } from "../../../src/vscode/views/terminal.ts";
import { until } from "./workspace-files.ts";

describe("the output of commands", () => {
  it("appears in a terminal when it is asked for, and not before", async () => {
    const terminals = createOutputTerminal();
    terminals.begin("run", 3, "npm test");
    terminals.write("run", 3, "ok\n");
    const before = vscode.window.terminals.length;

    terminals.show("run");
    await until("the terminal is there", () => vscode.window.terminals.length > before);
    const names = vscode.window.terminals.map(({ name }) => name);
    terminals.dispose();

    assert.deepEqual({ before, names }, { before: 0, names: ["AutoGPT output"] });
  });

  it("is nothing to show before a command has run", () => {
    const terminals = createOutputTerminal();

    assert.throws(() => terminals.show("run"), /has no output yet/);
    terminals.dispose();
  });

  it("is shown from the start when the terminal opens late, harmless and with how it ended", () => {
    const output = new RunOutput(() => undefined);
    const shown: string[] = [];
    output.onDidWrite((text) => shown.push(text));
    output.begin(3, "npm\u202e test");
    output.write(3, "\u001b]0;title\u0007ok\n");
    output.end(3, "Done.");

    output.open();
    output.dispose();

    const text = stripVTControlCharacters(shown.join(""));
    assert.equal(text, "\r\nStep 3\r\n$ npm⟨U+202E⟩ test\r\nok\r\n\r\nDone.\r\n");
  });

  it("stops the command on Ctrl+C and takes no other key", () => {
    let stops = 0;
    const output = new RunOutput(() => stops++);

    for (const key of ["a", "\r", "\u0003", "\u0004"]) output.handleInput(key);
    output.dispose();

    assert.equal(stops, 1);
  });
});

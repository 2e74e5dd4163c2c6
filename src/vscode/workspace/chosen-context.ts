import * as vscode from "vscode";
import { type ChosenTest, writeTestTask } from "../../editor/panel/entry-tasks.ts";
import { fail } from "../../texts/display-text.ts";
import { demandInBounds } from "./mentions.ts";

/** Creates the task for a test of the Test Explorer, the gutter or a failure's menu. */
export async function createTestTask(given: unknown): Promise<string> {
  const failed = getField(given, "message") === undefined ? undefined : getField(given, "test");
  const test = failed ?? given;
  const label = getField(test, "label");
  if (typeof label !== "string") fail("start.noTest");
  const uri = getField(test, "uri");
  const range = getField(test, "range");
  if (uri instanceof vscode.Uri) await demandInBounds([uri]);
  return writeTestTask({
    names: listNames(test),
    ...(uri instanceof vscode.Uri ? { file: vscode.workspace.asRelativePath(uri) } : {}),
    ...(range instanceof vscode.Range ? { line: range.start.line + 1 } : {}),
    ...readFailure(failed === undefined ? undefined : getField(given, "message")),
  });
}

/** The labels of a test and of what it's in. */
function listNames(test: unknown, most = 10): readonly string[] {
  const label = getField(test, "label");
  if (typeof label !== "string" || most === 0) return [];
  return [...listNames(getField(test, "parent"), most - 1), label];
}

function readFailure(message: unknown): Pick<ChosenTest, "failure"> {
  const text = getField(message, "message");
  const said = text instanceof vscode.MarkdownString ? text.value : text;
  if (typeof said !== "string") return {};
  const [expected, actual] = [getField(message, "expectedOutput"), getField(message, "actualOutput")];
  const sides = [
    ...(typeof expected === "string" ? [`expected: ${expected}`] : []),
    ...(typeof actual === "string" ? [`actual: ${actual}`] : []),
  ];
  return { failure: [said, ...sides].join("\n") };
}

/**
 * Reads the selection of the active terminal. No stable API has it, so it's copied, and the text of the clipboard is put back. Only the
 * user's own action does so, while something is selected.
 */
export async function readTerminalSelection(): Promise<{ readonly text: string; readonly terminal: string }> {
  const { activeTerminal } = vscode.window;
  const { clipboard } = vscode.env;
  const before = await clipboard.readText();
  try {
    await clipboard.writeText("");
    await vscode.commands.executeCommand("workbench.action.terminal.copySelection");
    const text = await clipboard.readText();
    if (!activeTerminal || text.trim() === "") fail("start.noTerminalText");
    return { text, terminal: activeTerminal.name };
  } finally {
    await clipboard.writeText(before);
  }
}

/** The file of the notebook whose toolbar was used, or of the active one. */
export function findShownNotebook(given: unknown): vscode.Uri {
  const uri = getField(getField(given, "notebookEditor"), "notebookUri");
  const found = uri instanceof vscode.Uri ? uri : vscode.window.activeNotebookEditor?.notebook.uri;
  return found ?? fail("start.noNotebook");
}

function getField(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

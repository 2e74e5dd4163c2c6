import assert from "node:assert/strict";
import * as vscode from "vscode";
import { createNodeWorkspace } from "../../../src/node/workspace.ts";
import { createEditorSymbols } from "../../../src/vscode/workspace/symbols.ts";
import { closeEverything, inWorkspace, writeInWorkspace } from "./workspace-files.ts";

const NEVER = new AbortController().signal;

const workspace = createNodeWorkspace({ folders: [{ name: "workspace", path: inWorkspace(".") }] });
const symbols = createEditorSymbols(workspace);

describe("names in code, as the language services know them", () => {
  before(() => {
    writeInWorkspace("tsconfig.json", "{}\n");
    writeInWorkspace("sums.ts", "export class Sums {\n  addUp(one: number) { return one; }\n}\n");
    writeInWorkspace("made/.gitignore", "*\n");
    writeInWorkspace("made/by-others.ts", 'import { Sums } from "../sums";\nnew Sums().addUp(2);\n');
    writeInWorkspace("use.ts", 'import { Sums } from "./sums";\nnew Sums().addUp(1);\n');
  });
  afterEach(closeEverything);

  it("are found where they are defined", async () => {
    const found = await symbols.find("addUp", NEVER);
    assert.deepEqual(found.slice(0, 1), [{ name: "addUp", kind: "method", label: "sums.ts", line: 2, within: "Sums" }]);
  }).timeout(30_000);

  it("are found where they are used", async () => {
    // What git ignores is not looked through, so that its language service knows of it only once somebody has opened it.
    await vscode.workspace.openTextDocument(inWorkspace("made/by-others.ts"));
    const method = await workspace.locate("sums.ts");
    const found = await symbols.findReferences(method, { line: 2, column: 3 }, NEVER);
    assert.deepEqual(found.map(({ label, line, text }) => `${label}:${line}: ${text.trim()}`).sort(), [
      "made/by-others.ts:2: (in a file that git ignores)",
      "sums.ts:2: addUp(one: number) { return one; }",
      "use.ts:2: new Sums().addUp(1);",
    ]);
  }).timeout(30_000);

  it("that don't exist are not found", async () => {
    assert.deepEqual(await symbols.find("nobodyHasThisName", NEVER), []);
  }).timeout(30_000);
});

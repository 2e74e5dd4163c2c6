import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import * as vscode from "vscode";
import { createEditorProblems } from "../../../src/vscode/workspace/problems.ts";
import { plainWorkspace } from "./plain-workspace.ts";
import { closeEverything, writeInWorkspace } from "./workspace-files.ts";

const NEVER = new AbortController().signal;

const workspace = plainWorkspace();
const problems = createEditorProblems(workspace);

describe("problems of the language services", () => {
  before(() => writeInWorkspace("tsconfig.json", '{ "compilerOptions": { "strict": true } }\n'));
  afterEach(closeEverything);

  it("are found in a file that is not open, without opening a tab", async () => {
    writeInWorkspace("wrong.ts", "const count: number = 'three';\n");

    const found = await problems.list(await workspace.locate("wrong.ts"));

    assert.deepEqual(
      { found, tabs: vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs) },
      {
        found: [
          {
            label: "wrong.ts",
            line: 1,
            severity: "error",
            message: "Type 'string' is not assignable to type 'number'.",
            source: "ts",
          },
        ],
        tabs: [],
      },
    );
  }).timeout(20_000);

  it("that a change brings are found, the others not, and the change does not wait for them", async () => {
    writeInWorkspace("changed.ts", "const count: number = 'three';\n");
    const place = await workspace.locate("changed.ts");
    problems.expectChange(place);
    await problems.list(place);

    writeInWorkspace("changed.ts", "// moved\nconst count: number = 'three';\nexport const title: string = 3;\n");
    const began = Date.now();
    const soon = await problems.findProblemsAfterChange(place, NEVER);
    const tookMs = Date.now() - began;
    while (soon.problems.length + problems.collectLaterProblems().problems.length === 0) await setTimeout(50);

    const found = [...soon.problems, ...problems.collectLaterProblems().problems];
    assert.deepEqual(
      { found: found.map(({ line, message }) => ({ line, message })), soon: tookMs < 1_000 },
      {
        found: [{ line: 3, message: "Type 'number' is not assignable to type 'string'." }],
        soon: true,
      },
    );
  }).timeout(20_000);

  it("do not hold up the first change of a file in a language whose services are not started yet", async () => {
    const place = await workspace.locate("new.json");
    problems.expectChange(place);
    writeInWorkspace("new.json", "{}\n");
    const began = Date.now();
    await problems.findProblemsAfterChange(place, NEVER);
    const tookMs = Date.now() - began;

    assert.deepEqual({ soon: tookMs < 1_000 }, { soon: true });
  });

  it("of a file without a language service are none, soon", async () => {
    writeInWorkspace("plain.txt", "text\n");

    assert.deepEqual(await problems.list(await workspace.locate("plain.txt")), []);
  });
});

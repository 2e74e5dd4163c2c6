import assert from "node:assert/strict";
import * as vscode from "vscode";
import { editorProblems } from "../../../src/vscode/problems.ts";
import { plainWorkspace } from "./plain-workspace.ts";
import { closeEverything, writeInWorkspace } from "./workspace-files.ts";

const NEVER = new AbortController().signal;

const workspace = plainWorkspace();
const problems = editorProblems(workspace);

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

  it("that a change brings are told, the others not", async () => {
    writeInWorkspace("changed.ts", "const count: number = 'three';\n");
    const place = await workspace.locate("changed.ts");
    const before = (await problems.list(place)) ?? [];

    writeInWorkspace(
      "changed.ts",
      "// moved\nconst count: number = 'three';\nexport const title: string = 3;\n",
    );
    const found = await problems.newSince(place, before, NEVER);

    assert.deepEqual(
      found.map(({ line, message }) => ({ line, message })),
      [{ line: 3, message: "Type 'number' is not assignable to type 'string'." }],
    );
  }).timeout(20_000);

  it("are waited for no longer than the run goes on", async () => {
    writeInWorkspace("stopped.ts", "export const one = 1;\n");
    const place = await workspace.locate("stopped.ts");
    const stop = new AbortController();

    const waiting = problems.newSince(place, [], stop.signal);
    stop.abort(new Error("Stopped."));

    await assert.rejects(waiting, /Stopped\./);
  });

  it("of a file without a language service are none, soon", async () => {
    writeInWorkspace("plain.txt", "text\n");

    assert.deepEqual(await problems.list(await workspace.locate("plain.txt")), []);
  });
});

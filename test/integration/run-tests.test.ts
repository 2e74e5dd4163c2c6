import assert from "node:assert/strict";
import fs from "node:fs";
import { getOutcomeText } from "../../src/core/commands/outcome.ts";
import { FakeModel, says } from "../support/fake-model.ts";
import { decideWhenAsked, ourApi } from "./our-api.ts";
import { inWorkspace, writeInWorkspace } from "./parts/workspace-files.ts";

const FAILING = 'require("node:test").test("adds", () => require("node:assert").equal(1 + 1, 3));\n';

describe("a run that runs the project's tests", () => {
  const files = ["package.json", "adds.test.js"];
  const before = new Map(
    files.map((name) => [name, fs.existsSync(inWorkspace(name)) ? fs.readFileSync(inWorkspace(name)) : undefined]),
  );
  after(() => {
    for (const [name, content] of before)
      if (content) fs.writeFileSync(inWorkspace(name), content);
      else fs.rmSync(inWorkspace(name));
  });

  it("reads the failures from what the approved line prints", async () => {
    writeInWorkspace("package.json", JSON.stringify({ scripts: { test: "node --test adds.test.js" } }));
    writeInWorkspace("adds.test.js", FAILING);
    const api = await ourApi();
    const model = new FakeModel([says("run_tests", {}), says("task_complete", { reason: "Done." })]);
    const outputs: string[] = [];
    const listening = api.onEvent(({ event }) => {
      if (event.type === "ended") outputs.push(getOutcomeText(event.outcome));
    });
    const handle = await api.startRun({ task: "Run the tests", model });
    await decideWhenAsked(handle, 1, { allow: true });
    await decideWhenAsked(handle, 2, { allow: true });
    await handle.end;
    listening.dispose();

    assert.match(
      outputs[0] ?? "",
      /^Exit code 1[^\n]*\n1 test failed, 0 passed \(node:test\):\n1\. adds \(adds\.test\.js:1:\d+\)\n {3}AssertionError/,
    );
  });
});

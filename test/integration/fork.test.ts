import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import * as vscode from "vscode";
import { FakeModel, says } from "../support/fake-model.ts";
import { decideWhenAsked, ourApi, until } from "./our-api.ts";

const ALLOW = { allow: true } as const;

/** A run that has written a file twice and is over. */
async function parentRun() {
  const api = await ourApi();
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "";
  fs.rmSync(path.join(folder, "fork.txt"), { force: true });
  const model = new FakeModel([
    says("write_to_file", { filename: "fork.txt", contents: "first\n" }),
    says("write_to_file", { filename: "fork.txt", contents: "second\n" }),
    says("task_complete", { reason: "Done." }),
  ]);
  const run = await api.startRun({ task: "Write a file twice.", model });
  for (const step of [1, 2, 3]) await decideWhenAsked(run, step, ALLOW);
  await run.end;
  return { api, folder, id: run.id };
}

describe("a fork in the editor", () => {
  it("continues from a step in a new folder, with the files as they were then", async () => {
    const { api, folder, id } = await parentRun();
    const to = path.join(path.dirname(folder), `fork-${Date.now()}`);
    const model = new FakeModel([says("read_file", { filename: "fork.txt" }), says("task_complete", {})]);
    await vscode.commands.executeCommand("autogpt.forkRun", {
      run: id,
      step: 1,
      files: { kind: "copy", to },
      models: { smart: model, fast: model },
      instruction: "Read it.",
    });
    const child = (await api.runs()).find(({ parent }) => parent === id);
    assert.ok(child);
    const handle = await api.openRun(child.id);
    await until(handle, ({ totals }) => totals.steps >= 2);
    await handle.stop();
    const outcome = handle.state.recent.find(({ step }) => step === 2)?.outcome;
    assert.deepEqual(
      {
        read: outcome?.status === "done" && outcome.output.includes("first"),
        here: fs.readFileSync(path.join(folder, "fork.txt"), "utf8"),
        there: fs.readFileSync(path.join(to, "fork.txt"), "utf8"),
        first: handle.state.recent[0]?.step,
      },
      { read: true, here: "second\n", there: "first\n", first: 1 },
    );
    fs.rmSync(to, { recursive: true, force: true });
  });

  it("continues in place, after later changes were undone", async () => {
    const { api, folder, id } = await parentRun();
    const model = new FakeModel([says("do_nothing"), says("do_nothing")]);
    await vscode.commands.executeCommand("autogpt.forkRun", {
      run: id,
      step: 1,
      files: { kind: "then" },
      models: { smart: model, fast: model },
    });
    const child = (await api.runs()).find(({ parent }) => parent === id);
    const handle = await api.openRun(child?.id ?? "");
    await handle.stop();
    assert.equal(fs.readFileSync(path.join(folder, "fork.txt"), "utf8"), "first\n");
  });
});

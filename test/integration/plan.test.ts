import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import * as vscode from "vscode";
import { FakeModel, says } from "../support/fake-model.ts";
import { decideWhenAsked, ourApi, until } from "./our-api.ts";

const write = says("write_to_file", { filename: "planned.txt", contents: "done\n" });

describe("a run that plans first", () => {
  it("reads, is refused everything else, and acts once the plan is agreed to", async () => {
    const api = await ourApi();
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "";
    const file = path.join(folder, "planned.txt");
    fs.rmSync(file, { force: true });
    const plan = says("task_complete", { reason: "1. Write planned.txt." });
    const model = new FakeModel([
      write,
      says("list_files", {}),
      plan,
      write,
      says("task_complete", { reason: "Done." }),
    ]);
    const run = await api.startRun({ task: "Write a file, but plan first.", model, approval: "plan" });
    const planned = await run.end;
    const [refused, listed] = run.state.recent.map(({ outcome }) => outcome?.status);
    const before = fs.existsSync(file);
    await vscode.commands.executeCommand("autogpt.carryOut", run.id);
    await decideWhenAsked(run, 4, { allow: true });
    await decideWhenAsked(run, 5, { allow: true });
    await until(run, ({ end, totals }) => end !== undefined && totals.steps === 5);
    assert.deepEqual(
      { planned, refused, listed, before, after: fs.readFileSync(file, "utf8"), mode: run.state.mode },
      {
        planned: { reason: "finished", summary: "1. Write planned.txt." },
        refused: "refused",
        listed: "done",
        before: false,
        after: "done\n",
        mode: "ask",
      },
    );
    await vscode.commands.executeCommand("autogpt.reviewChanges", run.id);
    const input = vscode.window.tabGroups.activeTabGroup.activeTab?.label;
    await vscode.commands.executeCommand("workbench.action.closeActiveEditor");
    await run.undo();
    assert.deepEqual([input?.startsWith("Changes of the run"), fs.existsSync(file)], [true, false]);
  });
});

describe("the files of another run", () => {
  it("make a proposal on them say so, in continuous mode too", async () => {
    const api = await ourApi();
    const args = { filename: "claimed.txt", contents: "one\n" };
    const first = await api.startRun({
      task: "Write the file.",
      model: new FakeModel([
        says("write_to_file", args),
        says("do_nothing", {}),
        says("ask_user", { question: "Now?" }),
      ]),
    });
    await decideWhenAsked(first, 1, { allow: true });
    await until(first, ({ totals }) => totals.steps >= 2);
    const second = await api.startRun({
      task: "Write it too.",
      approval: "continuous",
      model: new FakeModel([says("write_to_file", { ...args, contents: "two\n" }), says("task_complete", {})]),
    });
    await decideWhenAsked(second, 1, { allow: false, feedback: "Leave it." });
    await until(second, ({ totals }) => totals.steps >= 1);
    await Promise.all([first.stop(), second.stop()]);
    assert.equal(second.state.recent[0]?.outcome?.status, "refused");
  });
});

describe("the history of runs", () => {
  it("has runs pinned, and deleted at once", async () => {
    const api = await ourApi();
    const model = new FakeModel([says("do_nothing", {})]);
    const run = await api.startRun({ task: "Keep me.", model, maxSteps: 1 });
    await run.end;
    await vscode.commands.executeCommand("autogpt.pinRun", run.id);
    const pinned = (await api.runs()).find(({ id }) => id === run.id)?.pinned;
    await vscode.commands.executeCommand("autogpt.unpinRun", run.id);
    const unpinned = (await api.runs()).find(({ id }) => id === run.id)?.pinned;
    void vscode.commands.executeCommand("autogpt.deleteRun", run.id);
    const gone = async () => !(await api.runs()).some(({ id }) => id === run.id);
    while (!(await gone())) await pause(20);
    assert.deepEqual({ pinned, unpinned, gone: await gone() }, { pinned: true, unpinned: undefined, gone: true });
  });
});

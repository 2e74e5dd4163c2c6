import assert from "node:assert/strict";
import * as vscode from "vscode";
import { FakeModel, says } from "../support/fake-model.ts";
import { decideWhenAsked, ourApi, until } from "./our-api.ts";

describe("resuming a run in the editor", () => {
  it("continues where it was stopped, and a proposal that was waiting waits again", async () => {
    const api = await ourApi();
    const model = new FakeModel([
      says("create_folder", { folder: "resumed" }),
      says("task_complete", { reason: "Done." }),
    ]);
    const run = await api.startRun({ task: "Make a folder.", model });
    await until(run, ({ open }) => open?.stage === "replied");
    await run.stop();
    const stopped = await run.end;

    await vscode.commands.executeCommand("autogpt.resumeRun", run.id);
    for (const step of [1, 2]) await decideWhenAsked(run, step, { allow: true });

    assert.deepEqual(
      { stopped, end: await run.end },
      { stopped: { reason: "stopped" }, end: { reason: "finished", summary: "Done." } },
    );
  });
});

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import * as vscode from "vscode";
import { FakeModel, says } from "../support/fake-model.ts";
import { decideWhenAsked, ourApi } from "./our-api.ts";

describe("an agent that works for a run", () => {
  it("asks in its own run, below the other one, and answers to it", async () => {
    const api = await ourApi();
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "";
    const file = path.join(folder, "delegated.txt");
    fs.rmSync(file, { force: true });
    const child = Promise.withResolvers<string>();
    const told: string[] = [];
    const listening = api.onEvent(({ event }) => {
      if (event.type !== "child") return;
      told.push(event.what.replace(/\$[\d.]+/, "$"));
      child.resolve(event.run);
    });
    const run = await api.startRun({
      task: "Have a file written.",
      model: new FakeModel([
        says("start_agent", { name: "Writer", task: "Write the file.", commands: ["write_to_file"] }),
        says("write_to_file", { filename: "delegated.txt", contents: "done\n" }),
        says("task_complete", { reason: "It is written." }),
        says("task_complete", { reason: "Done." }),
      ]),
    });
    const agent = await api.openRun(await child.promise);
    await decideWhenAsked(agent, 1, { allow: true });
    await decideWhenAsked(run, 2, { allow: true });
    const end = await run.end;
    listening.dispose();
    const [listed] = (await api.runs()).filter(({ id }) => id === agent.id);
    assert.deepEqual(
      {
        end,
        agent: await agent.end,
        file: fs.readFileSync(file, "utf8"),
        below: [agent.state.worksFor, listed?.parent, listed?.isAgent],
        spent: run.state.totals.usd.toFixed(3),
        told,
      },
      {
        end: { reason: "finished", summary: "Done." },
        agent: { reason: "finished", summary: "It is written." },
        file: "done\n",
        below: [run.id, run.id, true],
        spent: "0.004",
        told: ["started: Write the file.", "waits for you: it wants to run write_to_file.", "finished (2 steps, $)."],
      },
    );
    await agent.undo();
    assert.equal(fs.existsSync(file), false);
  });
});

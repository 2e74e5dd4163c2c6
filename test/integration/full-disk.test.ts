import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import * as vscode from "vscode";
import { FakeModel, says } from "../support/fake-model.ts";
import { decideWhenAsked, ourApi, until } from "./our-api.ts";

const ALLOW = { allow: true } as const;

/** A disk that can be filled: while it is, nothing can be written to logs that are opened from now on. */
function fillableDisk() {
  const disk = { full: false, refused: 0, restore: () => void Object.assign(fs.promises, { open }) };
  const { open } = fs.promises;
  const opening = async (...args: Parameters<typeof open>) => {
    const handle = await open(...args);
    if (path.basename(String(args[0])) !== "run.jsonl") return handle;
    const write = handle.write.bind(handle);
    return Object.assign(handle, {
      write: async (bytes: Buffer) => {
        if (!disk.full) return write(bytes);
        disk.refused++;
        throw Object.assign(new Error("no room"), { code: "ENOSPC" });
      },
    });
  };
  Object.assign(fs.promises, { open: opening });
  return disk;
}

describe("a disk that is full while a run is at work", () => {
  it("makes the run wait, and it continues to its end once there is room", async () => {
    const api = await ourApi();
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "";
    const disk = fillableDisk();
    const model = new FakeModel([
      says("write_to_file", { filename: "room.txt", contents: "as it should be\n" }),
      says("task_complete", { reason: "Done." }),
    ]);
    const run = await api.startRun({ task: "Write a file.", model });
    await until(run, ({ open }) => open?.stage === "replied");
    disk.full = true;
    await decideWhenAsked(run, 1, ALLOW);
    while (disk.refused < 2) await new Promise((resolve) => setTimeout(resolve, 20));
    const meanwhile = { end: run.state.end, written: fs.existsSync(path.join(folder, "room.txt")) };
    disk.full = false;
    await decideWhenAsked(run, 2, ALLOW);
    const { reason } = await run.end;
    disk.restore();
    assert.deepEqual(
      { meanwhile, reason, file: fs.readFileSync(path.join(folder, "room.txt"), "utf8") },
      {
        meanwhile: { end: undefined, written: false },
        reason: "finished",
        file: "as it should be\n",
      },
    );
  });
});

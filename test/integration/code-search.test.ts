import assert from "node:assert/strict";
import fs from "node:fs";
import type { Completion } from "../../src/core/ports/model.ts";
import { FakeModel, says } from "../support/fake-model.ts";
import { ourApi } from "./our-api.ts";
import { writeInWorkspace } from "./parts/workspace-files.ts";

/** Looks for code once `change` has been made. */
function looking(query: string, change: () => void = () => undefined) {
  return async (): Promise<Partial<Completion>> => {
    change();
    return says("search_code", { query });
  };
}

describe("search_code in the editor", () => {
  it("finds the file that answers a question, follows an edit, and forgets a deleted file", async () => {
    const tap = "okapi/tap.ts";
    writeInWorkspace("okapi/mill.ts", "/** Grinds the okapi's corn. */\nexport function grind() {}\n");
    const file = writeInWorkspace(tap, "/** Waters the okapi. */\nexport function openTap() {}\n");
    const model = new FakeModel([
      looking("who waters the okapi"),
      looking("who feeds the quokka", () =>
        writeInWorkspace(tap, "/** Feeds the quokka. */\nexport function fill() {}\n"),
      ),
      looking("who feeds the quokka", () => fs.rmSync(file)),
      says("task_complete", { reason: "Done." }),
    ]);
    try {
      const run = await (await ourApi()).startRun({ task: "Look around", model });
      await run.end;
    } finally {
      fs.rmSync(writeInWorkspace("okapi/mill.ts", ""), { force: true });
    }
    const outcomes = model.requests.slice(1).map(({ messages }) => messages.at(-2)?.content ?? "");
    assert.deepEqual(
      outcomes.map((text) => /okapi\/(?:tap|mill)\.ts/.exec(text)?.[0]),
      [tap, tap, "okapi/mill.ts"],
    );
  });
});

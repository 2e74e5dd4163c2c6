import assert from "node:assert/strict";
import { createPreparedCall } from "../../../src/core/commands/command.ts";
import { type CommandSet, createCommandSet } from "../../../src/core/commands/command-set.ts";
import type { Outcome } from "../../../src/core/commands/outcome.ts";
import { addUnsavedNote, UnsavedChanges } from "../../../src/runtime/unsaved-changes.ts";
import { FakeEditors } from "../../support/fake-editors.ts";

describe("the changes that agents made in editors", () => {
  it("are those that still aren't saved and that no one agreed to leave, in some folders", () => {
    const editors = new FakeEditors();
    const changes = new UnsavedChanges((path) => editors.texts.has(path));
    for (const path of ["/work/a.ts", "/work/b.ts", "/work/mine.ts", "/lib/c.ts"]) editors.type(path, "text");
    for (const path of ["/work/a.ts", "/work/b.ts", "/lib/c.ts"]) changes.recordChange(path);

    const all = changes.listUnsavedBelow(["/work"]);
    editors.texts.delete("/work/a.ts");
    const unsaved = changes.listUnsavedBelow(["/work", "/lib"]);
    changes.leave(["/work"]);
    const left = changes.listUnsavedBelow(["/work", "/lib"]);
    changes.recordChange("/work/b.ts");
    const again = changes.listUnsavedBelow(["/work"]);

    assert.deepEqual(
      { all, unsaved, left, again },
      {
        all: ["/work/a.ts", "/work/b.ts"],
        unsaved: ["/work/b.ts", "/lib/c.ts"],
        left: ["/lib/c.ts"],
        again: ["/work/b.ts"],
      },
    );
  });
});

describe("the outcome of a program", () => {
  const running = {
    step: 1,
    signal: new AbortController().signal,
    output: () => undefined,
    record: async () => undefined,
  };

  /** The outcome of a call with this effect while seven files aren't saved. */
  async function outcomeOf(effect: "read" | "run", outcome: Outcome): Promise<Outcome> {
    const editors = new FakeEditors();
    const names = ["src/a.ts", 'b"].ts', "c", "d", "e", "f", "g"];
    for (const name of names) editors.type(`/work/${name}`, "text");
    const commands: CommandSet = addUnsavedNote(createCommandSet([]), {
      texts: editors,
      listFolders: () => ["/work"],
    });
    return commands.run(
      createPreparedCall(effect, "", async () => outcome),
      running,
    );
  }

  const note =
    '[It didn\'t see edits in the editor that aren\'t saved: "src/a.ts", "b\\"].ts", "c", "d", "e" and 2 more.]';

  it("names the files whose edits it didn't see", async () => {
    assert.deepEqual(
      [
        await outcomeOf("run", { status: "done", output: "Exit code 1\n", exitCode: 1 }),
        await outcomeOf("run", { status: "failed", error: "It timed out." }),
        await outcomeOf("run", { status: "refused", feedback: "No." }),
        await outcomeOf("read", { status: "done", output: "text" }),
      ],
      [
        { status: "done", output: `Exit code 1\n${note}`, exitCode: 1 },
        { status: "failed", error: `It timed out.\n${note}` },
        { status: "refused", feedback: "No." },
        { status: "done", output: "text" },
      ],
    );
  });
});

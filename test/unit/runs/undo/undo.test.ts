import assert from "node:assert/strict";
import { chmod, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readFileState } from "../../../../src/runs/undo/file-state.ts";
import type { UndoJournal } from "../../../../src/runs/undo/journal.ts";
import { createPreImages } from "../../../../src/runs/undo/pre-images.ts";
import { createUndo } from "../../../../src/runs/undo/undo.ts";
import { writeInEnglish } from "../../../../src/texts/display-text.ts";
import { onCaselessDisk } from "../../../support/caseless-disk.ts";
import { skipWithout } from "../../../support/skips.ts";
import { tempFolders } from "../../../support/temp-folders.ts";
import { grown, plant } from "../../../support/trees.ts";
import { UndoBench } from "../../../support/undo-bench.ts";

const tempFolder = tempFolders();

async function bench(tree: Readonly<Record<string, string>>, maxBytes?: number) {
  const [work, run] = [await tempFolder(), await tempFolder()];
  await plant(work, tree);
  return { work, run, agent: new UndoBench(work, run, maxBytes) };
}

describe("undo of a run", () => {
  it("takes back what was created, changed, moved and deleted, with the folders made for it", async () => {
    const before = { "a.txt": "a", "b.txt": "b", "sub/c.txt": "c" };
    const { work, agent } = await bench(before);
    await agent.write("new/deep/file.txt", "new");
    await agent.write("a.txt", "changed");
    await agent.write("a.txt", "changed again");
    await agent.act("move_file", { source: "b.txt", destination: "sub/moved.txt" });
    await agent.act("delete_file", { filename: "sub/c.txt" });
    const done = await agent.undo.undo({});
    assert.deepEqual(
      [await grown(work), done],
      [
        before,
        {
          steps: [
            { step: 5, files: ["sub/c.txt"] },
            { step: 4, files: ["b.txt", "sub/moved.txt"] },
            { step: 3, files: ["a.txt"] },
            { step: 2, files: ["a.txt"] },
            { step: 1, files: ["new/deep/file.txt", "new/deep/", "new/"] },
          ],
          conflicts: [],
          unseen: [],
        },
      ],
    );
  });

  it("takes back and redoes a rename that changes only the case, where the disk ignores it", async () => {
    skipWithout("a disk that distinguishes names by case");
    const { work, agent } = await bench({ "src/a.txt": "a", "src/b.txt": "b" });
    const seen = await onCaselessDisk(async () => {
      const outcome = await agent.act("move_file", { source: "src/a.txt", destination: "src/A.txt" });
      const moved = await grown(work);
      const { conflicts } = await agent.undo.undo({});
      const undone = await grown(work);
      await agent.undo.redo();
      return { outcome, moved, conflicts, undone, redone: await grown(work) };
    });
    const [before, after] = [
      { "src/a.txt": "a", "src/b.txt": "b" },
      { "src/A.txt": "a", "src/b.txt": "b" },
    ];
    assert.deepEqual(seen, {
      outcome: {
        status: "done",
        output: 'Moved "src/a.txt" to "src/A.txt".',
        files: [
          { file: "src/A.txt", change: "created" },
          { file: "src/a.txt", change: "deleted" },
        ],
      },
      moved: after,
      conflicts: [],
      undone: before,
      redone: after,
    });
  });

  it("can itself be undone, and that too, again and again", async () => {
    const { work, agent } = await bench({ "a.txt": "a" });
    await agent.write("a.txt", "changed");
    await agent.write("dir/b.txt", "b");
    const states: unknown[] = [];
    for (let round = 0; round < 2; round++) {
      await agent.undo.undo({});
      states.push(await grown(work));
      await agent.undo.redo();
      states.push(await grown(work));
    }
    const [undone, redone] = [{ "a.txt": "a" }, { "a.txt": "changed", "dir/b.txt": "b" }];
    assert.deepEqual(states, [undone, redone, undone, redone]);
  });
});

describe("undo of a run beside the user", () => {
  it("leaves a file alone that was changed since, and takes the rest back", async () => {
    const { work, agent } = await bench({ "a.txt": "a", "b.txt": "b" });
    await agent.write("a.txt", "agent's a");
    await agent.write("b.txt", "agent's b");
    await writeFile(join(work, "a.txt"), "mine");
    const { conflicts } = await agent.undo.undo({});
    assert.deepEqual(
      [await grown(work), conflicts.map(({ file, step, why }) => [file, step, writeInEnglish(why)])],
      [{ "a.txt": "mine", "b.txt": "b" }, [["a.txt", 1, "It was changed afterward."]]],
    );
  });

  it("leaves a file alone that was changed between two steps", async () => {
    const { work, agent } = await bench({ "a.txt": "a" });
    await agent.write("a.txt", "first");
    await writeFile(join(work, "a.txt"), "mine");
    await agent.write("a.txt", "second");
    const all = await agent.undo.undo({});
    await agent.undo.undo({ step: 2 });
    assert.deepEqual(
      [all.conflicts.map(({ why }) => writeInEnglish(why)), await grown(work)],
      [["Someone else changed it between two changes of the agent."], { "a.txt": "mine" }],
    );
  });
});

describe("undo of a run with more than files", () => {
  it("keeps a folder of the agent's in which something else lies by now", async () => {
    const { work, agent } = await bench({});
    await agent.write("made/a.txt", "a");
    await writeFile(join(work, "made/mine.txt"), "mine");
    await agent.undo.undo({});
    assert.deepEqual(await grown(work), { "made/mine.txt": "mine" });
  });

  it("says which steps ran programs, whose changes it does not know", async () => {
    const { work, agent } = await bench({});
    await agent.act("execute_shell", { command_line: "echo made > by-shell.txt" });
    await agent.write("a.txt", "a");
    const { unseen } = await agent.undo.undo({});
    assert.deepEqual([unseen, Object.keys(await grown(work))], [[1], ["by-shell.txt"]]);
  });
});

describe("undo of a step", () => {
  it("takes back that step alone, and one file of it when that is asked for", async () => {
    const { work, agent } = await bench({ "a.txt": "a", "b.txt": "b" });
    await agent.write("a.txt", "agent's a");
    await agent.act("move_file", { source: "b.txt", destination: "c.txt" });
    await agent.undo.undo({ step: 2, paths: [join(work, "b.txt")] });
    const oneFile = await grown(work);
    await agent.undo.undo({ step: 2 });
    assert.deepEqual(
      [oneFile, await grown(work)],
      [
        { "a.txt": "agent's a", "b.txt": "b", "c.txt": "b" },
        { "a.txt": "agent's a", "b.txt": "b" },
      ],
    );
  });

  it("says that a later step has to be undone first", async () => {
    const { work, agent } = await bench({ "a.txt": "a" });
    await agent.write("a.txt", "first");
    await agent.write("a.txt", "second");
    const { conflicts } = await agent.undo.undo({ step: 1 });
    const told = conflicts.map(({ why }) => writeInEnglish(why));
    assert.deepEqual(
      [told, await grown(work)],
      [["Step 2 changed it too, later. Undo that step first."], { "a.txt": "second" }],
    );
  });

  it("brings back what a file may be used for", async () => {
    const { work, agent } = await bench({ "run.sh": "#!/bin/sh\n" });
    await chmod(join(work, "run.sh"), 0o755);
    await agent.act("delete_file", { filename: "run.sh" });
    await agent.undo.undo({ step: 1 });
    const { mode } = await stat(join(work, "run.sh"));
    assert.equal(process.platform === "win32" || (mode & 0o777) === 0o755, true);
  });

  it("lists the changes still in place, and nothing of what was undone", async () => {
    const { work, agent } = await bench({ "a.txt": "a" });
    await agent.write("a.txt", "first");
    await agent.write("b.txt", "second");
    await agent.undo.undo({ step: 1 });
    const standing = (await agent.undo.listUndoableSteps()).flatMap(({ step, files }) =>
      files.map(({ path, file }) => [step, path, file]),
    );
    assert.deepEqual([standing, await agent.undo.canRedo()], [[[2, join(work, "b.txt"), "b.txt"]], true]);
  });
});

describe("a conflict that the user settles", () => {
  it("takes the user's text, which can be undone as well", async () => {
    const { work, agent } = await bench({ "a.txt": "a" });
    await agent.write("a.txt", "agent's");
    await writeFile(join(work, "a.txt"), "mine");
    const [conflict] = (await agent.undo.undo({})).conflicts;
    if (conflict) await agent.undo.settle(conflict, Buffer.from("a and mine"));
    const settled = [await grown(work), await agent.undo.listUndoableSteps()];
    await agent.undo.redo();
    assert.deepEqual([settled, await grown(work)], [[{ "a.txt": "a and mine" }, []], { "a.txt": "mine" }]);
  });

  it("is left alone when the file has changed once more", async () => {
    const { work, agent } = await bench({ "a.txt": "a" });
    await agent.write("a.txt", "agent's");
    await writeFile(join(work, "a.txt"), "mine");
    const [conflict] = (await agent.undo.undo({})).conflicts;
    await writeFile(join(work, "a.txt"), "mine again");
    await assert.rejects(async () => conflict && agent.undo.settle(conflict, Buffer.from("lost")));
    assert.deepEqual(await grown(work), { "a.txt": "mine again" });
  });
});

describe("undo in trouble", () => {
  it("declares a conflict where the program ended in the middle of a change", async () => {
    const { work, agent } = await bench({ "a.txt": "a", "b.txt": "b" });
    const files = ["a.txt", "b.txt"].map((name) => ({ path: join(work, name) }));
    await agent.journal.begin({ by: "step", step: 1, files });
    await writeFile(join(work, "a.txt"), "half done");
    const { conflicts } = await agent.undo.undo({});
    assert.deepEqual(
      {
        conflicts: conflicts.map(({ file, why }) => ({ file, why: writeInEnglish(why) })),
        files: await grown(work),
      },
      {
        conflicts: [
          {
            file: "a.txt",
            why: "The run was interrupted while it changed this file, so the agent's change is unknown.",
          },
        ],
        files: { "a.txt": "half done", "b.txt": "b" },
      },
    );
  });

  it("continues with a journal whose last line was cut off", async () => {
    const { work, run, agent } = await bench({ "a.txt": "a" });
    await agent.write("a.txt", "first");
    await writeFile(join(run, "undo.jsonl"), '{"id":2,"by":"st', { flag: "a" });
    const resumed = new UndoBench(work, run);
    await resumed.write("b.txt", "b");
    await resumed.undo.undo({});
    assert.deepEqual(await grown(work), { "a.txt": "a" });
  });

  it("lets a file change that is too large to be kept, and says so when it is undone", async () => {
    const { work, agent } = await bench({ "a.txt": "x".repeat(200) }, 100);
    await agent.write("a.txt", "short");
    const { conflicts } = await agent.undo.undo({});
    assert.deepEqual(
      [conflicts.map(({ why }) => /can't be restored. There's no space/.test(writeInEnglish(why))), await grown(work)],
      [[true], { "a.txt": "short" }],
    );
  });

  it("leaves the file alone when what was kept is gone", async () => {
    const { work, run, agent } = await bench({ "a.txt": "a" });
    await agent.write("a.txt", "changed");
    await rm(join(run, "pre-images"), { recursive: true });
    const { conflicts, steps } = await agent.undo.undo({});
    assert.deepEqual([conflicts.length, steps, await grown(work)], [1, [], { "a.txt": "changed" }]);
  });

  it("changes nothing when what is there cannot be kept", async () => {
    const { work, run, agent } = await bench({ "a.txt": "a" });
    await writeFile(join(run, "pre-images"), "in the way");
    const outcome = await agent.write("a.txt", "changed");
    assert.deepEqual(
      [outcome.status, outcome.status === "failed" && outcome.error.startsWith("Nothing was done"), await grown(work)],
      ["failed", true, { "a.txt": "a" }],
    );
  });
});

describe("undo of a file that must not be overwritten", () => {
  const HASH = "0".repeat(64);
  const AFTER = "1".repeat(64);

  /** An undo over one recorded change of a missing file that a step has created. */
  async function undoOver(options: { readonly blocked?: string; readonly changedAfterCheck?: true }) {
    const work = await tempFolder();
    const path = join(work, "a.txt");
    await writeFile(path, "agent's");
    const now = await readFileState(path);
    const removed: string[] = [];
    const journal: UndoJournal = {
      begin: async ({ files, ...change }) => ({
        ...change,
        id: 2,
        files: files.map(({ path: touched }) => ({
          path: touched,
          was: options.changedAfterCheck ? { kind: "file", hash: AFTER, bytes: 1, mode: 0o644 } : now,
        })),
      }),
      settle: async () => undefined,
      beginProgram: async () => new Map(),
      keepContent: async () => undefined,
      note: async () => undefined,
      read: async () => [
        { id: 1, by: "step", step: 1, files: [{ path, was: { kind: "missing" } }] },
        { id: 1, now: [{ path, is: now }] },
      ],
    };
    const undo = createUndo({
      journal,
      kept: createPreImages(join(work, HASH)),
      files: {
        put: async () => undefined,
        putFile: async () => undefined,
        remove: async (gone) => void removed.push(gone),
        makeFolder: async () => undefined,
        removeFolder: async () => undefined,
      },
      folder: work,
      explainBlocked: () => options.blocked,
    });
    const { conflicts } = await undo.undo({});
    return { removed: removed.length, conflicts: conflicts.map(({ why }) => writeInEnglish(why)) };
  }

  it("is done if nothing is in the way", async () => {
    assert.deepEqual(await undoOver({}), { removed: 1, conflicts: [] });
  });

  it("isn't done while the path is blocked", async () => {
    const why = "It has unsaved edits.";
    assert.deepEqual(await undoOver({ blocked: why }), { removed: 0, conflicts: [why] });
  });

  it("isn't done if the file changes between the check and the undo", async () => {
    assert.deepEqual(await undoOver({ changedAfterCheck: true }), {
      removed: 0,
      conflicts: ["It was changed in the meantime."],
    });
  });
});

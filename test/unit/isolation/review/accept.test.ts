import assert from "node:assert/strict";
import { chmod, lstat, mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { sha256 } from "../../../../src/disk/sha256.ts";
import type { Accepted } from "../../../../src/isolation/review/accept.ts";
import { createAcceptedChanges, sealPlan } from "../../../../src/isolation/review/accepted.ts";
import { recoverAccept } from "../../../../src/isolation/review/finish-accept.ts";
import { runUnderReviewLock, takeReviewLock } from "../../../../src/isolation/review/review-lock.ts";
import { createFileReplacer } from "../../../../src/node/files/atomic-write.ts";
import { writeInEnglish } from "../../../../src/texts/display-text.ts";
import { ReviewBench, treeOf } from "../../../support/review-bench.ts";
import { makeLink, skipWithout } from "../../../support/skips.ts";
import { tempFolders } from "../../../support/temp-folders.ts";
import { plant } from "../../../support/trees.ts";

const temp = tempFolders();

const LINES = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n";

async function bench(files: Readonly<Record<string, string>> = { "a.txt": LINES }): Promise<ReviewBench> {
  return ReviewBench.make(await temp(), files);
}

function short({ files, conflicts }: Accepted): Readonly<Record<string, unknown>> {
  return {
    files: files.toSorted(),
    conflicts: Object.fromEntries(conflicts.map(({ label, why }) => [label, writeInEnglish(why)])),
  };
}

describe("accepting changes of an isolated run", () => {
  it("writes and restores large files without reading them as a whole", async () => {
    const large = "a large file\n".repeat(500_000);
    const one = await bench({ "edited.txt": large, "stale.txt": large });
    await plant(one.copied, {
      "edited.txt": `run\n${large}`,
      "new.txt": large,
      "stale.txt": `run\n${large}`,
    });
    const before = await treeOf(one.work);
    const review = await one.review();
    await plant(one.work, { "stale.txt": `user\n${large}` });
    const put = async () => Promise.reject(new Error("Read as a whole."));
    const choices = { "edited.txt": "result", "new.txt": "result", "stale.txt": "run" } as const;
    const accepted = await one.accept(review, choices, { ...createFileReplacer(), put });
    const after = await treeOf(one.work);
    await one.withdraw();
    assert.deepEqual(
      {
        ...short(accepted),
        equal: ["edited.txt", "new.txt"].map((name) => after[name] === `${name === "new.txt" ? "" : "run\n"}${large}`),
        restored: (await treeOf(one.work))["edited.txt"] === before["edited.txt"],
        left: await readdir(one.work),
      },
      {
        files: ["edited.txt", "new.txt"],
        conflicts: {
          "stale.txt": "It was changed after the review was opened. Review the changes again.",
        },
        equal: [true, true],
        restored: true,
        left: ["edited.txt", "stale.txt"],
      },
    );
  });

  it("brings files, deletions, links, modes and folders into the workspace, and takes them back as one step", async () => {
    const one = await bench({
      "a.txt": LINES,
      "gone/b.txt": "b\n",
      "tool.sh": "x\n",
      "kind/c.txt": "c\n",
      file: "f\n",
      to: "t\n",
    });
    await makeLink("a.txt", join(one.work, "link"));
    await makeLink("a.txt", join(one.copied, "link"));
    await one.keepBase();
    await plant(one.copied, { "a.txt": LINES.replace("two", "run"), "new/deep/d.txt": "d\n" });
    await rm(join(one.copied, "gone"), { recursive: true });
    await rm(join(one.copied, "kind"), { recursive: true });
    await rm(join(one.copied, "link"));
    await rm(join(one.copied, "file"));
    await rm(join(one.copied, "to"));
    await plant(one.copied, { kind: "now a file\n", "file/inside.txt": "now a folder\n" });
    await makeLink(join(one.copied, "a.txt"), join(one.copied, "link"));
    await makeLink("a.txt", join(one.copied, "to"));
    await chmod(join(one.copied, "tool.sh"), 0o755);
    await plant(one.work, { "a.txt": LINES.replace("six", "user") });
    const before = await treeOf(one.work);
    const { conflicts, step } = await one.acceptAll();
    const after = await treeOf(one.work);
    const canWithdraw = [await one.canWithdraw()];
    const undone = await one.withdraw();
    canWithdraw.push(await one.canWithdraw());
    assert.deepEqual(
      {
        conflicts,
        canWithdraw,
        step,
        after,
        undone: undone.conflicts,
        again: await treeOf(one.work),
        folders: await readdir(one.work),
      },
      {
        conflicts: [],
        canWithdraw: [true, false],
        step: 1,
        after: {
          "a.txt": LINES.replace("two", "run").replace("six", "user"),
          "file/inside.txt": "now a folder\n",
          kind: "now a file\n",
          link: `-> ${join(one.work, "a.txt")}`,
          "new/deep/d.txt": "d\n",
          to: "-> a.txt",
          "tool.sh": "x\n (x)",
        },
        undone: [],
        again: before,
        folders: ["a.txt", "file", "gone", "kind", "link", "to", "tool.sh"],
      },
    );
  });

  it("writes only what was chosen, and the user's own text", async () => {
    const one = await bench({ "a.txt": "a\n", "b.txt": "b\n", "c.txt": "c\n" });
    await plant(one.copied, { "a.txt": "run\n", "b.txt": "run\n", "c.txt": "run\n" });
    await plant(one.work, { "c.txt": "user\n" });
    const done = await one.accept(await one.review(), { "a.txt": { text: "edited\n" }, "c.txt": "run" });
    assert.deepEqual(
      [short(done), await treeOf(one.work), one.records],
      [
        { files: ["a.txt", "c.txt"], conflicts: {} },
        { "a.txt": "edited\n", "b.txt": "b\n", "c.txt": "run\n" },
        [{ files: ["c.txt", "a.txt"], conflicts: [] }],
      ],
    );
  });

  it("takes the user's version of a conflict, after which it's settled", async () => {
    const one = await bench({ "a.txt": "a\n", "gone.txt": "b\n" });
    await plant(one.copied, { "a.txt": "run\n", "gone.txt": "run\n" });
    await plant(one.work, { "a.txt": "user\n" });
    await rm(join(one.work, "gone.txt"));
    const before = await one.review();
    const done = await one.accept(before, { "a.txt": "mine", "gone.txt": "mine" });
    assert.deepEqual(
      {
        before: before.changes.map(({ result }) => result),
        conflicts: done.conflicts,
        files: await treeOf(one.work),
        after: (await one.review()).changes.filter(({ result }) => result !== "same").length,
      },
      { before: ["conflict", "conflict"], conflicts: [], files: { "a.txt": "user\n" }, after: 0 },
    );
  });

  it("writes the user's own text in the encoding of the file, or says that it can't", async () => {
    const one = await bench({});
    for (const root of [one.work, one.copied])
      for (const name of ["a.txt", "b.txt"]) await writeFile(join(root, name), "caf\xe9 cr\xe8me\n", "latin1");
    await one.keepBase();
    for (const name of ["a.txt", "b.txt"]) await writeFile(join(one.copied, name), "caf\xe9\n", "latin1");
    const own = { "a.txt": { text: "th\xe9\n" }, "b.txt": { text: "日本\n" } };
    const done = await one.accept(await one.review(), own);
    assert.deepEqual(
      [done.files, done.conflicts.map(({ label }) => label), await treeOf(one.work)],
      [["a.txt"], ["b.txt"], { "a.txt": "th\xe9\n", "b.txt": "caf\xe9 cr\xe8me\n" }],
    );
  });

  it("writes the user's own text in the encoding of what was shown, with the bytes that stay", async () => {
    const one = await bench({ "a.txt": "one\ntwo\n", "b.txt": "üü\n" });
    await plant(one.copied, {
      "a.txt": Buffer.from("caf\xe9\ntwo\n", "latin1"),
      "b.txt": Buffer.concat([Buffer.from("üü\n"), Buffer.from([0xe9, 10])]),
    });
    await one.accept(await one.review(), {
      "a.txt": { text: "café\nTWO\n" },
      "b.txt": { text: "öü\n\uefe9\n" },
    });
    assert.deepEqual(await treeOf(one.work), {
      "a.txt": "caf\xe9\nTWO\n",
      "b.txt": "\xc3\xb6\xc3\xbc\n\xe9\n",
    });
  });

  it("overwrites nothing that changed after the review, in the workspace or in the copy", async () => {
    const one = await bench({ "a.txt": "a\n", "b.txt": "b\n", "c.txt": "c\n", "d.txt": "d\n" });
    await plant(one.copied, { "a.txt": "run\n", "b.txt": "run\n", "c.txt": "run\n", "d.txt": "run\n" });
    await plant(one.work, { "d.txt": "user\n" });
    const review = await one.review();
    await plant(one.work, { "a.txt": "user\n" });
    await plant(one.copied, { "b.txt": "run again\n" });
    const all = {
      "a.txt": "result",
      "b.txt": "result",
      "c.txt": "result",
      "d.txt": { text: "<<<<<<< workspace\n" },
    } as const;
    const done = await one.accept(review, all);
    const since = "It was changed after the review was opened. Review the changes again.";
    assert.deepEqual(
      [short(done), await treeOf(one.work)],
      [
        {
          files: ["c.txt"],
          conflicts: {
            "a.txt": since,
            "b.txt": since,
            "d.txt": "It still contains conflict markers. Edit the lines between them first.",
          },
        },
        { "a.txt": "user\n", "b.txt": "b\n", "c.txt": "run\n", "d.txt": "user\n" },
      ],
    );
  });

  it("overwrites nothing that changes while it writes", async () => {
    const one = await bench({ "a.txt": "a\n", "b.txt": "b\n" });
    await plant(one.copied, { "a.txt": "run\n", "b.txt": "run\n" });
    const files = createFileReplacer();
    const done = await one.accept(
      await one.review(),
      { "a.txt": "result", "b.txt": "result" },
      {
        ...files,
        put: async (path, ...rest) => {
          if (path.endsWith("a.txt")) await writeFile(path, "user\n");
          await files.put(path, ...rest);
        },
      },
    );
    assert.deepEqual(
      [done.files, done.conflicts.map(({ label }) => label), await treeOf(one.work)],
      [["b.txt"], ["a.txt"], { "a.txt": "user\n", "b.txt": "run\n" }],
    );
  });

  it("leaves the workspace as it was if the disk fails in between", async () => {
    const one = await bench({ "a.txt": "a\n", "b.txt": "b\n", "c.txt": "c\n" });
    await plant(one.copied, { "a.txt": "run\n", "b.txt": "run\n", "new/d.txt": "run\n" });
    await rm(join(one.copied, "c.txt"));
    const before = await treeOf(one.work);
    const files = createFileReplacer();
    const review = await one.review();
    const choices = Object.fromEntries(review.changes.map(({ label }) => [label, "result" as const]));
    let count = 0;
    const accepting = one.accept(review, choices, {
      ...files,
      put: async (...args) => {
        count += 1;
        if (count === 2) throw new Error("The disk is full.");
        await files.put(...args);
      },
    });
    await assert.rejects(
      accepting,
      /^DisplayError: Nothing was accepted, and the workspace is as it was before: The disk is full\.$/,
    );
    assert.deepEqual(
      [await treeOf(one.work), await readdir(one.work), one.records],
      [before, ["a.txt", "b.txt", "c.txt"], []],
    );
  });

  it("takes later changes of the run on top of what was accepted", async () => {
    const one = await bench();
    await plant(one.copied, { "a.txt": LINES.replace("two", "first") });
    await one.acceptAll();
    await plant(one.work, { "a.txt": LINES.replace("two", "first").replace("six", "user") });
    await plant(one.copied, { "a.txt": LINES.replace("two", "second") });
    const { conflicts } = await one.acceptAll();
    const after = await treeOf(one.work);
    await one.withdraw();
    const canWithdraw = await one.canWithdraw();
    await one.withdraw();
    const { changes } = await one.review();
    assert.deepEqual(
      [conflicts, after, changes.map(({ result }) => result), canWithdraw],
      [[], { "a.txt": LINES.replace("two", "second").replace("six", "user") }, ["merged"], true],
    );
  });

  it("lets one window at a time accept, and forgets a holder that died", async () => {
    const one = await bench();
    await plant(one.copied, { "a.txt": "run\n" });
    const review = await one.review();
    const lock = await takeReviewLock(one.place);
    await assert.rejects(
      one.accept(review, { "a.txt": "result" }),
      /Another window or program is working on the review/,
    );
    await lock?.release();
    await writeFile(
      join(one.runHome, "accepted/lock"),
      JSON.stringify({ token: "old", pid: 2 ** 30, host: (await import("node:os")).hostname() }),
    );
    const done = await one.accept(review, { "a.txt": "result" });
    assert.deepEqual([done.files, await runUnderReviewLock(one.place, async () => "free")], [["a.txt"], "free"]);
  });

  it("takes nothing that others have put beside a run for its own", async () => {
    const one = await bench({ "a.txt": "a\n" });
    const harm = join(one.runHome, "../harm.txt");
    const was = { kind: "missing" };
    const target = { kind: "file", hash: sha256("harm\n"), bytes: 5, mode: 0o644 };
    const planted = (path: string) => ({
      "plan.json": JSON.stringify({ step: 1, paths: [{ path, was, target }], conflicts: [] }),
      [`pre-images/${target.hash}`]: "harm\n",
    });
    const inside = join(one.work, "b.txt");
    const journal = [
      { id: 1, by: "step", step: 1, files: [{ path: harm, was: target }] },
      { id: 1, now: [{ path: harm, is: was }] },
    ];
    const said: string[] = [];
    const attempt = (act: Promise<unknown>) =>
      act.then(
        () => said.push("done"),
        (error: Error) => said.push(error.message),
      );
    for (const path of [harm, inside]) {
      await plant(join(one.runHome, "accepted"), planted(path));
      await attempt(recoverAccept(one.place, { files: createFileReplacer(), record: async () => undefined }));
    }
    await rm(join(one.runHome, "accepted/plan.json"));
    await plant(join(one.runHome, "accepted"), {
      "undo.jsonl": journal.map((line) => JSON.stringify(line)).join("\n"),
    });
    await attempt(one.withdraw());
    const sealed = sealPlan(
      {
        step: 1,
        paths: [{ path: harm, was: { kind: "missing" }, target: { ...target, kind: "file" } }],
        conflicts: [],
      },
      createAcceptedChanges(one.place),
    );
    await plant(join(one.runHome, "accepted"), { "plan.json": sealed });
    await attempt(recoverAccept(one.place, { files: createFileReplacer(), record: async () => undefined }));
    const damaged = `The plan of an interrupted acceptance can't be read, or wasn't made by you on this machine. Compare the workspace with version control, then delete ${join(one.runHome, "accepted")}.`;
    assert.deepEqual(
      { said, harm: await lstat(harm).catch(() => "none"), tree: await treeOf(one.work) },
      {
        said: [damaged, damaged, "There are no accepted changes to undo.", damaged],
        harm: "none",
        tree: { "a.txt": "a\n" },
      },
    );
  });

  it("isn't done again by a plan that was carried out and undone", async () => {
    const one = await bench({ "a.txt": "a\n" });
    await plant(one.copied, { "a.txt": "run\n" });
    await one.acceptAll();
    await one.withdraw();
    const accepted = join(one.runHome, "accepted");
    await rename(join(accepted, "accepted-1.json"), join(accepted, "plan.json"));
    await recoverAccept(one.place, { files: createFileReplacer(), record: async () => undefined });
    assert.deepEqual(await treeOf(one.work), { "a.txt": "a\n" });
  });

  it("writes nothing through a link in the place of its folder", async () => {
    const one = await bench({ "a.txt": "a\n" });
    await plant(one.copied, { "a.txt": "run\n" });
    const outside = join(one.runHome, "../outside");
    await mkdir(outside);
    await mkdir(one.runHome);
    await makeLink(outside, join(one.runHome, "accepted"));
    await assert.rejects(one.acceptAll(), /is a link/);
    assert.deepEqual([await readdir(outside), await treeOf(one.work)], [[], { "a.txt": "a\n" }]);
  });

  it("follows no link that took a folder's place", async () => {
    const one = await bench({ "dir/a.txt": "a\n" });
    await plant(one.copied, { "dir/a.txt": "run\n", "dir/sub/b.txt": "run\n" });
    const outside = join(one.runHome, "../outside");
    await mkdir(outside);
    const review = await one.review();
    await rename(join(one.work, "dir"), join(one.work, "old"));
    await makeLink(outside, join(one.work, "dir"));
    const done = await one.accept(review, { "dir/a.txt": "result", "dir/sub/b.txt": "result" });
    assert.deepEqual([done.files, await readdir(outside)], [[], []]);
  });

  it("never makes a file more accessible than the workspace has it", async () => {
    skipWithout("files as POSIX has them");
    const one = await bench();
    await chmod(join(one.work, "a.txt"), 0o600);
    await plant(one.copied, { "a.txt": "run\n", "new.txt": "run\n" });
    await chmod(join(one.copied, "a.txt"), 0o666);
    await chmod(join(one.copied, "new.txt"), 0o6777);
    await one.acceptAll();
    const modes = await Promise.all(
      ["a.txt", "new.txt"].map(async (name) => (await lstat(join(one.work, name))).mode & 0o7777),
    );
    assert.deepEqual(modes, [0o600, 0o777 & ~process.umask()]);
  });
});

describe("accepting, whatever the user and the run did", () => {
  const NAMES = ["a.txt", "b.txt", "dir/c.txt"] as const;
  const line = fc.constantFrom("one", "two", "three", "", "}");
  const content = fc.array(line, { maxLength: 12 });
  const edit = fc.record({ at: fc.nat(12), removed: fc.nat(2), count: fc.nat(2) });
  const side = fc.oneof(
    { weight: 5, arbitrary: fc.array(edit, { maxLength: 3 }) },
    { weight: 1, arbitrary: fc.constant("delete" as const) },
  );
  const last = fc.constantFrom("\n", "\r\n", "");

  /** Applies edits whose lines name their author, so that each can be found again. */
  function edited(
    lines: readonly string[],
    edits: readonly { at: number; removed: number; count: number }[],
    who: string,
  ): readonly string[] {
    const result = [...lines];
    for (const [index, { at, removed, count }] of edits.entries())
      result.splice(
        at % (result.length + 1),
        removed,
        ...Array.from({ length: count }, (_, part) => `${who} ${index}.${part}`),
      );
    return result;
  }

  it("holds both sides' changes or declares a conflict, and undo gives everything back", async () => {
    const file = fc.record({ base: fc.option(content), user: side, run: side, end: last });
    await fc.assert(
      fc.asyncProperty(fc.array(file, { minLength: 3, maxLength: 3 }), async (all) => {
        const one = await ReviewBench.make(await temp(), {});
        const text = (lines: readonly string[], end: string) => lines.join(end === "\r\n" ? end : "\n") + end;
        const expected = new Map<string, { user?: readonly string[]; run?: readonly string[] }>();
        for (const [index, { base, end }] of all.entries())
          if (base)
            for (const root of [one.work, one.copied]) await plant(root, { [NAMES[index] ?? ""]: text(base, end) });
        await one.keepBase();
        for (const [index, { base, user, run, end }] of all.entries()) {
          const name = NAMES[index] ?? "";
          const made: { user?: readonly string[]; run?: readonly string[] } = {};
          for (const [who, root, what] of [
            ["user", one.work, user],
            ["run", one.copied, run],
          ] as const) {
            if (what === "delete") await rm(join(root, name), { force: true });
            else if (what.length > 0) {
              made[who] = edited(base ?? [], what, who);
              await plant(root, { [name]: text(made[who], end) });
            }
          }
          expected.set(name, made);
        }
        const before = await treeOf(one.work);
        const { conflicts } = await one.acceptAll();
        const after = await treeOf(one.work);
        for (const [name, made] of expected) {
          if (conflicts.some(({ label }) => label === name)) {
            assert.equal(after[name], before[name]);
            continue;
          }
          const lines = new Set((after[name] ?? "").split(/\r?\n/));
          for (const side of [made.user, made.run])
            for (const own of side ?? [])
              if (/^(?:user|run) /.test(own)) assert.ok(lines.has(own), `${name} lost ${own}`);
        }
        if (
          Object.keys(after).length !== Object.keys(before).length ||
          JSON.stringify(after) !== JSON.stringify(before)
        )
          await one.withdraw();
        assert.deepEqual(await treeOf(one.work), before);
      }),
      { numRuns: 60 },
    );
  });
});

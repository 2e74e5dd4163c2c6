import assert from "node:assert/strict";
import { chmod, readFile, rename, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sha256 } from "../../../../src/disk/sha256.ts";
import { readBaseContents } from "../../../../src/isolation/copy/base-content.ts";
import type { CopyChange } from "../../../../src/isolation/copy/copy.ts";
import { listCopyChanges } from "../../../../src/isolation/copy/copy-changes.ts";
import {
  listChangedSince,
  listChangesWithTexts,
  readChangeTexts,
  reviewCopy,
} from "../../../../src/isolation/review/review.ts";
import { writeInEnglish } from "../../../../src/texts/display-text.ts";
import { copyOf } from "../../../support/copies.ts";
import { ReviewBench, treeOf } from "../../../support/review-bench.ts";
import { makeLink, skipWithout } from "../../../support/skips.ts";
import { tempFolders } from "../../../support/temp-folders.ts";
import { plant } from "../../../support/trees.ts";

const temp = tempFolders();

const LARGE = "a large file\n".repeat(500_000);
const LINES = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n";

async function bench(files: Readonly<Record<string, string>> = { "a.txt": LINES }): Promise<ReviewBench> {
  return ReviewBench.make(await temp(), files);
}

function largeChange({ copy }: ReviewBench): CopyChange {
  const [folder] = copy.folders;
  assert.ok(folder);
  const now = { kind: "file", mode: 0o644, bytes: 2 ** 40 } as const;
  return { folder, file: "a.txt", base: { ...now, bytes: LINES.length }, now };
}

/** A review in short: the result for each file, and why it needs an answer of its own. */
async function judged(one: ReviewBench, more?: Parameters<ReviewBench["review"]>[0]) {
  const { changes } = await one.review(more);
  return changes.map(({ label, kind, result, ownYes, added, removed }) =>
    [label, kind, result, `+${added} -${removed}`, ...ownYes].join(" "),
  );
}

describe("the review of an isolated run", () => {
  it("takes, merges, or declares a conflict, file by file", async () => {
    const one = await bench({
      "taken.txt": LINES,
      "merged.txt": LINES,
      "conflict.txt": LINES,
      "gone.txt": LINES,
      "same.txt": LINES,
    });
    await plant(one.copied, {
      "taken.txt": LINES.replace("two", "run"),
      "merged.txt": LINES.replace("two", "run"),
      "conflict.txt": LINES.replace("two", "run"),
      "same.txt": LINES.replace("two", "both"),
      "new/file.txt": "new\n",
    });
    await rm(join(one.copied, "gone.txt"));
    await plant(one.work, {
      "merged.txt": LINES.replace("six", "user"),
      "conflict.txt": LINES.replace("two", "user"),
      "same.txt": LINES.replace("two", "both"),
    });
    assert.deepEqual(await judged(one), [
      "conflict.txt edited conflict +1 -1",
      "gone.txt deleted taken +0 -7",
      "merged.txt edited merged +1 -1",
      "new/file.txt created taken +1 -0",
      "taken.txt edited taken +1 -1",
      "same.txt edited same +0 -0",
    ]);
  });

  it("puts what needs an answer of its own first, with the reasons", async () => {
    const one = await bench({ "tool.sh": "echo\n", "z.txt": "z\n" });
    await chmod(join(one.copied, "tool.sh"), 0o755);
    await makeLink("/etc", join(one.copied, "etc"));
    await plant(one.copied, {
      "z.txt": "changed\n",
      ".vscode/tasks.json": "{}\n",
      "picture.png": "\u0000\u0001",
      "re\u202eadme": "odd\n",
      "large.txt": "x".repeat(6_000_000),
      "new/-rf": "flag\n",
    });
    assert.deepEqual(await judged(one), [
      ".vscode/tasks.json created taken +1 -0 protected",
      "etc created taken +0 -0 link outside",
      "large.txt created taken +0 -0 huge",
      "new/-rf created taken +1 -0 name",
      "picture.png created taken +1 -0 binary",
      "re\u202eadme created taken +1 -0 name",
      "tool.sh edited taken +0 -0 mode",
      "z.txt edited taken +1 -1",
    ]);
  });

  it("declares a conflict where one side deleted what the other changed, and where something else is in the way", async () => {
    const one = await bench({ "here.txt": "a\n", "there.txt": "b\n" });
    await plant(one.copied, {
      "here.txt": "run\n",
      "both.txt": "run\n",
      folder: "file\n",
      "sub/x.txt": "x\n",
    });
    await rm(join(one.copied, "there.txt"));
    await plant(one.work, {
      "there.txt": "user\n",
      "both.txt": "user\n",
      "folder/own.txt": "user\n",
      sub: "a file\n",
    });
    await rm(join(one.work, "here.txt"));
    const { changes } = await one.review();
    assert.deepEqual(
      changes.map(({ label, result, why, settle }) => [label, result, why && writeInEnglish(why), settle]),
      [
        ["both.txt", "conflict", "The run and the workspace changed the same lines, in 1 place.", "merge"],
        ["folder", "conflict", "The workspace now has a folder with this name.", undefined],
        ["here.txt", "conflict", "The run changed it, and it was deleted in the workspace.", "replace"],
        ["sub/x.txt", "conflict", "A file or a link is where its folder should be.", undefined],
        ["there.txt", "conflict", "The run deleted it, and it was changed in the workspace.", "replace"],
      ],
    );
  });

  it("has a whole file taken where a conflict is too large to be merged, or no text", async () => {
    const one = await bench({ "large.txt": LARGE, "odd.bin": "\u0000\u0002\n" });
    await plant(one.copied, { "large.txt": `run\n${LARGE}`, "odd.bin": "\u0000\u0003\n" });
    await plant(one.work, { "large.txt": `user\n${LARGE}`, "odd.bin": "\u0000\u0004\n" });
    const { changes } = await one.review();
    const accepted = await one.acceptAll("run");
    assert.deepEqual(
      {
        changes: changes.map(({ label, result, settle }) => [label, result, settle]),
        files: accepted.files,
        large: (await readFile(join(one.work, "large.txt"), "utf8")).slice(0, 4),
      },
      {
        changes: [
          ["large.txt", "conflict", "replace"],
          ["odd.bin", "conflict", "replace"],
        ],
        files: ["large.txt", "odd.bin"],
        large: "run\n",
      },
    );
  });

  it("reads contents of a few files at a time, so that many or large ones don't fill the memory", async () => {
    const four = "x".repeat(4_000_000);
    const names = Array.from({ length: 8 }, (_, number) => `${number}.txt`);
    const one = await bench(Object.fromEntries(names.map((name) => [name, four])));
    await plant(one.copied, Object.fromEntries(names.map((name) => [name, `${four}\nrun\n`])));
    const asked: number[] = [];
    const baseContents = async (wanted: readonly CopyChange[]) => {
      asked.push(wanted.length);
      return new Map(wanted.map((change) => [change, Buffer.from(four)]));
    };
    const review = await one.review({ readBaseContents: baseContents });
    const texts = await listChangesWithTexts(review);
    const accepted = await one.accept(review, Object.fromEntries(names.map((name) => [name, "result"])));
    assert.deepEqual(
      { most: Math.max(...asked), texts: texts.length, accepted: accepted.files.length },
      { most: 2, texts: 8, accepted: 8 },
    );
  });

  it("compares a large file with its content at the start, where that is kept with the copy", async () => {
    const top = await temp();
    await plant(join(top, "work"), { "a.txt": LARGE });
    const copy = await copyOf(top, [join(top, "work")]);
    await writeFile(join(copy.folders[0]?.path ?? "", "a.txt"), `run\n${LARGE}`);
    const { signal } = new AbortController();
    const changes = await listCopyChanges(copy, signal);
    const review = await reviewCopy({
      copy,
      changes,
      ...{ runHome: join(top, "run"), seal: sha256 },
      signal,
      readBaseContents: readBaseContents,
    });
    assert.deepEqual(
      review.changes.map(({ label, result, ownYes }) => [label, result, ownYes]),
      [["a.txt", "taken", ["huge"]]],
    );
  });

  it("never takes names that leave the folder or belong to a repository", async () => {
    const one = await bench({});
    await plant(one.copied, { "sub/.GIT/hooks/pre-commit": "harm\n", "git~1/config": "harm\n" });
    assert.deepEqual(await judged(one), [
      "git~1/config created refused +0 -0",
      "sub/.GIT/hooks/pre-commit created refused +0 -0",
    ]);
  });

  it("looks through no link, on either side", async () => {
    const one = await bench({ "dir/a.txt": "a\n", "b.txt": "b\n" });
    const secret = join(one.runHome, "..", "secret");
    await plant(secret, { "a.txt": "secret\n" });
    await rename(join(one.copied, "dir"), join(one.copied, "moved"));
    await makeLink(secret, join(one.copied, "dir"));
    await rm(join(one.copied, "b.txt"));
    await makeLink(join(secret, "a.txt"), join(one.copied, "b.txt"));
    const review = await one.review();
    const texts = await Promise.all(review.changes.map((change) => readChangeTexts(review, change)));
    assert.equal(JSON.stringify(texts).includes("secret"), false);
  });

  it("shows the workspace now and the result, with conflicts marked", async () => {
    const one = await bench();
    await plant(one.copied, { "a.txt": LINES.replace("two", "run") });
    await plant(one.work, { "a.txt": LINES.replace("two", "user") });
    const review = await one.review();
    const [change] = review.changes;
    assert.deepEqual(change && (await readChangeTexts(review, change)), {
      mine: LINES.replace("two", "user"),
      result: LINES.replace("two", "<<<<<<< workspace\nuser\n=======\nrun\n>>>>>>> isolated run"),
    });
  });

  it("shows nothing that isn't what was compared and would be accepted", async () => {
    const one = await bench();
    await plant(one.copied, { "a.txt": "harm\n" });
    const review = await one.review();
    const [change] = review.changes;
    assert.ok(change);
    await plant(one.copied, { "a.txt": "harmless\n" });
    await assert.rejects(readChangeTexts(review, change), /has changed since this was shown/);
    assert.deepEqual(listChangedSince(review, await one.review()), ["a.txt"]);
    await plant(one.copied, { "a.txt": "harm\n" });
    assert.deepEqual(listChangedSince(review, await one.review()), []);
    assert.equal((await readChangeTexts(review, change)).result, "harm\n");
  });

  it("names a path outside the workspace folders in full, and has it accepted on its own", async () => {
    const one = await bench({});
    const [around, outer] = [join(one.work, "..", "around"), join(one.work, "..", "outer")];
    await plant(around, { "a.txt": "outside\n" });
    await plant(outer, { "b.txt": "" });
    await plant(one.copied, { "a.txt": "inside\n" });
    const now = { kind: "file", mode: 0o644, bytes: 1 } as const;
    const folders = [...one.copy.folders, { name: "work", origin: outer, path: around }];
    const changes = folders.map((folder) => ({ folder, file: "a.txt", now }));
    assert.deepEqual(await judged(one, { changes }), [
      `${join(outer, "a.txt")} created taken +1 -0 outside`,
      "a.txt created taken +1 -0",
    ]);
  });

  it("leaves a file with unsaved edits to its editor", async () => {
    const one = await bench();
    await plant(one.copied, { "a.txt": "run\n" });
    assert.deepEqual(await judged(one, { isUnsaved: (path) => path === join(one.work, "a.txt") }), [
      "a.txt edited conflict +1 -7",
    ]);
  });

  it("says so when the workspace folder is gone", async () => {
    const one = await bench();
    await plant(one.copied, { "a.txt": "run\n" });
    await rm(one.work, { recursive: true });
    await assert.rejects(one.review(), /The workspace folder work is no longer there/);
  });

  it("keeps line ends, encodings and a missing last newline byte by byte", async () => {
    const base = "\xef\xbb\xbfone\r\ntwo\r\ncaf\xe9\nfour\r\nfive\r\nlast";
    const one = await bench({});
    await writeFile(join(one.copied, "a.txt"), base, "latin1");
    await one.keepBase();
    await writeFile(join(one.copied, "a.txt"), base.replace("two", "run"), "latin1");
    await writeFile(join(one.work, "a.txt"), base.replace("last", "user"), "latin1");
    await one.acceptAll();
    assert.deepEqual(await treeOf(one.work), { "a.txt": base.replace("two", "run").replace("last", "user") });
  });

  it("judges names that differ only in case as one where the disk does", async () => {
    skipWithout("a disk that distinguishes names by case");
    const one = await bench({ "Readme.md": "text\n" });
    await rename(join(one.copied, "Readme.md"), join(one.copied, "README.md"));
    await plant(one.copied, { Twice: "1\n", twice: "2\n" });
    const ignoresCase = async () => true;
    const { changes } = await one.review({ isCaseInsensitive: ignoresCase });
    assert.deepEqual(
      changes.map(({ label, result, needs }) => [label, result, ...needs]),
      [
        ["twice", "refused"],
        ["README.md", "taken", "Readme.md"],
        ["Readme.md", "taken"],
        ["Twice", "taken"],
      ],
    );
  });

  it("refuses a file that is too large to be written at once, without reading it", async () => {
    const one = await bench();
    await truncate(join(one.copied, "a.txt"), 2 ** 40);
    assert.deepEqual(await judged(one, { changes: [largeChange(one)] }), ["a.txt edited refused +0 -0"]);
  });

  it("stops when it's canceled", async () => {
    const one = await bench();
    await plant(one.copied, { "a.txt": "run\n" });
    await assert.rejects(one.review({ signal: AbortSignal.abort(new Error("Canceled.")) }), /Canceled/);
  });
});

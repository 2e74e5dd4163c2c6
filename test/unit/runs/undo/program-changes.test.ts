import assert from "node:assert/strict";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { writeInEnglish } from "../../../../src/texts/display-text.ts";
import { tempFolders } from "../../../support/temp-folders.ts";
import { NO_WATCH, UndoBench } from "../../../support/undo-bench.ts";

const tempFolder = tempFolders();

/** A folder in which the agent wrote a file and then ran a program that made, changed and deleted some. */
async function ran() {
  const root = await tempFolder();
  const [work, run] = [join(root, "work"), join(root, "run")];
  await mkdir(work);
  for (const name of ["theirs.txt", "gone.txt"]) await writeFile(join(work, name), `${name}\n`);
  await writeFile(join(work, ".gitignore"), "ignored.txt\n");
  const bench = new UndoBench(work, run, undefined, NO_WATCH);
  await bench.write("own.txt", "the agent's\n");
  const line =
    "echo more >> own.txt && echo more >> theirs.txt && rm gone.txt && echo x > new.txt && echo x > ignored.txt";
  const outcome = await bench.act("execute_shell", { command_line: line });
  return { root, work, bench, outcome };
}

describe("undo of what a program changed", () => {
  if (process.platform === "win32") return;

  it("is reported at once, with what can't be undone", async () => {
    const { outcome } = await ran();
    assert.match(
      outcome.status === "done" ? outcome.output : "",
      /\n\nFiles that it changed: gone\.txt \(deleted\), theirs\.txt, new\.txt \(new\)\.\nChanged, can't be undone: gone\.txt, theirs\.txt\.$/,
    );
  });

  it("takes back what was kept or made, and says of the rest why it cannot", async () => {
    const { work, bench } = await ran();
    const { conflicts, unseen } = await bench.undo.undo({ step: 2 });
    assert.deepEqual(
      {
        own: await readFile(join(work, "own.txt"), "utf8"),
        files: (await readdir(work)).toSorted(),
        conflicts: conflicts.map(({ file, why }) => `${file}: ${writeInEnglish(why)}`).toSorted(),
        unseen,
      },
      {
        own: "the agent's\n",
        files: [".gitignore", "ignored.txt", "own.txt", "theirs.txt"],
        conflicts: ["gone.txt", "theirs.txt"].map(
          (file) =>
            `${file}: Its earlier state can't be restored. A program changed it, and its earlier content wasn't kept.`,
        ),
        unseen: [],
      },
    );
  });

  it("takes the whole run back where the agent's own file was changed by a program in between", async () => {
    const { work, bench } = await ran();
    await bench.undo.undo({});
    assert.deepEqual((await readdir(work)).toSorted(), [".gitignore", "ignored.txt", "theirs.txt"]);
  });

  it("takes no room for files that no program has touched, and names none of them", async () => {
    const { root, bench } = await ran();
    const journal = join(root, "run", "undo.jsonl");
    await bench.act("execute_shell", { command_line: "true" });
    const [before, images] = [await readFile(journal, "utf8"), await readdir(join(root, "run", "pre-images"))];
    await bench.act("execute_shell", { command_line: "true" });
    const written = (await readFile(journal, "utf8")).slice(before.length);
    // A look at the folder has a time limit, so a busy machine may note none.
    const lines: readonly { readonly id: number; readonly files: readonly string[]; readonly seen?: true }[] = written
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      {
        ran: lines.filter(({ seen }) => !seen).map(({ id: _, ...line }) => line),
        named: lines.flatMap(({ files }) => files),
        kept: (await readdir(join(root, "run", "pre-images"))).length - images.length,
      },
      {
        ran: [{ by: "step", step: 4, files: [], ran: true }],
        named: [],
        kept: 0,
      },
    );
  });

  it("brings back what the user has made of the agent's own file between two programs", async () => {
    const { work, bench } = await ran();
    await bench.act("execute_shell", { command_line: "true" });
    await writeFile(join(work, "own.txt"), "the user's\n");
    await bench.act("execute_shell", { command_line: "echo more >> own.txt" });
    const { conflicts } = await bench.undo.undo({ step: 4 });
    assert.deepEqual([conflicts, await readFile(join(work, "own.txt"), "utf8")], [[], "the user's\n"]);
  });

  it("takes back what came before a program that was cut off, where the program has changed nothing", async () => {
    const { root, work, bench } = await ran();
    await bench.journal.beginProgram(3, [join(work, "own.txt"), join(work, "new.txt")]);
    await writeFile(join(work, "new.txt"), "half done\n");
    const { conflicts } = await new UndoBench(work, join(root, "run")).undo.undo({});
    assert.deepEqual(
      [
        conflicts.map(({ file, why }) => `${file}: ${writeInEnglish(why)}`).at(-1),
        (await readdir(work)).includes("own.txt"),
      ],
      ["new.txt: It was changed afterward.", false],
    );
  });
});

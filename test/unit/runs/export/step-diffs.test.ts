import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { exportRun } from "../../../../src/runs/export/export-run.ts";
import { createStepDiffs } from "../../../../src/runs/export/step-diffs.ts";
import { createPreImages } from "../../../../src/runs/undo/pre-images.ts";
import { says } from "../../../support/fake-model.ts";
import { rehearse } from "../../../support/rehearsal.ts";
import { tempFolders } from "../../../support/temp-folders.ts";
import { UndoBench } from "../../../support/undo-bench.ts";

const tempFolder = tempFolders();

async function diffs() {
  const root = await tempFolder();
  const [work, run] = [join(root, "work"), join(root, "run")];
  await mkdir(work);
  await writeFile(join(work, "a.txt"), "one\ntwo\n");
  const bench = new UndoBench(work, run);
  await bench.write("a.txt", "one\n2\n");
  await bench.write("deep/new.txt", "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789\n");
  await bench.act("delete_file", { filename: "a.txt" });
  await bench.write("lost.txt", "first\n");
  await writeFile(join(work, "lost.txt"), "the user's\n");
  return createStepDiffs(await bench.journal.read(), { kept: createPreImages(run), folder: work });
}

describe("the diffs of a run's steps", () => {
  it("show what each step did to each file, as far as that is known", async () => {
    const all = [...(await diffs())].map(([step, texts]) => `${step}:\n${texts.join("\n")}`).join("\n");
    assert.equal(
      all.replace(/sk-ant\S+/, "KEY"),
      [
        "1:\n--- a.txt\n+++ a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2",
        "2:\n--- /dev/null\n+++ deep/new.txt\n@@ -0,0 +1,1 @@\n+KEY",
        "3:\n--- a.txt\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-one\n-2",
        "4:\nlost.txt changed; its text is unknown.",
      ].join("\n"),
    );
  });

  it("appear in a report and in a page, without secrets", async () => {
    const { log } = await rehearse({
      answers: [says("write_note", { title: "a" }), says("write_note", { title: "b" }), says("task_complete", {})],
    });
    const changes = await diffs();
    const told = (["markdown", "html"] as const).map(
      (format) => exportRun(log.events, format, [], changes)[0]?.text ?? "",
    );
    assert.deepEqual(
      told.map((text) => [text.includes("@@ -1,2 +1,2 @@"), text.includes("abcdefghij")]),
      [
        [true, false],
        [true, false],
      ],
    );
  });
});

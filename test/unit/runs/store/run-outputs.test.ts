import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createRunOutputs } from "../../../../src/runs/store/run-outputs.ts";
import { says } from "../../../support/fake-model.ts";
import { rehearse } from "../../../support/rehearsal.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

describe("the full output of a step", () => {
  const tempFolder = tempFolders();

  it("is what its command kept, else what the log contains, else nothing", async () => {
    const folder = await tempFolder();
    const answers = [says("read_note", { title: "a" }), says("task_complete", { title: "Done." })];
    const { log } = await rehearse({ answers });
    await writeFile(join(folder, "run.jsonl"), log.events.map((event) => `${JSON.stringify(event)}\n`).join(""));
    const outputs = createRunOutputs(folder, { read: async (step) => (step === 2 ? "kept" : undefined) });
    assert.deepEqual(
      [await outputs.read(1), await outputs.read(2), await outputs.read(3)],
      ['The note "a" is empty.', "kept", undefined],
    );
  });

  it("is nothing where there is no log", async () => {
    const outputs = createRunOutputs(await tempFolder(), { read: async () => undefined });
    assert.equal(await outputs.read(1), undefined);
  });
});

import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { writeDebugFiles } from "../../../../src/runs/export/debug-files.ts";
import { exportRun } from "../../../../src/runs/export/export-run.ts";
import { writeInEnglish } from "../../../../src/texts/display-text.ts";
import { says } from "../../../support/fake-model.ts";
import { deciding, rehearsal } from "../../../support/rehearsal.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

const tempFolder = tempFolders();

/** A run with debug files for the steps that `isOn` wants, and these files by name. */
async function written(isOn: (step: number) => boolean, folder: string) {
  const { live, run, log } = await rehearsal({
    answers: [
      says("read_note", { title: "a" }),
      says("write_note", { title: "b", text: "x" }),
      { text: "no JSON" },
      says("task_complete", { title: "." }),
    ],
    approver: deciding({ allow: true }, { allow: false, feedback: "Not that one." }),
  });
  const troubles: string[] = [];
  let step = 0;
  const settled = writeDebugFiles(run, {
    folder,
    isOn: () => isOn(++step),
    reportTrouble: (text) => troubles.push(writeInEnglish(text).replace(folder, "DIR")),
  });
  live.resume();
  await live.end;
  await settled();
  const names = globSync("DEBUG/*/*", { cwd: folder }).map((name) => name.replaceAll("\\", "/"));
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), "utf8")));
  const files = Object.fromEntries(names.map((name, i) => [name.replace("DEBUG/", ""), texts[i]]));
  return { files, troubles, events: log.events };
}

describe("the debug files of a run at work", () => {
  it("are those of its exported debug log", async () => {
    const { files, events } = await written(() => true, await tempFolder());
    const exported = exportRun(events, "debugLog").filter(({ name }) => name !== "002/3_user_input.txt");
    assert.deepEqual(files, Object.fromEntries(exported.map(({ name, text }) => [name, text])));
  });

  it("are written for the steps that begin while the setting is on", async () => {
    const { files } = await written((step) => step === 2, await tempFolder());
    assert.deepEqual(Object.keys(files).sort(), [
      "001/0_full_message_history.json",
      "001/1_current_context.json",
      "001/2_next_action.json",
      "001/3_user_input.txt",
    ]);
  });

  it("never stop a run: what is wrong is reported once", async () => {
    const folder = await tempFolder();
    await writeFile(join(folder, "DEBUG"), "");
    const { troubles, events } = await written(() => true, folder);
    assert.deepEqual(
      [troubles.length, /^Debug files can't be written: /.test(troubles[0] ?? ""), events.at(-1)?.type],
      [1, true, "over"],
    );
  });
});

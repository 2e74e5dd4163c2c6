import assert from "node:assert/strict";
import { listStepMessages } from "../../../../src/editor/panel/feed.ts";
import { createProblemReport, exportRun } from "../../../../src/runs/export/export-run.ts";
import { importRun, readExported } from "../../../../src/runs/export/import-run.ts";
import { replay } from "../../../../src/runs/replay/replay.ts";
import { createRunStoreForHomes } from "../../../../src/runs/store/run-store.ts";
import { writeInEnglish } from "../../../../src/texts/display-text.ts";
import { says } from "../../../support/fake-model.ts";
import { rehearse } from "../../../support/rehearsal.ts";
import { sampleOwner, sampleStart } from "../../../support/sample-run.ts";
import { logText } from "../../../support/stored-history.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

const tempFolder = tempFolders();

async function recorded() {
  const { log } = await rehearse({
    answers: [says("read_note", { title: "a" }), says("task_complete", { title: "Done." })],
    start: { task: "Look into /home/ann/work/secret-plans.", folder: "/home/ann/work" },
  });
  return log.events;
}

async function exportedJson(): Promise<string> {
  return exportRun(await recorded(), "json")[0]?.text ?? "";
}

describe("importing a run", () => {
  it("gives the run that was exported, to be read and forked", async () => {
    const home = await tempFolder();
    const id = await importRun(home, await exportedJson());
    const { events, readOnly } = await createRunStoreForHomes([home], sampleOwner("me")).open(id);
    assert.deepEqual(
      { id, events, readOnly: writeInEnglish(readOnly ?? "").includes("fork it") },
      {
        id: sampleStart().id,
        events: (await recorded()).map((event) =>
          event.type === "started" ? { ...event, machine: "imported" } : event,
        ),
        readOnly: true,
      },
    );
  });

  it("gives one of 3,000 steps whole, as of any of its steps", async () => {
    const home = await tempFolder();
    const source = "20260102_030405_scribe_0a1b";
    const lines = logText(source, 3_000).trim().split("\n");
    const id = await importRun(home, `{"format":"autogpt-run","version":1,"events":[${lines.join(",")}]}`);
    const { events } = await createRunStoreForHomes([home], sampleOwner("me")).open(id);
    const [snapshot] = listStepMessages(id, events, 1_500);
    assert.deepEqual(
      { count: events.length, at: snapshot?.type === "snapshot" && [snapshot.at?.step, snapshot.at?.of] },
      { count: lines.length, at: [1_500, 3_000] },
    );
  });

  it("finds another id where that run is there already", async () => {
    const home = await tempFolder();
    const ids = [await importRun(home, await exportedJson()), await importRun(home, await exportedJson())];
    const listed = (await createRunStoreForHomes([home], sampleOwner("me")).list()).map(
      ({ id, state }) => `${id} ${state}`,
    );
    assert.deepEqual(listed.toSorted(), ids.map((id) => `${id} finished`).toSorted());
  });

  it("refuses what is no run, or not all of one", async () => {
    const json = await exportedJson();
    const damaged = json.replace('"status": "finished"', '"status": "unheard of"');
    const refused = ["{", "[]", '{"format":"autogpt-run","version":2,"events":[]}', damaged].map((text) => {
      try {
        return String(readExported(text).length);
      } catch (error) {
        return error instanceof Error ? error.message.slice(0, 30) : "";
      }
    });
    assert.deepEqual(refused, [
      "That file isn't an exported ru",
      "That file isn't an exported ru",
      "A newer version of AutoGPT exp",
      "Event 11 of 12 in that file is",
    ]);
  });
});

describe("a problem report", () => {
  it("reveals neither keys nor where the user's files are, and can still be replayed", async () => {
    const events = await recorded();
    const hidden = { keys: ["sk-very-secret-key"], folder: "/home/ann/work", home: "/home/ann" };
    const about = { version: "1", log: "key sk-very-secret-key in /home/ann/x" };
    const text = createProblemReport(events, about, hidden);
    const { differs } = await replay(readExported(text));
    assert.deepEqual(
      { leaks: /ann|very-secret/.test(text), task: text.includes("[folder]/secret-plans"), differs },
      { leaks: false, task: true, differs: undefined },
    );
  });
});

import assert from "node:assert/strict";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Migrations, migrateEvent, parseLog, readLog } from "../../../../src/runs/log/read-log.ts";
import { openRunLog, rewriteLog } from "../../../../src/runs/log/run-log.ts";
import { sampleStart } from "../../../support/sample-run.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

const tempFolder = tempFolders();
const AT = "2026-01-02T03:04:05.000Z";

/** Two made-up older schemas: in the first `said` had another name, in the second it had no `by`. */
const OLDER: Migrations = {
  to: 1,
  steps: new Map([
    [-1, (event) => (event.type === "told" ? { ...event, type: "said" } : event)],
    [0, (event) => (event.type === "said" ? { ...event, by: "user" } : event)],
  ]),
};

const start = (schema: number) => ({ seq: 0, at: AT, ...sampleStart({ schema }) });
const today = [start(1), { seq: 1, at: AT, type: "said", text: "Hello.", by: "user" }];

function text(...lines: readonly object[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

describe("a log of an older schema", () => {
  it("is migrated as it is read, schema by schema", () => {
    const oldest = text(start(-1), { seq: 1, at: AT, type: "told", text: "Hello." });
    const old = text(start(0), { seq: 1, at: AT, type: "said", text: "Hello." });
    assert.deepEqual(
      [oldest, old, text(...today)].map((log) => {
        const { events, older } = parseLog(log, OLDER);
        return { events, older };
      }),
      [
        { events: today, older: true },
        { events: today, older: true },
        { events: today, older: false },
      ],
    );
  });

  it("stays as it is where there is no way to today's schema", () => {
    const event = { seq: 1, type: "told" };
    assert.deepEqual(
      {
        noWay: migrateEvent(event, -7, OLDER) === event,
        noSchema: migrateEvent(event, undefined, OLDER) === event,
        noEvent: migrateEvent(7, 0, OLDER),
      },
      { noWay: true, noSchema: true, noEvent: 7 },
    );
  });

  it("is rewritten before its run is resumed, and kept", async () => {
    const folder = await tempFolder();
    const old = text(start(0), { seq: 1, at: AT, type: "said", text: "Hello." });
    await writeFile(join(folder, "run.jsonl"), old);
    await rewriteLog(folder, parseLog(old, OLDER).events);
    const log = await openRunLog(folder);
    await log.append({ seq: 2, at: AT, type: "said", text: "On.", by: "user" });
    await log.close();
    const { events, older } = await readLog(folder);
    assert.deepEqual(
      {
        events: events.length,
        older,
        files: (await readdir(folder)).map((name) => name.replace(/\d+/, "N")),
      },
      { events: 3, older: false, files: ["run.N.old.jsonl", "run.jsonl"] },
    );
  });
});

import assert from "node:assert/strict";
import { appendFile, mkdir, readdir, readFile, rename, rm, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Run } from "../../../../src/core/events/run.ts";
import { openRunLog } from "../../../../src/runs/log/run-log.ts";
import {
  deleteRunSoftly,
  listExpiredRuns,
  listSoftDeletedRuns,
  restoreDeleted,
} from "../../../../src/runs/store/deleted-runs.ts";
import { getRunsFolder } from "../../../../src/runs/store/run-folder.ts";
import { changeRunMetadata } from "../../../../src/runs/store/run-metadata.ts";
import { createRunStoreForHomes } from "../../../../src/runs/store/run-store.ts";
import type { AgentEventBody } from "../../../../src/schema/events.ts";
import { writeInEnglish } from "../../../../src/texts/display-text.ts";
import { sampleOwner, sampleStart, sampleTail } from "../../../support/sample-run.ts";
import { makeLink, skipWithout } from "../../../support/skips.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

const tempFolder = tempFolders();
const ME = sampleOwner();
const FIRST = "20260102_030405_scribe_0a1b";
const SECOND = "20260102_030406_scribe_0a1c";

/** Stores a run with these events after its start. */
async function storeRun(home: string, id: string, ...bodies: readonly AgentEventBody[]): Promise<string> {
  const folder = join(getRunsFolder(home), id);
  const run = await Run.start(await openRunLog(folder), sampleStart({ id }));
  for (const body of bodies) await run.record(body);
  await run.close();
  return folder;
}

const STEP: readonly AgentEventBody[] = [
  { type: "asked", step: 1, format: "text", tail: sampleTail() },
  {
    type: "replied",
    step: 1,
    format: "text",
    text: "?",
    calls: [],
    finish: "stop",
    reply: { kind: "unreadable", problem: "?" },
    model: "m",
    costUsd: 0.25,
  },
  { type: "ended", step: 1, outcome: { status: "failed", error: "?" } },
  { type: "spent", on: "draft", model: "m" },
];

describe("the list of runs", () => {
  it("describes each briefly, the newest first", async () => {
    const home = await tempFolder();
    const first = await storeRun(home, FIRST, ...STEP, { type: "over", end: { reason: "stopped" } });
    const second = await storeRun(home, SECOND);
    const listed = (await createRunStoreForHomes([home], ME).list()).map(
      ({ startedAt, writtenMs: _written, logBytes: _bytes, ...rest }) => ({
        ...rest,
        dated: startedAt !== "",
      }),
    );
    const common = { task: "Tidy the notes.", name: "Scribe", dated: true };
    assert.deepEqual(listed, [
      { ...common, id: SECOND, state: "open", steps: 0, usd: 0, unpriced: false, folder: second },
      { ...common, id: FIRST, state: "stopped", steps: 1, usd: 0.25, unpriced: true, folder: first },
    ]);
  });

  it("says what became of the changes of an isolated run", async () => {
    const home = await tempFolder();
    const isolated = { home: "/copies/one", engine: "bubblewrap", folders: [] };
    const listed = async (id: string, ...bodies: readonly AgentEventBody[]) => {
      const run = await Run.start(
        await openRunLog(join(getRunsFolder(home), id)),
        sampleStart({ id, isolated, mode: "isolated" }),
      );
      for (const body of bodies) await run.record(body);
      await run.close();
    };
    await listed(FIRST, { type: "reviewed", what: "branch", files: ["a.ts"], branch: "b" });
    await listed(SECOND);
    const all = await createRunStoreForHomes([home], ME).list();
    assert.deepEqual(
      all.map((run) => [run.id, run.isolated]),
      [
        [SECOND, "none"],
        [FIRST, "branch"],
      ],
    );
  });

  it("is empty where there are no runs", async () => {
    assert.deepEqual(await createRunStoreForHomes([await tempFolder(), "/nowhere"], ME).list(), []);
  });

  it("follows a run in progress, reading only what is new", async () => {
    const home = await tempFolder();
    const store = createRunStoreForHomes([home], ME);
    const folder = await storeRun(home, FIRST);
    const states = [(await store.list())[0]?.state];
    for (const body of [
      { type: "paused", reason: "Tea." },
      { type: "resumed", reason: "" },
      { type: "over", end: { reason: "finished", summary: "" } },
    ] as const) {
      const run = Run.openStored(await openRunLog(folder), (await store.open(FIRST)).events);
      await run.record(body);
      await run.close();
      states.push((await store.list())[0]?.state);
    }
    assert.deepEqual(states, ["open", "paused", "open", "finished"]);
  });
});

describe("the list of runs, read from the disk", () => {
  it("is the same from its cache, from a damaged cache, and from none", async () => {
    const home = await tempFolder();
    await storeRun(home, FIRST, ...STEP);
    const cache = join(getRunsFolder(home), "briefs.json");
    const fresh = await createRunStoreForHomes([home], ME).list();
    const cached = await createRunStoreForHomes([home], ME).list();
    await writeFile(cache, '{"version":1,"runs":{"x":7}}');
    const damaged = await createRunStoreForHomes([home], ME).list();
    await rm(cache);
    await mkdir(cache);
    const uncached = await createRunStoreForHomes([home], ME).list();
    assert.deepEqual([cached, damaged, uncached], [fresh, fresh, fresh]);
  });

  it("is kept beside the runs once that spares much reading, and not with each event", async () => {
    const home = await tempFolder();
    const folder = await storeRun(home, FIRST);
    const cache = async () => (await readdir(getRunsFolder(home))).filter((name) => name.startsWith("briefs"));
    const store = createRunStoreForHomes([home], ME);
    const seen: (readonly string[])[] = [];
    for (const text of ["short", "x".repeat(1_000_000)]) {
      const run = Run.openStored(await openRunLog(folder), (await store.open(FIRST)).events);
      await run.record({ type: "said", text, by: "user" });
      await run.close();
      await store.list();
      seen.push(await cache());
    }
    assert.deepEqual(seen, [[], ["briefs.json"]]);
  });

  it("rereads a log that was replaced by a shorter one", async () => {
    const home = await tempFolder();
    const folder = await storeRun(home, FIRST, ...STEP);
    const store = createRunStoreForHomes([home], ME);
    await store.list();
    const [start] = (await readFile(join(folder, "run.jsonl"), "utf8")).split("\n");
    await writeFile(join(folder, "run.jsonl"), `${start}\n`);
    assert.equal((await store.list())[0]?.steps, 0);
  });

  it("rereads a log that was replaced by another, longer one", async () => {
    const home = await tempFolder();
    const folder = await storeRun(home, FIRST, ...STEP);
    const store = createRunStoreForHomes([home], ME);
    await store.list();
    const other = await storeRun(home, SECOND, ...STEP, ...STEP, ...STEP);
    await rename(join(other, "run.jsonl"), join(folder, "run.jsonl"));
    assert.equal((await store.list())[0]?.usd, 0.75);
  });

  it("reports what was added to a log in the same tick of the disk's clock", async () => {
    const home = await tempFolder();
    const path = join(await storeRun(home, FIRST), "run.jsonl");
    const store = createRunStoreForHomes([home], ME);
    const then = new Date(1_750_000_000_000);
    await utimes(path, then, then);
    await store.list();
    const run = Run.openStored(await openRunLog(dirname(path)), (await store.open(FIRST)).events);
    await run.record({ type: "over", end: { reason: "stopped" } });
    await run.close();
    await utimes(path, then, then);
    assert.equal((await store.list())[0]?.state, "stopped");
  });

  it("reads logs larger than a piece at a time, lines larger than a piece included", async () => {
    const home = await tempFolder();
    const long = "x".repeat(300_000);
    await storeRun(
      home,
      FIRST,
      { type: "said", text: long, by: "user" },
      { type: "said", text: "字".repeat(200_000), by: "user" },
      ...STEP,
    );
    assert.equal((await createRunStoreForHomes([home], ME).list())[0]?.usd, 0.25);
  });
});

describe("a run in the list that can only be read", () => {
  it("says that another machine wrote it", async () => {
    const home = await tempFolder();
    await storeRun(home, FIRST);
    const [run] = await createRunStoreForHomes([home], sampleOwner("another")).list();
    assert.equal(
      writeInEnglish(run?.readOnly ?? ""),
      "Another machine or user wrote this run. You can read it here, or fork it to continue from it.",
    );
  });

  it("says that it is damaged, and shows the part that is intact", async () => {
    const home = await tempFolder();
    const folder = await storeRun(home, FIRST, ...STEP);
    await appendFile(join(folder, "run.jsonl"), "garbage\n");
    const [run] = await createRunStoreForHomes([home], ME).list();
    assert.deepEqual(
      [run?.steps, writeInEnglish(run?.readOnly ?? "")],
      [1, "The log of this run is damaged. The readable part is shown; fork it to continue."],
    );
  });

  it("says so when nothing of it can be read, but when it began", async () => {
    const home = await tempFolder();
    const folder = join(getRunsFolder(home), FIRST);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "run.jsonl"), "garbage\n");
    const [run] = await createRunStoreForHomes([home], ME).list();
    assert.deepEqual(
      [run?.name, run?.startedAt, writeInEnglish(run?.readOnly ?? "")],
      [
        "unreadable run",
        new Date(2026, 0, 2, 3, 4, 5).toISOString(),
        "The log of this run is empty or damaged from its first line on, so there's nothing to show.",
      ],
    );
  });

  it("is not one behind a symbolic link, nor a folder of another name", async () => {
    skipWithout("files as POSIX has them");
    const home = await tempFolder();
    const folder = await storeRun(home, FIRST);
    await makeLink(folder, join(getRunsFolder(home), SECOND));
    await mkdir(join(getRunsFolder(home), "notes"));
    assert.deepEqual(
      (await createRunStoreForHomes([home], ME).list()).map(({ id }) => id),
      [FIRST],
    );
  });
});

describe("opening a run", () => {
  it("gives its events and its folder", async () => {
    const home = await tempFolder();
    const folder = await storeRun(home, FIRST, ...STEP);
    const run = await createRunStoreForHomes(["/nowhere", home], ME).open(FIRST);
    assert.deepEqual([run.id, run.folder, run.events.length, run.readOnly], [FIRST, folder, 5, undefined]);
  });

  it("allows only to read what another machine wrote", async () => {
    const home = await tempFolder();
    await storeRun(home, FIRST);
    assert.match(
      writeInEnglish((await createRunStoreForHomes([home], sampleOwner("another")).open(FIRST)).readOnly ?? ""),
      /^Another machine/,
    );
  });

  it("allows only to read a run whose folder was renamed", async () => {
    const home = await tempFolder();
    const folder = await storeRun(home, FIRST);
    await rename(folder, join(getRunsFolder(home), SECOND));
    assert.match(
      writeInEnglish((await createRunStoreForHomes([home], ME).open(SECOND)).readOnly ?? ""),
      new RegExp(`^The run's folder was renamed from ${FIRST}`),
    );
  });

  for (const id of [FIRST, "../secrets", ""]) {
    it(`says so when there is none of the name ${JSON.stringify(id)}`, async () => {
      const home = await tempFolder();
      await assert.rejects(createRunStoreForHomes([home], ME).open(id), {
        message: `There's no run "${id}" here. Look for its name in the list of runs.`,
      });
    });
  }
});

describe("a run that is deleted", () => {
  it("is in no list any more, and back in it when that is undone", async () => {
    const home = await tempFolder();
    const store = createRunStoreForHomes([home], ME);
    await storeRun(home, FIRST);
    const ids = async () => (await store.list()).map(({ id }) => id);
    const aside = await deleteRunSoftly(await store.findRunFolder(FIRST));
    const [deleted, left] = [await ids(), await listSoftDeletedRuns(getRunsFolder(home))];
    await restoreDeleted(aside);
    assert.deepEqual(
      { deleted, left, back: await ids(), after: await listSoftDeletedRuns(getRunsFolder(home)) },
      { deleted: [], left: [aside], back: [FIRST], after: [] },
    );
  });
});

describe("a run with marks", () => {
  it("is listed with them, and without once they are taken off", async () => {
    const home = await tempFolder();
    const store = createRunStoreForHomes([home], ME);
    const folder = await storeRun(home, FIRST);
    const marks = async () => (await store.list()).map(({ title, pinned }) => ({ title, pinned }));
    await changeRunMetadata(folder, { title: "Mine", pinned: true });
    const marked = await marks();
    await changeRunMetadata(folder, { title: "" });
    await changeRunMetadata(folder, { pinned: false });
    assert.deepEqual(
      { marked, after: await marks(), files: await readdir(folder) },
      {
        marked: [{ title: "Mine", pinned: true }],
        after: [{ title: undefined, pinned: undefined }],
        files: ["run.jsonl"],
      },
    );
  });
});

describe("runs that are cleaned up", () => {
  it("are unused ones of this machine, neither pinned nor open", async () => {
    const home = await tempFolder();
    const ids = ["old", "new", "pinned", "foreign", "open"].map((name) => `20260102_030405_${name}_0a1b`);
    const now = Date.parse("2026-06-01T00:00:00Z");
    for (const id of ids) {
      const folder = await storeRun(home, id);
      const written = new Date(now - (id.includes("new") ? 1 : 100) * 86_400_000);
      await utimes(join(folder, "run.jsonl"), written, written);
      if (id.includes("pinned")) await changeRunMetadata(folder, { pinned: true });
    }
    const all = (await createRunStoreForHomes([home], ME).list()).map((run) =>
      run.id.includes("foreign") ? { ...run, readOnly: "Another machine wrote it." } : run,
    );
    const open = new Set(ids.filter((id) => id.includes("open")));
    const gone = [90, 0].map((days) => listExpiredRuns(all, { days, now, open }).map(({ id }) => id));
    assert.deepEqual({ after90Days: gone[0], kept: gone[1] }, { after90Days: [ids[0]], kept: [] });
  });
});

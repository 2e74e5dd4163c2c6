import assert from "node:assert/strict";
import { mkdir, readFile, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Run } from "../../../../src/core/events/run.ts";
import type { Seal } from "../../../../src/runs/log/log-seal.ts";
import { readLog } from "../../../../src/runs/log/read-log.ts";
import { openRunLog, rewriteLog } from "../../../../src/runs/log/run-log.ts";
import { loadRunOwner } from "../../../../src/runs/store/machine.ts";
import { getRunsFolder } from "../../../../src/runs/store/run-folder.ts";
import { createRunStoreForHomes, type RunStore } from "../../../../src/runs/store/run-store.ts";
import { writeInEnglish } from "../../../../src/texts/display-text.ts";
import { sampleStart } from "../../../support/sample-run.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

const tempFolder = tempFolders();

const RUN = "20260102_030405_scribe_0a1b";

describe("the owner of runs", () => {
  it("has one key, which is made once and for them alone", async () => {
    const folder = join(await tempFolder(), "data");
    const marks = [await loadRunOwner(folder), await loadRunOwner(folder)].map(({ computeMark }) => computeMark(RUN));
    const mode = (await stat(join(folder, "run-key"))).mode & 0o777;
    assert.deepEqual(
      [new Set(marks).size, marks[0]?.length, process.platform === "win32" || mode === 0o600],
      [1, 64, true],
    );
  });

  it("is the same for all who ask at once", async () => {
    const folder = await tempFolder();
    const owners = await Promise.all(Array.from({ length: 50 }, () => loadRunOwner(folder)));
    assert.equal(new Set(owners.map(({ computeMark }) => computeMark(RUN))).size, 1);
  });

  it("differs between users, and so do the marks of runs", async () => {
    const [one, other] = [await loadRunOwner(await tempFolder()), await loadRunOwner(await tempFolder())];
    assert.equal(new Set([one.computeMark(RUN), other.computeMark(RUN), one.computeMark(`${RUN}2`)]).size, 3);
  });

  it("doesn't take another run's mark, or the old id in a log that was written later, for theirs", async () => {
    const folder = await tempFolder();
    await writeFile(join(folder, "machine-id"), "old\n");
    const owner = await loadRunOwner(folder);
    const [before, later] = [Date.now() - 60_000, Date.now() + 60_000];
    assert.deepEqual(
      {
        own: owner.isOwnRun(RUN, owner.computeMark(RUN), later),
        another: owner.isOwnRun(RUN, owner.computeMark("other"), before),
        old: owner.isOwnRun(RUN, "old", before),
        oldAndNew: owner.isOwnRun(RUN, "old", later),
        strange: owner.isOwnRun(RUN, "older", before),
      },
      { own: true, another: false, old: true, oldAndNew: false, strange: false },
    );
  });

  it("says what to do when it cannot be kept", async () => {
    const folder = await tempFolder();
    await mkdir(join(folder, "run-key"));
    await assert.rejects(
      loadRunOwner(folder),
      /^DisplayError: The id of this machine can't be stored in .+run-key\. Make that file writable/,
    );
    const other = await tempFolder();
    await writeFile(join(other, "run-key"), "x".repeat(500));
    await assert.rejects(loadRunOwner(other), /or remove it if it's damaged/);
  });
});

describe("a run of an earlier version", () => {
  /** A stored run with the old id of a user, whose key was made at this time. */
  async function oldRun(keyMadeMs: number): Promise<{ folder: string; store: RunStore; mark: string; seal: Seal }> {
    const [home, data] = [await tempFolder(), await tempFolder()];
    await writeFile(join(data, "machine-id"), "old\n");
    for (const name of ["run-key", "seal-key"]) await writeFile(join(data, name), `secret ${keyMadeMs}\n`);
    const folder = join(getRunsFolder(home), RUN);
    await (await Run.start(await openRunLog(folder), sampleStart({ id: RUN, machine: "old" }))).close();
    const owner = await loadRunOwner(data);
    return {
      folder,
      store: createRunStoreForHomes([home], owner),
      mark: owner.computeMark(RUN),
      seal: owner.createSeal(RUN),
    };
  }

  it("stays the user's own, and gets today's mark once it is resumed", async () => {
    const { folder, store, mark, seal } = await oldRun(Date.now() + 60_000);
    const run = await store.open(RUN);
    const [listed] = await store.list();
    await rewriteLog(folder, run.events, seal);
    assert.deepEqual(
      [run, await store.open(RUN)].map(({ older, readOnly, events: [first] }) => ({
        ...{ older, readOnly },
        marked: first?.type === "started" && first.machine === mark,
      })),
      [
        { older: true, readOnly: undefined, marked: true },
        { older: false, readOnly: undefined, marked: true },
      ],
    );
    assert.equal(listed?.readOnly, undefined);
  });

  it("is another's if its file came later, whatever its dates say", async () => {
    const { folder, store } = await oldRun(Date.now() - 60_000);
    await utimes(join(folder, "run.jsonl"), new Date(0), new Date(0));
    const [listed] = await store.list();
    const { readOnly } = await store.open(RUN);
    assert.deepEqual(
      [listed?.readOnly, readOnly].map((text) => writeInEnglish(text ?? "").slice(0, 15)),
      ["Another machine", "Another machine"],
    );
  });
});

const said = (text: string) => ({ type: "said", text, by: "user" }) as const;

/** A stored run of a user with two messages, the second of them from after it was opened again. */
async function sealedRun() {
  const [home, data] = [await tempFolder(), await tempFolder()];
  const owner = await loadRunOwner(data);
  const folder = join(getRunsFolder(home), RUN);
  const [seal, mark] = [owner.createSeal(RUN), owner.computeMark(RUN)];
  const first = await Run.start(await openRunLog(folder, seal), sampleStart({ id: RUN, machine: mark }));
  await first.record(said("Do it."));
  await first.close();
  const { events } = await readLog(folder);
  const again = Run.openStored(await openRunLog(folder, seal), events);
  await again.record(said("Do more."));
  await again.close();
  const text = await readFile(join(folder, "run.jsonl"), "utf8");
  return { store: createRunStoreForHomes([home], owner), folder, text, mark };
}

describe("a log with the mark of one of the user's runs", () => {
  it("is theirs as long as they wrote every line of it, also after it was opened again", async () => {
    const { store, folder, text, mark } = await sealedRun();
    const changed = {
      whole: text,
      shorter: `${text.split("\n").slice(0, 2).join("\n")}\n`,
      torn: `${text}{"seq":3`,
      edited: text.replace("Do more.", "Do harm."),
      appended: `${text}${JSON.stringify({ ...said("Do harm."), seq: 3, at: "2026-01-02T03:04:05.000Z" })}\n`,
      unsealed: text.replaceAll(/,"seal":"[0-9a-f]+"/g, ""),
    };
    const found: Record<string, unknown> = {};
    for (const [name, log] of Object.entries(changed)) {
      await writeFile(join(folder, "run.jsonl"), log);
      const { readOnly, events, older } = await store.open(RUN);
      const [first] = events;
      found[name] = [
        readOnly === undefined ? "own" : writeInEnglish(readOnly).slice(0, 15),
        first?.type === "started" && first.machine,
        older,
      ];
    }
    const own = ["own", mark, false];
    const foreign = ["Another machine", "unproven", true];
    assert.deepEqual(found, {
      whole: own,
      shorter: own,
      torn: own,
      edited: foreign,
      appended: foreign,
      unsealed: foreign,
    });
  });
});

import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Run } from "../../../../src/core/events/run.ts";
import { createFleetKey, exportFleetKey, importFleetKey } from "../../../../src/fleet/key.ts";
import { readLogText } from "../../../../src/runs/log/read-log.ts";
import { openRunLog } from "../../../../src/runs/log/run-log.ts";
import { loadRunOwner } from "../../../../src/runs/store/machine.ts";
import type { AgentEventBody } from "../../../../src/schema/events.ts";
import { sampleStart } from "../../../support/sample-run.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

const tempFolder = tempFolders();

const RUN = "20260102_030405_scribe_0a1b";

/** A machine whose user has the fleet's key, with a claim for an attempt at the run. */
async function machine(key?: string): Promise<{ readonly data: string; claim(attempt: number): Promise<void> }> {
  const data = await tempFolder();
  if (key === undefined) await createFleetKey(data);
  else await importFleetKey(data, key);
  return {
    data,
    claim: async (attempt) => {
      const path = join(data, "fleet/runs", `${RUN}.json`);
      await mkdir(join(data, "fleet/runs"), { recursive: true });
      const known = { version: 1, run: RUN, folder: "/work", base: "a".repeat(40), commit: "b".repeat(40) };
      await writeFile(path, JSON.stringify({ ...known, logBytes: 0, attempt, isClaimed: true }));
    },
  };
}

async function start(folder: string, data: string): Promise<void> {
  const owner = await loadRunOwner(data);
  const log = await openRunLog(folder, owner.createSeal(RUN));
  await (await Run.start(log, { ...sampleStart(), id: RUN, machine: owner.computeMark(RUN) })).close();
}

async function append(folder: string, data: string, seq: number, body: AgentEventBody): Promise<void> {
  const log = await openRunLog(folder, (await loadRunOwner(data)).createSeal(RUN));
  await log.append({ seq, at: "2026-01-02T03:04:05Z", ...body });
  await log.close();
}

const resumed = (attempt: number): AgentEventBody => ({ type: "resumed", reason: "moved", attempt });
const said: AgentEventBody = { type: "said", text: "Go on.", by: "user" };

describe("the marks of a fleet", () => {
  it("let another machine with the key add its attempt, and one without it nothing", async () => {
    const one = await machine();
    const other = await machine(await exportFleetKey(one.data));
    const folder = await tempFolder();
    await one.claim(1);
    await start(folder, one.data);
    await other.claim(2);
    await append(folder, other.data, 1, resumed(2));
    await append(folder, other.data, 2, said);
    const log = await readLogText(folder);
    const verdicts = [one.data, other.data, (await machine()).data, await tempFolder()].map(async (data) =>
      (await loadRunOwner(data)).hasWritten(RUN, log),
    );
    assert.deepEqual(await Promise.all(verdicts), [true, true, false, false]);
  });

  it("refuse what a machine that was given up writes on", async () => {
    const one = await machine();
    const other = await machine(await exportFleetKey(one.data));
    const folder = await tempFolder();
    await one.claim(1);
    await start(folder, one.data);
    await other.claim(2);
    await append(folder, other.data, 1, resumed(2));
    const before = await readLogText(folder);
    await append(folder, one.data, 2, said);
    const owner = await loadRunOwner(other.data);
    assert.deepEqual(
      { before: owner.hasWritten(RUN, before), after: owner.hasWritten(RUN, await readLogText(folder)) },
      { before: true, after: false },
    );
  });

  it("count for a run that began only with a later attempt, and for lines of this machine's own review", async () => {
    const one = await machine();
    const folder = await tempFolder();
    await one.claim(3);
    await start(folder, one.data);
    const other = await machine(await exportFleetKey(one.data));
    await append(folder, other.data, 1, { type: "reviewed", what: "branch", files: [], branch: "x" });
    const log = await readLogText(folder);
    const verdicts = [one.data, other.data].map(async (data) => (await loadRunOwner(data)).hasWritten(RUN, log));
    assert.deepEqual(await Promise.all(verdicts), [false, true]);
  });

  it("are those of this machine alone for a run that it hasn't claimed", async () => {
    const one = await machine();
    const owner = await loadRunOwner(one.data);
    const unclaimed = owner.computeMark(RUN);
    await one.claim(1);
    const claimed = owner.computeMark(RUN);
    assert.deepEqual(
      {
        unclaimed: unclaimed.startsWith("fleet-"),
        claimed: claimed.startsWith("fleet-"),
        both: owner.hasMark(RUN, unclaimed) && owner.hasMark(RUN, claimed),
        folder: owner.findFolder(RUN),
        none: owner.findFolder("20260102_030405_scribe_0a1c"),
      },
      { unclaimed: false, claimed: true, both: true, folder: "/work", none: undefined },
    );
  });
});

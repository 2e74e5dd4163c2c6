import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, rm, utimes } from "node:fs/promises";
import { join } from "node:path";
import { createCarrier } from "../../../src/fleet/carrier.ts";
import { claimRun, fetchRun } from "../../../src/fleet/carry.ts";
import { removeCheckout } from "../../../src/fleet/checkout.ts";
import { cleanUpSentRuns, forgetRun } from "../../../src/fleet/forget-run.ts";
import { createFleetKey } from "../../../src/fleet/key.ts";
import { readKnownPlaces, rememberPlace } from "../../../src/fleet/known-places.ts";
import { cleanUpServedRuns, clearServedRun } from "../../../src/headless/fleet/served-cleanup.ts";
import { openServedRepository } from "../../../src/headless/fleet/served-repository.ts";
import {
  addRequest,
  getServedHome,
  getServedRecordPath,
  listServedRuns,
  takeServedRun,
  writeServedRecord,
} from "../../../src/headless/fleet/served-runs.ts";
import { removeTree } from "../../../src/isolation/copy/remove-copy.ts";
import { findCarriedRun, getCarriedRunPath } from "../../../src/runs/store/fleet-marks.ts";
import { begin, FLEET_RUN, type FleetMachine, homeOf, makeFleet, send } from "../../support/fleet-machines.ts";
import { git } from "../../support/repositories.ts";
import { tempFolders } from "../../support/temp-folders.ts";

const REPOSITORY = "0123456789abcdef0123456789abcdef";
const LONG_AGO = new Date("2026-01-01T00:00:00Z");
const NOW = Date.parse("2026-06-01T00:00:00Z");
const { signal } = new AbortController();

describe("runs of other machines that are old", () => {
  const tempFolder = tempFolders();

  /** A run that another machine has begun and carried, and that lies at its sender for the review. */
  async function fetched(): Promise<FleetMachine> {
    const [sender, machine] = await makeFleet(await tempFolder(), ["sender", "machine"]);
    assert.ok(sender && machine);
    await send(sender);
    await rememberPlace(sender.place.data, "ssh:box", FLEET_RUN);
    const claimed = await claimRun(machine.place, FLEET_RUN, "machine");
    await begin(machine, claimed);
    const carrier = await createCarrier(machine.place, FLEET_RUN);
    await carrier.push();
    await carrier.close();
    await fetchRun(sender.place, FLEET_RUN, sender.workspace);
    return sender;
  }

  function findTraces({ place, workspace }: FleetMachine) {
    const { address = "" } = place.remote ?? {};
    const refs = (folder: string): number => git(folder, "for-each-ref", "refs/autogpt").split("\n").length - 1;
    return {
      here: refs(workspace),
      shared: refs(address),
      facts: findCarriedRun(place.data, FLEET_RUN) !== undefined,
      isRemoved: findCarriedRun(place.data, FLEET_RUN)?.isRemoved === true,
      review: existsSync(homeOf({ workspace, run: FLEET_RUN })),
    };
  }

  it("lose their commits everywhere when they are removed, but nothing that the review needs", async () => {
    const sender = await fetched();
    await forgetRun(sender.place, FLEET_RUN);
    assert.deepEqual(
      { ...findTraces(sender), known: (await readKnownPlaces(sender.place.data)).runs },
      { here: 0, shared: 0, facts: true, isRemoved: true, review: true, known: {} },
    );
  });

  it("are forgotten here once they were deleted here, and stay where machines meet", async () => {
    const sender = await fetched();
    const { data, key } = sender.place;
    const cleanUp = (): Promise<void> => cleanUpSentRuns(data, key, NOW, signal);
    await utimes(getCarriedRunPath(data, FLEET_RUN), LONG_AGO, LONG_AGO);
    await cleanUp();
    const kept = findTraces(sender);
    await removeTree(homeOf({ workspace: sender.workspace, run: FLEET_RUN }));
    await cleanUp();
    assert.deepEqual(
      { kept, gone: findTraces(sender) },
      {
        kept: { here: 1, shared: 1, facts: true, isRemoved: false, review: true },
        gone: { here: 0, shared: 1, facts: false, isRemoved: false, review: false },
      },
    );
  });

  it("aren't begun again from their old commits by a machine that has forgotten them, but are fetched there", async () => {
    const [sender, machine] = await makeFleet(await tempFolder(), ["sender", "machine"]);
    assert.ok(sender && machine);
    await send(sender);
    const { now } = Date;
    Date.now = () => now() + 91 * 86_400_000;
    const claimed = await claimRun(machine.place, FLEET_RUN, "machine").catch((error: Error) => error.message);
    const { attempt } = await fetchRun(machine.place, FLEET_RUN, machine.workspace).finally(() => {
      Date.now = now;
    });
    const isOld = typeof claimed === "string" && claimed.includes("more than 90 days old");
    assert.deepEqual({ isOld, attempt }, { isOld: true, attempt: 0 });
  });

  it("lose copy and checkout on a worker once all of them was carried, and are continued from their commits", async () => {
    const [sender, worker] = await makeFleet(await tempFolder(), ["sender", "worker"]);
    assert.ok(sender && worker);
    await send(sender);
    const { data, key } = worker.place;
    const claimed = await claimRun(worker.place, FLEET_RUN, "worker");
    const copy = join(data, "copies", FLEET_RUN);
    await begin(worker, claimed);
    await mkdir(getServedHome(data, FLEET_RUN), { recursive: true });
    const isThere = (): readonly boolean[] => [copy, claimed.workspace].map((path) => existsSync(path));
    await clearServedRun(data, FLEET_RUN, key);
    const before = isThere();
    const carrier = await createCarrier(worker.place, FLEET_RUN);
    await carrier.push();
    await carrier.close();
    await clearServedRun(data, FLEET_RUN, key);
    await clearServedRun(data, FLEET_RUN, key);
    const after = isThere();
    const again = await claimRun(worker.place, FLEET_RUN, "worker");
    assert.deepEqual(
      { before, after, again: [again.attempt, again.hasLog], there: isThere() },
      { before: [true, true], after: [false, false], again: [2, true], there: [true, true] },
    );
  });

  it("are laid out again as a whole if their deletion was interrupted", async () => {
    const [sender, worker] = await makeFleet(await tempFolder(), ["sender", "worker"]);
    assert.ok(sender && worker);
    await send(sender);
    const { data } = worker.place;
    const copy = await begin(worker, await claimRun(worker.place, FLEET_RUN, "worker"));
    const carrier = await createCarrier(worker.place, FLEET_RUN);
    await carrier.push();
    await carrier.close();
    await removeCheckout(data, FLEET_RUN);
    const [root = ""] = copy.visible;
    await rm(join(root, "note.txt"));
    const { attempt, hasLog, workspace } = await claimRun(worker.place, FLEET_RUN, "worker");
    const there = [root, workspace].map((folder) => existsSync(join(folder, "note.txt")));
    assert.deepEqual({ attempt, hasLog, there }, { attempt: 2, hasLog: true, there: [true, true] });
  });

  it("are deleted on the machine that worked on them, unless they work, wait, have mail or are young", async () => {
    const data = await tempFolder();
    const key = await createFleetKey(data);
    const repository = await openServedRepository(data, REPOSITORY);
    const write = async (letter: string, more: object, isOld = true): Promise<string> => {
      const run = `20260101_090000_remote_${letter.repeat(4)}`;
      const record = { version: 1, run, repository: REPOSITORY, startedAt: "", refused: [], handled: [] } as const;
      await writeServedRecord(data, { ...record, ...more });
      for (const folder of ["copies", "fleet/places"]) await mkdir(join(data, folder, run), { recursive: true });
      if (isOld) await utimes(getServedRecordPath(data, run), LONG_AGO, LONG_AGO);
      return run;
    };
    const over = await write("a", { isOver: true });
    const kept = [
      await write("b", { isOver: true }, false),
      await write("c", {}),
      await write("d", { isOver: true }),
      await write("e", { isOver: true }),
    ];
    const failed = await write("f", { failed: "The task isn't signed." });
    const release = await takeServedRun(data, kept[2] ?? "", key);
    await addRequest(data, kept[3] ?? "", { type: "tell", id: "1", message: "sealed" });
    const aside = join(data, "fleet", "set-aside", "old");
    await mkdir(aside, { recursive: true });
    await utimes(aside, LONG_AGO, LONG_AGO);
    await cleanUpServedRuns(data, key, NOW);
    await release?.();
    const left = (run: string): readonly boolean[] =>
      [getServedHome(data, run), join(data, "copies", run), join(data, "fleet/places", run)].map((path) =>
        existsSync(path),
      );
    assert.deepEqual(
      {
        listed: (await listServedRuns(data)).toReversed(),
        gone: [...left(over), ...left(failed)],
        kept: kept.map((run) => left(run).every(Boolean)),
        aside: existsSync(aside),
        repository: existsSync(repository.gitFolder),
      },
      {
        listed: kept,
        gone: [false, false, false, false, false, false],
        kept: [true, true, true, true],
        aside: false,
        repository: true,
      },
    );
  });
});

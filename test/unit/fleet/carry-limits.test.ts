import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { createCarrier } from "../../../src/fleet/carrier.ts";
import { claimRun } from "../../../src/fleet/carry.ts";
import { exportFleetKey } from "../../../src/fleet/key.ts";
import { measureFolder } from "../../../src/fleet/parcel.ts";
import { begin, FLEET_RUN, type FleetMachine, makeFleet, send } from "../../support/fleet-machines.ts";
import { git, writeFiles } from "../../support/repositories.ts";
import { tempFolders } from "../../support/temp-folders.ts";

const tempFolder = tempFolders();
/** One byte more than travels as a file, and as the task of a run. */
const LARGE_FILE = 48 * 1024 * 1024 + 1;
const LARGE_TASK = 128 * 1024 * 1024 + 1;

async function fleet(): Promise<readonly [FleetMachine, FleetMachine]> {
  const [sender, worker] = await makeFleet(await tempFolder(), ["sender", "worker"]);
  assert.ok(sender && worker);
  return [sender, worker];
}

async function writeLargeFile(folder: string, name: string): Promise<void> {
  await writeFile(join(folder, name), "");
  await truncate(join(folder, name), LARGE_FILE);
}

/** The files that some sentences name. */
const listNamed = (notes: Awaited<ReturnType<typeof send>>["notes"]) =>
  notes.map((note) => (typeof note === "string" ? note : note.parameters?.files));

describe("what travels with a run", () => {
  it("is no fleet key that lies in the workspace, and none gets into the run's copy", async () => {
    const [sender, worker] = await fleet();
    const key = await exportFleetKey(sender.place.data);
    writeFiles(sender.workspace, { "fleet-key": key, "deep/fleet-key": key, "mine.txt": "mine\n" });
    git(sender.workspace, "add", "deep/fleet-key");
    git(sender.workspace, "commit", "-q", "-m", "A mistake.");
    const parcel = await measureFolder(sender.workspace, sender.place.signal);
    const { task, notes } = await send(sender);
    const copy = await begin(worker, await claimRun(worker.place, FLEET_RUN, "box"));
    const [root = ""] = copy.visible;

    assert.deepEqual(
      {
        files: parcel.files,
        sent: git(sender.workspace, "ls-tree", "-r", "--name-only", task.base).trim().split("\n"),
        named: listNamed(notes),
        copied: ["fleet-key", "deep/fleet-key", "mine.txt"].filter((name) => existsSync(join(root, name))),
      },
      {
        files: 5,
        sent: [".gitignore", "deep/fleet-key", "mine.txt", "note.txt", "old.txt"],
        named: [["fleet-key"]],
        copied: ["mine.txt"],
      },
    );
  });

  it("is no file that is too large, neither of the workspace nor of the copy, and each is named", async () => {
    const [sender, worker] = await fleet();
    await writeLargeFile(sender.workspace, "video.bin");
    const { notes } = await send(sender);
    const copy = await begin(worker, await claimRun(worker.place, FLEET_RUN, "box"));
    const [root = ""] = copy.visible;
    await writeLargeFile(root, "made.bin");
    writeFiles(root, { "made.txt": "made\n" });
    const carrier = await createCarrier(worker.place, FLEET_RUN);
    await carrier.push();
    await carrier.close();
    const next = await claimRun(worker.place, FLEET_RUN, "box");
    const ref = `refs/autogpt/${FLEET_RUN}`;

    assert.deepEqual(
      {
        sent: listNamed(notes),
        carried: listNamed(next.notes),
        there: git(sender.place.remote?.address ?? "", "ls-tree", "--name-only", `${ref}:copy`).includes("made.txt"),
      },
      { sent: [["video.bin"]], carried: [["made.bin"]], there: true },
    );
  });

  it("is no task that was replaced by one that fills the memory", async () => {
    const [sender, worker] = await fleet();
    await send(sender);
    const { remote: _, ...place } = worker.place;
    const { workspace } = worker;
    const blob = "c0".repeat(20);
    const folder = join(workspace, ".git/objects", blob.slice(0, 2));
    await mkdir(folder, { recursive: true });
    // Only its size is read, if at all.
    await writeFile(join(folder, blob.slice(2)), deflateSync(`blob ${LARGE_TASK}\0x`));
    git(workspace, "update-index", "--add", "--cacheinfo", `100644,${blob},task`);
    const tree = git(workspace, "write-tree").trim();
    const commit = git(workspace, "commit-tree", tree, "-p", "HEAD", "-m", "x").trim();
    git(workspace, "update-ref", `refs/autogpt/${FLEET_RUN}`, commit);
    const why = await claimRun(place, FLEET_RUN, "box").catch((error: Error) => error.message);

    assert.equal(
      why,
      `What was carried for the run ${FLEET_RUN} is damaged, or was changed without the key. Nothing was laid out; send the task again.`,
    );
  });
});

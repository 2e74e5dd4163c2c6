import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { openMemory } from "../../../src/memory/open-memory.ts";
import { createProfiles } from "../../../src/runs/profiles/profiles.ts";
import { deleteRunSoftly, listSoftDeletedRuns } from "../../../src/runs/store/deleted-runs.ts";
import { ensureHomeFolder } from "../../../src/runs/store/run-folder.ts";
import { createRunStoreForHomes } from "../../../src/runs/store/run-store.ts";
import { sampleOwner } from "../../support/sample-run.ts";
import { makeLink } from "../../support/skips.ts";
import { storeHistory } from "../../support/stored-history.ts";
import { tempFolders } from "../../support/temp-folders.ts";
import { grown, plant, type Tree } from "../../support/trees.ts";
import { fakeEmbedder } from "../memory/fake-embedder.ts";

const ANN = { name: "Ann", role: "a roofer", goals: ["Find the leak"] };

describe("links in the place of our own folders and files", () => {
  if (process.platform === "win32") return;
  const tempFolder = tempFolders();

  /** A workspace beside a folder that isn't ours, with a run of this machine in it. */
  async function planted(links: Tree) {
    const home = await tempFolder();
    await plant(home, { "other/profiles/bob.yaml": "ai_name: Bob\n", "other/diary.txt": "private" });
    const [{ id = "" } = {}] = await storeHistory(join(home, "other"), 1, 1, { oldest: "a", every: "b" });
    await plant(join(home, "app"), { "a.txt": "a", ...links });
    return { home, app: join(home, "app"), other: join(home, "other"), id };
  }

  for (const links of [
    { ".autogpt": { link: "../other" } },
    { ".autogpt/runs": { link: "../../other/runs" } },
    { ".autogpt/runs": { link: "../../nowhere" } },
    { ".autogpt": { link: ".autogpt" } },
  ] satisfies Tree[])
    it(`are not where runs are kept: ${JSON.stringify(links)}`, async () => {
      const { home, app, other } = await planted(links);
      const before = await grown(other);
      const kept = await ensureHomeFolder(app, join(home, "fallback"));
      assert.deepEqual(
        { kept, other: await grown(other), app: Object.keys(await grown(app)) },
        { kept: join(home, "fallback"), other: before, app: [...Object.keys(links), "a.txt"] },
      );
    });

  for (const links of [
    { ".autogpt": { link: "../other" } },
    { ".autogpt/runs": { link: "../../other/runs" } },
  ] satisfies Tree[])
    it(`show no runs: ${JSON.stringify(links)}`, async () => {
      const { app, id } = await planted(links);
      const store = createRunStoreForHomes([join(app, ".autogpt")], sampleOwner());
      assert.deepEqual(
        [await store.list(), await store.open(id).catch((error: Error) => error.message)],
        [[], `There's no run "${id}" here. Look for its name in the list of runs.`],
      );
    });

  it("are no run", async () => {
    const { app, other, id } = await planted({ ".autogpt/runs/x": "" });
    await makeLink(join(other, "runs", id), join(app, ".autogpt/runs", id));
    const store = createRunStoreForHomes([join(app, ".autogpt")], sampleOwner());
    const opened = await store.open(id).catch(() => "none");
    assert.deepEqual([await store.list(), opened], [[], "none"]);
  });

  it("aren't used for deleted runs, and their targets aren't taken for any", async () => {
    const { app } = await planted({
      ".autogpt/runs/one/x": "",
      ".autogpt/runs/.deleted": { link: "../../../other" },
    });
    const runs = join(app, ".autogpt/runs");
    const refused = await deleteRunSoftly(join(runs, "one")).catch((error: Error) => error.message);
    assert.deepEqual(
      [refused, await listSoftDeletedRuns(runs)],
      [`${runs}/.deleted is a link, not a folder, so nothing in it is read or written. Put a folder in its place.`, []],
    );
  });

  for (const links of [
    { ".autogpt": { link: "../other" } },
    { ".autogpt/profiles": { link: "../../other/profiles" } },
  ] satisfies Tree[])
    it(`hold no profiles: ${JSON.stringify(links)}`, async () => {
      const { app, other } = await planted(links);
      const before = await grown(other);
      const profiles = createProfiles(join(app, ".autogpt"));
      const saved = await profiles.save(ANN).then(
        () => "saved",
        (error: Error) => /is a link, not a folder/.test(error.message),
      );
      assert.deepEqual(
        { listed: await profiles.list(), saved, other: await grown(other) },
        { listed: [], saved: true, other: before },
      );
    });

  it("are no profiles, and saving one writes through none", async () => {
    const { app, other } = await planted({
      ".autogpt/profiles/ann.yaml": { link: "../../../other/diary.txt" },
      ".autogpt/profiles/ann.yaml.new": { link: "../../../other/new.txt" },
      ".autogpt/profiles/bob.yaml": { link: "../../../other/profiles/bob.yaml" },
    });
    const before = await grown(other);
    const profiles = createProfiles(join(app, ".autogpt"));
    const problems = (await profiles.list()).map(({ problem }) => /is a link/.test(problem ?? ""));
    const path = await profiles.save(ANN);
    assert.deepEqual(
      { problems, private: (await readFile(path, "utf8")).includes("private"), other: await grown(other) },
      { problems: [true, true], private: false, other: before },
    );
  });

  it("are no place for damaged memories", async () => {
    const { home, app, other } = await planted({ "memory/seg-00001/index.json": "damaged" });
    const before = await grown(other);
    await makeLink(other, join(app, "memory/damaged"));
    const opened = await openMemory({ folder: join(app, "memory"), embedder: fakeEmbedder("one") }).then(
      async (memory) => void (await memory.close()),
      (error: Error) => error.message,
    );
    assert.deepEqual(
      { opened, other: await grown(join(home, "other")) },
      {
        opened: `${app}/memory/damaged is a link to another place, so nothing is written there. Remove the link.`,
        other: before,
      },
    );
  });
});

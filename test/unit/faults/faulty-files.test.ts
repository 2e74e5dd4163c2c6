import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openMemory } from "../../../src/memory/open-memory.ts";
import { createProfiles } from "../../../src/runs/profiles/profiles.ts";
import { DISK_FAULTS, type DiskFault, onFaultyDisk } from "../../support/faulty-disk.ts";
import { listed } from "../../support/listed.ts";
import { shippedTable } from "../../support/shipped-table.ts";
import { tempFolders } from "../../support/temp-folders.ts";
import { UndoBench } from "../../support/undo-bench.ts";

const tempFolder = tempFolders();
const SAID = /room|full|written|EROFS|EACCES|ENOSPC/;

/** What an attempt came to on a disk that fails: its words, or the text of its error. */
async function words(act: () => Promise<unknown>): Promise<string> {
  return act().then(
    (value) => JSON.stringify(value) ?? "",
    (error: unknown) => String(error),
  );
}

describe("a disk that fails under undo", () => {
  for (const paths of [/undo\.jsonl/, /pre-images/])
    for (const fault of DISK_FAULTS)
      it(`with ${fault} at ${paths.source} changes nothing, says so, and loses nothing earlier`, async () => {
        const root = await tempFolder();
        const [work, run] = [join(root, "work"), join(root, "run")];
        await mkdir(work);
        await writeFile(join(work, "a.txt"), "as it was\n");
        const bench = new UndoBench(work, run);
        await bench.write("a.txt", "the agent's\n");
        const said = await onFaultyDisk(fault, paths, () => words(() => bench.write("a.txt", "more\n")));
        const during = await readFile(join(work, "a.txt"), "utf8");
        await bench.write("a.txt", "at last\n");
        await bench.undo.undo({});
        assert.deepEqual(
          [SAID.test(said), said.includes("Nothing was done"), during, await readFile(join(work, "a.txt"), "utf8")],
          [true, true, "the agent's\n", "as it was\n"],
        );
      });
});

describe("a disk that fails under a profile", () => {
  for (const fault of DISK_FAULTS)
    it(`with ${fault} leaves the stored one as it is`, async () => {
      const home = await tempFolder();
      const profiles = createProfiles(home);
      const profile = { name: "Scribe", role: "a keeper of notes", goals: ["Keep notes"] };
      await profiles.save(profile);
      const said = await onFaultyDisk(fault, /profiles/, () =>
        words(() => profiles.save({ ...profile, role: "another" })),
      );
      const { profile: kept } = (await profiles.findLastUsed()) ?? {};
      assert.deepEqual([SAID.test(said), kept], [true, profile]);
    });
});

describe("a disk that fails under the memory", () => {
  for (const fault of DISK_FAULTS)
    it(`with ${fault} says so and keeps what was kept`, async () => {
      const folder = await tempFolder();
      const note = (text: string) => ({ kind: "note", text, source: "user" }) as const;
      const open = () => openMemory({ folder, embedder: shippedTable() });
      const store = await open();
      await store.add([note("the first")]);
      await store.close();
      const said = await onFaultyDisk(fault satisfies DiskFault, new RegExp(folder), () =>
        words(async () => {
          const broken = await open();
          try {
            await broken.add([note("the second")]);
          } finally {
            await broken.close();
          }
        }),
      );
      const again = await open();
      await again.add([note("the third")]);
      const texts = (await listed(again.iterateAll())).map(({ text }) => text).filter((text) => text !== "the second");
      await again.close();
      assert.deepEqual([SAID.test(said) || said.includes("reading"), texts], [true, ["the first", "the third"]]);
    });
});

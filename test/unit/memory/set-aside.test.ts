import assert from "node:assert/strict";
import fs from "node:fs/promises";
import path from "node:path";
import { openMemory } from "../../../src/memory/open-memory.ts";
import { setMemoryAside } from "../../../src/memory/set-aside.ts";
import { tempFolders } from "../../support/temp-folders.ts";
import { fakeEmbedder } from "./fake-embedder.ts";

const tempFolder = tempFolders();

describe("a memory that is set aside", () => {
  it("keeps its files under a free name that git doesn't see, and leaves room for an empty one", async () => {
    const home = await tempFolder();
    const folder = path.join(home, "memory");
    await fs.mkdir(path.join(home, "memory-earlier"));
    await fs.mkdir(folder);
    await fs.writeFile(path.join(folder, "meta.json"), '{"format":999,"embedder":"one"}');
    const aside = await setMemoryAside(folder);
    const store = await openMemory({ folder, embedder: fakeEmbedder("one") });
    const { count } = store.state;
    await store.close();
    assert.deepEqual(
      {
        aside: path.relative(home, aside),
        files: (await fs.readdir(aside)).toSorted(),
        ignored: await fs.readFile(path.join(aside, ".gitignore"), "utf8"),
        count,
      },
      { aside: "memory-earlier-2", files: [".gitignore", "meta.json"], ignored: "*\n", count: 0 },
    );
  });

  it("stays where it is while a program writes it", async () => {
    const folder = path.join(await tempFolder(), "memory");
    const store = await openMemory({ folder, embedder: fakeEmbedder("one") });
    const refused = await setMemoryAside(folder).catch(String);
    await store.close();
    assert.deepEqual(
      { refused, names: await fs.readdir(path.dirname(folder)) },
      {
        refused: "MemoryError: Another window is writing this memory. Do this there, or close that window first.",
        names: ["memory"],
      },
    );
  });
});

import assert from "node:assert/strict";
import fs from "node:fs/promises";
import path from "node:path";
import { MemoryError } from "../../../../src/memory/store/memory-error.ts";
import { MemoryWriter } from "../../../../src/memory/store/memory-writer.ts";
import { PlacedMemories } from "../../../../src/memory/store/placed-memories.ts";
import { readSegment } from "../../../../src/memory/store/segment-files.ts";
import { SegmentStore } from "../../../../src/memory/store/segment-store.ts";
import { tempFolders } from "../../../support/temp-folders.ts";
import { note } from "../sample-items.ts";

const tempFolder = tempFolders();
const VECTOR = { embedder: "one", vector: Float32Array.from([1, 0]) };

describe("a memory's writer", () => {
  it("changes nothing after it is closed", async () => {
    const folder = await tempFolder();
    const memories = new PlacedMemories("one");
    const writer = new MemoryWriter(new SegmentStore(folder), memories, 1);
    await writer.add([note("a pump")]);
    await writer.add([note("a door")]);
    const entries = [...memories.index.iterateAll()];
    await writer.embed(entries.map((entry) => ({ entry, ...VECTOR })));
    await writer.close();
    await writer.embed(entries.map((entry) => ({ entry, ...VECTOR })));
    await writer.fold(true);
    const refused = await Promise.allSettled([
      writer.add([note("a well")]),
      writer.remove(entries.map(({ item }) => item.id)),
    ]);
    assert.deepEqual(
      {
        refused: refused.map((one) => one.status === "rejected" && one.reason instanceof MemoryError),
        indexes: (await fs.readdir(folder, { recursive: true })).filter((name) => name.endsWith(".json")),
        size: memories.index.size,
      },
      { refused: [true, true], indexes: [], size: 2 },
    );
  });

  it("keeps memories that are added together as they were", async () => {
    const memories = new PlacedMemories("one");
    const writer = new MemoryWriter(new SegmentStore(await tempFolder()), memories, 100);
    const sources = [{ kind: "memory", name: "shared by Zoë" }] as const;
    const items = Array.from({ length: 150 }, (_, place) => ({
      ...note(`pump ${place} — 5 µm`),
      ...{ author: "Zoë", place: "part 1", sources },
    }));
    await writer.add(items);
    await writer.close();
    const kept = [...memories.index.iterateAll()].map(({ item }) => item.read());
    assert.deepEqual(kept, items);
  });

  it("brings nothing back that is removed at any moment of writing the index for another embedder", async () => {
    const back: number[] = [];
    for (let moment = 0; moment < 12; moment++) {
      const folder = await tempFolder();
      const before = new PlacedMemories("one");
      const first = new MemoryWriter(new SegmentStore(folder), before, 10);
      await first.add([note("a pump"), note("a door")]);
      await first.embed([...before.index.iterateAll()].map((entry) => ({ entry, ...VECTOR })));
      await first.fold(true);
      await first.close();
      const [memories, segments] = [new PlacedMemories("two"), new SegmentStore(folder)];
      for await (const { segment, contents } of segments.readChanges(() => 0, "none")) {
        segment.setContents(contents);
        memories.load(segment, contents);
      }
      const writer = new MemoryWriter(segments, memories, 10);
      await writer.add([note("a well")]);
      const [pump] = [...memories.index.iterateAll()];
      const well = memories.index.get(note("a well").id);
      assert(pump && well);
      await writer.embed([{ entry: well, embedder: "two", vector: VECTOR.vector }]);
      const folding = writer.fold(true);
      for (let turn = 0; turn < moment; turn++) await Promise.resolve();
      await writer.remove([pump.item.id]);
      await folding;
      const { ids } = await readSegment(path.join(folder, "seg-00001"));
      if (ids.includes(pump.item.id)) back.push(moment);
      await writer.close();
    }
    assert.deepEqual(back, []);
  });

  it("loses nothing that is added at any moment of writing the index", async () => {
    const folder = await tempFolder();
    const memories = new PlacedMemories("one");
    const writer = new MemoryWriter(new SegmentStore(folder), memories, 1_000);
    const lost: number[] = [];
    for (let turn = 0; turn < 60; turn++) {
      const adding = writer.add([note(`memory ${turn}`)]);
      for (let moment = 0; moment < turn; moment++) await Promise.resolve();
      await writer.fold(true);
      await adding;
      const { ids } = await readSegment(path.join(folder, "seg-00001"));
      if (ids.length <= turn) lost.push(turn);
      const bare = [...memories.index.iterateAll()].filter(({ row }) => row === undefined);
      await writer.embed(bare.map((entry) => ({ entry, ...VECTOR })));
    }
    await writer.close();
    assert.deepEqual(lost, []);
  });
});

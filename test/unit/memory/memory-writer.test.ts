import assert from "node:assert/strict";
import fs from "node:fs/promises";
import { MemoryError } from "../../../src/memory/memory-error.ts";
import { MemoryIndex } from "../../../src/memory/memory-index.ts";
import { MemoryWriter } from "../../../src/memory/memory-writer.ts";
import { Shelf } from "../../../src/memory/shelf.ts";
import { tempFolders } from "../../support/temp-folders.ts";
import { note } from "./sample-items.ts";

const tempFolder = tempFolders();
const VECTOR = { embedder: "one", vector: Float32Array.from([1, 0]) };

describe("a memory's writer", () => {
  it("changes nothing any more once it is closed", async () => {
    const folder = await tempFolder();
    const index = new MemoryIndex("one");
    const writer = new MemoryWriter(new Shelf(folder), index, 1);
    await writer.add([note("a pump")]);
    await writer.add([note("a door")]);
    const entries = [...index.all()];
    await writer.embed(entries.map((entry) => ({ entry, ...VECTOR })));
    await writer.close();
    await writer.embed(entries.map((entry) => ({ entry, ...VECTOR })));
    await writer.fold(true);
    const refused = await Promise.allSettled([
      writer.add([note("a well")]),
      writer.remove(entries.map(({ item }) => item.id)),
    ]);
    assert.deepEqual(
      [
        refused.map((one) => one.status === "rejected" && one.reason instanceof MemoryError),
        (await fs.readdir(folder, { recursive: true })).filter((name) => name.endsWith(".pb")),
        index.size,
      ],
      [[true, true], [], 2],
    );
  });
});

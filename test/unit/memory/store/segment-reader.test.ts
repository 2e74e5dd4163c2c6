import assert from "node:assert/strict";
import fs from "node:fs/promises";
import path from "node:path";
import { DamagedFileError } from "../../../../src/memory/store/durable-file.ts";
import { SegmentReader } from "../../../../src/memory/store/segment-reader.ts";
import { readIndex } from "../../../../src/memory/store/vectra-index.ts";
import { listed } from "../../../support/listed.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

const tempFolder = tempFolders();

/** A thread that dies as one does that takes too much memory, as soon as it's asked for the second segment. */
const DYING = `
  import { parentPort } from "node:worker_threads";
  parentPort.on("message", ({ number, folder }) => {
    if (folder.endsWith("2")) throw Object.assign(new Error("heap"), { code: "ERR_WORKER_OUT_OF_MEMORY" });
    setImmediate(() => parentPort.postMessage({ number, contents: { ids: ["by the thread"], format: "current" } }));
  });`;

describe("a segment", () => {
  it("that takes too much memory isn't read at all, and those that are read with it are", async () => {
    const folder = await tempFolder();
    const folders = ["seg-1", "seg-2", "seg-3"].map((name) => path.join(folder, name));
    for (const one of folders) {
      await fs.mkdir(one);
      await fs.writeFile(path.join(one, "index.json"), Buffer.alloc(2_000_000));
    }
    const reader = new SegmentReader(new URL(`data:text/javascript,${encodeURIComponent(DYING)}`));
    const found = await listed(reader.readContents(folders, "none"));
    await reader.endWorker();
    assert.deepEqual(
      found.map(({ ids, format }) => [...ids, format]),
      [["by the thread", "current"], ["unreadable"], ["by the thread", "current"]],
    );
  });

  it("whose index has millions of nothings in it isn't parsed, which nothing could stop", async () => {
    const folder = await tempFolder();
    const index = `{"version":1,"metadata_config":{},"items":[${"{},".repeat(1_500_000)}{}]}`;
    await fs.writeFile(path.join(folder, "index.json"), index);
    await assert.rejects(readIndex(folder, "index.json"), DamagedFileError);
  });

  it("whose index has a damaged beginning and millions of nothings isn't parsed either", async () => {
    const folder = await tempFolder();
    const item = `{"id":"a","norm":1,"metadata":{},"vector":[${"{},".repeat(1_500_000)}{}]}`;
    await fs.writeFile(path.join(folder, "index.json"), `"${item}`);
    await assert.rejects(readIndex(folder, "index.json"), DamagedFileError);
  });
});

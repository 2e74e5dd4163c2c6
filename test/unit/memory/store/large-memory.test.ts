import assert from "node:assert/strict";
import fs from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { crc32 } from "node:zlib";
import { LocalIndex } from "vectra";
import { openMemory } from "../../../../src/memory/open-memory.ts";
import { openLocalStore } from "../../../../src/memory/store/local-store.ts";
import type { NewMemory } from "../../../../src/memory/store/memory-item.ts";
import { writeInEnglish } from "../../../../src/texts/display-text.ts";
import { bundleProgram } from "../../../support/bundle-program.ts";
import { tempFolders } from "../../../support/temp-folders.ts";
import { fakeEmbedder } from "../fake-embedder.ts";

const tempFolder = tempFolders();
/** Fewer batches than usual: after each the disk is waited for. */
const EMBEDDER = { ...fakeEmbedder("one", { size: 26 }), batch: 500 };
const WORKER_SOURCE = new URL("../../../../src/memory/store/segment-worker.ts", import.meta.url);
const COUNT = 2_000;
const FILLER = "so many words ".repeat(70);
const MEMORIES = Array.from(
  { length: COUNT },
  (_, place): NewMemory => ({
    kind: "note",
    text: `Memory number${place} is here: ${FILLER}`,
    source: "user",
  }),
);

let programs = "";
let worker = "";
/** A folder whose segments are too large to be read in the main thread; made once, used as copies. */
let made = "";

before(async () => {
  programs = await fs.mkdtemp(path.join(os.tmpdir(), "segment-worker-"));
  worker = await bundleProgram(programs, WORKER_SOURCE);
  made = path.join(programs, "memory");
  const store = await openMemory({ folder: made, embedder: EMBEDDER });
  await store.add(MEMORIES);
  await store.waitUntilEmbedded();
  await store.close();
});

after(() => fs.rm(programs, { recursive: true, force: true }));

async function copied(): Promise<string> {
  const folder = await tempFolder();
  await fs.cp(made, folder, { recursive: true });
  return folder;
}

/** A search by words right after opening, and one by vectors once all are there. */
async function opened(folder: string, script = worker) {
  const notices: string[] = [];
  const store = await openLocalStore({
    folder,
    embedder: "one",
    worker: script,
    notice: (text) => notices.push(writeInEnglish(text)),
  });
  const [byWords] = await store.findWithWords("number1234", 1);
  const waiting = await store.listWithoutVector(1, () => true);
  const [vector = new Float32Array(0)] = await EMBEDDER.embed([MEMORIES[0]?.text ?? ""], new AbortController().signal);
  const [best] = await store.findNearest(vector, 1);
  const { size, embedded } = store;
  await store.close();
  const found = byWords?.value.read().text.slice(0, 24);
  return { found, isNear: (best?.score ?? 0) > 0.9999, size, embedded, waiting: waiting.length, notices };
}

const WHOLE = {
  found: "Memory number1234 is her",
  isNear: true,
  size: COUNT,
  embedded: COUNT,
  waiting: 0,
  notices: [],
};

/** The head of a cache, as somebody changed it who knows the format. */
type Forge = (head: { bytes: Record<string, number> }) => unknown;

const FORGED: readonly Forge[] = [
  (head) => ({ ...head, ids: undefined }),
  (head) => ({ ...head, ids: [1, 2, 3] }),
  (head) => ({ ...head, ids: ["one too few"] }),
  (head) => ({ ...head, embedders: "one" }),
  (head) => ({ ...head, foreign: {} }),
  (head) => ({ ...head, bytes: { ...head.bytes, texts: 3 * 1024 ** 3 } }),
  (head) => ({ ...head, bytes: { ...head.bytes, places: -4 } }),
];

async function forge(file: string, change: Forge): Promise<void> {
  const bytes = await fs.readFile(file);
  const end = 20 + bytes.readUInt32LE(8);
  const head = JSON.parse(bytes.toString("utf8", 20, end));
  const { places, texts, terms } = head.bytes;
  const changed = Buffer.from(JSON.stringify(change(head)));
  bytes.writeUInt32LE(changed.length, 8);
  bytes.writeUInt32LE(crc32(bytes.subarray(end, end + places + texts + terms), crc32(changed)), 12);
  await fs.writeFile(file, Buffer.concat([bytes.subarray(0, 20), changed, bytes.subarray(end)]));
}

/** The names of the caches, with what tells whether they were written again. */
async function caches(folder: string): Promise<readonly string[]> {
  const names = (await fs.readdir(folder, { recursive: true })).filter((name) => name.endsWith("index.cache"));
  const stats = await Promise.all(names.map((name) => fs.stat(path.join(folder, name))));
  return names.map((name, place) => `${name} ${stats[place]?.ino}`);
}

describe("a large memory", function () {
  this.timeout(20_000);

  it("is found by words at once and by vectors soon, from copies that are made once", async () => {
    const folder = await copied();
    const first = await opened(folder);
    const before = await caches(folder);
    const second = await opened(folder);
    const after = await caches(folder);
    assert.deepEqual(
      { first, second, some: before.length > 0, after },
      { first: WHOLE, second: WHOLE, some: true, after: before },
    );
  });

  it("is whole when copies are damaged anywhere", async () => {
    const folder = await copied();
    await opened(folder);
    for (const [segment, at] of [12, 30_000, -10].entries()) {
      const file = path.join(folder, `seg-0000${segment + 1}/index.cache`);
      const bytes = await fs.readFile(file);
      const place = at < 0 ? bytes.length + at : at;
      bytes[place] = (bytes[place] ?? 0) ^ 1;
      await fs.writeFile(file, bytes);
    }
    assert.deepEqual(await opened(folder), WHOLE);
  });

  it("is whole when copies have right checksums, but aren't what they should be", async () => {
    const folder = await copied();
    await opened(folder);
    for (const [segment, change] of FORGED.entries())
      await forge(path.join(folder, `seg-0000${segment + 1}/index.cache`), change);
    assert.deepEqual(await opened(folder), WHOLE);
  });

  it("shows what another program has changed since a copy was made", async () => {
    const folder = await copied();
    await opened(folder);
    const index = new LocalIndex(path.join(folder, "seg-00001"));
    const [gone] = await index.listItems();
    await index.deleteItem(gone?.id ?? "");
    const seen = await opened(folder);
    assert.deepEqual(seen, { ...WHOLE, size: COUNT - 1, embedded: COUNT - 1 });
  });

  it("is whole when the thread that reads it doesn't start", async () => {
    assert.deepEqual(await opened(await copied(), "/nowhere/segment-worker.ts"), WHOLE);
  });

  it("is whole after it was closed while its vectors were read", async () => {
    const folder = await copied();
    await opened(folder);
    const store = await openMemory({ folder, embedder: EMBEDDER, worker });
    await store.add([{ kind: "note", text: "One more.", source: "user" }]);
    await store.close();
    const again = await openMemory({ folder, embedder: EMBEDDER, worker });
    await again.waitUntilEmbedded();
    await again.close();
    assert.deepEqual(await opened(folder), { ...WHOLE, size: COUNT + 1, embedded: COUNT + 1 });
  });
});

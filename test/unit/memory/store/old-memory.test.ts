import assert from "node:assert/strict";
import fs from "node:fs/promises";
import path from "node:path";
import { LocalIndex } from "vectra";
import { openMemory } from "../../../../src/memory/open-memory.ts";
import { isClean } from "../../../../src/memory/store/memory-item.ts";
import type { WorkspaceMemory } from "../../../../src/memory/workspace-memory.ts";
import { onFaultyDisk } from "../../../support/faulty-disk.ts";
import { listed } from "../../../support/listed.ts";
import { tempFolders } from "../../../support/temp-folders.ts";
import { fakeEmbedder } from "../fake-embedder.ts";

const tempFolder = tempFolders();
/** Written by 0.1.0: two sealed segments, one of which a memory was removed from, and one with a log alone. */
const FIXTURE = path.join(import.meta.dirname, "../../../fixtures/memory-0.1.0");
const TEXTS = [
  "The test server listens on port 8765.",
  "Grüße, 世界: the greeting is in src/hello.ts.",
  "The nightly backup runs at 3.",
  "Tabs, not spaces.",
  "The orders table has a trigger.",
  "Deploy with make release.",
];

async function oldFolder(): Promise<string> {
  const folder = await tempFolder();
  await fs.cp(FIXTURE, folder, { recursive: true });
  return folder;
}

/** With 26 numbers, every text has a vector; with 4, one has none. */
function open(folder: string, size = 26): Promise<WorkspaceMemory> {
  return openMemory({ folder, embedder: fakeEmbedder("one", { size }) });
}

async function textsOf(store: WorkspaceMemory): Promise<readonly string[]> {
  return (await listed(store.iterateAll())).map(({ text }) => text);
}

async function indexesIn(folder: string): Promise<readonly string[]> {
  return (await fs.readdir(folder, { recursive: true })).filter((name) => /index\./.test(name)).sort();
}

/** The texts that stock Vectra finds in all segments. */
async function stockTexts(folder: string): Promise<readonly unknown[]> {
  const names = (await fs.readdir(folder)).filter((name) => name.startsWith("seg-")).sort();
  const items = names.map((name) => new LocalIndex(path.join(folder, name)).listItems());
  return (await Promise.all(items)).flat().map(({ metadata }) => metadata.text);
}

const NEW_INDEXES = ["seg-00001", "seg-00002", "seg-00003"].map((name) => path.join(name, "index.json"));

describe("a memory of 0.1.0", () => {
  it("is opened whole, and becomes stock Vectra indexes once it has vectors", async () => {
    const folder = await oldFolder();
    const store = await open(folder);
    const texts = await textsOf(store);
    await store.waitUntilEmbedded();
    await store.close();
    assert.deepEqual(
      { texts, stock: await stockTexts(folder), files: await indexesIn(folder) },
      { texts: TEXTS, stock: TEXTS, files: NEW_INDEXES },
    );
  });

  it("keeps everything that it knows of a memory", async () => {
    const folder = await oldFolder();
    const before = await open(folder);
    const items = await listed(before.iterateAll());
    await before.waitUntilEmbedded();
    await before.close();
    const after = await open(folder);
    const later = await listed(after.iterateAll());
    await after.close();
    assert.deepEqual(
      { later, clean: items.filter((item) => isClean(item, "the key")).map(({ run, step }) => [run, step]) },
      { later: items, clean: [["a", 3]] },
    );
  });

  it("keeps its files while it can't be written, and is complete after that", async () => {
    const folder = await oldFolder();
    const files = await indexesIn(folder);
    const during = await onFaultyDisk("ENOSPC", /index\.json/, async () => {
      const store = await open(folder);
      await store.waitUntilEmbedded();
      await store.refresh();
      const seen = { texts: await textsOf(store), files: await indexesIn(folder) };
      await store.close().catch(() => undefined);
      return seen;
    });
    const store = await open(folder);
    const texts = await textsOf(store);
    await store.waitUntilEmbedded();
    await store.close();
    assert.deepEqual(
      { during, texts, files: await indexesIn(folder) },
      { during: { texts: TEXTS, files }, texts: TEXTS, files: NEW_INDEXES },
    );
  });

  it("is whole when the program died before the old index was deleted", async () => {
    const folder = await oldFolder();
    const store = await open(folder);
    await store.waitUntilEmbedded();
    await store.close();
    const old = path.join(folder, "seg-00002/index.pb");
    await fs.copyFile(path.join(FIXTURE, "seg-00002/index.pb"), old);
    const again = await open(folder);
    const texts = await textsOf(again);
    await again.waitUntilEmbedded();
    await again.refresh();
    await again.close();
    assert.deepEqual({ texts, files: await indexesIn(folder) }, { texts: TEXTS, files: NEW_INDEXES });
  });

  it("is rewritten though the embedder refuses a memory, which stays in the log", async () => {
    const folder = await oldFolder();
    const store = await open(folder, 4);
    await store.waitUntilEmbedded();
    await store.close();
    const again = await open(folder, 4);
    const texts = await textsOf(again);
    await again.close();
    assert.deepEqual(
      { texts: texts.toSorted(), stock: await stockTexts(folder), files: await indexesIn(folder) },
      { texts: TEXTS.toSorted(), stock: TEXTS.slice(1), files: NEW_INDEXES },
    );
  });

  it("is read by a second window while the first one rewrites it", async () => {
    const folder = await oldFolder();
    const [first, second] = [await open(folder), await open(folder)];
    const before = await textsOf(second);
    await first.waitUntilEmbedded();
    await first.refresh();
    await second.refresh();
    const after = await textsOf(second);
    await first.close();
    await second.close();
    assert.deepEqual({ before, after }, { before: TEXTS, after: TEXTS });
  });

  it("sets a damaged segment aside and keeps the rest", async () => {
    const folder = await oldFolder();
    const file = path.join(folder, "seg-00001/index.pb");
    const bytes = await fs.readFile(file);
    bytes[bytes.length - 100] = (bytes[bytes.length - 100] ?? 0) ^ 1;
    await fs.writeFile(file, bytes);
    const store = await open(folder);
    const texts = await textsOf(store);
    await store.close();
    const aside = await fs.readdir(path.join(folder, "damaged"), { recursive: true });
    assert.deepEqual(
      { texts, aside: aside.filter((name) => name.endsWith("index.pb")).length },
      { texts: TEXTS.slice(3), aside: 1 },
    );
  });
});

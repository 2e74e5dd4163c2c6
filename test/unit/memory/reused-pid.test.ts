import assert from "node:assert/strict";
import fs from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { openMemory } from "../../../src/memory/open-memory.ts";
import type { WorkspaceMemory } from "../../../src/memory/workspace-memory.ts";
import { listed } from "../../support/listed.ts";
import { tempFolders } from "../../support/temp-folders.ts";
import { fakeEmbedder } from "./fake-embedder.ts";

const opened: WorkspaceMemory[] = [];
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
});
const tempFolder = tempFolders();

/** A folder whose lock names a program that runs, but is another one than took it. */
async function heldByAStranger(): Promise<{ readonly folder: string; readonly lock: string }> {
  const folder = await tempFolder();
  const lock = path.join(folder, "lock");
  await fs.writeFile(lock, JSON.stringify({ token: "dead", pid: process.ppid, host: os.hostname() }));
  return { folder, lock };
}

async function open(folder: string): Promise<WorkspaceMemory> {
  const store = await openMemory({ folder, embedder: fakeEmbedder("one") });
  opened.push(store);
  return store;
}

const textsOf = async (store: WorkspaceMemory) => (await listed(store.iterateAll())).map(({ text }) => text);

describe("a memory whose writer died and left its number to another program", () => {
  it("shows every window what any of them handed over", async () => {
    const { folder } = await heldByAStranger();
    const one = await open(folder);
    await one.add([{ kind: "note", text: "aa bb", source: "user" }]);
    await one.close();
    const other = await open(folder);
    assert.deepEqual({ mode: other.state.mode, texts: await textsOf(other) }, { mode: "reading", texts: ["aa bb"] });
  });

  it("forgets what was handed over once the writer has removed it", async () => {
    const { folder, lock } = await heldByAStranger();
    const reader = await open(folder);
    const [id = ""] = await reader.add([{ kind: "note", text: "aa bb", source: "user" }]);
    await fs.rm(lock);
    await (await open(folder)).remove([id]);
    await reader.refresh();
    assert.deepEqual({ mode: reader.state.mode, texts: await textsOf(reader) }, { mode: "reading", texts: [] });
  });

  it("is written again once that lock has been silent for a minute", async () => {
    const { folder, lock } = await heldByAStranger();
    const before = new Date(Date.now() - 90_000);
    await fs.utimes(lock, before, before);
    assert.equal((await open(folder)).state.mode, "writing");
  });
});

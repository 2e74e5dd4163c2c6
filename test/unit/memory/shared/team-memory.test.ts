import assert from "node:assert/strict";
import fs from "node:fs/promises";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { openMemory } from "../../../../src/memory/open-memory.ts";
import type { PluginMemoryLog } from "../../../../src/memory/shared/shared-log.ts";
import { MemoryError } from "../../../../src/memory/store/memory-error.ts";
import type { NewMemory } from "../../../../src/memory/store/memory-item.ts";
import type { WorkspaceMemory } from "../../../../src/memory/workspace-memory.ts";
import type { SharedRow } from "../../../../src/schema/shared-rows.ts";
import { listed } from "../../../support/listed.ts";
import { shippedTable } from "../../../support/shipped-table.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

const opened: WorkspaceMemory[] = [];
// Before their folders are deleted.
afterEach(async () => {
  for (const memory of opened.splice(0)) await memory.close();
});
const tempFolder = tempFolders();

/** A log in this program, which counts how often it's pulled. */
class FakeLog implements PluginMemoryLog {
  rows: SharedRow[] = [];
  pulls = 0;
  async append(rows: readonly SharedRow[]): Promise<void> {
    this.rows.push(...rows);
  }

  async pull({ after = "0" }: { readonly after?: string }) {
    this.pulls += 1;
    const rows = this.rows.slice(Number(after));
    return { rows, cursor: String(this.rows.length) };
  }

  async remove(marks: readonly SharedRow[]): Promise<void> {
    this.rows.push(...marks);
  }

  /** The texts that a member who reads everything has in the end. */
  get texts(): readonly string[] {
    const left = new Map<string, string>();
    for (const { id, text, removed } of this.rows) removed ? left.delete(id) : left.set(id, text);
    return [...left.values()];
  }
}

/** `isThere`: whether the extension that brings the log is. */
async function open(log: FakeLog, folder?: string, isThere = () => true): Promise<WorkspaceMemory> {
  const memory = await openMemory({
    folder: folder ?? (await tempFolder()),
    embedder: shippedTable(),
    key: "a key of this machine",
    shared: {
      ...{ backend: "plugin", url: "fake:x", project: "team", kinds: ["note"] },
      getAuthor: async () => "Ada",
      findStore: () => (isThere() ? { id: "fake", name: "Fake", open: () => log } : undefined),
    },
  });
  opened.push(memory);
  return memory;
}

const PORT: NewMemory = { kind: "note", text: "The port is 8765.", source: "user", sources: [] };

async function until(isSo: () => boolean): Promise<void> {
  const last = performance.now() + 50_000;
  while (!isSo()) {
    if (performance.now() > last) throw new Error("It stayed as it was.");
    await pause(10);
  }
}

describe("a memory that is shared", () => {
  it("doesn't ask the server all the time while nothing is remembered", async () => {
    const log = new FakeLog();
    const start = performance.now();
    await open(log);
    await until(() => log.pulls >= 4);
    const tookMs = performance.now() - start;
    // Such a store is asked once a second. A busy machine only makes it less often.
    assert.equal(tookMs > 1_500, true, `four pulls in ${tookMs} ms`);
  });

  it("shares a note again that was removed and is remembered once more", async () => {
    const log = new FakeLog();
    const memory = await open(log);
    const ids = await memory.add([PORT]);
    await until(() => log.texts.length === 1);
    await memory.remove(ids);
    await until(() => log.texts.length === 0);
    await memory.add([PORT]);
    await until(() => log.texts.length === 1);
    assert.deepEqual(log.texts, [PORT.text]);
  });

  it("shares a note again that is remembered once more before the server has removed it", async () => {
    const log = new FakeLog();
    const memory = await open(log);
    const ids = await memory.add([PORT]);
    await until(() => memory.state.shared?.waiting === 0 && log.texts.length === 1);
    await Promise.all([memory.remove(ids), memory.add([{ ...PORT, text: "Another." }])]);
    await memory.add([PORT]);
    await until(() => log.rows.some(({ removed }) => removed === true));
    await until(() => log.texts.length === 2);
    assert.deepEqual(log.texts.toSorted(), ["Another.", PORT.text]);
  });

  it("is removed from the server later if the extension that brings the log isn't there yet", async () => {
    const [log, folder] = [new FakeLog(), await tempFolder()];
    const first = await open(log, folder);
    const ids = await first.add([PORT]);
    await until(() => first.state.shared?.waiting === 0 && log.texts.length === 1);
    await first.close();
    let isThere = false;
    const memory = await open(log, folder, () => isThere);
    await memory.remove(ids);
    isThere = true;
    await until(() => memory.state.shared?.isConnected === true);
    assert.deepEqual(log.texts, []);
  });

  it("isn't cleared if the server couldn't be asked to remove it later", async () => {
    const [log, folder] = [new FakeLog(), await tempFolder()];
    const memory = await open(log, folder, () => false);
    await memory.add([PORT]);
    await until(() => memory.state.notices.length > 0);
    // Nothing can be appended to a folder.
    await fs.rm(path.join(folder, "shared.jsonl"), { force: true });
    await fs.mkdir(path.join(folder, "shared.jsonl"));
    const error = await memory.clear().catch((reason: unknown) => reason);
    const left = (await listed(memory.iterateAll())).map(({ text }) => text);
    assert.deepEqual([error instanceof MemoryError, left], [true, [PORT.text]]);
  });
});

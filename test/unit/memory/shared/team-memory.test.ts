import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { openMemory } from "../../../../src/memory/open-memory.ts";
import type { PluginMemoryLog } from "../../../../src/memory/shared/shared-log.ts";
import type { NewMemory } from "../../../../src/memory/store/memory-item.ts";
import type { WorkspaceMemory } from "../../../../src/memory/workspace-memory.ts";
import type { SharedRow } from "../../../../src/schema/shared-rows.ts";
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

async function open(log: FakeLog): Promise<WorkspaceMemory> {
  const memory = await openMemory({
    folder: await tempFolder(),
    embedder: shippedTable(),
    key: "a key of this machine",
    shared: {
      ...{ backend: "plugin", url: "fake:x", project: "team", kinds: ["note"] },
      author: async () => "Ada",
      stores: () => ({ id: "fake", name: "Fake", open: () => log }),
    },
  });
  opened.push(memory);
  return memory;
}

const PORT: NewMemory = { kind: "note", text: "The port is 8765.", source: "user", sources: [] };

async function until(isSo: () => boolean): Promise<void> {
  const last = performance.now() + 10_000;
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
});

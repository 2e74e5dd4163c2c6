import assert from "node:assert/strict";
import fs from "node:fs/promises";
import path from "node:path";
import { openMemory } from "../../../../src/memory/open-memory.ts";
import { createVectraItem } from "../../../../src/memory/store/segment-files.ts";
import { encodeRecord, LOG_MAGIC } from "../../../../src/memory/store/segment-records.ts";
import { updateIndex } from "../../../../src/memory/store/vectra-index.ts";
import type { WorkspaceMemory } from "../../../../src/memory/workspace-memory.ts";
import { listed } from "../../../support/listed.ts";
import { shippedTable } from "../../../support/shipped-table.ts";
import { makeLink } from "../../../support/skips.ts";
import { tempFolders } from "../../../support/temp-folders.ts";
import { fakeEmbedder } from "../fake-embedder.ts";
import { note } from "../sample-items.ts";

const GIGABYTE = 1024 ** 3;

/** What a repository, or an archive of one, can bring along in the folder of its memory. */
const PLANTED: Readonly<Record<string, (folder: string) => Promise<void>>> = {
  "a log of 3 GB": (folder) => sparse(path.join(folder, "seg-00001/wal.log")),
  "an index of 3 GB": (folder) => sparse(path.join(folder, "seg-00001/index.json")),
  "the list of notes with 3 GB": (folder) => sparse(path.join(folder, "notes.json")),
  "a delivery of 3 GB": async (folder) => {
    await fs.mkdir(path.join(folder, "inbox"));
    await sparse(path.join(folder, "inbox/1.log"));
  },
  "a delivery that is a folder": async (folder) => {
    await fs.mkdir(path.join(folder, "inbox/1.log"), { recursive: true });
  },
  "a description that is a list of millions": (folder) =>
    fs.writeFile(path.join(folder, "meta.json"), `[${"{},".repeat(5_000_000)}{}]`),
  "an index of millions of nothings": (folder) =>
    fs.writeFile(
      path.join(folder, "seg-00001/index.json"),
      `{"version":1,"metadata_config":{},"items":[${"{},".repeat(20_000_000)}{}]}`,
    ),
  "a lock of 600 MB": async (folder) => {
    await fs.writeFile(path.join(folder, "lock"), "");
    await fs.truncate(path.join(folder, "lock"), 600_000_000);
  },
  "a lock that is a folder": async (folder) => {
    await fs.mkdir(path.join(folder, "lock/more"), { recursive: true });
  },
  "a lock that is a link": (folder) => makeLink("/nowhere", path.join(folder, "lock")),
};

async function sparse(file: string): Promise<void> {
  await fs.writeFile(file, "");
  await fs.truncate(file, 3 * GIGABYTE);
}

describe("a memory that came with a repository", () => {
  const tempFolder = tempFolders();
  const opened: WorkspaceMemory[] = [];
  const open = async (folder: string): Promise<WorkspaceMemory> => {
    const notes = { folder: path.join(folder, "../notes"), getAuthor: async () => "Ada" };
    const memory = await openMemory({ folder, notes, embedder: fakeEmbedder("one") });
    opened.push(memory);
    return memory;
  };
  afterEach(async () => {
    for (const memory of opened.splice(0)) await memory.close();
  });

  for (const [what, plant] of Object.entries(PLANTED))
    it(`takes a new memory in spite of ${what}`, async () => {
      const folder = path.join(await tempFolder(), "memory");
      await fs.mkdir(path.join(folder, "seg-00001"), { recursive: true });
      await plant(folder);
      const memory = await open(folder);
      await memory.refresh();
      await memory.add([{ kind: "note", text: "The port is 8765.", source: "user" }]);
      assert.deepEqual(
        (await listed(memory.iterateAll())).map(({ text }) => text),
        ["The port is 8765."],
      );
    });

  it("isn't searched for a text of megabytes, which no program of ours makes", async () => {
    const folder = path.join(await tempFolder(), "memory");
    const segment = path.join(folder, "seg-00001");
    await fs.mkdir(segment, { recursive: true });
    const fields = { kind: "note", source: "user", at: "2026-01-02T03:04:05.000Z" };
    const items = ["short", "long ".repeat(1_000_000)].map((text, place) => ({
      ...{ id: `${place}`, vector: [1, 0], norm: 1 },
      metadata: { ...fields, text },
    }));
    const index = { version: 1, metadata_config: {}, items };
    await fs.writeFile(path.join(segment, "index.json"), JSON.stringify(index));
    assert.deepEqual(
      (await listed((await open(folder)).iterateAll())).map(({ text }) => text),
      ["short"],
    );
  });

  for (const [what, plant] of [
    [
      "description",
      (folder: string) =>
        fs.writeFile(
          path.join(folder, "meta.json"),
          JSON.stringify({ format: 2, embedder: shippedTable().id, dimensions: 7 }),
        ),
    ],
    [
      "memory",
      (folder: string) => {
        const item = createVectraItem(note("short"), {
          embedder: shippedTable().id,
          vector: Float32Array.of(1),
        });
        return updateIndex(path.join(folder, "seg-00001"), [item], () => false);
      },
    ],
  ] as const)
    it(`has vectors in spite of a ${what} that says they have another size`, async () => {
      const folder = path.join(await tempFolder(), "memory");
      await fs.mkdir(path.join(folder, "seg-00001"), { recursive: true });
      await plant(folder);
      const memory = await openMemory({ folder, embedder: shippedTable() });
      opened.push(memory);
      await memory.add([{ kind: "note", text: "The port is 8765.", source: "user" }]);
      await memory.waitUntilEmbedded();
      const { embedded, count, notices } = memory.state;
      assert.deepEqual([embedded, notices], [count, []]);
    });

  it("opens in spite of a delivery of more memories than a call has room for", async () => {
    const folder = path.join(await tempFolder(), "memory");
    await fs.mkdir(path.join(folder, "inbox"), { recursive: true });
    const put = encodeRecord({ op: "put", item: note("again and again") });
    const records = new Array<Buffer>(150_000).fill(put);
    await fs.writeFile(path.join(folder, "inbox/1.log"), Buffer.concat([LOG_MAGIC, ...records]));
    const memory = await open(folder);
    assert.deepEqual(
      (await listed(memory.iterateAll())).map(({ text }) => text),
      ["again and again"],
    );
  });

  it("keeps a delivery that can't be read at the moment", async function () {
    if (process.platform === "win32" || process.getuid?.() === 0) this.skip();
    const folder = path.join(await tempFolder(), "memory");
    const [writer, reader] = [await open(folder), await open(folder)];
    await reader.add([{ kind: "note", text: "The port is 8765.", source: "user" }]);
    const [name = ""] = await fs.readdir(path.join(folder, "inbox"));
    const file = path.join(folder, "inbox", name);
    await fs.chmod(file, 0);
    await writer.refresh();
    await fs.chmod(file, 0o600);
    await writer.refresh();
    assert.equal(writer.state.count, 1);
  });
});

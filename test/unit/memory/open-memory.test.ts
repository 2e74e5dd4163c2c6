import assert from "node:assert/strict";
import fs from "node:fs/promises";
import path from "node:path";
import { setImmediate as untilIdle } from "node:timers/promises";
import { LocalIndex } from "vectra";
import { EmbeddingError } from "../../../src/memory/embedding/embedder.ts";
import { openMemory } from "../../../src/memory/open-memory.ts";
import { MemoryError } from "../../../src/memory/store/memory-error.ts";
import type { NewMemory } from "../../../src/memory/store/memory-item.ts";
import type { WorkspaceMemory } from "../../../src/memory/workspace-memory.ts";
import { writeInEnglish } from "../../../src/texts/display-text.ts";
import { listed } from "../../support/listed.ts";
import { makeLink, skipWithout } from "../../support/skips.ts";
import { tempFolders } from "../../support/temp-folders.ts";
import { fakeEmbedder } from "./fake-embedder.ts";

const tempFolder = tempFolders();
const NOTES = ["aa bb", "ab cc", "dd ca", "bd da", "cc dd aa"].map(
  (text): NewMemory => ({ kind: "note", text, source: "user" }),
);

/** A folder with these notes in segments of two, closed. */
async function written(embedder = fakeEmbedder("one")): Promise<string> {
  const folder = await tempFolder();
  const store = await openMemory({ folder, embedder, segmentSize: 2 });
  for (const one of NOTES) await store.add([one]);
  await store.close();
  return folder;
}

/** Opens a memory, looks at it and closes it again. */
async function inspect<T>(folder: string, id: string, look: (store: WorkspaceMemory) => T | Promise<T>): Promise<T> {
  const store = await openMemory({ folder, embedder: fakeEmbedder(id), segmentSize: 2 });
  await store.waitUntilEmbedded();
  const seen = await look(store);
  await store.close();
  return seen;
}

const textsOf = async (store: WorkspaceMemory) => (await listed(store.iterateAll())).map(({ text }) => text);

describe("a memory on the disk", () => {
  it("is in segments that Vectra as it comes can search", async () => {
    const folder = await written();
    const found: (string | undefined)[] = [];
    for (const name of ["seg-00001", "seg-00002", "seg-00003"]) {
      const index = new LocalIndex(path.join(folder, name));
      const [best] = await index.queryItems([0, 0, 1, 2], "", 1);
      found.push(best?.item.metadata.text?.toString());
    }
    assert.deepEqual(found, ["ab cc", "dd ca", "cc dd aa"]);
  });

  it("names its embedder and the size of its vectors", async () => {
    const meta: unknown = JSON.parse(await fs.readFile(path.join(await written(), "meta.json"), "utf8"));
    assert.deepEqual(meta, { format: 2, embedder: "one", dimensions: 4 });
  });

  it("writes nothing when it is opened with nothing to do", async () => {
    const folder = await written();
    const stamps = async () => {
      const files = (await fs.readdir(folder, { recursive: true })).sort();
      const stats = await Promise.all(files.map((file) => fs.stat(path.join(folder, file))));
      return files.map((file, place) => [file, stats[place]?.isFile() && stats[place].mtimeMs]);
    };
    const before = await stamps();
    await inspect(folder, "one", () => undefined);
    assert.deepEqual(await stamps(), before);
  });

  it("has not again what was removed, though it was in two segments", async () => {
    const folder = await written();
    await fs.cp(path.join(folder, "seg-00001"), path.join(folder, "seg-00009"), { recursive: true });
    const twice = NOTES.slice(0, 2).map(({ text }) => text);
    await inspect(folder, "one", async (store) => {
      const items = (await listed(store.iterateAll())).filter(({ text }) => twice.includes(text));
      return store.remove(items.map(({ id }) => id));
    });
    assert.deepEqual(await inspect(folder, "one", textsOf), ["dd ca", "bd da", "cc dd aa"]);
  });

  it("is for its owner alone", async () => {
    skipWithout("files as POSIX has them");
    const folder = await written();
    const places = ["seg-00001", "seg-00001/index.json", "seg-00001/wal.log", "meta.json"];
    const modes = places.map(async (place) => (await fs.stat(path.join(folder, place))).mode & 0o077);
    assert.deepEqual(await Promise.all(modes), [0, 0, 0, 0]);
  });

  it("grows no files that a crash would leave", async () => {
    const folder = await written();
    await fs.writeFile(path.join(folder, "seg-00001", "index.json.1234.tmp"), "half");
    await inspect(folder, "one", () => undefined);
    const left = (await fs.readdir(folder, { recursive: true })).filter((name) => /tmp|lock/.test(name));
    assert.deepEqual(left, []);
  });
});

describe("a damaged memory", () => {
  it("serves what is good, keeps what is not aside, and says so", async () => {
    const folder = await written();
    const file = path.join(folder, "seg-00002", "index.json");
    await fs.writeFile(file, (await fs.readFile(file)).subarray(0, 100));
    const seen = await inspect(folder, "one", async (store) => ({
      texts: await textsOf(store),
      said: store.state.notices,
    }));
    assert.deepEqual(
      {
        texts: seen.texts,
        said: seen.said.map((text) => writeInEnglish(text).replace(/ The damaged files .*/, "")),
        aside: (await fs.readdir(path.join(folder, "damaged"), { recursive: true })).some((name) =>
          name.endsWith("index.json"),
        ),
        now: await inspect(folder, "one", (store) => store.state.notices),
      },
      {
        texts: ["aa bb", "ab cc", "cc dd aa"],
        said: ["A part of the memory is damaged (seg-00002); the rest is in use."],
        aside: true,
        now: [],
      },
    );
  });

  it("keeps the records of a log around one that is damaged", async () => {
    const folder = await tempFolder();
    const dead = fakeEmbedder("one", new EmbeddingError("setup", "No."));
    const store = await openMemory({ folder, embedder: dead });
    for (const one of NOTES) await store.add([one]);
    await store.close();
    const file = path.join(folder, "seg-00001", "wal.log");
    const bytes = await fs.readFile(file);
    const at = bytes.indexOf("dd ca");
    await fs.writeFile(file, Buffer.concat([bytes.subarray(0, at), Buffer.from("xx"), bytes.subarray(at + 2)]));
    assert.deepEqual(await inspect(folder, "one", textsOf), ["aa bb", "ab cc", "bd da", "cc dd aa"]);
  });

  it("keeps what is added after a log that was none", async () => {
    const folder = await written();
    await fs.writeFile(path.join(folder, "seg-00003", "wal.log"), "AGPTLOG?");
    const store = await openMemory({ folder, embedder: fakeEmbedder("one"), segmentSize: 2 });
    await store.add([{ kind: "note", text: "bb bb", source: "user" }]);
    const copy = await tempFolder();
    await fs.cp(folder, copy, { recursive: true });
    await store.close();
    await fs.rm(path.join(copy, "lock"));
    assert.deepEqual((await inspect(copy, "one", textsOf)).at(-1), "bb bb");
  });

  it("is started over where only meta.json is damaged", async () => {
    const folder = await written();
    await fs.writeFile(path.join(folder, "meta.json"), "{");
    assert.deepEqual(await inspect(folder, "one", ({ state }) => [state.count, state.embedded]), [5, 5]);
  });
});

describe("a memory that is not for this program", () => {
  it("is left alone when it is of a newer one", async () => {
    const folder = await written();
    const meta = path.join(folder, "meta.json");
    await fs.writeFile(meta, '{"format": 3}');
    await assert.rejects(
      openMemory({ folder, embedder: fakeEmbedder("one") }),
      (error) => error instanceof MemoryError && /newer version/.test(error.message),
    );
    assert.equal(await fs.readFile(meta, "utf8"), '{"format": 3}');
  });

  it("is not taken over once a newer one has written it", async () => {
    const folder = await written();
    const [writer, reader] = [
      await openMemory({ folder, embedder: fakeEmbedder("one") }),
      await openMemory({ folder, embedder: fakeEmbedder("one") }),
    ];
    await writer.close();
    const meta = path.join(folder, "meta.json");
    await fs.writeFile(meta, '{"format": 3}');
    await reader.refresh();
    const { mode, notices } = reader.state;
    await reader.close();
    assert.deepEqual(
      [mode, notices.some((text) => writeInEnglish(text).includes("newer version")), await fs.readFile(meta, "utf8")],
      ["reading", true, '{"format": 3}'],
    );
  });

  it("is not used when it is a link to another place", async () => {
    const folder = path.join(await tempFolder(), "link");
    await makeLink(await written(), folder, "dir");
    await assert.rejects(openMemory({ folder, embedder: fakeEmbedder("one") }), MemoryError);
  });

  it("leads nowhere else by links within it", async () => {
    const [folder, elsewhere] = [await tempFolder(), await written()];
    await makeLink(path.join(elsewhere, "seg-00001"), path.join(folder, "seg-00001"), "dir");
    await fs.mkdir(path.join(folder, "seg-00002"));
    await makeLink(path.join(elsewhere, "seg-00002", "index.json"), path.join(folder, "seg-00002", "index.json"));
    const count = await inspect(folder, "one", ({ state }) => state.count);
    assert.deepEqual(
      [count, (await fs.readdir(path.join(elsewhere, "seg-00002"))).sort()],
      [0, ["index.json", "wal.log"]],
    );
  });

  it("leaves files alone that links in it lead to", async () => {
    skipWithout("files as POSIX has them");
    const [folder, elsewhere] = [await written(), await tempFolder()];
    const files = ["notes.log", "wal.log"].map((name) => path.join(elsewhere, name));
    for (const file of files) await fs.writeFile(file, "not ours");
    await makeLink(elsewhere, path.join(folder, "inbox"), "dir");
    await fs.rm(path.join(folder, "seg-00003", "wal.log"));
    await makeLink(path.join(elsewhere, "wal.log"), path.join(folder, "seg-00003", "wal.log"));
    const store = await openMemory({ folder, embedder: fakeEmbedder("one"), segmentSize: 2 });
    await store.add([{ kind: "note", text: "bb bb", source: "user" }]);
    await store.close();
    assert.deepEqual(await Promise.all(files.map((file) => fs.readFile(file, "utf8"))), ["not ours", "not ours"]);
  });

  it("is not held by a window that could not open it", async () => {
    const folder = await written();
    await fs.writeFile(path.join(folder, "seg-00001", "index.json"), "damaged");
    await fs.writeFile(path.join(folder, "damaged"), "no folder");
    await assert.rejects(openMemory({ folder, embedder: fakeEmbedder("one") }), MemoryError);
    assert.equal((await fs.readdir(folder)).includes("lock"), false);
  });

  it("says so in a sentence when the folder cannot be made", async () => {
    const file = path.join(await tempFolder(), "file");
    await fs.writeFile(file, "");
    await assert.rejects(openMemory({ folder: path.join(file, "memory"), embedder: fakeEmbedder("one") }), MemoryError);
  });
});

describe("a memory that is cleared while it is added to", () => {
  /** What the window shows, and what it shows once it has been opened anew; they have to be the same. */
  async function bothViews(act: (store: WorkspaceMemory) => Promise<unknown>): Promise<readonly string[][]> {
    const folder = await tempFolder();
    const store = await openMemory({ folder, embedder: fakeEmbedder("one"), segmentSize: 2 });
    for (const one of NOTES) await store.add([one]);
    await act(store);
    const shown = (await textsOf(store)).sort();
    await store.close();
    return [shown, (await inspect(folder, "one", textsOf)).sort()];
  }

  /** Lets other work get some way. */
  async function some(turns: number): Promise<void> {
    for (let turn = 0; turn < turns; turn++) await untilIdle();
  }

  const MORE = ["ba ba", "bb bb", "bc bc", "bd bd"].map((text): NewMemory => ({ kind: "note", text, source: "user" }));

  for (const turns of [0, 1, 2, 3, 5, 8]) {
    it(`shows what the disk has, begun ${turns} turns before`, async () => {
      const [shown, opened] = await bothViews(async (store) => {
        const adding = Promise.allSettled(MORE.map((one) => store.add([one])));
        await some(turns);
        await Promise.all([store.clear(), adding]);
      });
      assert.deepEqual(shown, opened);
    });

    it(`shows what the disk has when that is undone, ${turns} turns after`, async () => {
      const [shown, opened] = await bothViews(async (store) => {
        const restore = await store.clear();
        const restoring = restore();
        await some(turns);
        await Promise.all([restoring, ...MORE.map((one) => store.add([one]))]);
      });
      assert.deepEqual(shown, opened);
    });
  }
});

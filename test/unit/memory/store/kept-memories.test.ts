import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import nodeFs from "node:fs";
import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import os from "node:os";
import path from "node:path";
import { LocalIndex } from "vectra";
import { openMemory } from "../../../../src/memory/open-memory.ts";
import { FolderLock } from "../../../../src/memory/store/folder-lock.ts";
import { openLocalStore } from "../../../../src/memory/store/local-store.ts";
import { MemoryError } from "../../../../src/memory/store/memory-error.ts";
import type { NewMemory } from "../../../../src/memory/store/memory-item.ts";
import { MemoryWriter } from "../../../../src/memory/store/memory-writer.ts";
import { PlacedMemories } from "../../../../src/memory/store/placed-memories.ts";
import { Segment } from "../../../../src/memory/store/segment.ts";
import { readSegment } from "../../../../src/memory/store/segment-files.ts";
import { SegmentLog } from "../../../../src/memory/store/segment-log.ts";
import {
  decodeLog,
  encodeRecord,
  LOG_MAGIC,
  type SegmentRecord,
} from "../../../../src/memory/store/segment-records.ts";
import { SegmentStore } from "../../../../src/memory/store/segment-store.ts";
import { createStoredItem } from "../../../../src/memory/store/stored-item.ts";
import { writeInEnglish } from "../../../../src/texts/display-text.ts";
import { onFaultyDisk, whileOpenElsewhere, whileUnreadable } from "../../../support/faulty-disk.ts";
import { listed } from "../../../support/listed.ts";
import { tempFolders } from "../../../support/temp-folders.ts";
import { fakeEmbedder } from "../fake-embedder.ts";
import { note } from "../sample-items.ts";

const tempFolder = tempFolders();
const TEXTS = ["aa bb", "ab cc", "dd ca"];
const one = (text: string): NewMemory => ({ kind: "note", text, source: "user" });
const put = (text: string): SegmentRecord => ({ op: "put", item: note(text) });
const VECTOR = { embedder: "one", vector: Float32Array.from([1, 0]) };

function open(folder: string) {
  return openMemory({ folder, embedder: fakeEmbedder("one"), segmentSize: 2 });
}

type Opened = Awaited<ReturnType<typeof open>>;

const textsOf = async (store: Opened) => (await listed(store.iterateAll())).map(({ text }) => text).sort();

/** What a memory has and says, after `act`. */
async function seen(folder: string, act: (store: Opened) => unknown = () => 0) {
  const store = await open(folder);
  await store.waitUntilEmbedded();
  await act(store);
  const result = { texts: await textsOf(store), notices: store.state.notices.map(writeInEnglish) };
  await store.close();
  return result;
}

async function written(): Promise<string> {
  const folder = await tempFolder();
  await seen(folder, async (store) => {
    for (const text of TEXTS) await store.add([one(text)]);
  });
  return folder;
}

/** A memory into whose first part another program has written. */
async function shared(): Promise<string> {
  const folder = await written();
  const item = { id: "theirs", metadata: { about: "something" }, vector: [1, 0, 0, 0] };
  await new LocalIndex(path.join(folder, "seg-00001")).insertItem(item);
  return folder;
}

/** Loading of the code that reads indexes fails, as while an update replaces the program. */
const WITHOUT_CODE = `import { registerHooks } from "node:module";
registerHooks({ load(url, context, next) {
  if (url.endsWith("/vectra-index.ts")) throw new Error("The file is gone.");
  return next(url, context);
} });`;

describe("a part of the memory that can't be read now", () => {
  for (const file of ["index.json", "wal.log"]) {
    it(`stays as it is, and what is added meanwhile is kept: ${file}`, async () => {
      const folder = await written();
      await fs.appendFile(path.join(folder, "seg-00001/wal.log"), encodeRecord(put("more")));
      const during = await whileUnreadable(new RegExp(`seg-00001/${file}$`), () =>
        seen(folder, (store) => store.add([one("bb bb")])),
      );
      assert.deepEqual(
        { during, after: await seen(folder), damaged: (await fs.readdir(folder)).includes("damaged") },
        {
          during: {
            texts: ["bb bb", "dd ca"],
            notices: [
              "A part of the memory can't be read now (seg-00001: EIO: the disk fails). It's left as it is; reload the window to try again.",
            ],
          },
          after: { texts: [...TEXTS, "bb bb", "more"].sort(), notices: [] },
          damaged: false,
        },
      );
    });
  }

  it("loses nothing when the window that couldn't read it becomes the writing one", async () => {
    const folder = await written();
    await fs.appendFile(path.join(folder, "seg-00001/wal.log"), encodeRecord(put("more")));
    const lock = path.join(folder, "lock");
    await fs.writeFile(lock, JSON.stringify({ token: "x", pid: process.ppid, host: os.hostname() }));
    const reader = await whileUnreadable(/seg-00001.index\.json$/, () => open(folder));
    await fs.rm(lock);
    await reader.refresh();
    await reader.refresh();
    await reader.close();
    assert.deepEqual((await seen(folder)).texts, [...TEXTS, "more"]);
  });

  it("isn't taken for damaged by a program whose own files are just being replaced", async function () {
    this.timeout(20_000);
    const folder = await written();
    const script = `${WITHOUT_CODE}
      const { openLocalStore } = await import(${JSON.stringify(import.meta.resolve("../../../../src/memory/store/local-store.ts"))});
      const said = [];
      const store = await openLocalStore({ folder: ${JSON.stringify(folder)}, embedder: "one", notice: ({ code }) => said.push(code) });
      await store.close().catch(() => 0);
      console.log(said.join());`;
    const { stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
      encoding: "utf8",
    });
    const notRead = "trouble.memoryPartNotRead";
    assert.deepEqual(
      { said: stdout.trim(), after: await seen(folder) },
      { said: `${notRead},${notRead}`, after: { texts: TEXTS, notices: [] } },
    );
  });
});

describe("writing an index", () => {
  it("removes nothing from it but what is known to be gone", async () => {
    const folder = await tempFolder();
    const memories = new PlacedMemories("one");
    const writer = new MemoryWriter(new SegmentStore(folder), memories, 10);
    const [unknown, gone, kept] = [note("unknown"), note("gone"), note("kept")];
    await writer.add([unknown, gone, kept]);
    await writer.embed([...memories.index.iterateAll()].map((entry) => ({ entry, ...VECTOR })));
    await writer.fold(true);
    memories.remove(unknown.id);
    await writer.remove([gone.id]);
    await writer.fold(true);
    await writer.close();
    const items = await new LocalIndex(path.join(folder, "seg-00001")).listItems();
    assert.deepEqual(items.map(({ metadata }) => metadata.text).sort(), ["kept", "unknown"]);
  });

  it("changes nothing once another window has the lock", async () => {
    const folder = await tempFolder();
    const store = await openLocalStore({ folder, embedder: "one", segmentSize: 1, notice: () => 0 });
    for (const item of ["aa", "bb"].map((text) => note(text))) {
      await store.add([item]);
      await store.embed(new Map([[item.id, VECTOR.vector]]));
    }
    await fs.writeFile(path.join(folder, "lock"), JSON.stringify({ token: "x", pid: process.pid, host: "y" }));
    const refused = await store.compact().catch((error: unknown) => String(error));
    await store.close();
    const files = await fs.readdir(folder, { recursive: true });
    assert.deepEqual(
      {
        refused: /taken over by another/.test(String(refused)),
        indexes: files.filter((name) => name.endsWith(".json")),
      },
      { refused: true, indexes: ["meta.json"] },
    );
  });
});

describe("a segment's folder", () => {
  it("isn't deleted while something is being added to it", async () => {
    const folder = await tempFolder();
    const segment = new Segment(folder);
    const [adding, deleted] = [segment.change([put("aa")], () => segment.ids.add(note("aa").id)), segment.delete()];
    await adding;
    const result = [await deleted, (await readSegment(folder)).ids.length];
    await segment.close();
    assert.deepEqual(result, [false, 1]);
  });

  it("isn't deleted while it holds what this window doesn't know", async () => {
    const folder = await tempFolder();
    const segment = new Segment(folder);
    await segment.change([put("aa")], () => 0);
    assert.deepEqual([await segment.delete(), (await readSegment(folder)).ids.length], [false, 1]);
  });

  it("is back where it was if clearing the memory fails halfway", async () => {
    const [folder, target] = [await written(), path.join(await tempFolder(), "cleared")];
    await fs.mkdir(path.join(target, "seg-00002"), { recursive: true });
    await fs.writeFile(path.join(target, "seg-00002/file"), "in the way");
    const segments = new SegmentStore(folder);
    for await (const { segment, contents } of segments.readChanges(() => 0, "none")) segment.setContents(contents);
    await assert.rejects(segments.moveTo(target));
    assert.deepEqual((await seen(folder)).texts, TEXTS);
  });

  it("is back if clearing fails halfway and another program has written into the memory", async () => {
    const [folder, target] = [await shared(), path.join(await tempFolder(), "cleared")];
    await fs.mkdir(path.join(target, "seg-00002"), { recursive: true });
    await fs.writeFile(path.join(target, "seg-00002/file"), "in the way");
    const segments = new SegmentStore(folder);
    for await (const { segment, contents } of segments.readChanges(() => 0, "none")) segment.setContents(contents);
    await assert.rejects(segments.moveTo(target));
    assert.deepEqual((await seen(folder)).texts, TEXTS);
  });

  it("is back if what is left of it for another program can't be written", async () => {
    const folder = await shared();
    // When it's first used, Node.js keeps the functions that it's made of, which would be the faulty ones.
    await fs.cp(folder, await tempFolder(), { recursive: true });
    const log = /(?<!cleared[\\/]\d+)[\\/]seg-00001[\\/]wal\.log/;
    const { texts } = await seen(folder, (memory) => assert.rejects(onFaultyDisk("ENOSPC", log, () => memory.clear())));
    assert.deepEqual({ texts, again: (await seen(folder)).texts }, { texts: TEXTS, again: TEXTS });
  });
});

describe("a memory that is in two segments", () => {
  it("stays in the later one, in whatever order they are read", async () => {
    const [folder, memories] = [await tempFolder(), new PlacedMemories("one")];
    const [first, second] = ["seg-00001", "seg-00002"].map((name) => new Segment(path.join(folder, name)));
    assert(first && second);
    for (const segment of [first, second]) {
      await fs.mkdir(segment.folder);
      await segment.change([put("aa")], () => 0);
    }
    for (const segment of [second, first]) memories.load(segment, await readSegment(segment.folder));
    await Promise.all([first.close(), second.close()]);
    assert.deepEqual(
      [memories.index.get(note("aa").id)?.home?.name, first.dirty, second.mayHold(note("aa").id)],
      ["seg-00002", true, false],
    );
  });

  it("is removed from both, also if the program is killed at once", async () => {
    const [folder, memories] = [await tempFolder(), new PlacedMemories("one")];
    const segments = new SegmentStore(folder);
    const writer = new MemoryWriter(segments, memories, 10);
    const [first, second] = [await segments.begin(), await segments.begin()];
    for (const segment of [first, second])
      await segment.change([put("aa")], () => memories.put(createStoredItem(note("aa")), segment));
    await writer.remove([note("aa").id]);
    const left = await Promise.all([first, second].map(async ({ folder: at }) => (await readSegment(at)).ids));
    await writer.close();
    assert.deepEqual(left, [[], []]);
  });
});

describe("what a window hands over", () => {
  it("waits while it can't be read", async () => {
    const folder = await written();
    const [writer, reader] = [await open(folder), await open(folder)];
    await reader.add([one("bb bb")]);
    const during = await whileUnreadable(/inbox.*\.log$/, async () => {
      await writer.refresh();
      return writer.state.notices.map(writeInEnglish);
    });
    await writer.refresh();
    const after = await textsOf(writer);
    await reader.close();
    await writer.close();
    assert.deepEqual(
      { during: during.map((text) => /EIO/.test(text)), after },
      { during: [true], after: [...TEXTS, "bb bb"].sort() },
    );
  });

  it("is kept aside where it's damaged, and the rest of it is taken in", async () => {
    const folder = await written();
    const [writer, reader] = [await open(folder), await open(folder)];
    await reader.add([one("bb bb"), one("dd dd")]);
    const inbox = path.join(folder, "inbox");
    const [name = ""] = await fs.readdir(inbox);
    const bytes = await fs.readFile(path.join(inbox, name));
    bytes.set(Buffer.from("xx"), bytes.indexOf("bb bb"));
    await fs.writeFile(path.join(inbox, name), bytes);
    await writer.refresh();
    const after = { texts: await textsOf(writer), notices: writer.state.notices.map(writeInEnglish) };
    await reader.close();
    await writer.close();
    assert.deepEqual(
      { ...after, aside: await fs.readdir(inbox) },
      {
        texts: [...TEXTS, "dd dd"].sort(),
        notices: ["A part of the memory is damaged (inbox); the rest is in use."],
        aside: [`${name}.damaged`],
      },
    );
  });

  it("is kept although it knew it, because the writing window has just removed it", async () => {
    const folder = await written();
    const [writer, reader] = [await open(folder), await open(folder)];
    const [id = ""] = await writer.add([one("bb bb")]);
    await reader.refresh();
    await writer.remove([id]);
    await reader.add([one("bb bb")]);
    await writer.refresh();
    const texts = await textsOf(writer);
    await reader.close();
    await writer.close();
    assert.deepEqual(texts, [...TEXTS, "bb bb"].sort());
  });
});

describe("a window that was stopped while it wrote, until another took over", () => {
  it("doesn't replace the description of the memory, which the other one has written", async () => {
    const folder = await tempFolder();
    const store = await openLocalStore({ folder, embedder: "one", notice: () => 0 });
    await store.add([note("aa")]);
    const other = { token: "of the other", pid: process.pid, host: os.hostname() };
    await fs.writeFile(path.join(folder, "lock"), JSON.stringify(other));
    await assert.rejects(store.embed(new Map([[note("aa").id, VECTOR.vector]])));
    const meta: unknown = JSON.parse(await fs.readFile(path.join(folder, "meta.json"), "utf8"));
    await store.close();
    assert.deepEqual(meta, { format: 2, embedder: "one" });
  });

  it("overwrites nothing of the other's in a log", async () => {
    const file = path.join(await tempFolder(), "wal.log");
    const stopped = await SegmentLog.open(file, 0);
    await stopped.append([put("before")]);
    const other = await SegmentLog.open(file, stopped.end);
    await other.append([put("of the other")]);
    await stopped.append([put("too late")]);
    const { records } = decodeLog(await fs.readFile(file));
    await Promise.all([stopped.close(), other.close()]);
    assert.deepEqual(records, [put("before"), put("of the other")]);
  });

  it("overwrites nothing of the other's in a log that Windows doesn't let the other replace", async () => {
    const folder = await tempFolder();
    const file = path.join(folder, "wal.log");
    const stopped = await SegmentLog.open(file, 0);
    await stopped.append([put("before")]);
    const { result: other } = await whileOpenElsewhere(/wal\.log$/, () => SegmentLog.open(file, stopped.end));
    await other.append([put("of the other")]);
    await stopped.append([put("too late")]);
    const { records } = decodeLog(await fs.readFile(file));
    await Promise.all([stopped.close(), other.close()]);
    assert.deepEqual(
      { records, names: await fs.readdir(folder) },
      { records: [put("before"), put("of the other")], names: ["wal.log"] },
    );
  });

  it("leaves the memory to the other on Windows, which adds to it and writes its index", async () => {
    const folder = await tempFolder();
    const options = { folder, embedder: "one", segmentSize: 2, notice: () => 0 };
    const stopped = await openLocalStore(options);
    await stopped.add(["aa", "bb"].map((text) => note(text)));
    await fs.utimes(path.join(folder, "lock"), 0, 0);
    await whileOpenElsewhere(/wal\.log$/, async () => {
      const other = await openLocalStore(options);
      await other.embed(new Map(["aa", "bb"].map((text) => [note(text).id, VECTOR.vector])));
      await other.remove([note("bb").id]);
      await other.add([note("cc")]);
      await other.compact();
      await other.close();
    });
    await assert.rejects(stopped.close(), MemoryError);
    const reopened = await openLocalStore(options);
    const texts = (await listed(reopened.iterateAll())).map(({ text }) => text).sort();
    await reopened.close();
    assert.deepEqual(texts, ["aa", "cc"]);
  });

  for (const crash of ["between", "after"])
    it(`is taken over with all memories if the other crashes ${crash} the renames of a log`, async () => {
      const folder = await written();
      const part = path.join(folder, "seg-00001");
      const item = note("logged");
      const log = await SegmentLog.open(path.join(part, "wal.log"), 0);
      await log.append([{ op: "put", item }]);
      await log.close();
      const [file, old] = ["wal.log", "wal.log.old"].map((name) => path.join(part, name));
      assert.ok(file && old);
      if (crash === "between") await fs.rename(file, old);
      else await fs.writeFile(old, Buffer.concat([LOG_MAGIC, encodeRecord(put("replaced"))]));
      const { texts } = await seen(folder);
      assert.deepEqual(
        { texts, isOldGone: !(await fs.readdir(part)).includes("wal.log.old") },
        { texts: [...TEXTS, "logged"].sort(), isOldGone: true },
      );
    });

  it("hands over what it wrote too late", async () => {
    const folder = await written();
    const store = await openLocalStore({ folder, embedder: "one", notice: () => 0 });
    const { writeSync } = nodeFs;
    const { now } = Date;
    const lateWrite = (...args: readonly unknown[]) => {
      nodeFs.writeFileSync(path.join(folder, "lock"), JSON.stringify({ token: "x", pid: process.pid, host: "y" }));
      Date.now = () => now() + 60_000;
      return Reflect.apply(writeSync, nodeFs, args);
    };
    Object.assign(nodeFs, { writeSync: lateWrite });
    syncBuiltinESMExports();
    try {
      await store.add([note("late")]);
    } finally {
      Object.assign(nodeFs, { writeSync });
      syncBuiltinESMExports();
      Date.now = now;
    }
    await store.close();
    const [name = ""] = await fs.readdir(path.join(folder, "inbox"));
    assert.deepEqual(decodeLog(await fs.readFile(path.join(folder, "inbox", name))).records, [put("late")]);
  });
});

describe("the lock of a dead window", () => {
  it("goes to one alone, at whatever moment others find it dead", async () => {
    const file = path.join(await tempFolder(), "lock");
    const { pid } = spawnSync(process.execPath, ["--version"]);
    await fs.writeFile(file, JSON.stringify({ token: "dead", pid, host: os.hostname() }));
    const [first, second, third] = [file, file, file].map((name) => new FolderLock(name));
    const taken: unknown[] = [];
    const promises: Record<string, unknown> = Object(fs);
    const { rename, rm } = fs;
    const between =
      (real: (...args: never[]) => Promise<unknown>) =>
      async (...args: never[]) => {
        if (args[0] !== file || taken.length > 0) return Reflect.apply(real, fs, args);
        taken.push("");
        taken[0] = await second?.take();
        const result = await Reflect.apply(real, fs, args);
        taken.push(await third?.take());
        return result;
      };
    Object.assign(promises, { rename: between(rename), rm: between(rm) });
    syncBuiltinESMExports();
    try {
      taken.push(await first?.take());
    } finally {
      Object.assign(promises, { rename, rm });
      syncBuiltinESMExports();
    }
    assert.equal(taken.filter((holder) => holder === undefined).length, 1);
  });

  it("is left to a container that counts processes on its own and has this machine's name", async () => {
    const file = path.join(await tempFolder(), "lock");
    const { pid } = spawnSync(process.execPath, ["--version"]);
    const holder = { token: "other", pid, host: os.hostname(), space: "pid:[1]" };
    await fs.writeFile(file, JSON.stringify(holder));
    assert.deepEqual(await new FolderLock(file).take(), holder);
  });
});

describe("a memory folder that can't be written", () => {
  it("says so, and is read", async () => {
    const folder = await written();
    const { texts, notices, refused, found } = await onFaultyDisk(
      "EROFS",
      new RegExp(`^${folder.replaceAll("\\", "/")}/`),
      async () => {
        const refusals: string[] = [];
        const hits: string[] = [];
        const whole = await seen(folder, async (store) => {
          await store.add([one("bb bb")]).catch((error: unknown) => refusals.push(String(error)));
          const options = { count: 1, maxTokens: 100, signal: new AbortController().signal };
          for (const { text } of await store.recall("dd", options)) hits.push(text);
        });
        return { ...whole, refused: refusals.length, found: hits };
      },
    );
    assert.deepEqual(
      { texts, notices, refused, found },
      {
        texts: TEXTS,
        notices: [
          "The memory folder can't be written, so nothing new is remembered. Check the permissions of .autogpt/memory.",
        ],
        refused: 1,
        found: ["dd ca"],
      },
    );
  });
});

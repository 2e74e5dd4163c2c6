import assert from "node:assert/strict";
import type { RecallOptions } from "../../src/memory/recall/recall.ts";
import { MemoryError } from "../../src/memory/store/memory-error.ts";
import type { NewMemory } from "../../src/memory/store/memory-item.ts";
import type { WorkspaceMemory } from "../../src/memory/workspace-memory.ts";
import { listed } from "../support/listed.ts";
import { tempFolders } from "../support/temp-folders.ts";

/** Opens the memory under test in a folder; `redact` as in `MemoryOptions`. */
export type OpenUnderTest = (folder: string, redact?: (text: string) => string) => Promise<WorkspaceMemory>;

const PORT: NewMemory = { kind: "note", text: "The test server listens on port 8765.", source: "user" };
const CAKE: NewMemory = {
  kind: "page",
  text: "Bake the cake for forty minutes.",
  source: "https://cake.example",
};
const LINT: NewMemory = {
  kind: "episode",
  text: "The linter was configured.",
  source: "step 3",
  run: "a",
  step: 3,
};

const ALL_TEXTS = [CAKE, LINT, PORT].map(({ text }) => text).sort();

/** The promises of a workspace's memory, over any `MemoryStore`. */
export function memoryContract(name: string, writers: "one" | "all", open: OpenUnderTest): void {
  describe(`memory: ${name}`, () => {
    const opened: WorkspaceMemory[] = [];
    afterEach(async () => {
      for (const store of opened.splice(0)) await store.close();
    });
    const tempFolder = tempFolders();
    const openHere = async (folder: string, redact?: (text: string) => string) => {
      const store = await open(folder, redact);
      opened.push(store);
      return store;
    };
    const fresh = async (redact?: (text: string) => string) => openHere(await tempFolder(), redact);

    keeps(fresh);
    recalls(fresh);
    forgets(fresh);
    lasts(tempFolder, openHere);
    if (writers === "one") hasOneWriter(tempFolder, openHere);
    else hasManyWriters(tempFolder, openHere);
  });
}

type Fresh = (redact?: (text: string) => string) => Promise<WorkspaceMemory>;

function keeps(fresh: Fresh): void {
  it("keeps the same thing once", async () => {
    const store = await fresh();
    const first = await store.add([PORT]);
    const second = await store.add([PORT]);
    assert.deepEqual({ ids: second, count: store.state.count }, { ids: first, count: 1 });
  });

  it("refuses an empty text, and then adds nothing", async () => {
    const store = await fresh();
    await assert.rejects(store.add([PORT, { ...CAKE, text: " \n " }]), MemoryError);
    assert.equal(store.state.count, 0);
  });

  it("keeps a text of a megabyte in pieces that know their place in it", async () => {
    const store = await fresh();
    const text = Array.from({ length: 20_000 }, (_, line) => `This is the line with number ${line}.`).join("\n");
    const ids = await store.add([{ ...CAKE, text: `${text}${" ".repeat(1_000_000 - text.length)}` }]);
    const [hit] = await recallTexts(store, "line number 12345");
    assert.deepEqual(
      { hasManyPieces: ids.length > 300, isFound: hit?.includes(" 12345.") },
      { hasManyPieces: true, isFound: true },
    );
  });

  it("gives one memory by its id, and the newest ones first", async () => {
    const store = await fresh();
    const [id = ""] = await store.add([PORT]);
    await store.add([CAKE]);
    await store.add([LINT]);
    assert.deepEqual(
      {
        known: (await store.get(id))?.text,
        unknown: await store.get("none"),
        none: await store.listNewest(0),
        two: (await store.listNewest(2)).map(({ text }) => text),
      },
      { known: PORT.text, unknown: undefined, none: [], two: [LINT.text, CAKE.text] },
    );
  });

  it("keeps no secret", async () => {
    const store = await fresh((text) => text.replaceAll("hunter2", "[secret]"));
    await store.add([{ ...PORT, text: "The password is hunter2." }]);
    assert.deepEqual(await textsOf(store), ["The password is [secret]."]);
  });
}

function recalls(fresh: Fresh): void {
  it("recalls what fits best first, with its source", async () => {
    const store = await fresh();
    await store.add([CAKE, PORT, LINT]);
    await store.waitUntilEmbedded();
    const [best] = await store.recall("on which port is the server", everything());
    const { text, source, kind } = PORT;
    assert.deepEqual(best && { text: best.text, source: best.source, kind: best.kind }, {
      text,
      source,
      kind,
    });
  });

  it("recalls nothing for an empty query, or from an empty memory", async () => {
    const store = await fresh();
    const before = await recallTexts(store, "port");
    await store.add([PORT]);
    assert.deepEqual({ before, after: await recallTexts(store, "  ") }, { before: [], after: [] });
  });

  it("recalls no more tokens than the limit", async () => {
    const store = await fresh();
    await store.add([PORT, CAKE, LINT]);
    const hits = await store.recall("port cake linter", {
      ...everything(),
      maxTokens: 25,
      countTokens: (text) => text.length / 3,
    });
    assert.equal(hits.reduce((sum, { text }) => sum + text.length / 3, 0) <= 25, true);
  });

  it("skips unwanted memories", async () => {
    const store = await fresh();
    await store.add([LINT, PORT]);
    const hits = await store.recall("linter", { ...everything(), skip: ({ run }) => run === "a" });
    assert.equal(
      hits.some(({ run }) => run === "a"),
      false,
    );
  });

  it("recalls only what a filter selects, by meaning and by words", async () => {
    const store = await fresh();
    await store.add([PORT, CAKE, LINT]);
    const filter = { $or: [{ kind: { $in: ["page", "file"] } }, { step: { $gte: 3 } }] };
    const query = ALL_TEXTS.join(" ");
    const byWords = await store.recall(query, { ...everything(), filter });
    await store.waitUntilEmbedded();
    const byBoth = await store.recall(query, { ...everything(), filter });
    assert.deepEqual(
      [byWords, byBoth].map((hits) => hits.map(({ text }) => text).toSorted()),
      [
        [CAKE.text, LINT.text],
        [CAKE.text, LINT.text],
      ],
    );
  });

  it("prefers the run that asks among equals", async () => {
    const store = await fresh();
    await store.add([
      { ...LINT, text: "The linter was set up in run a." },
      { ...LINT, run: "b", text: "The linter was set up in run b." },
    ]);
    await store.waitUntilEmbedded();
    const [best] = await store.recall("linter set up", { ...everything(), run: "b" });
    assert.equal(best?.run, "b");
  });

  it("stops when it is aborted", async () => {
    const store = await fresh();
    await store.add([PORT]);
    const stop = AbortSignal.abort(new Error("stopped"));
    await assert.rejects(store.recall("port", { ...everything(), signal: stop }), /stopped/);
  });
}

function forgets(fresh: Fresh): void {
  it("doesn't recall a removed memory", async () => {
    const store = await fresh();
    const [id = ""] = await store.add([PORT]);
    await store.remove([id]);
    assert.deepEqual({ found: await recallTexts(store, "port"), count: store.state.count }, { found: [], count: 0 });
  });

  it("forgets everything, and restores it when that is undone", async () => {
    const store = await fresh();
    await store.add([PORT, CAKE]);
    const undo = await store.clear();
    const cleared = await textsOf(store);
    await store.add([LINT]);
    await undo();
    assert.deepEqual({ cleared, restored: await textsOf(store) }, { cleared: [], restored: ALL_TEXTS });
  });

  it("notifies its listeners of every change until they unsubscribe", async () => {
    const store = await fresh();
    const heard: number[] = [];
    const stop = store.onChange(() => heard.push(store.state.count));
    await store.add([PORT]);
    await store.waitUntilEmbedded();
    stop();
    await store.add([CAKE]);
    assert.deepEqual(new Set(heard), new Set([1]));
  });
}

type OpenHere = (folder: string) => Promise<WorkspaceMemory>;

function lasts(tempFolder: () => Promise<string>, open: OpenHere): void {
  it("still has everything when it is opened again", async () => {
    const folder = await tempFolder();
    const first = await open(folder);
    const ids = await first.add([PORT, CAKE, LINT]);
    await first.remove(ids.slice(1, 2));
    const before = await listed(first.iterateAll());
    await first.close();
    assert.deepEqual(await listed((await open(folder)).iterateAll()), before);
  });

  it("has nothing that was cleared before it was closed", async () => {
    const folder = await tempFolder();
    const first = await open(folder);
    await first.add([PORT]);
    await first.clear();
    await first.close();
    assert.deepEqual(await textsOf(await open(folder)), []);
  });
}

function hasOneWriter(tempFolder: () => Promise<string>, open: OpenHere): void {
  it("is written by one of two windows, and loses nothing of either", async () => {
    const folder = await tempFolder();
    const [writer, reader] = [await open(folder), await open(folder)];
    await Promise.all([writer.add([PORT]), reader.add([CAKE]), writer.add([LINT])]);
    await writer.refresh();
    await reader.refresh();
    const viewOf = async (store: WorkspaceMemory) => ({
      mode: store.state.mode,
      texts: await textsOf(store),
    });
    assert.deepEqual(
      { writer: await viewOf(writer), reader: await viewOf(reader) },
      { writer: { mode: "writing", texts: ALL_TEXTS }, reader: { mode: "reading", texts: ALL_TEXTS } },
    );
  });

  it("is written by the other window once the first has closed", async () => {
    const folder = await tempFolder();
    const [first, second] = [await open(folder), await open(folder)];
    await second.add([CAKE]);
    await first.close();
    await second.refresh();
    await second.add([PORT]);
    await second.close();
    const third = await open(folder);
    assert.deepEqual(
      { mode: second.state.mode, texts: await textsOf(third) },
      { mode: "writing", texts: [CAKE.text, PORT.text] },
    );
  });

  it("is cleared only by the window that writes", async () => {
    const folder = await tempFolder();
    await open(folder);
    await assert.rejects((await open(folder)).clear(), MemoryError);
  });
}

function hasManyWriters(tempFolder: () => Promise<string>, open: OpenHere): void {
  it("is written by all windows, and loses nothing of any", async () => {
    const folder = await tempFolder();
    const [one, other] = [await open(folder), await open(folder)];
    await Promise.all([one.add([PORT]), other.add([CAKE]), one.add([LINT])]);
    await Promise.all([one.refresh(), other.refresh()]);
    const viewOf = async (store: WorkspaceMemory) => ({
      mode: store.state.mode,
      texts: await textsOf(store),
    });
    const view = { mode: "writing", texts: ALL_TEXTS };
    assert.deepEqual({ one: await viewOf(one), other: await viewOf(other) }, { one: view, other: view });
  });

  it("shows every window what another one has cleared", async () => {
    const folder = await tempFolder();
    const [one, other] = [await open(folder), await open(folder)];
    await one.add([PORT]);
    await other.clear();
    await one.refresh();
    assert.deepEqual(await textsOf(one), []);
  });
}

function everything(): RecallOptions {
  return { count: 10, maxTokens: 10_000, signal: new AbortController().signal };
}

async function textsOf(store: WorkspaceMemory): Promise<readonly string[]> {
  return (await listed(store.iterateAll())).map(({ text }) => text).sort();
}

async function recallTexts(store: WorkspaceMemory, query: string): Promise<readonly string[]> {
  return (await store.recall(query, everything())).map(({ text }) => text);
}

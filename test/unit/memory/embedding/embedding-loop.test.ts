import assert from "node:assert/strict";
import { type Embedder, EmbeddingError } from "../../../../src/memory/embedding/embedder.ts";
import { openMemory } from "../../../../src/memory/open-memory.ts";
import type { NewMemory } from "../../../../src/memory/store/memory-item.ts";
import type { WorkspaceMemory } from "../../../../src/memory/workspace-memory.ts";
import { writeInEnglish } from "../../../../src/texts/display-text.ts";
import { tempFolders } from "../../../support/temp-folders.ts";
import { fakeEmbedder } from "../fake-embedder.ts";

const opened: WorkspaceMemory[] = [];
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
});
const tempFolder = tempFolders();

async function open(folder: string, embedder: Embedder): Promise<WorkspaceMemory> {
  const store = await openMemory({ folder, embedder, segmentSize: 3 });
  opened.push(store);
  await store.waitUntilEmbedded();
  return store;
}

const note = (text: string): NewMemory => ({ kind: "note", text, source: "user" });
const NOTES = ["aab", "abb", "bcc", "ccd", "dda", "dab", "cab"].map(note);
const summary = ({ state }: WorkspaceMemory) => ({
  ...state,
  notices: state.notices.map((text) => writeInEnglish(text).slice(0, 40)),
});
const everything = { count: 9, maxTokens: 999, signal: new AbortController().signal };

describe("embedding in the background", () => {
  it("embeds everything again, in batches, once the embedder has changed", async () => {
    const folder = await tempFolder();
    const before = await open(folder, fakeEmbedder("one"));
    await before.add(NOTES);
    await before.waitUntilEmbedded();
    await before.close();
    const embedder = fakeEmbedder("two", { size: 6 });
    const after = await open(folder, embedder);
    assert.deepEqual(
      { state: summary(after), batches: embedder.asked.map(({ length }) => length) },
      {
        state: {
          mode: "writing",
          count: 7,
          repositoryNotes: 0,
          embedded: 7,
          embedder: "two",
          dimensions: 6,
          notices: [],
        },
        batches: [4, 3],
      },
    );
  });

  it("asks nothing of an embedder whose vectors are there", async () => {
    const folder = await tempFolder();
    const before = await open(folder, fakeEmbedder("one"));
    await before.add(NOTES);
    await before.close();
    const embedder = fakeEmbedder("one");
    assert.deepEqual([summary(await open(folder, embedder)).embedded, embedder.asked], [7, []]);
  });

  it("leaves out a text that the embedder refuses, and no other", async () => {
    const refusal = new EmbeddingError("text", "Too long.");
    const embedder = fakeEmbedder("one", refusal, { size: 4 }, refusal, { size: 4 });
    const store = await open(await tempFolder(), embedder);
    await store.add(NOTES.slice(0, 3));
    await store.waitUntilEmbedded();
    assert.deepEqual(
      { asked: embedder.asked, embedded: store.state.embedded, notices: store.state.notices },
      { asked: [["aab", "abb", "bcc"], ["aab"], ["abb"], ["bcc"]], embedded: 2, notices: [] },
    );
  });
});

describe("an embedder in trouble", () => {
  it("is reported, and memories are found by their words meanwhile", async () => {
    const dead = fakeEmbedder("one", new EmbeddingError("service", "The server does not answer."));
    const store = await open(await tempFolder(), dead);
    await store.add([note("alpha beta"), note("gamma delta")]);
    await store.waitUntilEmbedded();
    const hits = await store.recall("gamma", everything);
    assert.deepEqual(
      { notices: store.state.notices, found: hits.map(({ text }) => text) },
      { notices: ["The server does not answer."], found: ["gamma delta"] },
    );
  });

  it("is not mixed with itself when its vectors change their size", async () => {
    const store = await open(await tempFolder(), fakeEmbedder("one", { size: 4 }, { size: 5 }));
    await store.add(NOTES.slice(0, 2));
    await store.waitUntilEmbedded();
    await store.add(NOTES.slice(2, 4));
    await store.waitUntilEmbedded();
    assert.deepEqual(summary(store), {
      mode: "writing",
      count: 4,
      repositoryNotes: 0,
      embedded: 2,
      embedder: "one",
      dimensions: 4,
      notices: ["The embedding model now returns vectors "],
    });
  });

  it("isn't asked again at each refresh while its setup is wrong", async () => {
    const unpaid = fakeEmbedder("one", new EmbeddingError("setup", "The key was refused."));
    const store = await open(await tempFolder(), unpaid);
    await store.add(NOTES.slice(0, 2));
    for (let refreshes = 0; refreshes < 3; refreshes++) {
      await store.refresh();
      await store.waitUntilEmbedded();
    }
    assert.deepEqual(
      { asked: unpaid.asked.length, notices: store.state.notices },
      { asked: 1, notices: ["The key was refused."] },
    );
  });

  it("gives nothing worth keeping when its vectors have no direction", async () => {
    const zero: Embedder = {
      id: "zero",
      batch: 4,
      embed: async (texts) => texts.map(() => new Float32Array(4)),
    };
    const nan: Embedder = {
      id: "nan",
      batch: 4,
      embed: async (texts) => texts.map(() => new Float32Array(4).fill(Number.NaN)),
    };
    const counts: number[] = [];
    for (const embedder of [zero, nan]) {
      const store = await open(await tempFolder(), embedder);
      await store.add(NOTES);
      await store.waitUntilEmbedded();
      counts.push(store.state.embedded, (await store.recall("dab", everything)).length);
    }
    assert.deepEqual(counts, [0, 1, 0, 1]);
  });

  it("is not believed when it sends too few vectors", async () => {
    const short: Embedder = { id: "short", batch: 4, embed: async () => [Float32Array.from([1, 2])] };
    const store = await open(await tempFolder(), short);
    await store.add(NOTES);
    await store.waitUntilEmbedded();
    assert.deepEqual([store.state.embedded, store.state.notices.length], [0, 1]);
  });
});

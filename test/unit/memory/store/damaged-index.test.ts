import assert from "node:assert/strict";
import fs from "node:fs/promises";
import path from "node:path";
import { LocalIndex } from "vectra";
import { EmbeddingError } from "../../../../src/memory/embedding/embedder.ts";
import { openMemory } from "../../../../src/memory/open-memory.ts";
import { createVectraItem } from "../../../../src/memory/store/segment-files.ts";
import { isIntact, readIndex, updateIndex } from "../../../../src/memory/store/vectra-index.ts";
import { writeInEnglish } from "../../../../src/texts/display-text.ts";
import { listed } from "../../../support/listed.ts";
import { tempFolders } from "../../../support/temp-folders.ts";
import { fakeEmbedder } from "../fake-embedder.ts";
import { note } from "../sample-items.ts";

const tempFolder = tempFolders();
const TEXTS = ["aa bb", "ab cc", "dd ca"];

/** A folder with these texts in one segment, closed, and the file of its index. */
async function written(): Promise<{ readonly folder: string; readonly file: string }> {
  const folder = await tempFolder();
  const store = await openMemory({ folder, embedder: fakeEmbedder("one") });
  for (const text of TEXTS) await store.add([{ kind: "note", text, source: "user" }]);
  await store.close();
  return { folder, file: path.join(folder, "seg-00001/index.json") };
}

/** The texts and notices of a memory once all have vectors. */
async function opened(folder: string) {
  const store = await openMemory({ folder, embedder: fakeEmbedder("one") });
  await store.waitUntilEmbedded();
  const texts = (await listed(store.iterateAll())).map(({ text }) => text).sort();
  const notices = store.state.notices.map((text) => writeInEnglish(text).replace(/ The damaged files .*/, ""));
  const { embedded } = store.state;
  await store.close();
  return { texts, embedded, notices };
}

const vectorsIn = async (file: string) =>
  (await new LocalIndex(path.dirname(file)).listItems()).map(({ vector }) => vector);
const DAMAGED = ["A part of the memory is damaged (seg-00001); the rest is in use."];

describe("a letter that changed in an index", () => {
  it("is noticed wherever it is, and the other memories are whole", async () => {
    const folder = await tempFolder();
    const file = path.join(folder, "index.json");
    const vector = Float32Array.from([0.6, 0, -0.8]);
    const items = TEXTS.map((text) => createVectraItem(note(text), { embedder: "one", vector }));
    await updateIndex(folder, items, () => false);
    const bytes = await fs.readFile(file);
    const whole = JSON.stringify((await readIndex(folder, "index.json"))?.items);
    const unnoticed: number[] = [];
    const lost: number[] = [];
    for (let at = bytes.indexOf('{"id"'); at < bytes.length; at++) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      await fs.writeFile(file, changed);
      const found = await readIndex(folder, "index.json");
      const intact = found?.items.filter((item) => isIntact(item)).map((item) => JSON.stringify(item)) ?? [];
      const same = intact.filter((item) => whole.includes(item));
      if (same.length < 2) lost.push(at);
      // A checksum without its name is none, as if another program had changed the memory.
      const isNoticed = found?.isDamaged === true || intact.length < 3 || same.length === 3;
      const isUnnamed = bytes.subarray(at - 14, at + 14).includes("autogptCrc32");
      if (!isNoticed && !isUnnamed) unnoticed.push(at);
    }
    assert.deepEqual({ unnoticed, lost }, { unnoticed: [], lost: [] });
  });

  for (const [place, from, to, texts] of [
    ["a text", "aa bb", "aa b3", ["aa b3", "ab cc", "dd ca"]],
    ["a vector", '"vector":[', '"vector":[1', TEXTS],
    ["a name", '"kind":"note"', '"kind":"nose"', ["ab cc", "dd ca"]],
    ["the syntax", '"text":"aa bb"', '"text"-"aa bb"', ["ab cc", "dd ca"]],
  ] as const) {
    it(`is reported once, what is readable stays, and its vector is made again: ${place}`, async () => {
      const { folder, file } = await written();
      const [text, before] = [await fs.readFile(file, "utf8"), await vectorsIn(file)];
      await fs.writeFile(file, text.replace(from, to));
      const [first, second] = [await opened(folder), await opened(folder)];
      const vectors = (await vectorsIn(file)).filter((vector) =>
        JSON.stringify(before).includes(JSON.stringify(vector)),
      );
      const [aside = ""] = await fs.readdir(path.join(folder, "damaged"));
      const kept = await fs.readFile(path.join(folder, "damaged", aside, "index.json"), "utf8");
      const embedded = texts.length;
      assert.deepEqual(
        { first, second, isKept: kept === text.replace(from, to), others: vectors.length >= 2 },
        {
          first: { texts, embedded, notices: DAMAGED },
          second: { texts, embedded, notices: [] },
          isKept: true,
          others: true,
        },
      );
    });
  }

  it("is set aside once, though nothing is written as long as another embedder makes no vectors", async () => {
    const { folder, file } = await written();
    const text = await fs.readFile(file, "utf8");
    await fs.writeFile(file, text.replace("aa bb", "aa b3"));
    for (let start = 0; start < 3; start++) {
      const embedder = fakeEmbedder("two", new EmbeddingError("service", "It's down."));
      await (await openMemory({ folder, embedder })).close();
    }
    assert.equal((await fs.readdir(path.join(folder, "damaged"))).length, 1);
  });

  it("leaves the memories before a cut", async () => {
    const { folder, file } = await written();
    const text = await fs.readFile(file, "utf8");
    await fs.writeFile(file, text.slice(0, text.indexOf("dd ca")));
    assert.deepEqual(
      [await opened(folder), await opened(folder)],
      [
        { texts: ["aa bb", "ab cc"], embedded: 2, notices: DAMAGED },
        { texts: ["aa bb", "ab cc"], embedded: 2, notices: [] },
      ],
    );
  });
});

describe("a memory that another program changed with Vectra", () => {
  it("counts as it is now", async () => {
    const { folder, file } = await written();
    const index = new LocalIndex(path.dirname(file));
    const [first, second] = await index.listItems();
    assert(first && second);
    const { kind = "", source = "", at = "" } = first.metadata;
    await index.upsertItem({
      id: first.id,
      vector: first.vector,
      metadata: { kind, source, at, text: "cc cc" },
    });
    await index.deleteItem(second.id);
    assert.deepEqual(await opened(folder), { texts: ["cc cc", "dd ca"], embedded: 2, notices: [] });
  });
});

describe("an item of an index that Vectra can't have written", () => {
  for (const [what, item] of [
    ["that is nothing", "null"],
    ["whose id is a number", '{"id":5,"metadata":null,"vector":[1],"norm":1}'],
    [
      "whose id can't be a text",
      '{"id":{"toString":1,"valueOf":1},"metadata":{"autogptCrc32":1},"vector":[1],"norm":1}',
    ],
    [
      "whose vector can't be numbers",
      '{"id":"x","metadata":{"autogptCrc32":1},"vector":[{"valueOf":1,"toString":1}],"norm":1}',
    ],
    [
      "that is nested deeply",
      `{"id":"x","metadata":{"autogptCrc32":1,"a":${"[".repeat(50_000)}${"]".repeat(50_000)}},"vector":[1],"norm":1}`,
    ],
  ] as const)
    it(`${what} costs no other memory, and is set aside once`, async () => {
      const { folder, file } = await written();
      const text = await fs.readFile(file, "utf8");
      await fs.writeFile(file, text.replace('"items":[', `"items":[${item},`));
      const first = await opened(folder);
      const second = await opened(folder);
      assert.deepEqual(
        [first, second],
        [
          { texts: TEXTS, embedded: 3, notices: DAMAGED },
          { texts: TEXTS, embedded: 3, notices: [] },
        ],
      );
    });
});

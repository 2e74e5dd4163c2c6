import assert from "node:assert/strict";
import fs from "node:fs/promises";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import fc from "fast-check";
import { LocalIndex } from "vectra";
import { openMemory } from "../../../../src/memory/open-memory.ts";
import { openLocalStore } from "../../../../src/memory/store/local-store.ts";
import type { NewMemory } from "../../../../src/memory/store/memory-item.ts";
import type { MemoryFilter } from "../../../../src/memory/store/memory-store.ts";
import { writeInEnglish } from "../../../../src/texts/display-text.ts";
import { onFaultyDisk } from "../../../support/faulty-disk.ts";
import { listed } from "../../../support/listed.ts";
import { tempFolders } from "../../../support/temp-folders.ts";
import { fakeEmbedder } from "../fake-embedder.ts";
import { note } from "../sample-items.ts";

const tempFolder = tempFolders();
const NOTES = ["aa bb", "ab cc", "dd ca"].map((text): NewMemory => ({ kind: "note", text, source: "user" }));
const FOREIGN = { id: "theirs", vector: [1, 0, 0, 0], metadata: { text: "of another program" } };

const KIND = fc.constantFrom<NewMemory["kind"]>("note", "episode", "page", "file");
const RUN = fc.constantFrom("run-a", "run-b", "run-c");
const STEP = fc.integer({ min: 0, max: 5 });
/** What random memories differ in; some have no run and no step. */
const FIELDS = fc.oneof(fc.record({ kind: KIND }), fc.record({ kind: KIND, run: RUN, step: STEP }));
/** Conditions on one field, and both ways to join them. `$in` on numbers finds nothing in Vectra, and so here. */
const CONDITION: fc.Arbitrary<MemoryFilter> = fc.oneof(
  KIND.map((kind) => ({ kind })),
  KIND.map((kind) => ({ kind: { $eq: kind } })),
  RUN.map((run) => ({ run: { $ne: run } })),
  fc.array(RUN, { maxLength: 2 }).map((runs) => ({ run: { $in: runs } })),
  fc.array(RUN, { maxLength: 2 }).map((runs) => ({ run: { $nin: runs } })),
  fc.array(STEP, { maxLength: 3 }).map((steps) => ({ step: { $in: steps } })),
  fc.tuple(STEP, STEP).map(([from, to]) => ({ step: { $gte: from, $lt: to } })),
);
const SOME = fc.array(CONDITION, { minLength: 1, maxLength: 3 });
const FILTERS: fc.Arbitrary<MemoryFilter> = fc.oneof(
  CONDITION,
  SOME.map((all) => ({ $and: all })),
  SOME.map((some) => ({ $or: some })),
);

/** A folder with these notes in segments of two, closed. */
async function written(): Promise<string> {
  const folder = await tempFolder();
  const store = await openMemory({ folder, embedder: fakeEmbedder("one"), segmentSize: 2 });
  for (const one of NOTES) await store.add([one]);
  await store.close();
  return folder;
}

function stock(folder: string, segment = "seg-00001"): LocalIndex {
  return new LocalIndex(path.join(folder, segment));
}

/** The texts and notices of a memory, and what `act` does with it. */
async function opened(folder: string, act: (store: Awaited<ReturnType<typeof openMemory>>) => unknown = () => 0) {
  const store = await openMemory({ folder, embedder: fakeEmbedder("one"), segmentSize: 2 });
  await store.waitUntilEmbedded();
  await act(store);
  const texts = (await listed(store.iterateAll())).map(({ text }) => text);
  const notices = store.state.notices.map(writeInEnglish);
  await store.close();
  return { texts, notices };
}

describe("stock Vectra, opening the memory's folder", () => {
  it("finds a memory within five seconds after it was added", async function () {
    this.timeout(20_000);
    const folder = await tempFolder();
    const store = await openMemory({ folder, embedder: fakeEmbedder("one") });
    const start = performance.now();
    await store.add(NOTES);
    const found = async () => {
      const [best] = await stock(folder).queryItems([0, 0, 1, 2], "", 1);
      return best?.item.metadata.text;
    };
    while ((await found().catch(() => undefined)) === undefined && performance.now() - start < 15_000) await pause(50);
    const ms = performance.now() - start;
    const text = await found();
    await store.close();
    assert.deepEqual({ text, inTime: ms < 5_000 }, { text: "dd ca", inTime: true });
  });

  it("finds the same as a search of ours, in the same order, without and with a filter", async () => {
    // Whole thousandths: below that, what counts as no direction differs.
    const number = fc.integer({ min: -1_000, max: 1_000 }).map((thousandths) => thousandths / 1_000);
    const numbers = fc.array(number, { minLength: 12, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ vector: numbers, fields: FIELDS }), { minLength: 1, maxLength: 30 }),
        numbers,
        fc.option(FILTERS, { nil: undefined }),
        async (drawn, query, filter) => {
          const folder = await tempFolder();
          const store = await openLocalStore({ folder, embedder: "one", segmentSize: 8, notice: () => 0 });
          const items = drawn.map(({ fields }, place) => ({ ...note(`memory ${place}`), ...fields }));
          await store.add(items);
          await store.embed(new Map(items.map(({ id }, place) => [id, Float32Array.from(drawn[place]?.vector ?? [])])));
          const ours = (await store.findNearest(Float32Array.from(query), 10, filter)).map(({ value, score }) => ({
            id: value.id,
            score,
          }));
          await store.close();
          const names = (await fs.readdir(folder)).filter((name) => name.startsWith("seg-"));
          const found = names.map((name) =>
            stock(folder, name)
              .queryItems(query, "", 10, filter)
              .catch(() => []),
          );
          // Without a direction, a vector's score is NaN in Vectra; ours isn't found.
          const theirs = (await Promise.all(found)).flatMap((hits) =>
            hits.flatMap(({ item: { id }, score }) => (Number.isNaN(score) ? [] : [{ id, score }])),
          );
          theirs.sort((a, b) => b.score - a.score);
          assert.deepEqual(
            { found: ours.length, differ: disagreements(ours, theirs) },
            { found: Math.min(theirs.length, 10), differ: [] },
          );
        },
      ),
      { numRuns: 40 },
    );
  });
});

interface Ranked {
  readonly id: string;
  readonly score: number;
}

const CLOSE = 1e-4;

/** The ranks where two searches differ, except where neighbors have the same score. */
function disagreements(ours: readonly Ranked[], theirs: readonly Ranked[]): readonly unknown[] {
  return ours.flatMap((one, rank) => {
    const other = theirs[rank];
    const same = theirs.find(({ id }) => id === one.id);
    const fits = other && Math.abs(one.score - other.score) < CLOSE && same && Math.abs(one.score - same.score) < CLOSE;
    return fits ? [] : [{ rank, one, other }];
  });
}

describe("what other programs wrote into the memory", () => {
  it("is kept through changes of ours and a restored clearing, but isn't a memory", async () => {
    const folder = await written();
    await stock(folder).insertItem(FOREIGN);
    const seen = await opened(folder, async (store) => {
      const [first] = await listed(store.iterateAll());
      await store.remove([first?.id ?? ""]);
      await store.refresh();
      await (await store.clear())();
    });
    const kept = await stock(folder).getItem(FOREIGN.id);
    assert.deepEqual(
      { ...seen, texts: seen.texts.toSorted(), kept: kept?.metadata },
      {
        texts: ["ab cc", "dd ca"],
        notices: ["1 entry of another program is in the memory (seg-00001). It's kept, but not used."],
        kept: FOREIGN.metadata,
      },
    );
  });

  it("is left as it is where a newer Vectra wrote it", async () => {
    const folder = await written();
    const file = path.join(folder, "seg-00002", "index.json");
    const newer = '{"version":2,"metadata_config":{},"items":[],"more":[1]}';
    await fs.writeFile(file, newer);
    const seen = await opened(folder, async (store) => {
      await store.add([{ kind: "note", text: "bb bb", source: "user" }]);
      await store.clear();
    });
    assert.deepEqual(
      { ...seen, file: await fs.readFile(file, "utf8"), again: (await opened(folder)).texts },
      {
        texts: [],
        notices: [
          "A newer version of Vectra wrote a part of the memory (seg-00002). It's left as it is and isn't used.",
        ],
        file: newer,
        again: [],
      },
    );
  });
});

describe("a memory whose disk is full while Vectra's index is written", () => {
  it("loses nothing, says so, and writes the index later", async () => {
    const folder = await written();
    const before = await fs.readFile(path.join(folder, "seg-00002", "index.json"), "utf8");
    const store = await openMemory({ folder, embedder: fakeEmbedder("one"), segmentSize: 2 });
    await store.add([{ kind: "note", text: "bb bb", source: "user" }]);
    await store.waitUntilEmbedded();
    const full = await onFaultyDisk("torn", /index\.json/, async () => {
      await store.refresh();
      return {
        notices: store.state.notices.map(writeInEnglish),
        file: await fs.readFile(path.join(folder, "seg-00002", "index.json"), "utf8"),
      };
    });
    await store.refresh();
    const after = {
      notices: store.state.notices,
      items: (await stock(folder, "seg-00002").listItems()).length,
    };
    await store.close();
    assert.deepEqual(
      { full, after },
      {
        full: {
          notices: ["The disk is full, so this wasn't remembered; earlier memories are safe. Free some space."],
          file: before,
        },
        after: { notices: [], items: 2 },
      },
    );
  });
});

import assert from "node:assert/strict";
import {
  createMemoryItem,
  formatMemorySource,
  isClean,
  type MemoryItem,
  readItem,
  signMemoryItem,
} from "../../../../src/memory/store/memory-item.ts";

const NOW = new Date("2026-11-23T12:00:00Z");
const FIELDS = { kind: "note", text: "Hi.", source: "user", at: NOW.toISOString() };

describe("a stored memory", () => {
  it("is read with all that it was stored with, whatever its kind", () => {
    const items = (["episode", "note", "page", "file"] as const).map((kind) =>
      signMemoryItem(
        createMemoryItem(
          {
            kind,
            text: "Hi.",
            source: "a",
            place: "b",
            run: "c",
            step: 4,
            author: "Ada",
            sources: [{ kind: "web", name: "d" }],
          },
          NOW,
        ),
        "a key",
      ),
    );
    assert.deepEqual(
      items.map(({ id, ...fields }) => readItem(id, { ...fields, sources: JSON.stringify(fields.sources) })),
      items,
    );
  });

  it("isn't read without an ID, a known kind, a text, a source and a time", () => {
    const bad = [
      readItem("", FIELDS),
      readItem(7, FIELDS),
      readItem("a", { ...FIELDS, kind: "order" }),
      readItem("a", { ...FIELDS, kind: 7 }),
      readItem("a", { ...FIELDS, text: 7 }),
      readItem("a", { ...FIELDS, source: 7 }),
      readItem("a", { ...FIELDS, at: 7 }),
    ];
    assert.deepEqual(bad, Array(7).fill(undefined));
  });

  it("isn't read if it's longer than any that is stored", () => {
    const read = [99_996, 99_997].map((length) => readItem("a", { ...FIELDS, text: "a".repeat(length) }));
    assert.deepEqual(
      read.map((item) => item?.text.length),
      [99_996, undefined],
    );
  });

  it("names its source with the place, and its author if it has one", () => {
    const item = createMemoryItem({ kind: "note", text: "Hi.", source: "a.ts" }, NOW);
    const more = [{}, { place: "line 3" }, { place: "line 3", author: "Ada" }];
    assert.deepEqual(
      more.map((fields) => formatMemorySource({ ...item, ...fields })),
      ["a.ts", "a.ts, line 3", "a.ts, line 3, by Ada"],
    );
  });

  it("is read without those of its other fields that are wrong, and with the start of an author's name", () => {
    const more = { place: 1, run: 2, step: "3", proof: 4, author: "A".repeat(300) };
    const sources = [[{ kind: "web" }], [{ kind: "order", name: "a" }], ["web"], "no JSON", 5];
    assert.deepEqual(
      sources.map((one) => readItem("a", { ...FIELDS, ...more, sources: one })),
      Array(5).fill({ id: "a", ...FIELDS, author: "A".repeat(200) }),
    );
  });

  it("has the ID of its kind, source, place, run, step and text, which never changes", () => {
    const one = { kind: "note", text: "Hi.", source: "a" } as const;
    const others = [
      { kind: "page" },
      { text: "b" },
      { source: "b" },
      { place: "b" },
      { run: "b" },
      { step: 1 },
    ] as const;
    const later = new Date("2027-01-01T00:00:00Z");
    assert.deepEqual(
      {
        id: createMemoryItem(one, NOW).id,
        later: createMemoryItem({ ...one, author: "Ada", sources: [] }, later).id,
        different: new Set(others.map((other) => createMemoryItem({ ...one, ...other }, NOW).id)).size,
      },
      { id: "5ef4221e1c1dc4e9261e0e4e", later: "5ef4221e1c1dc4e9261e0e4e", different: others.length },
    );
  });

  it("is clean only with the proof of this key for each of its fields", () => {
    const item = signMemoryItem(
      createMemoryItem({ kind: "note", text: "Hi.", source: "a", sources: [] }, NOW),
      "a key",
    );
    const { proof: _, ...unproven } = item;
    const changed: readonly Partial<MemoryItem>[] = [
      { id: "b" },
      { kind: "page" },
      { text: "b" },
      { source: "b" },
      { place: "b" },
      { run: "b" },
      { step: 1 },
      { at: "b" },
      { sources: [{ kind: "web", name: "b" }] },
      { proof: "b" },
    ];
    assert.deepEqual(
      {
        right: isClean(item, "a key"),
        unproven: isClean(unproven, "a key"),
        otherKey: isClean(item, "another"),
        changed: changed.filter((one) => isClean({ ...item, ...one }, "a key")),
      },
      { right: true, unproven: false, otherKey: false, changed: [] },
    );
  });
});

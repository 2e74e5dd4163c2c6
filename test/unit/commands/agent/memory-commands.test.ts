import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Memory } from "../../../../src/core/ports/storage.ts";
import { plantedBenches } from "../../../support/planted-bench.ts";

const noteFile: Memory["prepareNoteFile"] = async (text) => ({
  path: ".autogpt/notes/port.md",
  contents: `---\nkind: note\n---\n\n${text}\n`,
});

/** A memory that finds what it was given, in the order in which it came. */
function fakeMemory(...texts: readonly string[]): Memory & { readonly notes: string[] } {
  const notes = [...texts];
  return {
    notes,
    search: async (_query, count) => notes.slice(0, count).map((text) => ({ text, source: "run a: step 1", score: 1 })),
    add: async (text) => {
      notes.push(text);
      return undefined;
    },
    prepareNoteFile: noteFile,
  };
}

describe("commands of the memory", () => {
  const planted = plantedBenches();

  it("keep a note", async () => {
    const memory = fakeMemory();
    const { bench } = await planted({}, { memory });
    assert.deepEqual(
      [await bench.try("memory_add", { text: "The port is 8765." }), memory.notes],
      [
        {
          preview: { kind: "details", text: "Remember in this workspace:\n\nThe port is 8765." },
          outcome: { status: "done", output: "Saved to memory." },
        },
        ["The port is 8765."],
      ],
    );
  });

  it("say that a note is shared, where the memory is", async () => {
    const memory = { ...fakeMemory(), add: async () => "db.example" };
    const { bench } = await planted({}, { memory });
    const outcome = await bench.call("memory_add", { text: "The port is 8765." });
    assert.deepEqual(outcome, {
      status: "done",
      output: "Saved to memory, which is shared with the team.",
    });
  });

  it("keep no note without text, which isn't a fault of the program", async () => {
    const memory = fakeMemory();
    const { bench } = await planted({}, { memory });
    const outcomes = [];
    for (const shared of [false, true]) outcomes.push(await bench.call("memory_add", { text: " \n", shared }));
    const refused = {
      status: "failed",
      error: "There is nothing to remember: the text is empty. Write some text.",
    };
    assert.deepEqual({ outcomes, notes: memory.notes }, { outcomes: [refused, refused], notes: [] });
  });

  it("propose a note for the team as a new file, and remember nothing themselves", async () => {
    const memory = fakeMemory();
    const { bench, folder } = await planted({}, { memory });
    const after = "---\nkind: note\n---\n\nThe port is 8765.\n";
    const file = join(folder, ".autogpt/notes/port.md");
    const { preview, outcome } = await bench.try("memory_add", { text: "The port is 8765.", shared: true });
    assert.deepEqual(
      { preview, status: outcome.status, written: await readFile(file, "utf8"), notes: memory.notes },
      {
        preview: { kind: "change", file: ".autogpt/notes/port.md", target: file, after },
        status: "done",
        written: after,
        notes: [],
      },
    );
  });

  it("find what is remembered, named and quoted as untrusted text", async () => {
    const { bench } = await planted({}, { memory: fakeMemory("One.", "Two.", "Three.") });
    assert.deepEqual(await bench.call("memory_search", { query: "numbers", count: 2 }), {
      status: "done",
      output: "1. run a: step 1\nOne.\n\n2. run a: step 1\nTwo.",
      source: { kind: "memory", name: 'a search for "numbers"' },
    });
  });

  it("find memories of one kind, which the question names", async () => {
    const kinds: unknown[] = [];
    const memory: Memory = {
      ...fakeMemory(),
      search: async (_query, _count, _signal, kind) => {
        kinds.push(kind);
        return [];
      },
    };
    const { bench } = await planted({}, { memory });
    const { preview } = await bench.try("memory_search", { query: "numbers", kind: "page" });
    assert.deepEqual(
      { kinds, preview },
      {
        kinds: ["page"],
        preview: { kind: "details", text: "Look into the memory for: numbers (kind: page)" },
      },
    );
  });

  it("trust results only if all are proven to be the user's own", async () => {
    const kinds = [];
    for (const foreign of [[], ["Two."]]) {
      const memory: Memory = {
        search: async () => [
          { text: "One.", source: "run a: step 1", score: 1, isClean: true },
          ...foreign.map((text) => ({ text, source: "run b: step 1", score: 1 })),
        ],
        add: async () => undefined,
        prepareNoteFile: noteFile,
      };
      const { bench } = await planted({}, { memory });
      kinds.push(await bench.call("memory_search", { query: "numbers" }));
    }
    const name = 'a search for "numbers"';
    assert.deepEqual(
      kinds.map((outcome) => "source" in outcome && outcome.source),
      [
        { kind: "memory", name, isClean: true },
        { kind: "memory", name },
      ],
    );
  });

  it("say when nothing is remembered", async () => {
    const { bench } = await planted({}, { memory: fakeMemory() });
    assert.deepEqual(await bench.call("memory_search", { input: "numbers" }), {
      status: "done",
      output: "Nothing about that is in memory.",
    });
  });

  it("are not offered when the memory is turned off", async () => {
    const { bench } = await planted({}, { memory: undefined });
    assert.match(JSON.stringify(await bench.call("memory_search", { query: "x" })), /turned off/);
  });
});

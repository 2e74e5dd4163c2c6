import assert from "node:assert/strict";
import { openMemory } from "../../../../src/memory/open-memory.ts";
import { createDocumentMemories, ingestDocument } from "../../../../src/memory/recall/documents.ts";
import { listed } from "../../../support/listed.ts";
import { shippedTable } from "../../../support/shipped-table.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

const tempFolder = tempFolders();
const LINES = Array.from({ length: 120 }, (_, index) => `Line ${index + 1} tells us something new.`).join("\n");

describe("a document in the memory", () => {
  it("is in pieces that give their lines when it is a file", () => {
    const [first, second] = createDocumentMemories({ kind: "file", source: "notes.md", text: LINES });
    assert.deepEqual(
      [first?.place, second?.text.startsWith(`Line ${second.place?.split(" ")[1]} `)],
      [`lines 1 to ${first?.text.split("\n").length}`, true],
    );
  });

  it("has its title in every piece when it has one", () => {
    const pieces = createDocumentMemories({
      kind: "page",
      source: "https://a.example",
      title: "A page",
      text: LINES,
    });
    assert.deepEqual(
      [pieces.every(({ text }) => text.startsWith("A page")), pieces[0]?.place],
      [true, `part 1 of ${pieces.length}`],
    );
  });

  it("has no half of a secret where it's cut", async () => {
    const secret = "x".repeat(1_000);
    const redact = (text: string): string => text.replaceAll(secret, "[secret]");
    const store = await openMemory({ folder: await tempFolder(), embedder: shippedTable(), redact });
    await ingestDocument(store, {
      kind: "file",
      source: "a.md",
      text: `${"word ".repeat(240)}${secret} ${LINES}`,
    });
    const texts = (await listed(store.iterateAll())).map(({ text }) => text);
    await store.close();
    assert.deepEqual(texts.map((text) => [text.includes("xxxx"), text.includes("[secret]")]).slice(0, 2), [
      [false, true],
      [false, false],
    ]);
  });

  it("takes the place of what it was before", async () => {
    const store = await openMemory({ folder: await tempFolder(), embedder: shippedTable() });
    await ingestDocument(store, { kind: "file", source: "a.md", text: "The port is 1." });
    await ingestDocument(store, { kind: "file", source: "b.md", text: "The door is shut." });
    await ingestDocument(store, { kind: "file", source: "a.md", text: "The port is 2." });
    const texts = (await listed(store.iterateAll())).map(({ text }) => text);
    await store.close();
    assert.deepEqual(texts, ["The door is shut.", "The port is 2."]);
  });
});

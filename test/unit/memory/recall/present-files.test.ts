import assert from "node:assert/strict";
import { chmod, mkdir, rename, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PresentFiles } from "../../../../src/memory/recall/present-files.ts";
import type { MemoryItem } from "../../../../src/memory/store/memory-item.ts";
import { createNodeDocuments } from "../../../../src/node/documents/documents.ts";
import { createNodeWorkspace } from "../../../../src/node/workspace.ts";
import { createFileFinder } from "../../../../src/runtime/ingest/file-finder.ts";
import { pdfOf } from "../../../support/documents.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

const { signal } = new AbortController();
const WORKER = new URL("../../../../src/node/documents/document-worker.ts", import.meta.url);
const LINES = Array.from({ length: 40 }, (_, at) => `line ${at + 1}`);

describe("a memory of a file, once the file", () => {
  const tempFolder = tempFolders();
  let folder: string;
  beforeEach(async () => {
    folder = await tempFolder();
    await mkdir(join(folder, "src"));
    await writeFile(join(folder, "src/a.ts"), `${LINES.join("\n")}\n`);
  });

  function files(): PresentFiles {
    const workspace = createNodeWorkspace({ folders: [{ name: "project", path: folder }] });
    const documents = createNodeDocuments({ files: workspace, workspace, worker: WORKER });
    return new PresentFiles(createFileFinder({ workspace, documents }));
  }

  const memory = (more: Partial<MemoryItem> = {}): MemoryItem => ({
    ...{ id: "1", kind: "file", source: "src/a.ts", text: "line 10\nline 11\nline 12" },
    ...{ place: "lines 10 to 12", at: new Date().toISOString() },
    ...more,
  });
  /** The place of a memory made before the change; the clock of files is a little coarse. */
  async function placeAfter(change: () => Promise<unknown>, more?: Partial<MemoryItem>) {
    await new Promise((resolve) => setTimeout(resolve, 15));
    const item = memory(more);
    await new Promise((resolve) => setTimeout(resolve, 15));
    await change();
    return files().check(signal)(item);
  }
  const write = (text: string, name = "src/a.ts") => writeFile(join(folder, name), text);

  const inserted = ["new", ...LINES].join("\n");
  const edited = LINES.join("\n").replace("line 11\n", "line eleven\n");
  for (const [what, change, place] of [
    ["is as it was", async () => undefined, "lines 10 to 12"],
    ["was only touched", () => utimes(join(folder, "src/a.ts"), 1, 1), "lines 10 to 12"],
    ["has other rights", () => chmod(join(folder, "src/a.ts"), 0o600), "lines 10 to 12"],
    ["has other line ends", () => write(LINES.join("\r\n")), "lines 10 to 12"],
    ["has a line more above", () => write(inserted), "lines 11 to 13"],
    ["has the lines three times", () => write([...LINES, ...LINES, ...LINES].join("\n")), "lines 10 to 12"],
    ["has other text in these lines", () => write(edited), undefined],
    ["is empty", () => write(""), undefined],
    ["is binary", () => write("\0\0\0"), undefined],
    ["is deleted", () => rm(join(folder, "src/a.ts")), undefined],
    ["is moved", () => rename(join(folder, "src/a.ts"), join(folder, "src/b.ts")), undefined],
    ["is a folder", () => rm(join(folder, "src/a.ts")).then(() => mkdir(join(folder, "src/a.ts"))), undefined],
    ["is left out", () => write("src/\n", ".autogptignore"), undefined],
  ] as const)
    it(`${what}, is ${place ?? "left out"}`, async () => {
      assert.equal(await placeAfter(change), place);
    });

  it("repeats itself, is looked through in one pass, or this would take a minute", async () => {
    const text = "a\n".repeat(2_000_000);
    const part = `${"a\n".repeat(12_000)}b\n${"a\n".repeat(12_000)}`;
    const found = new PresentFiles(async () => ({ changedAt: Date.now(), readText: async () => text }));
    assert.equal(await found.check(signal)(memory({ text: part, at: "2020-01-01T00:00:00.000Z" })), undefined);
  });

  it("is replaced by an older one that says something else, is left out", async () => {
    await write(edited, "older.ts");
    await utimes(join(folder, "older.ts"), 1, 1);
    assert.equal(await placeAfter(() => rename(join(folder, "older.ts"), join(folder, "src/a.ts"))), undefined);
  });

  it("has changed, is left out if a model made it of the file, and kept otherwise", async () => {
    const summary = { text: "It has lines.", place: 'answer to "Summarize", part 1 of 2' };
    assert.deepEqual(
      [await placeAfter(async () => undefined, summary), await placeAfter(() => write(inserted), summary)],
      [summary.place, undefined],
    );
  });

  it("has changed elsewhere, is found across cut lines and the marks of secrets", async () => {
    await write(`one\nkey=abc, ${"x".repeat(3_000)}\ntwo\n`);
    const text = `one\nkey=[secret 0a1b2c: API key], ${"x".repeat(1_991)}… [1,009 more characters in this line]\ntwo`;
    const part = { text, place: "lines 1 to 3" };
    assert.equal(
      await placeAfter(() => write(`zero\none\nkey=abc, ${"x".repeat(3_000)}\ntwo\n`), part),
      "lines 2 to 4",
    );
  });

  it("is a document that was replaced, is compared with its text", async () => {
    await writeFile(join(folder, "a.pdf"), pdfOf("The pump is blue"));
    const replace = () => writeFile(join(folder, "a.pdf"), pdfOf("New first page", "The pump is blue"));
    const part = (text: string) => ({ source: "a.pdf", text, place: "lines 2 to 2" });
    assert.deepEqual(
      [await placeAfter(replace, part("The pump is blue")), await placeAfter(replace, part("The pump is red"))],
      ["lines 5 to 5", undefined],
    );
  });

  it("is outside of the workspace, isn't looked at", async () => {
    const [part] = [memory({ source: join(await tempFolder(), "gone.txt"), text: "what it said" })];
    assert.equal(await files().check(signal)(part), "lines 10 to 12");
  });

  it("changes again, is checked again", async () => {
    const [present, item] = [files(), memory({ at: new Date(0).toISOString() })];
    const places: unknown[] = [];
    for (const text of [LINES.join("\n"), edited, inserted]) {
      await write(text);
      places.push(await present.check(signal)(item), await present.check(signal)(item));
      await new Promise((resolve) => setTimeout(resolve, 15));
    }
    assert.deepEqual(places, [
      ...["lines 10 to 12", "lines 10 to 12", undefined, undefined],
      ...["lines 11 to 13", "lines 11 to 13"],
    ]);
  });
});

import assert from "node:assert/strict";
import { mkdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { openMemory } from "../../../../src/memory/open-memory.ts";
import { USUAL_CHUNKS } from "../../../../src/memory/recall/documents.ts";
import { type IngestOptions, type IngestSummary, ingestFolder } from "../../../../src/memory/recall/ingest-folder.ts";
import type { MemoryOptions, WorkspaceMemory } from "../../../../src/memory/workspace-memory.ts";
import { DocumentThread } from "../../../../src/node/documents/document-thread.ts";
import { makeSecrets } from "../../../../src/runs/log/secrets.ts";
import { findFolderFiles } from "../../../../src/runtime/ingest/folder-files.ts";
import { listed } from "../../../support/listed.ts";
import { shippedTable } from "../../../support/shipped-table.ts";
import { makeLink } from "../../../support/skips.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

const FIXTURES = join(import.meta.dirname, "../../../fixtures/documents");
const WORKER = new URL("../../../../src/node/documents/document-worker.ts", import.meta.url);
const { signal } = new AbortController();

describe("a folder that is added to the memory", () => {
  const stores: WorkspaceMemory[] = [];
  const documents = new DocumentThread(WORKER);
  afterEach(async () => {
    for (const store of stores.splice(0)) await store.close();
  });
  after(() => documents.close());
  const tempFolder = tempFolders();

  async function place(files: Readonly<Record<string, string>>, options: Partial<MemoryOptions> = {}) {
    const workspace = await tempFolder();
    const memory = await openMemory({
      folder: join(workspace, ".autogpt/memory"),
      embedder: shippedTable(),
      ...options,
    });
    stores.push(memory);
    const write = async (name: string, content: string | Uint8Array): Promise<void> => {
      await mkdir(dirname(join(workspace, name)), { recursive: true });
      await writeFile(join(workspace, name), content);
    };
    for (const [name, content] of Object.entries(files)) await write(name, content);
    const add = async (folder = "docs", more: Partial<IngestOptions> = {}): Promise<IngestSummary> => {
      const read = await findFolderFiles({ workspace, folder: join(workspace, folder), documents });
      return ingestFolder(memory, read, { chunks: USUAL_CHUNKS, signal, ...more });
    };
    return { workspace, memory, write, add };
  }

  const textsOf = async (memory: WorkspaceMemory): Promise<readonly string[]> =>
    (await listed(memory.iterateAll())).map(({ text }) => text).toSorted();

  const counts = ({ skipped, ...rest }: IngestSummary) => ({ ...rest, skipped: skipped.length });
  const NONE = { added: 0, changed: 0, unchanged: 0, removed: 0, pieces: 0, isStopped: false, skipped: 0 };

  it("is remembered in pieces with path and lines, and what isn't is named with the reason", async () => {
    const { workspace, memory, write, add } = await place({
      "docs/a.md": "The pump is in the cellar.",
      "docs/sub/b.txt": "\nThe kettle.\n",
      "docs/.env": "KEY=1",
      "docs/empty.txt": " \n",
      "docs/ignored.log": "x",
      "docs/secret/c.md": "kept from the agent",
      ".gitignore": "*.log\n",
      ".autogptignore": "docs/secret/\n",
      "elsewhere.md": "Not in the folder.",
    });
    await write("docs/plan.xlsx", await readFile(join(FIXTURES, "plan.xlsx")));
    await write("docs/broken.docx", "no archive");
    await write("docs/x.bin", Uint8Array.of(0, 1, 2, 3, 0));
    await write(
      "docs/n.ipynb",
      '{"cells":[{"cell_type":"code","metadata":{},"source":["1 + 1"],"outputs":[{"output_type":"stream","name":"stdout","text":"noise"}]}],"metadata":{},"nbformat":4,"nbformat_minor":5}',
    );
    await makeLink("/etc/hostname", join(workspace, "docs/link"));

    const summary = await add();

    const items = (await listed(memory.iterateAll())).map(({ source, place: lines, text, sources }) => [
      source,
      lines,
      text.slice(0, 27),
      sources,
    ]);
    assert.deepEqual(
      { items, skipped: summary.skipped },
      {
        items: [
          ["docs/a.md", "lines 1 to 1", "The pump is in the cellar.", []],
          ["docs/n.ipynb", "lines 1 to 2", "# %% cell 1 [code]\n1 + 1", []],
          ["docs/plan.xlsx", "lines 1 to 10", '## Sheet "Pumps & pipes"\n\n|', []],
          ["docs/sub/b.txt", "lines 2 to 2", "The kettle.", []],
        ],
        skipped: [
          { source: "docs/.env", reason: "protected" },
          { source: "docs/link", reason: "link" },
          {
            source: "docs/broken.docx",
            reason: "unreadable",
            why: "it isn't a Word document, or it's damaged",
          },
          { source: "docs/empty.txt", reason: "empty" },
          { source: "docs/x.bin", reason: "binary" },
        ],
      },
    );
  });

  it("doesn't displace a folder outside of the workspace that was added before", async () => {
    const { memory, workspace, add } = await place({ "a.md": "The pump is in the cellar." });
    const outside = await tempFolder();
    await writeFile(join(outside, "b.md"), "The kettle.");
    const files = await findFolderFiles({ workspace, folder: outside, documents });
    await ingestFolder(memory, files, { chunks: USUAL_CHUNKS, signal });

    const { removed } = await add(".");

    assert.deepEqual(
      { removed, texts: await textsOf(memory) },
      { removed: 0, texts: ["The kettle.", "The pump is in the cellar."] },
    );
  });

  it("is only read where it has changed the next time; deleted files are forgotten", async () => {
    const { workspace, memory, write, add } = await place({
      "docs/same.md": "The door is shut.",
      "docs/touched.md": "The lamp is on.",
      "docs/changed.md": "The port is 1.",
      "docs/gone.md": "The pump is old.",
      "docs/x.bin": "\0\0",
      "other/gone.md": "The other pump.",
    });
    await memory.add([{ kind: "note", text: "A note.", source: "docs/gone.md" }]);
    await add("other");
    const first = await add();
    await rm(join(workspace, "docs/gone.md"));
    await rm(join(workspace, "other/gone.md"));
    await write("docs/changed.md", "The port is 2.");
    await utimes(join(workspace, "docs/touched.md"), 1, 1);

    const second = await add();

    assert.deepEqual(
      { first: counts(first), second: counts(second), texts: await textsOf(memory) },
      {
        first: { ...NONE, added: 4, pieces: 4, skipped: 1 },
        second: { ...NONE, changed: 1, unchanged: 2, removed: 1, pieces: 1, skipped: 1 },
        texts: ["A note.", "The door is shut.", "The lamp is on.", "The other pump.", "The port is 2."],
      },
    );
  });

  it("takes the place of what runs remember of a changed file", async () => {
    const { memory, write, add } = await place({ "docs/a.md": "The port is 1." });
    await add();
    const part = { kind: "file", source: "docs/a.md", place: "lines 1 to 1", run: "run-1" } as const;
    await memory.add([{ ...part, text: "The port is 1." }]);
    await write("docs/a.md", "The port is 22.");
    await add();
    assert.deepEqual(await textsOf(memory), ["The port is 22."]);
  });

  it("is added again once its memories are gone, or its pieces should be longer", async () => {
    const { memory, add } = await place({ "docs/a.md": "One two three. ".repeat(30) });
    const short = { chunks: { maxChars: 200, overlapChars: 20 } };
    const first = await add("docs", short);
    const longer = await add();
    const left = memory.state.count;
    await memory.clear();
    const again = await add();
    assert.deepEqual(
      [first.pieces > 1, counts(longer), left, counts(again)],
      [true, { ...NONE, changed: 1, pieces: 1 }, 1, { ...NONE, added: 1, pieces: 1 }],
    );
  });

  it("keeps what is done when it's stopped, and continues the next time", async () => {
    const files = Array.from({ length: 200 }, (_, at) => [`docs/${1000 + at}.md`, `The pump ${at}.`]);
    const { memory, add } = await place(Object.fromEntries(files));
    const stop = new AbortController();
    const stopped = await add("docs", {
      signal: stop.signal,
      reportProgress: (done) => (done === 120 ? stop.abort() : undefined),
    });
    const kept = memory.state.count;
    const rest = await add();
    assert.deepEqual(
      [stopped.isStopped, stopped.added, kept, counts(rest), memory.state.count],
      [true, 121, 121, { ...NONE, added: 79, unchanged: 121, pieces: 79 }, 200],
    );
  });

  it("fills no more than its part of the memory, and displaces nothing", async () => {
    const files = Array.from({ length: 100 }, (_, at) => [`docs/${1000 + at}.md`, `The pump ${at}.`]);
    const { memory, add } = await place(Object.fromEntries(files), { maxMemories: 100 });
    await memory.add([{ kind: "episode", text: "An old step.", source: "step 1", run: "r", step: 1 }]);
    const summary = await add();
    const texts = await textsOf(memory);
    assert.deepEqual(
      [summary.added, summary.skipped.map(({ reason }) => reason).every((reason) => reason === "full")],
      [89, true],
    );
    assert.deepEqual([texts.length, texts[0]], [90, "An old step."]);
  });

  it("is added although the list of its files is damaged, and nothing is doubled", async () => {
    for (const damage of ["{", '{"version":1,"files":{"docs/a.md":{"bytes":"1"},"docs/b.md":7}}', '{"version":9}']) {
      const { memory, write, add } = await place({ "docs/a.md": "The pump." });
      await add();
      await write(".autogpt/memory/ingested.json", damage);
      const summary = await add();
      assert.deepEqual([summary.added, await textsOf(memory)], [1, ["The pump."]]);
    }
  });

  it("doesn't let a planted list remove other memories", async () => {
    const { memory, write, add } = await place({ "docs/a.md": "The pump." });
    await memory.add([{ kind: "note", text: "A note.", source: "docs/other.md" }]);
    const entry = { bytes: 1, modified: 1, hash: "", cut: "", pieces: 1 };
    const files = { "docs/other.md": entry, "src/b.md": entry };
    await write(".autogpt/memory/ingested.json", JSON.stringify({ version: 1, files }));
    await add();
    assert.deepEqual(await textsOf(memory), ["A note.", "The pump."]);
  });

  it("leaves alone what others of the team remember of a file of that name", async () => {
    const { memory, write, add } = await place({ "docs/a.md": "The port is 1." });
    const theirs = { kind: "file", source: "docs/a.md", author: "Bo", sources: [] } as const;
    await memory.add([{ ...theirs, text: "Their port is 7.", place: "lines 1 to 1" }]);
    await add();
    await write("docs/a.md", "The port is 22.");
    await add();
    assert.deepEqual(await textsOf(memory), ["The port is 22.", "Their port is 7."]);
  });

  it("keeps no secret, even if it would be cut in two", async () => {
    const key = `-----BEGIN RSA PRIVATE KEY-----\n${`${"MIIEow".repeat(10)}\n`.repeat(60)}-----END RSA PRIVATE KEY-----`;
    const { redact } = makeSecrets([]);
    const { memory, add } = await place(
      { "docs/a.md": `${"Some text. ".repeat(100)}\n\n${key}\n\nThe end.` },
      { redact },
    );
    await add();
    const texts = (await textsOf(memory)).join("\n");
    assert.deepEqual(
      [texts.includes("MIIEow"), /\[secret \w+: private key\]/.test(texts), texts.includes("The end.")],
      [false, true, true],
    );
  });

  it("counts as the user's own inside the workspace alone, unless it is ignored", async () => {
    const { workspace, memory, add } = await place({
      "docs/a.md": "Mine.",
      "vendor/b.md": "Vendor.",
      ".gitignore": "vendor\n",
    });
    const outside = await tempFolder();
    await writeFile(join(outside, "c.md"), "Outside.");
    await add();
    await add("vendor");
    const read = await findFolderFiles({ workspace, folder: outside, documents });
    await ingestFolder(memory, read, { chunks: USUAL_CHUNKS, signal });
    const sources = (await listed(memory.iterateAll())).map((item) => [item.text, item.source, item.sources]);
    assert.deepEqual(sources, [
      ["Mine.", "docs/a.md", []],
      ["Vendor.", "vendor/b.md", [{ kind: "ignored-file", name: "vendor" }]],
      ["Outside.", `${outside.replaceAll("\\", "/")}/c.md`, undefined],
    ]);
  });

  for (const name of [".autogpt/memory", ".git/info", "private", ".ssh"])
    it(`isn't ${name}`, async () => {
      const { workspace } = await place({ ".autogptignore": "private\n" });
      const folder = join(workspace, name);
      await mkdir(folder, { recursive: true });
      await assert.rejects(findFolderFiles({ workspace, folder, documents }), /can't be added to the memory/);
    });

  it("can't be added while another window writes the memory", async () => {
    const { workspace } = await place({ "docs/a.md": "The pump." });
    const folder = join(workspace, ".autogpt/memory");
    const second = await openMemory({ folder, embedder: shippedTable() });
    stores.unshift(second);
    const read = await findFolderFiles({ workspace, folder: join(workspace, "docs"), documents });
    await assert.rejects(
      ingestFolder(second, read, { chunks: USUAL_CHUNKS, signal }),
      /Another window is writing this memory/,
    );
  });
});

describe("a thread that reads many documents", () => {
  it("reads on after one that can't be read, one that ends it, and a stop", async () => {
    const worker = `data:text/javascript,${encodeURIComponent(`
      import { parentPort } from "node:worker_threads";
      parentPort.on("message", ({ kind }) => {
        if (kind === "pdf") throw new Error("a bug");
        if (kind !== "odt") parentPort.postMessage({ type: "answer", answer: { text: kind } });
      });`)}`;
    const thread = new DocumentThread(new URL(worker));
    const bytes = new Uint8Array();
    const stop = new AbortController();
    const read = (kind: "pdf" | "docx" | "odt") => thread.readText({ kind, bytes }, stop.signal);
    const readings = [await read("docx"), await read("pdf"), await read("docx")];
    const waiting = read("odt");
    stop.abort(new Error("stopped"));
    await assert.rejects(waiting, /stopped/);
    await thread.close();
    assert.deepEqual(readings, [{ text: "docx" }, { error: "a bug" }, { text: "docx" }]);
  });
});

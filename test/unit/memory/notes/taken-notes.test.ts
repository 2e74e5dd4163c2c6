import assert from "node:assert/strict";
import fs from "node:fs/promises";
import path from "node:path";
import { TakenNotes } from "../../../../src/memory/notes/taken-notes.ts";
import { openMemory } from "../../../../src/memory/open-memory.ts";
import { openLocalStore } from "../../../../src/memory/store/local-store.ts";
import type { MemoryStore } from "../../../../src/memory/store/memory-store.ts";
import type { WorkspaceMemory } from "../../../../src/memory/workspace-memory.ts";
import { writeInEnglish } from "../../../../src/texts/display-text.ts";
import { listed } from "../../../support/listed.ts";
import { git, makeRepository } from "../../../support/repositories.ts";
import { makeLink } from "../../../support/skips.ts";
import { tempFolders } from "../../../support/temp-folders.ts";
import { fakeEmbedder } from "../fake-embedder.ts";

const tempFolder = tempFolders();
const open: WorkspaceMemory[] = [];
afterEach(async () => {
  for (const memory of open.splice(0)) await memory.close();
});

const notesOf = (workspace: string) => path.join(workspace, ".autogpt/notes");

/** The memory of a workspace, with what its notes hold taken in. */
async function memoryOf(workspace: string, author = "Ada", more: { readonly key?: string } = {}) {
  const memory = await openMemory({
    folder: path.join(workspace, ".autogpt/memory"),
    notes: { folder: notesOf(workspace), getAuthor: async () => author },
    redact: (text) => text.replaceAll("hunter2", "***"),
    embedder: fakeEmbedder("one"),
    ...more,
  });
  open.push(memory);
  await memory.refresh();
  return memory;
}

async function withNotes(files: Readonly<Record<string, string | Uint8Array>>): Promise<string> {
  const workspace = await tempFolder();
  await fs.mkdir(notesOf(workspace), { recursive: true });
  for (const [name, contents] of Object.entries(files))
    await fs.writeFile(path.join(notesOf(workspace), name), contents);
  return workspace;
}

const textsOf = async (memory: WorkspaceMemory) =>
  (await listed(memory.iterateAll())).map(({ text }) => text).toSorted();

const hitsOf = async (memory: WorkspaceMemory, query: string) => {
  const hits = await memory.recall(query, {
    count: 5,
    maxTokens: 500,
    signal: new AbortController().signal,
  });
  return hits.map(({ text, source, isClean }) => ({ text, source, isClean }));
};

describe("the notes in a repository", () => {
  it("have a list that can't have other memories removed, although a repository may bring one along", async () => {
    const workspace = await withNotes({});
    const first = await memoryOf(workspace);
    const ids = await first.add([{ kind: "note", text: "The user's own.", source: "user" }]);
    await first.close();
    const list = JSON.stringify({ format: 1, notes: { "a.md": { stamp: "", ids } } });
    await fs.writeFile(path.join(workspace, ".autogpt/memory/notes.json"), list);
    assert.deepEqual(await textsOf(await memoryOf(workspace)), ["The user's own."]);
  });

  it("reach a second person by git, with their author, and never conflict", async () => {
    const [ada, ben] = [await tempFolder(), path.join(await tempFolder(), "clone")];
    makeRepository(ada, { ".autogpt/.gitignore": "runs/\nmemory/\n" });
    git(ada, "clone", "-q", ada, ben);
    const ofAda = await memoryOf(ada, "Ada");
    await ofAda.saveNote("The port is 8765.", []);
    await (await memoryOf(ben, "Ben")).saveNote("The port is 8765.", []);
    for (const folder of [ada, ben]) {
      git(folder, "add", "-A");
      git(folder, "commit", "-q", "-m", "A note");
    }
    git(ada, "pull", "-q", "--no-rebase", "--no-edit", ben, "main");
    await ofAda.refresh();
    assert.deepEqual(
      (await listed(ofAda.iterateAll())).map(({ text, author }) => ({ text, author })),
      [
        { text: "The port is 8765.", author: undefined },
        { text: "The port is 8765.", author: "Ben" },
      ],
    );
  });

  it("are the user's own only if this user's program wrote them", async () => {
    const workspace = await withNotes({
      "zebra.md": "---\nauthor: Mallory\nproof: 00\n---\nA zebra of others, dd.",
    });
    const memory = await memoryOf(workspace, "Ada", { key: "secret" });
    const file = path.basename(await memory.saveNote("My own zebra.", []));
    assert.deepEqual(
      new Set(await hitsOf(memory, "zebra")),
      new Set([
        { text: "My own zebra.", source: `.autogpt/notes/${file}`, isClean: true },
        { text: "A zebra of others, dd.", source: ".autogpt/notes/zebra.md, by Mallory", isClean: undefined },
      ]),
    );
  });

  it("are added, changed and removed with their files", async () => {
    const workspace = await withNotes({ "a.md": "One.", "b.md": "Two.", "c.md": "Three." });
    const memory = await memoryOf(workspace);
    await fs.rm(path.join(notesOf(workspace), "a.md"));
    await fs.rm(path.join(notesOf(workspace), "b.md"));
    await fs.writeFile(path.join(notesOf(workspace), "b.md"), "Two and a half.");
    await fs.writeFile(path.join(notesOf(workspace), "d.md"), "Four.");
    await memory.refresh();
    assert.deepEqual(await textsOf(memory), ["Four.", "Three.", "Two and a half."]);
  });

  it("are removed if their files went while nothing ran, even if the list of them is lost", async () => {
    const seen = [];
    for (const list of ["kept", "lost"]) {
      const workspace = await withNotes({ "a.md": "One.", "b.md": "Two." });
      const first = await memoryOf(workspace);
      await first.add([{ kind: "note", text: "Mine.", source: "user" }]);
      await open.pop()?.close();
      await fs.rm(path.join(notesOf(workspace), "a.md"));
      if (list === "lost") await fs.writeFile(path.join(workspace, ".autogpt/memory/notes.json"), "{");
      seen.push(await textsOf(await memoryOf(workspace)));
    }
    assert.deepEqual(seen, [
      ["Mine.", "Two."],
      ["Mine.", "Two."],
    ]);
  });

  it("are removed with their files though another window took them in", async () => {
    const [workspace, memory] = [await withNotes({ "a.md": "One." }), await tempFolder()];
    const store = await openLocalStore({ folder: memory, embedder: "one", notice: () => 0 });
    let writer = "first";
    const windowOf = (name: string): TakenNotes => {
      const own: MemoryStore = Object.create(store, { isWriting: { get: () => writer === name } });
      const now = () => new Date();
      return new TakenNotes({
        folder: notesOf(workspace),
        memory,
        store: own,
        redact: String,
        getNow: now,
        everyMs: 0,
      });
    };
    const [first, second] = [windowOf("first"), windowOf("second")];
    await first.sync();
    await fs.writeFile(path.join(notesOf(workspace), "b.md"), "Two.");
    writer = "second";
    for (const each of [first, second]) await each.sync();
    await fs.rm(path.join(notesOf(workspace), "b.md"));
    writer = "first";
    await first.sync();
    const texts = (await listed(store.iterateAll())).map(({ text }) => text);
    await store.close();
    assert.deepEqual(texts, ["One."]);
  });

  it("come back after the memory is cleared, because they are the repository's", async () => {
    const workspace = await withNotes({ "a.md": "One." });
    const memory = await memoryOf(workspace);
    await memory.add([{ kind: "note", text: "Mine.", source: "user" }]);
    const before = memory.state.repositoryNotes;
    await memory.clear();
    const cleared = await textsOf(memory);
    await memory.refresh();
    assert.deepEqual({ before, cleared, after: await textsOf(memory) }, { before: 1, cleared: [], after: ["One."] });
  });

  it("that are damaged, large or links are left out, with one sentence", async () => {
    const workspace = await withNotes({
      "good.md": "Good.",
      "damaged.md": Buffer.from([0xff, 0xff]),
      "large.md": Buffer.alloc(100 * 1024 * 1024, "a"),
    });
    await fs.writeFile(path.join(workspace, "secret.txt"), "A secret.");
    await makeLink(path.join(workspace, "secret.txt"), path.join(notesOf(workspace), "link.md"));
    await fs.mkdir(path.join(notesOf(workspace), "folder.md"));
    const memory = await memoryOf(workspace);
    assert.deepEqual(
      { texts: await textsOf(memory), notices: memory.state.notices.map(writeInEnglish) },
      {
        texts: ["Good."],
        notices: [
          "4 files in .autogpt/notes aren't used, such as link.md, large.md, folder.md. A note is UTF-8 text of at most 64 KB, and not a link.",
        ],
      },
    );
  });

  it("aren't read where the folder is a link, and none is written there", async () => {
    const [workspace, elsewhere] = [await tempFolder(), await withNotes({ "a.md": "One." })];
    await fs.mkdir(path.join(workspace, ".autogpt"));
    await makeLink(notesOf(elsewhere), notesOf(workspace));
    const memory = await memoryOf(workspace);
    const saved = await memory.saveNote("Two.").catch(() => "refused");
    assert.deepEqual(
      { texts: await textsOf(memory), saved, there: await fs.readdir(notesOf(elsewhere)) },
      { texts: [], saved: "refused", there: ["a.md"] },
    );
  });

  it("are at most 2,000, those with the last names", async () => {
    const files = Array.from({ length: 2_003 }, (_, at) => [`${String(at).padStart(5, "0")}.md`, `Note ${at}.`]);
    const memory = await memoryOf(await withNotes(Object.fromEntries(files)));
    const texts = new Set(await textsOf(memory));
    assert.deepEqual(
      [texts.size, texts.has("Note 2002."), texts.has("Note 2."), memory.state.notices.map(writeInEnglish)],
      [
        2_000,
        true,
        false,
        ["Only the newest 2,000 notes in .autogpt/notes (at most 8 MB) are used. Remove some that are out of date."],
      ],
    );
  });

  it("don't hold secrets that are known", async () => {
    const workspace = await withNotes({ "a.md": "The password is hunter2." });
    const memory = await memoryOf(workspace);
    const file = await memory.saveNote("Also hunter2.");
    assert.deepEqual(
      { texts: await textsOf(memory), written: /Also.*/.exec(await fs.readFile(file, "utf8"))?.[0] },
      { texts: ["Also ***.", "The password is ***."], written: "Also ***." },
    );
  });
});

import assert from "node:assert/strict";
import fs from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import * as vscode from "vscode";
import { fail } from "../../src/texts/display-text.ts";
import { addFolder } from "../../src/vscode/actions/add-folder.ts";
import { clearMemory, startOver } from "../../src/vscode/actions/memory.ts";
import { searchMemory } from "../../src/vscode/views/memory-search.ts";
import { ROOT } from "../host/places.ts";
import { FakeModel, says } from "../support/fake-model.ts";
import { listed } from "../support/listed.ts";
import { decideWhenAsked, ourApi } from "./our-api.ts";
import { closeEverything, until, writeInWorkspace } from "./parts/workspace-files.ts";

const ALLOW = { allow: true } as const;
const TABLE = { kind: "table", file: path.join(ROOT, "media/embedding-table.bin") } as const;
const FINISH = says("task_complete", { reason: "Done." });

/** A search box beside no stored runs. */
const BOX = { loadRunNames: async () => new Map<string, string>(), showWhole: async () => undefined };

/** The end of the first prompt of a run with this task, and the run's id. */
async function firstPrompt(task: string, ...answers: ReturnType<typeof says>[]) {
  const api = await ourApi();
  const model = new FakeModel([...answers, FINISH]);
  const handle = await api.startRun({ task, model });
  for (let step = 1; step <= answers.length + 1; step++) await decideWhenAsked(handle, step, ALLOW);
  await handle.end;
  return { id: handle.id, told: model.requests[0]?.messages.at(-1)?.content ?? "" };
}

describe("the memory in the editor", () => {
  it("keeps a run's steps, and recalls them in the next run under that run's name", async () => {
    const echo = says("execute_shell", { command_line: "echo zebra crossing" });
    const first = await firstPrompt("Paint the zebra crossing", echo);
    const second = await firstPrompt("Where was the zebra crossing painted?");
    assert.match(second.told, new RegExp(`begin data from memory: run ${first.id}: .*echo zebra crossing`, "s"));
  });

  it("keeps what the user selects, with its place", async () => {
    const [file] = await vscode.workspace.findFiles("**/*.{md,ts,txt,js}", "**/node_modules/**", 1);
    assert.ok(file, "The test's workspace has a text file.");
    const editor = await vscode.window.showTextDocument(file);
    editor.selection = new vscode.Selection(0, 0, 1, 0);
    await vscode.commands.executeCommand("autogpt.addToMemory");
    const { told } = await firstPrompt(editor.document.getText(editor.selection));
    assert.match(
      told,
      new RegExp(`begin data from memory: note: ${vscode.workspace.asRelativePath(file)}, lines 1 to 1`),
    );
  });

  it("saves what the user selects as a file of the repository, and opens it", async () => {
    const file = vscode.Uri.file(writeInWorkspace("okapi.md", "The okapi sleeps at noon.\n"));
    const editor = await vscode.window.showTextDocument(file);
    editor.selection = new vscode.Selection(0, 0, 0, 25);
    await vscode.commands.executeCommand("autogpt.saveNote");
    const shown = vscode.window.activeTextEditor?.document;
    const name = shown && vscode.workspace.asRelativePath(shown.uri, false);
    await closeEverything();
    const { told } = await firstPrompt("When does the okapi sleep?");
    if (shown) fs.rmSync(shown.uri.fsPath);
    assert.match(told, new RegExp(`begin data from memory: note: ${name} [^]*The okapi sleeps at noon.`));
    assert.match(name ?? "", /^\.autogpt\/notes\/\d{4}-\d\d-\d\d-the-okapi-sleeps-at-noon-[0-9a-f]{12}\.md$/);
  });

  it("opens the lines that a memory in the search list is about", async () => {
    const file = vscode.Uri.file(writeInWorkspace("zebra.md", "one\ntwo\nthree\nfour\n"));
    const editor = await vscode.window.showTextDocument(file);
    editor.selection = new vscode.Selection(1, 0, 2, 5);
    await vscode.commands.executeCommand("autogpt.addToMemory");
    await closeEverything();

    const searching = vscode.commands.executeCommand("autogpt.searchMemory");
    await pickFirst(searching);

    const shown = vscode.window.activeTextEditor;
    assert.deepEqual(
      [shown?.document.uri.fsPath, shown?.selection.start.line, shown?.selection.end.line],
      [file.fsPath, 1, 3],
    );
  });
});

describe("a memory", () => {
  const folders: string[] = [];
  const { window } = vscode;
  const { createQuickPick, showWarningMessage, showInformationMessage, showErrorMessage } = window;
  afterEach(() => {
    Object.assign(window, { createQuickPick, showWarningMessage, showInformationMessage, showErrorMessage });
    for (const folder of folders.splice(0)) fs.rmSync(folder, { recursive: true, force: true });
  });

  const storeOf = async (...texts: readonly string[]) => storeIn({}, ...texts);

  const newFolder = () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "memory-"));
    folders.push(folder);
    return folder;
  };

  const storeIn = async (
    { folder = newFolder(), notes }: { folder?: string; notes?: string },
    ...texts: readonly string[]
  ) => {
    const shipped: typeof import("../../src/memory/open-memory.ts") = createRequire(import.meta.url)(
      path.join(ROOT, "dist/memory.cjs"),
    );
    const redact = (text: string) => text;
    const shared =
      notes === undefined ? {} : { notes: { folder: path.join(folder, notes), getAuthor: async () => "me" } };
    const store = await shipped.openWorkspaceMemory(TABLE, { folder, redact, ...shared });
    await store.add(texts.map((text) => ({ kind: "note" as const, text, source: "a test" })));
    return store;
  };

  it("is searched as the user types, and gives what is picked", async () => {
    const store = await storeOf("The pump is in the cellar.", "The kettle is on the stove.");
    const boxes: vscode.QuickPick<vscode.QuickPickItem>[] = [];
    Object.assign(window, {
      createQuickPick: () => {
        const box = createQuickPick();
        boxes.push(box);
        return box;
      },
    });
    const searching = searchMemory(store, { title: "Search memory", addFolder: async () => undefined, ...BOX });
    const [box] = boxes;
    assert.ok(box);
    await until("the newest memories are listed", () => box.items.length === 2);
    const newest = box.items.map(({ label }) => label);
    box.value = "Where is the pump?";
    await until("the pump is found", () => box.items[0]?.label === "The pump is in the cellar.");
    const detail = box.items[0]?.detail;
    await pickFirst(searching);
    const picked = await searching;
    await store.close();
    assert.deepEqual(
      { newest, detail, picked: picked?.text },
      {
        detail: "a test · all words match · from today",
        newest: ["The kettle is on the stove.", "The pump is in the cellar."],
        picked: "The pump is in the cellar.",
      },
    );
  });

  it("offers to add a folder while it's empty", async () => {
    const store = await storeOf();
    const boxes: vscode.QuickPick<vscode.QuickPickItem>[] = [];
    const added: string[] = [];
    Object.assign(window, {
      createQuickPick: () => {
        const box = createQuickPick();
        boxes.push(box);
        return box;
      },
    });
    const addFolder = async (): Promise<void> => void added.push("a folder");
    const searching = searchMemory(store, { title: "Search memory", addFolder, ...BOX });
    const [box] = boxes;
    assert.ok(box);
    await until("the offer is listed", () => box.items.length === 1);
    const labels = box.items.map(({ label }) => label);
    await pickFirst(searching);
    const picked = await searching;
    await store.close();
    assert.deepEqual(
      { labels, added, picked },
      { labels: ["Nothing is remembered here yet"], added: ["a folder"], picked: undefined },
    );
  });

  it("that only notes of the repository are in has nothing to clear", async () => {
    const store = await storeIn({ notes: "notes" });
    const said: string[] = [];
    Object.assign(window, { showInformationMessage: async (text: string) => void said.push(text) });
    const file = await store.saveNote("The pump is in the cellar.");
    await store.refresh();
    await clearMemory(store, "/work/shop");
    fs.rmSync(file);
    await store.refresh();
    await clearMemory(store, "/work/shop");
    await store.close();
    assert.deepEqual(said, [
      "1 note in .autogpt/notes stays: it's a file of the repository, and is remembered again from there. To remove it, delete the file.",
      "The memory of /work/shop is empty.",
    ]);
  });

  it("that another window writes isn't cleared, and nothing is asked", async () => {
    const store = await storeOf("The pump is in the cellar.");
    const asked: string[] = [];
    Object.assign(window, { showWarningMessage: async (text: string) => void asked.push(text) });
    const other = await storeIn({ folder: store.folder });
    const refused = await clearMemory(other, "/work/shop").catch(String);
    await other.close();
    await store.close();
    assert.deepEqual(
      { asked, refused },
      {
        asked: [],
        refused: "DisplayError: Another window is writing this memory. Do this there, or close that window first.",
      },
    );
  });

  it("of a newer version is set aside only once that is confirmed, and the message names its new place", async () => {
    const said: string[] = [];
    const answers = [undefined, "Start over"];
    Object.assign(window, {
      showWarningMessage: async (text: string) => {
        said.push(text);
        return answers.shift();
      },
      showInformationMessage: async (text: string) => void said.push(text),
    });
    const memories = { setAside: async (folder: string) => `${folder}/.autogpt/memory-earlier` };
    await startOver(memories, "/work/shop");
    await startOver(memories, "/work/shop");
    assert.deepEqual(said, [
      "Start over with an empty memory in /work/shop?",
      "Start over with an empty memory in /work/shop?",
      "The memory of /work/shop is empty now. The earlier one is in /work/shop/.autogpt/memory-earlier.",
    ]);
  });

  it("that can't be restored says why, with the button of the reason", async () => {
    const store = await storeOf("The pump is in the cellar.");
    const shown = Promise.withResolvers<readonly string[]>();
    const undo = async () => fail("trouble.memoryFromNewerVersion");
    const failing = Object.create(store, { clear: { value: async () => undo } });
    Object.assign(window, {
      showWarningMessage: async () => "Clear",
      showInformationMessage: async () => "Undo",
      showErrorMessage: async (...texts: readonly string[]) => shown.resolve(texts),
    });
    await clearMemory(failing, "/work/shop");
    const texts = await shown.promise;
    await store.close();
    assert.deepEqual(texts, [
      "The memory in .autogpt/memory was written by a newer version of AutoGPT, so it isn't used. Update the extension. To start over, use AutoGPT: Clear Memory, which keeps that folder under another name.",
      "Clear memory",
    ]);
  });

  it("is cleared only once that is confirmed, and comes back when it is undone", async () => {
    const store = await storeOf("The pump is in the cellar.", "The kettle is on the stove.");
    const counts: number[] = [];
    const [asked, answers] = [new Set<string>(), [undefined, "Clear"]];
    const offered = Promise.withResolvers<string>();
    const pressed = Promise.withResolvers<string>();
    Object.assign(window, {
      showWarningMessage: async (text: string) => {
        asked.add(text);
        return answers.shift();
      },
      showInformationMessage: (text: string, button?: string) => {
        if (button === undefined) return Promise.resolve(undefined);
        offered.resolve(`${text} ${button}`);
        return pressed.promise;
      },
    });
    await clearMemory(store, "/work/shop");
    counts.push(store.state.count);
    await clearMemory(store, "/work/shop");
    counts.push(store.state.count);
    pressed.resolve("Undo");
    await until("the memories are there again", () => store.state.count === 2);
    const texts = (await listed(store.iterateAll())).map(({ text }) => text);
    await store.close();
    assert.deepEqual(
      { asked: [...asked], counts, offered: await offered.promise, texts },
      {
        asked: ["Clear the memory of /work/shop?"],
        counts: [2, 0],
        offered: "2 memories removed. Undo",
        texts: ["The pump is in the cellar.", "The kettle is on the stove."],
      },
    );
  });
});

describe("a folder that is added to the memory", () => {
  const { window } = vscode;
  const { showInformationMessage } = window;
  afterEach(() => {
    Object.assign(window, { showInformationMessage });
  });

  it("is added once that is confirmed; what was skipped is shown on demand", async () => {
    const pump = vscode.Uri.file(writeInWorkspace("plans/pump.md", "The pump is in the cellar."));
    writeInWorkspace("plans/.env", "KEY=1");
    // The editor's own Node decodes the character sets of old documents, too.
    const fonts = String.raw`{\fonttbl{\f0\fcharset128 MS Gothic;}{\f1\fcharset204 Arial;}}`;
    writeInWorkspace("plans/old.rtf", String.raw`{\rtf1${fonts}\f0 \'93\'fa\'96\'7b \f1 \'cf\'f0\par}`);
    const shipped: typeof import("../../src/memory/open-memory.ts") = createRequire(import.meta.url)(
      path.join(ROOT, "dist/memory.cjs"),
    );
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "memory-"));
    const store = await shipped.openWorkspaceMemory(TABLE, { folder, redact: (text) => text });
    const asked: string[] = [];
    const shown = Promise.withResolvers<string>();
    Object.assign(window, {
      showInformationMessage: async (text: string, ...more: readonly (string | object)[]) => {
        asked.push(text);
        return more.at(-1);
      },
    });
    const parts = {
      memories: { open: async () => store },
      documents: {
        show: async (_title: string, text: string) => {
          shown.resolve(text);
          return true;
        },
      },
      fileLists: {
        getSearchExcludes: () => ({ has: () => false, names: [] }),
        findEncoding: () => undefined,
      },
      dist: path.join(ROOT, "dist"),
      clear: clearMemory,
    };
    await addFolder(parts, vscode.Uri.joinPath(pump, ".."));
    const skipped = await shown.promise;
    const items = (await listed(store.iterateAll())).map(({ kind, source, text }) => [kind, source, text]);
    await store.close();
    fs.rmSync(folder, { recursive: true, force: true });
    assert.deepEqual(
      { asked, skipped, items },
      {
        asked: ["Add the files in plans to the memory?", "Added plans to memory. Files: 2 added and 1 skipped."],
        skipped: "plans/.env: may hold secrets",
        items: [
          ["file", "plans/old.rtf", "日本 Пр"],
          ["file", "plans/pump.md", "The pump is in the cellar."],
        ],
      },
    );
  });
});

describe("how memories are found", () => {
  it("is chosen in a list whose first way needs nothing", async () => {
    const model = () => vscode.workspace.getConfiguration("autogpt.model");
    await model().update("embedding", "some-model", vscode.ConfigurationTarget.Global);
    await pickFirst(vscode.commands.executeCommand("autogpt.chooseEmbedding"));
    const chosen = model().get("embedding");
    await model().update("embedding", undefined, vscode.ConfigurationTarget.Global);
    assert.equal(chosen, "");
  });
});

/** Presses Enter in the list that is open, until it is over. */
async function pickFirst(list: Thenable<unknown>): Promise<void> {
  const over = { is: false };
  void list.then(() => {
    over.is = true;
  });
  for (let tries = 0; tries < 100 && !over.is; tries++) {
    await vscode.commands.executeCommand("workbench.action.acceptSelectedQuickOpenItem");
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  await list;
}

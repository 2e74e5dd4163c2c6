import assert from "node:assert/strict";
import fs from "node:fs";
import * as vscode from "vscode";
import type { ResolvedPath, TextFile } from "../../../src/core/ports/workspace.ts";
import { createFileReplacer } from "../../../src/node/files/atomic-write.ts";
import { createNodeWorkspace } from "../../../src/node/workspace.ts";
import { diskFiles } from "../../../src/runs/undo/file-state.ts";
import { wrapFilesWithUnsavedTexts } from "../../../src/runtime/unsaved-undo.ts";
import { createDiffReview } from "../../../src/vscode/review/diff-review.ts";
import { createEditorWorkspace } from "../../../src/vscode/workspace/editor-workspace.ts";
import { onUnsavedChange, unsavedFiles } from "../../../src/vscode/workspace/unsaved-files.ts";
import { explainUndoProblem, unsavedTexts } from "../../../src/vscode/workspace/unsaved-texts.ts";
import { changeRequest } from "./change-request.ts";
import { closeEverything, inWorkspace, until, writeInWorkspace } from "./workspace-files.ts";

/** The workspace of a run over the open folder. */
function workspaceOfRun() {
  return createEditorWorkspace(createNodeWorkspace({ folders: [{ name: "project", path: inWorkspace("") }] }));
}

/** Opens a file and types at its start. */
async function typedIn(file: string, text: string): Promise<vscode.TextDocument> {
  const editor = await vscode.window.showTextDocument(vscode.Uri.file(file));
  await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), text));
  return editor.document;
}

/** Reads a file as the agent does, and writes a changed text. */
async function change(name: string, by: (text: string) => string): Promise<ResolvedPath> {
  const workspace = workspaceOfRun();
  const place = await workspace.locate(name);
  const content = await workspace.read(place);
  assert.ok(content.kind === "text");
  const file: TextFile = { ...content.file, text: by(content.file.text) };
  await workspace.write({ ...place, version: content.version }, file);
  return place;
}

function stateOf(document: vscode.TextDocument) {
  const { fsPath } = document.uri;
  return {
    editor: document.getText(),
    isDirty: document.isDirty,
    disk: fs.existsSync(fsPath) ? fs.readFileSync(fsPath, "utf8") : undefined,
  };
}

async function undoLast(document: vscode.TextDocument): Promise<void> {
  await vscode.window.showTextDocument(document);
  await vscode.commands.executeCommand("undo");
}

afterEach(closeEverything);

describe("a file with unsaved edits", () => {
  it("is changed in its editor by one edit that can be undone, and not saved", async () => {
    const document = await typedIn(writeInWorkspace("dirty.txt", "one\ntwo\nthree 😀\n"), "mine ");

    const place = await change("dirty.txt", (text) => text.replace("two", "2").replace("😀", "😁"));
    const changed = stateOf(document);
    await undoLast(document);

    assert.deepEqual(
      { unsaved: place.unsaved, changed, undone: stateOf(document) },
      {
        unsaved: true,
        changed: { editor: "mine one\n2\nthree 😁\n", isDirty: true, disk: "one\ntwo\nthree 😀\n" },
        undone: { editor: "mine one\ntwo\nthree 😀\n", isDirty: true, disk: "one\ntwo\nthree 😀\n" },
      },
    );
  });

  it("is changed exactly where it's open but not in front", async () => {
    const document = await typedIn(writeInWorkspace("behind.txt", "a😀b\n"), "mine ");
    await vscode.window.showTextDocument(vscode.Uri.file(writeInWorkspace("front.txt", "front\n")));

    await change("behind.txt", (text) => text.replace("😀", "😁"));

    assert.deepEqual(stateOf(document), { editor: "mine a😁b\n", isDirty: true, disk: "a😀b\n" });
  });

  it("keeps its line ends, and takes those that the user chose in the proposal", async () => {
    const document = await typedIn(writeInWorkspace("dos.txt", "one\r\ntwo\r\n"), "mine ");

    await change("dos.txt", (text) => text.replace("two\r\n", "2\r\n\r\n"));
    const kept = stateOf(document).editor;
    await change("dos.txt", (text) => text.replaceAll("\r\n", "\n"));

    assert.deepEqual(
      { kept, chosen: stateOf(document).editor },
      { kept: "mine one\r\n2\r\n\r\n", chosen: "mine one\n2\n\n" },
    );
  });

  it("can be changed when it is gone from the disk", async () => {
    const file = writeInWorkspace("gone.txt", "one\n");
    const document = await typedIn(file, "mine ");
    fs.rmSync(file);

    await change("gone.txt", (text) => text.replace("one", "1"));
    const changed = stateOf(document);
    await unsavedFiles.saveAsIs(file);

    assert.deepEqual(
      { changed, saved: stateOf(document) },
      {
        changed: { editor: "mine 1\n", isDirty: true, disk: undefined },
        saved: { editor: "mine 1\n", isDirty: false, disk: "mine 1\n" },
      },
    );
  });

  it("is left alone when it was typed in, saved or changed elsewhere since it was read", async () => {
    const file = writeInWorkspace("raced.txt", "one\n");
    const workspace = workspaceOfRun();
    const clean = await workspace.locate("raced.txt");
    const document = await typedIn(file, "mine ");
    const typed = await workspace.locate("raced.txt");
    const write = (place: ResolvedPath) =>
      workspace.write(place, { text: "new\n", encoding: "utf-8", bom: false, eol: "\n" }).then(
        () => "written",
        (error: Error) => error.name,
      );

    const refused = [await write(clean)];
    await typedIn(file, "more ");
    refused.push(await write(typed));
    await document.save();
    refused.push(await write(typed));

    assert.deepEqual(
      { refused, state: stateOf(document) },
      {
        refused: ["Stale", "Stale", "Stale"],
        state: { editor: "more mine one\n", isDirty: false, disk: "more mine one\n" },
      },
    );
  });

  it("is undone in its editor, and nothing is saved", async () => {
    const file = writeInWorkspace("undone.txt", "one\r\ntwo\r\n");
    const document = await typedIn(file, "mine ");
    const { seen, files } = wrapFilesWithUnsavedTexts({ seen: diskFiles, files: createFileReplacer() }, unsavedTexts);
    const before = await seen.readState(file);
    await change("undone.txt", (text) => text.replace("two", "2"));
    const after = await seen.readState(file);
    assert.ok(before.kind === "file" && after.kind === "file");

    await files.put(file, after.hash, Buffer.from("mine one\r\ntwo\r\n"));
    const refused = await files.put(file, after.hash, Buffer.from("other")).then(
      () => "written",
      (error: Error) => error.message,
    );

    assert.deepEqual(
      {
        state: stateOf(document),
        same: await seen.readState(file),
        refused,
        problem: explainUndoProblem(file),
      },
      {
        state: { editor: "mine one\r\ntwo\r\n", isDirty: true, disk: "one\r\ntwo\r\n" },
        same: before,
        refused: "It has edits in the editor that are not saved.",
        problem: undefined,
      },
    );
  });

  it("has a proposal that is a diff against the text in its editor", async () => {
    const review = createDiffReview();
    const file = writeInWorkspace("proposed.txt", "one\ntwo\n");
    const document = await typedIn(file, "mine ");
    const request = changeRequest({
      file: "proposed.txt",
      target: file,
      before: document.getText(),
      after: "mine one\n2\n",
    });

    await review.offer("run", request, { auto: false });
    await review.reveal("run", 1);
    const { input } = vscode.window.tabGroups.activeTabGroup.activeTab ?? {};
    await review.withdraw("run", 1);
    review.dispose();

    assert.ok(input instanceof vscode.TabInputTextDiff);
    assert.deepEqual(
      { left: input.original.toString(), stillDirty: document.isDirty },
      { left: document.uri.toString(), stillDirty: true },
    );
  });

  it("is found under any name of it, and reported when that changes", async () => {
    const file = writeInWorkspace("named.txt", "text\n");
    const link = inWorkspace("name-link.txt");
    fs.rmSync(link, { force: true });
    fs.symlinkSync(file, link);
    const seen: (readonly string[])[] = [];
    const watching = onUnsavedChange(() => seen.push(unsavedFiles.listUnsavedBelow([inWorkspace("")])));

    const document = await typedIn(link, "my ");
    await until("the edit is reported", () => seen.length === 1);
    await typedIn(link, "own ");
    const saved = await unsavedFiles.save(file);
    await until("the save is reported", () => seen.length === 2);
    watching.dispose();

    assert.deepEqual(
      { seen, saved, state: stateOf(document) },
      {
        seen: [[file], []],
        saved: true,
        state: { editor: "own my text\n", isDirty: false, disk: "own my text\n" },
      },
    );
  });
});

describe("a file in the encoding of the settings", () => {
  const folder = () => inWorkspace("");

  async function setEncoding(encoding: string | undefined, languageId?: string): Promise<void> {
    const scope = languageId === undefined ? undefined : { languageId };
    const settings = vscode.workspace.getConfiguration("files", scope);
    await settings.update("encoding", encoding, vscode.ConfigurationTarget.Global, languageId !== undefined);
  }

  afterEach(async () => {
    await setEncoding(undefined);
    await setEncoding(undefined, "javascript");
  });

  it("is read, changed and created in it, as in the editor", async () => {
    await setEncoding("macroman");
    await setEncoding("utf8bom", "javascript");
    const file = writeInWorkspace("mac.txt", Buffer.from([0x63, 0x61, 0x66, 0x8e, 0x0a]));
    const workspace = workspaceOfRun();

    await change("mac.txt", (text) => text.replace("café", "crème"));
    const { document } = await vscode.window.showTextDocument(vscode.Uri.file(file));
    const [text, script] = [await workspace.locate("new.txt", "new"), await workspace.locate("new.js", "new")];

    assert.deepEqual(
      {
        bytes: fs.readFileSync(file).toString("latin1"),
        editor: document.getText(),
        text: text.encoding,
        script: script.encoding,
        folder: (await workspace.locate(folder())).encoding,
      },
      {
        bytes: "cr\x8fme\n",
        editor: "crème\n",
        text: { encoding: "macroman", bom: false },
        script: { encoding: "utf-8", bom: true },
        folder: undefined,
      },
    );
  });

  it("is read as the user has reopened it", async () => {
    const file = writeInWorkspace("reopened.txt", Buffer.from([0x63, 0x61, 0x66, 0x8e, 0x0a]));
    const options = { encoding: "macroman" };
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(vscode.Uri.file(file), options));

    await change("reopened.txt", (text) => text.replace("café", "crème"));

    assert.equal(fs.readFileSync(file).toString("latin1"), "cr\x8fme\n");
  });
});

describe("an approved change, where saving formats, trims and adds", () => {
  const SETTINGS = {
    "editor.formatOnSave": true,
    "files.insertFinalNewline": true,
    "files.trimTrailingWhitespace": true,
    "files.trimFinalNewlines": true,
  };
  const APPROVED = "a  \n\n\nb";
  let onSave: vscode.Disposable;

  async function set(on: boolean): Promise<void> {
    const settings = vscode.workspace.getConfiguration();
    for (const [name, value] of Object.entries(SETTINGS))
      await settings.update(name, on ? value : undefined, vscode.ConfigurationTarget.Global);
  }

  before(async () => {
    await set(true);
    const atStart = (text: string) => [vscode.TextEdit.insert(new vscode.Position(0, 0), text)];
    onSave = vscode.Disposable.from(
      vscode.languages.registerDocumentFormattingEditProvider(
        { language: "plaintext" },
        { provideDocumentFormattingEdits: () => atStart("// formatted\n") },
      ),
      vscode.workspace.onWillSaveTextDocument((event) => event.waitUntil(Promise.resolve(atStart("// participant\n")))),
    );
  });
  after(async () => {
    onSave.dispose();
    await set(false);
  });

  it("is on the disk as approved if the file had no unsaved edits, and undo brings the old text back", async () => {
    const file = writeInWorkspace("clean.txt", "old\n");
    const { document } = await vscode.window.showTextDocument(vscode.Uri.file(file));

    await change("clean.txt", () => APPROVED);
    await until("the editor has the new text", () => document.getText() === APPROVED);
    const changed = stateOf(document);
    await undoLast(document);

    assert.deepEqual(
      { changed, undone: stateOf(document) },
      {
        changed: { editor: APPROVED, isDirty: false, disk: APPROVED },
        undone: { editor: "old\n", isDirty: true, disk: APPROVED },
      },
    );
  });

  it("is in the editor as approved otherwise, and on the disk once it's saved from the panel", async () => {
    const file = writeInWorkspace("approved.txt", "old\n");
    const document = await typedIn(file, "mine ");

    await change("approved.txt", () => APPROVED);
    const changed = stateOf(document);
    await unsavedFiles.saveAsIs(file);
    const saved = stateOf(document);
    await typedIn(file, "x");
    await document.save();
    const { disk = "" } = stateOf(document);

    assert.deepEqual(
      { changed, saved, savedByKey: ["formatted", "participant", "b\n"].map((word) => disk.includes(word)) },
      {
        changed: { editor: APPROVED, isDirty: true, disk: "old\n" },
        saved: { editor: APPROVED, isDirty: false, disk: APPROVED },
        savedByKey: [true, true, true],
      },
    );
  });
});

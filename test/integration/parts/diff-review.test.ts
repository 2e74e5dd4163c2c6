import assert from "node:assert/strict";
import fs from "node:fs";
import * as vscode from "vscode";
import { createDiffReview, type DiffReview } from "../../../src/vscode/review/diff-review.ts";
import { changeRequest } from "./change-request.ts";
import { closeEverything, inWorkspace, until, writeInWorkspace } from "./workspace-files.ts";

const BEFORE = "one\ntwo\nthree\nfour\n";
const AFTER = "ONE\ntwo\nthree\nFOUR\n";

let review: DiffReview;

/** A review of its own for each test of a group. */
function withReview(): void {
  beforeEach(async () => {
    await closeEverything();
    review = createDiffReview();
  });
  afterEach(async () => {
    await closeEverything();
    review.dispose();
  });
}

/** Writes `BEFORE` and offers `AFTER` for it. */
async function offerChange(options: { auto: boolean; cover?: boolean } = { auto: false }): Promise<string> {
  const target = writeInWorkspace("numbers.mjs", BEFORE);
  await review.offer("run", changeRequest({ file: "numbers.mjs", target, before: BEFORE, after: AFTER }), options);
  return target;
}

function diffTabs(): readonly vscode.TabInputTextDiff[] {
  return vscode.window.tabGroups.all
    .flatMap(({ tabs }) => tabs)
    .map(({ input }) => input)
    .filter((input) => input instanceof vscode.TabInputTextDiff);
}

function shownEditor(): vscode.TextEditor | undefined {
  const [tab] = diffTabs();
  return vscode.window.visibleTextEditors.find(({ document }) => document.uri.toString() === tab?.modified.toString());
}

/** The editor of the proposed side; the diff must be open. */
async function proposalEditor(): Promise<vscode.TextEditor> {
  await until("the proposal is shown", () => shownEditor() !== undefined);
  return shownEditor() ?? assert.fail("No proposal is shown.");
}

/** What stands in the proposal. */
async function proposalText(): Promise<string> {
  return (await proposalEditor()).document.getText();
}

async function typeAt(line: number, text: string): Promise<void> {
  const editor = await proposalEditor();
  await editor.edit((edit) => edit.insert(new vscode.Position(line, 0), text));
}

describe("a change put up for review", () => {
  withReview();

  it("stays in the background until it is asked for", async () => {
    await offerChange();
    const before = diffTabs().length;

    await review.reveal("run", 1);

    assert.deepEqual(
      { before, after: diffTabs().length, active: review.findActiveProposal() },
      { before: 0, after: 1, active: { run: "run", step: 1 } },
    );
  });

  it("opens by itself when no one is typing", async () => {
    const target = await offerChange({ auto: true });

    const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
    assert.ok(tab?.input instanceof vscode.TabInputTextDiff);
    assert.deepEqual(
      { label: tab.label, left: tab.input.original.toString(), right: tab.input.modified.scheme },
      {
        label: "numbers.mjs: proposed by AutoGPT (step 1)",
        left: vscode.Uri.file(target).toString(),
        right: "autogpt-proposal",
      },
    );
  });

  it("opens by itself beside what is in front, which stays there", async () => {
    const file = writeInWorkspace("mine.txt", "mine\n");
    await vscode.window.showTextDocument(vscode.Uri.file(file));
    await offerChange({ auto: true });

    assert.deepEqual(
      {
        labels: vscode.window.tabGroups.all.map(({ activeTab }) => activeTab?.label),
        active: review.findActiveProposal(),
      },
      { labels: ["mine.txt", "numbers.mjs: proposed by AutoGPT (step 1)"], active: undefined },
    );
  });

  it("does not open by itself over an editor that was just typed in", async () => {
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ content: "mine" }));
    await vscode.commands.executeCommand("type", { text: "x" });

    await offerChange({ auto: true });

    assert.deepEqual(diffTabs(), []);
  });

  it("gives way to another proposal of the same step", async () => {
    const target = await offerChange();
    await review.reveal("run", 1);
    await typeAt(0, "edited ");

    const request = changeRequest({ file: "numbers.mjs", target, before: BEFORE, after: "another\n" });
    await review.offer("run", request, { auto: false });

    assert.deepEqual(
      {
        tabs: diffTabs().length,
        text: await proposalText(),
        accepted: review.findAcceptedText("run", 1),
      },
      { tabs: 1, text: "another\n", accepted: undefined },
    );
  });
});

describe("a change put up for review while a file is in front", () => {
  withReview();

  const inFront = (): readonly (string | undefined)[] =>
    vscode.window.tabGroups.all.map(({ activeTab }) => activeTab?.label);

  beforeEach(async () => {
    await vscode.window.showTextDocument(vscode.Uri.file(writeInWorkspace("mine.txt", "mine\n")));
  });

  it("opens by itself at its side, so that the file keeps the keyboard", async () => {
    await offerChange({ auto: true });

    assert.deepEqual(inFront(), ["mine.txt", "numbers.mjs: proposed by AutoGPT (step 1)"]);
  });

  it("opens by itself over it when the keyboard is known to be elsewhere", async () => {
    await offerChange({ auto: true, cover: true });

    assert.deepEqual(inFront(), ["numbers.mjs: proposed by AutoGPT (step 1)"]);
  });
});

describe("the sides of a change under review", () => {
  withReview();

  it("have the language of the file", async () => {
    await offerChange();

    await review.reveal("run", 1);

    assert.equal((await proposalEditor()).document.languageId, "javascript");
  });

  it("are an empty text and a new file", async () => {
    const target = inWorkspace("new/file.txt");
    await review.offer("run", changeRequest({ file: "new/file.txt", target, after: "hello\n" }), {
      auto: false,
    });

    await review.reveal("run", 1);

    const [tab] = diffTabs();
    const left = tab && (await vscode.workspace.openTextDocument(tab.original));
    assert.deepEqual(
      { left: left?.getText(), right: await proposalText(), there: fs.existsSync(target) },
      { left: "", right: "hello\n", there: false },
    );
  });

  it("are what the agent read and the proposal, where the editor reads the file otherwise", async () => {
    const target = writeInWorkspace("latin.txt", Buffer.from("caf\xe9\n", "latin1"));
    await review.offer("run", changeRequest({ file: "latin.txt", target, before: "café\n", after: "cafés\n" }), {
      auto: false,
    });

    await review.reveal("run", 1);

    const [tab] = diffTabs();
    const left = tab && (await vscode.workspace.openTextDocument(tab.original));
    assert.equal(left?.getText(), "café\n");
  });
});

describe("what is accepted of a change", () => {
  withReview();

  it("is the unchanged proposal while no one has edited it", async () => {
    await offerChange();

    await review.reveal("run", 1);

    assert.equal(review.findAcceptedText("run", 1), undefined);
  });

  it("is what the user made of it, saved or not", async () => {
    const target = await offerChange();
    await review.reveal("run", 1);
    await typeAt(1, "1.5\n");

    assert.deepEqual(
      { accepted: review.findAcceptedText("run", 1), onDisk: fs.readFileSync(target, "utf8") },
      { accepted: "ONE\n1.5\ntwo\nthree\nFOUR\n", onDisk: BEFORE },
    );
  });

  it("outlives the tab", async () => {
    await offerChange();
    await review.reveal("run", 1);
    await typeAt(1, "1.5\n");
    await (await proposalEditor()).document.save();
    await vscode.commands.executeCommand("workbench.action.closeActiveEditor");
    await until("the tab is closed", () => diffTabs().length === 0);

    assert.equal(review.findAcceptedText("run", 1), "ONE\n1.5\ntwo\nthree\nFOUR\n");
  });
});

describe("the encoding of a proposed text", () => {
  withReview();

  it("is UTF-8 without a byte order mark", async () => {
    await offerChange();
    await review.reveal("run", 1);

    assert.equal((await proposalEditor()).document.encoding, "utf8");
  });
});

describe("what the editor cannot spoil of a change", () => {
  withReview();

  it("are line ends that it does not know of", async () => {
    const before = "a\r\nb\nc\r\nd\r\n";
    const target = writeInWorkspace("mixed.txt", before);
    const change = { file: "mixed.txt", target, before, after: "A\r\nb\nc\r\nd\r\n" };
    await review.offer("run", changeRequest(change), { auto: false });
    await review.reveal("run", 1);
    await typeAt(3, "new\n");

    assert.equal(review.findAcceptedText("run", 1), "A\r\nb\nc\r\nnew\r\nd\r\n");
  });

  it("are its characters, by the encoding of the settings", async () => {
    const files = vscode.workspace.getConfiguration("files");
    await files.update("encoding", "utf16le", vscode.ConfigurationTarget.Global);
    await review.offer("run", changeRequest({ file: "a.txt", target: inWorkspace("a.txt"), after: "héllo\n" }), {
      auto: false,
    });
    await review.reveal("run", 1);
    await files.update("encoding", undefined, vscode.ConfigurationTarget.Global);

    assert.equal(await proposalText(), "héllo\n");
  });

  it("is its text, by what is done on saving", async () => {
    const files = vscode.workspace.getConfiguration("files");
    for (const name of ["trimTrailingWhitespace", "insertFinalNewline"])
      await files.update(name, true, vscode.ConfigurationTarget.Global);
    const change = { file: "a.txt", target: inWorkspace("a.txt"), after: "spaces   \nno newline" };
    await review.offer("run", changeRequest(change), { auto: false });
    await review.reveal("run", 1);
    await typeAt(0, "more   \n");

    await (await proposalEditor()).document.save();
    await until("the text is as it was", () => shownEditor()?.document.getText().endsWith("newline") ?? false);
    for (const name of ["trimTrailingWhitespace", "insertFinalNewline"])
      await files.update(name, undefined, vscode.ConfigurationTarget.Global);

    assert.deepEqual(
      { accepted: review.findAcceptedText("run", 1), dirty: (await proposalEditor()).document.isDirty },
      { accepted: "more   \nspaces   \nno newline", dirty: false },
    );
  });
});

describe("hunks of a change under review", () => {
  withReview();

  async function cursorAt(line: number): Promise<void> {
    await review.reveal("run", 1);
    const editor = await proposalEditor();
    editor.selection = new vscode.Selection(line, 0, line, 0);
  }

  it("are dropped at the cursor", async () => {
    await offerChange();
    await cursorAt(3);

    await review.changeHunk("drop");

    assert.equal(review.findAcceptedText("run", 1), "ONE\ntwo\nthree\nfour\n");
  });

  it("are restored at the cursor", async () => {
    await offerChange();
    await cursorAt(3);
    await review.changeHunk("drop");

    await review.changeHunk("restore");

    assert.equal(review.findAcceptedText("run", 1), undefined);
  });

  it("come back with undo", async () => {
    await offerChange();
    await cursorAt(0);
    await review.changeHunk("drop");

    await vscode.commands.executeCommand("undo");

    assert.equal(review.findAcceptedText("run", 1), undefined);
  });
});

describe("the buttons of a hunk", () => {
  withReview();

  it("are code actions at its lines, which change what is accepted", async () => {
    await offerChange();
    await review.reveal("run", 1);
    const { document } = await proposalEditor();
    const actionsAt = async (line: number): Promise<readonly vscode.CodeAction[]> =>
      vscode.commands.executeCommand(
        "vscode.executeCodeActionProvider",
        document.uri,
        new vscode.Range(line, 0, line, 0),
        vscode.CodeActionKind.QuickFix.value,
      );
    const titles = async (line: number): Promise<readonly string[]> =>
      (await actionsAt(line)).map(({ title }) => title).filter((title) => /change/.test(title));
    const changed = await titles(3);
    const unchanged = await titles(1);

    await review.changeHunk("keep", 3);

    assert.deepEqual(
      { changed, unchanged, kept: review.findAcceptedText("run", 1), dropped: await titles(0) },
      {
        changed: ["Drop this change", "Drop other changes"],
        unchanged: [],
        kept: "one\ntwo\nthree\nFOUR\n",
        dropped: ["Restore dropped change"],
      },
    );
  });
});

describe("an approved change", () => {
  withReview();

  const tabs = () =>
    vscode.window.tabGroups.all.flatMap(({ tabs }) =>
      tabs.map(({ label, isPreview, isActive }) => ({ label, isPreview, isActive })),
    );

  it("leaves its file open at the change, in place of the diff and without the focus of other editors", async () => {
    const mine = writeInWorkspace("mine.txt", "mine\n");
    await vscode.window.showTextDocument(vscode.Uri.file(mine), { preview: false });
    const before = Array.from({ length: 80 }, (_, line) => `line ${line}\n`).join("");
    const after = before.replace("line 60", "LINE 60");
    const target = writeInWorkspace("long.txt", before);
    const change = { file: "long.txt", target, before, after };
    await review.offer("run", changeRequest(change), { auto: true });
    fs.writeFileSync(target, after);

    await review.showWritten("run", 1);

    const written = vscode.window.visibleTextEditors.find(({ document }) => document.fileName.endsWith("long.txt"));
    assert.deepEqual(
      {
        tabs: tabs(),
        active: vscode.window.activeTextEditor?.document.fileName === mine,
        line: written?.selection.active.line,
        offered: review.findAcceptedText("run", 1),
      },
      {
        tabs: [
          { label: "mine.txt", isPreview: false, isActive: true },
          { label: "long.txt", isPreview: true, isActive: true },
        ],
        active: true,
        line: 60,
        offered: undefined,
      },
    );
  });

  it("takes along the focus that was in its diff", async () => {
    const target = await offerChange();
    await review.reveal("run", 1);
    fs.writeFileSync(target, AFTER);

    await review.showWritten("run", 1);

    await until("the file has the focus", () => vscode.window.activeTextEditor?.document.uri.fsPath === target);
    assert.deepEqual(diffTabs(), []);
  });

  it("opens nothing where no diff was open", async () => {
    await offerChange();

    await review.showWritten("run", 1);

    assert.deepEqual(tabs(), []);
  });
});

describe("a change that is no longer up for review", () => {
  withReview();

  it("closes without a question, edited or not, and is forgotten", async () => {
    const target = await offerChange();
    await review.reveal("run", 1);
    await typeAt(0, "edited ");

    await review.withdraw("run", 1);

    assert.deepEqual(
      {
        tabs: diffTabs(),
        accepted: review.findAcceptedText("run", 1),
        onDisk: fs.readFileSync(target, "utf8"),
      },
      { tabs: [], accepted: undefined, onDisk: BEFORE },
    );
  });

  it("is not decided by closing its tab", async () => {
    await offerChange();
    await review.reveal("run", 1);
    await vscode.commands.executeCommand("workbench.action.closeActiveEditor");

    await review.reveal("run", 1);

    assert.equal(await proposalText(), AFTER);
  });
});

describe("the columns of the editor", () => {
  withReview();

  const columns = (): readonly string[] =>
    vscode.window.tabGroups.all.map(({ tabs, activeTab }) =>
      tabs.map((tab) => (tab === activeTab ? `[${tab.label}]` : tab.label)).join(" "),
    );
  const openMine = (column = vscode.ViewColumn.One): Thenable<vscode.TextEditor> =>
    vscode.window.showTextDocument(vscode.Uri.file(writeInWorkspace("mine.txt", "mine\n")), {
      viewColumn: column,
      preview: false,
    });

  /** Offers a change of a new file and approves it. */
  async function approveChange(step: number, run = "run"): Promise<string> {
    const file = `made-${step}.txt`;
    await offerNew(file, step, run);
    writeInWorkspace(file, "made\n");
    await review.showWritten(run, step);
    return file;
  }

  const offerNew = (file: string, step: number, run = "run", name = "Task"): Promise<void> =>
    review.offer(
      run,
      { ...changeRequest({ file, target: inWorkspace(file), after: "made\n" }), step },
      { auto: true, name },
    );

  it("are two at most, however many changes are approved and looked at", async () => {
    await openMine();
    const seen = [];
    for (const step of [1, 2, 3]) {
      const file = await approveChange(step);
      await vscode.window.showTextDocument(vscode.Uri.file(inWorkspace(file)), { viewColumn: vscode.ViewColumn.Two });
      seen.push(columns());
    }
    await offerNew("made-4.txt", 4);

    assert.deepEqual(
      [...seen, columns()],
      [
        ["[mine.txt]", "[made-1.txt]"],
        ["[mine.txt]", "[made-2.txt]"],
        ["[mine.txt]", "[made-3.txt]"],
        ["[mine.txt]", "made-3.txt [made-4.txt: new file proposed by AutoGPT (step 4)]"],
      ],
    );
  });

  it("are two at most while the user types in the second, whose editor keeps the keyboard", async () => {
    await openMine();
    const file = await approveChange(1);
    await vscode.window.showTextDocument(vscode.Uri.file(inWorkspace(file)), {
      viewColumn: vscode.ViewColumn.Two,
      preview: false,
    });
    await offerNew("made-2.txt", 2);

    assert.deepEqual(columns(), ["mine.txt [made-2.txt: new file proposed by AutoGPT (step 2)]", "[made-1.txt]"]);
  });

  it("are as they were once a change is refused", async () => {
    await vscode.workspace.getConfiguration("workbench.editor").update("closeEmptyGroups", false, true);
    await openMine();
    const before = columns();
    await offerNew("made-1.txt", 1);
    const offered = columns().length;
    await review.withdraw("run", 1);
    await until("the group is closed", () => columns().length === 1);
    await vscode.workspace.getConfiguration("workbench.editor").update("closeEmptyGroups", undefined, true);

    assert.deepEqual({ offered, after: columns() }, { offered: 2, after: before });
  });

  it("name the runs in the titles of diffs while two runs have some", async () => {
    await openMine();
    await offerNew("made-1.txt", 1, "one", "Hidden quick");
    await offerNew("made-1.txt", 1, "two", "Renew the voucher");

    assert.deepEqual(columns(), [
      "[mine.txt]",
      "made-1.txt: new file proposed by Hidden quick (step 1) [made-1.txt: new file proposed by Renew the voucher (step 1)]",
    ]);
  });

  it("are known again after a reload", async () => {
    const stored = new Map<string, unknown>();
    const memory = {
      get: <T>(key: string): T | undefined => stored.get(key) as T | undefined,
      update: async (key: string, value: unknown) => void stored.set(key, value),
    };
    await openMine();
    review.dispose();
    review = createDiffReview(memory);
    const file = await approveChange(1);
    await vscode.window.showTextDocument(vscode.Uri.file(inWorkspace(file)), { viewColumn: vscode.ViewColumn.Two });
    review.dispose();
    review = createDiffReview(memory);
    await offerNew("made-2.txt", 2);

    assert.deepEqual(columns(), ["[mine.txt]", "made-1.txt [made-2.txt: new file proposed by AutoGPT (step 2)]"]);
  });

  it("are one where nothing but pages of ours is open", async () => {
    const page = vscode.window.createWebviewPanel("autogpt.models", "Models", vscode.ViewColumn.One);
    await offerNew("made-1.txt", 1);
    const seen = columns();
    page.dispose();

    assert.deepEqual(seen, ["Models [made-1.txt: new file proposed by AutoGPT (step 1)]"]);
  });
});

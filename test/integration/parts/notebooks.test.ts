import assert from "node:assert/strict";
import fs from "node:fs";
import * as vscode from "vscode";
import { allCommands } from "../../../src/commands/all.ts";
import { isPrepared, type PreparedCall } from "../../../src/core/commands/command.ts";
import { type CommandSet, commandSet } from "../../../src/core/commands/command-set.ts";
import type { ApprovalRequest } from "../../../src/core/ports/approver.ts";
import { NO_THOUGHTS } from "../../../src/core/reply/reply.ts";
import { nodeNotebooks } from "../../../src/node/documents/notebooks.ts";
import { nodeWorkspace } from "../../../src/node/workspace.ts";
import { type DiffReview, diffReview } from "../../../src/vscode/review/diff-review.ts";
import { editorNotebooks } from "../../../src/vscode/workspace/editor-notebooks.ts";
import { codeCell, markdownCell, notebookText } from "../../support/notebooks.ts";
import { closeEverything, inWorkspace, until, writeInWorkspace } from "./workspace-files.ts";

const NOTEBOOK = notebookText([
  markdownCell(["# Sales"], "aa"),
  codeCell(["x = 1\n", "print(x)"], "1\n", "bb"),
  codeCell(["x"], undefined, "cc"),
]);

const TEXT = "# %% cell 1 [markdown]\n# Sales\n# %% cell 2 [code]\nx = 1\nprint(x)\n# %% cell 3 [code]\nx\n";

let commands: CommandSet;
let review: DiffReview;

async function prepare(name: string, args: object): Promise<PreparedCall> {
  const signal = new AbortController().signal;
  const call = await commands.prepare({ name, args: { ...args } }, { step: 1, signal });
  if (isPrepared(call)) return call;
  throw new Error(JSON.stringify(call));
}

async function run(call: PreparedCall, accepted?: string): Promise<string> {
  const outcome = await commands.run(call, {
    step: 1,
    signal: new AbortController().signal,
    ...(accepted === undefined ? {} : { accepted }),
    output: () => undefined,
    record: async () => undefined,
  });
  return outcome.status === "done" ? outcome.output : JSON.stringify(outcome);
}

function requestOf(prepared: PreparedCall): ApprovalRequest {
  const proposal = {
    kind: "proposal",
    thoughts: NO_THOUGHTS,
    call: { name: "edit_file", args: {} },
  } as const;
  return { step: 1, hash: "ab".repeat(32), proposal, prepared };
}

function openDocument(matches: (uri: vscode.Uri) => boolean): vscode.NotebookDocument {
  const found = vscode.workspace.notebookDocuments.find(({ uri }) => matches(uri));
  return found ?? assert.fail("The notebook isn't open.");
}

function proposed(): vscode.NotebookDocument {
  return openDocument(
    ({ scheme, authority }) => scheme === "autogpt-proposal" && !authority.endsWith(".before"),
  );
}

async function typeInCell(document: vscode.NotebookDocument, cell: number, text: string): Promise<void> {
  const edit = new vscode.WorkspaceEdit();
  edit.insert(document.cellAt(cell).document.uri, new vscode.Position(0, 0), text);
  assert.ok(await vscode.workspace.applyEdit(edit));
}

function notebookDiffs(): readonly vscode.TabInputNotebookDiff[] {
  return vscode.window.tabGroups.all
    .flatMap(({ tabs }) => tabs)
    .map(({ input }) => input)
    .filter((input) => input instanceof vscode.TabInputNotebookDiff);
}

function textsOf(document: vscode.NotebookDocument): readonly string[] {
  return document
    .getCells()
    .map((cell) => `${cell.document.languageId} ${cell.document.getText()} ${cell.outputs.length}`);
}

async function revertNotebooks(): Promise<void> {
  for (const document of vscode.workspace.notebookDocuments.filter(({ isDirty }) => isDirty)) {
    await vscode.window.showNotebookDocument(document);
    await vscode.commands.executeCommand("workbench.action.files.revert");
  }
  await closeEverything();
}

/** A review and commands of its own for each test of a group. */
function withNotebooks(): void {
  beforeEach(async () => {
    await revertNotebooks();
    review = diffReview();
    const workspace = nodeWorkspace({ folders: [{ name: "sample-workspace", path: inWorkspace(".") }] });
    const disk = nodeNotebooks({ workspace, worker: "" });
    commands = commandSet(allCommands({ workspace, notebooks: editorNotebooks(disk) }));
  });

  afterEach(async () => {
    await revertNotebooks();
    review.dispose();
  });
}

describe("a notebook's change under review", () => {
  withNotebooks();

  const edits = { filename: "a.ipynb", search: "x = 1", replace: "x = 2" };

  it("is a notebook diff against the file, and its cells can be edited before they're accepted", async () => {
    const file = writeInWorkspace("a.ipynb", NOTEBOOK);
    const call = await prepare("edit_file", edits);
    await review.offer("run", requestOf(call), { auto: false });
    await review.reveal("run", 1);
    const [diff] = notebookDiffs();
    const unchanged = review.accepted("run", 1);
    await typeInCell(proposed(), 1, "y = 3\n");
    const accepted = review.accepted("run", 1);
    await proposed().save();
    const saved = review.accepted("run", 1);
    await review.withdraw("run", 1);
    await run(call, accepted);

    const edited = TEXT.replace("x = 1", "y = 3\nx = 2");
    assert.deepEqual(
      {
        left: diff?.original.toString(),
        unchanged,
        accepted,
        saved,
        tabs: notebookDiffs(),
        file: fs.readFileSync(file, "utf8"),
      },
      {
        left: vscode.Uri.file(file).toString(),
        unchanged: undefined,
        accepted: edited,
        saved: edited,
        tabs: [],
        file: NOTEBOOK.replace('"x = 1\\n",', '"y = 3\\n",\n    "x = 2\\n",'),
      },
    );
  });

  it("has nothing on its left for a new notebook, and is seen while it's in front", async () => {
    const contents = "# %% [markdown]\n# New\n";
    const call = await prepare("write_to_file", { filename: "new.ipynb", contents });
    const request = requestOf(call);
    await review.offer("run", request, { auto: false });
    const before = review.isShown("run", request);
    await review.reveal("run", 1);
    await until("the proposal is read", () => proposed().cellCount === 1);

    const [diff] = notebookDiffs();
    const left = openDocument((uri) => uri.toString() === diff?.original.toString());
    assert.deepEqual(
      { before, shown: review.isShown("run", request), left: left.cellCount, right: textsOf(proposed()) },
      { before: false, shown: true, left: 0, right: ["markdown # New 0"] },
    );
  });

  it("is a diff of its text where only the source of the file is changed", async () => {
    writeInWorkspace("a.ipynb", NOTEBOOK);
    const source = { filename: "a.ipynb", search: '"name": "python3"', replace: '"name": "julia"' };
    await review.offer("run", requestOf(await prepare("edit_file", source)), { auto: false });
    await review.reveal("run", 1);

    const { input } = vscode.window.tabGroups.activeTabGroup.activeTab ?? {};
    assert.ok(input instanceof vscode.TabInputTextDiff);
    const right = await vscode.workspace.openTextDocument(input.modified);
    assert.match(right.getText(), /"name": "julia"/);
  });
});

describe("a notebook that is open", () => {
  withNotebooks();

  const open = async () => {
    const file = writeInWorkspace("open.ipynb", NOTEBOOK);
    const document = await vscode.workspace.openNotebookDocument(vscode.Uri.file(file));
    await vscode.window.showNotebookDocument(document);
    return { file, document };
  };

  it("is read with its unsaved edits, and changed in the editor alone, so that one undo restores it", async () => {
    const { file, document } = await open();
    await typeInCell(document, 0, "My ");
    const read = await run(await prepare("read_file", { filename: "open.ipynb" }));
    const call = await prepare("edit_file", {
      filename: "open.ipynb",
      edits: [
        { search: "x = 1", replace: "x = 2" },
        { search: "# %% cell 3 [code]\nx\n", replace: "# %% [markdown]\nThen\n# %% [code: sql]\nSELECT 1\n" },
      ],
    });
    const { preview } = call;
    const outcome = await run(call);
    const after = textsOf(document);
    const isDirty = document.isDirty;
    const stored = fs.readFileSync(file, "utf8") === NOTEBOOK;
    await vscode.window.showNotebookDocument(document);
    await vscode.commands.executeCommand("undo");

    assert.match(read, /My # Sales.*# %% output of cell 2\n1\n.*unsaved edits in the editor/s);
    assert.deepEqual(
      {
        unsaved: preview.kind === "change" && preview.unsaved,
        outcome: outcome.split("\n")[0],
        after,
        isDirty,
        stored,
        undone: textsOf(document),
      },
      {
        unsaved: true,
        outcome: 'Edited "open.ipynb": 1 cell changed, 2 new, 1 deleted. It has 4 cells now.',
        after: ["markdown My # Sales 0", "python x = 2\nprint(x) 1", "markdown Then 0", "sql SELECT 1 0"],
        isDirty: true,
        stored: true,
        undone: ["markdown My # Sales 0", "python x = 1\nprint(x) 1", "python x 0"],
      },
    );
  });

  it("keeps the outputs of a cell that is moved", async () => {
    const { document } = await open();
    await run(
      await prepare("write_to_file", {
        filename: "open.ipynb",
        contents: "# %% cell 3 [code]\nx\n# %% cell 2 [code]\nx = 1\nprint(x)\n# %% cell 1 [raw]\nr\n",
      }),
    );

    assert.deepEqual(textsOf(document), ["python x 0", "python x = 1\nprint(x) 1", "raw r 0"]);
  });

  it("is left alone once the user has typed in it after it was read", async () => {
    const { document } = await open();
    const call = await prepare("edit_file", { filename: "open.ipynb", search: "x = 1", replace: "x = 2" });
    await typeInCell(document, 2, "mine ");
    const isFresh = await call.fresh();
    const outcome = await run(call);

    assert.match(outcome, /has changed in the editor since it was read\. Nothing was changed\./);
    assert.deepEqual([isFresh, textsOf(document)[1]], [false, "python x = 1\nprint(x) 1"]);
  });

  it("is shown as it is in the editor on the left of the diff", async () => {
    const { document } = await open();
    await typeInCell(document, 0, "My ");
    const call = await prepare("edit_file", { filename: "open.ipynb", search: "x = 1", replace: "x = 2" });
    await review.offer("run", requestOf(call), { auto: false });
    await review.reveal("run", 1);
    const [diff] = notebookDiffs();
    const left = openDocument((uri) => uri.toString() === diff?.original.toString());

    assert.deepEqual(
      [textsOf(left), textsOf(proposed())],
      [
        ["markdown My # Sales 0", "python x = 1\nprint(x) 1", "python x 0"],
        ["markdown My # Sales 0", "python x = 2\nprint(x) 1", "python x 0"],
      ],
    );
  });
});

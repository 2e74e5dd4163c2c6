import assert from "node:assert/strict";
import fs from "node:fs";
import * as vscode from "vscode";
import { createAllCommands } from "../../../src/commands/all.ts";
import { isPrepared, type PreparedCall } from "../../../src/core/commands/command.ts";
import { type CommandSet, createCommandSet } from "../../../src/core/commands/command-set.ts";
import type { ApprovalRequest } from "../../../src/core/ports/approver.ts";
import { NO_THOUGHTS } from "../../../src/core/reply/reply.ts";
import { createNodeNotebooks } from "../../../src/node/documents/notebooks.ts";
import { createFileReplacer } from "../../../src/node/files/atomic-write.ts";
import { createNodeShell } from "../../../src/node/processes/shell.ts";
import { createNodeWorkspace } from "../../../src/node/workspace.ts";
import { diskFiles } from "../../../src/runs/undo/file-state.ts";
import { addUnsavedNotebooks } from "../../../src/runtime/notebook-undo.ts";
import { createDiffReview, type DiffReview } from "../../../src/vscode/review/diff-review.ts";
import { editorCells } from "../../../src/vscode/workspace/cell-runs.ts";
import { createEditorNotebooks, findUnsavedNotebook } from "../../../src/vscode/workspace/editor-notebooks.ts";
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
let changed: string[];

async function prepare(name: string, args: object): Promise<PreparedCall> {
  const signal = new AbortController().signal;
  const call = await commands.prepare({ name, args: { ...args } }, { step: 1, signal });
  if (isPrepared(call)) return call;
  throw new Error(JSON.stringify(call));
}

/** What calls have printed since the test began. */
let printed = "";

async function run(call: PreparedCall, accepted?: string, signal = new AbortController().signal): Promise<string> {
  const outcome = await commands.run(call, {
    step: 1,
    signal,
    ...(accepted === undefined ? {} : { accepted }),
    output: (text) => {
      printed += text;
    },
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
  return openDocument(({ scheme, authority }) => scheme === "autogpt-proposal" && !authority.endsWith(".before"));
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
    printed = "";
    review = createDiffReview();
    changed = [];
    const workspace = createNodeWorkspace({
      folders: [{ name: "sample-workspace", path: inWorkspace(".") }],
    });
    const disk = createNodeNotebooks({ workspace, worker: "" });
    const notebooks = createEditorNotebooks(disk, (path) => changed.push(path));
    const shell = createNodeShell({ outputFolder: inWorkspace(".autogpt") });
    commands = createCommandSet(createAllCommands({ workspace, notebooks, shell, cells: editorCells }));
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
    const unchanged = review.findAcceptedText("run", 1);
    await typeInCell(proposed(), 1, "y = 3\n");
    const accepted = review.findAcceptedText("run", 1);
    await proposed().save();
    const saved = review.findAcceptedText("run", 1);
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
    await until("its cell is displayed", () => review.isShown("run", request));

    const [diff] = notebookDiffs();
    const left = openDocument((uri) => uri.toString() === diff?.original.toString());
    assert.deepEqual(
      { before, left: left.cellCount, right: textsOf(proposed()) },
      { before: false, left: 0, right: ["markdown # New 0"] },
    );
  });

  for (const [change, edit] of Object.entries({
    "changed cell": { search: "x = 1", replace: "x = 2" },
    "deleted cell": { search: "# %% cell 3 [code]\nx\n", replace: "" },
  }))
    it(`is seen only once its diff displays the ${change}, and not while it's an empty page`, async () => {
      writeInWorkspace("a.ipynb", NOTEBOOK);
      const request = requestOf(await prepare("edit_file", { filename: "a.ipynb", ...edit }));
      await review.offer("run", request, { auto: false });
      const news: { readonly seen: boolean; readonly hasCells: boolean }[] = [];
      const look = (): void => {
        const seen = review.isShown("run", request);
        news.push({ seen, hasCells: vscode.window.visibleTextEditors.length > 0 });
      };
      const listener = review.onDidChange(look);
      await review.reveal("run", 1);
      await until("it's seen", () => review.isShown("run", request));
      listener.dispose();
      look();

      const counts = news.map(({ seen, hasCells }) => `${seen} ${hasCells}`);
      assert.deepEqual(
        [counts.includes("true false"), counts.includes("false false"), counts.at(-1)],
        [false, true, "true true"],
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

  const open = async (name: string) => {
    const file = writeInWorkspace(name, NOTEBOOK);
    const document = await vscode.workspace.openNotebookDocument(vscode.Uri.file(file));
    await vscode.window.showNotebookDocument(document);
    return { file, document };
  };

  it("is read with its unsaved edits, and changed in the editor alone, so that one undo restores it", async () => {
    const { file, document } = await open("unsaved.ipynb");
    await typeInCell(document, 0, "My ");
    const read = await run(await prepare("read_file", { filename: "unsaved.ipynb" }));
    const call = await prepare("edit_file", {
      filename: "unsaved.ipynb",
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
        changed,
      },
      {
        unsaved: true,
        outcome: 'Edited "unsaved.ipynb": 1 cell changed, 2 new, 1 deleted. It has 4 cells now.',
        after: ["markdown My # Sales 0", "python x = 2\nprint(x) 1", "markdown Then 0", "sql SELECT 1 0"],
        isDirty: true,
        stored: true,
        undone: ["markdown My # Sales 0", "python x = 1\nprint(x) 1", "python x 0"],
        changed: [file],
      },
    );
  });

  it("keeps the outputs of a cell that is moved", async () => {
    const { document } = await open("moved.ipynb");
    await run(
      await prepare("write_to_file", {
        filename: "moved.ipynb",
        contents: "# %% cell 3 [code]\nx\n# %% cell 2 [code]\nx = 1\nprint(x)\n# %% cell 1 [raw]\nr\n",
      }),
    );

    assert.deepEqual(textsOf(document), ["python x 0", "python x = 1\nprint(x) 1", "raw r 0"]);
  });

  it("gets its earlier cells back when the change is undone", async () => {
    const { file, document } = await open("undone.ipynb");
    const clean = findUnsavedNotebook(file);
    const { seen, files } = addUnsavedNotebooks({ seen: diskFiles, files: createFileReplacer() }, findUnsavedNotebook);
    await run(
      await prepare("edit_file", {
        filename: "undone.ipynb",
        search: "# %% cell 1 [markdown]\n# Sales\n",
        replace: "",
      }),
    );
    const changed = textsOf(document);
    const state = await seen.readState(file);
    await files.put(file, state.kind === "file" ? state.hash : "", Buffer.from(NOTEBOOK));

    assert.deepEqual(
      { clean, changed, undone: textsOf(document), stored: fs.readFileSync(file, "utf8") === NOTEBOOK },
      {
        clean: undefined,
        changed: ["python x = 1\nprint(x) 1", "python x 0"],
        undone: ["markdown # Sales 0", "python x = 1\nprint(x) 1", "python x 0"],
        stored: true,
      },
    );
  });

  it("is left alone once the user has typed in it after it was read", async () => {
    const { document } = await open("typed.ipynb");
    const call = await prepare("edit_file", { filename: "typed.ipynb", search: "x = 1", replace: "x = 2" });
    await typeInCell(document, 2, "mine ");
    const isFresh = await call.fresh();
    const outcome = await run(call);

    assert.match(outcome, /has changed in the editor since it was read\. Nothing was changed\./);
    assert.deepEqual([isFresh, textsOf(document)[1]], [false, "python x = 1\nprint(x) 1"]);
  });

  it("is shown as it is in the editor on the left of the diff", async () => {
    const { document } = await open("left.ipynb");
    await typeInCell(document, 0, "My ");
    const call = await prepare("edit_file", { filename: "left.ipynb", search: "x = 1", replace: "x = 2" });
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

describe("a notebook's cells with a kernel", () => {
  withNotebooks();

  let kernel: vscode.NotebookController;
  let order: string[];

  /** A kernel whose code is one word: `print`, `raise`, or `wait` until it's interrupted. */
  async function execute(cell: vscode.NotebookCell): Promise<boolean> {
    const execution = kernel.createNotebookCellExecution(cell);
    const code = cell.document.getText();
    order.push(code);
    execution.start(Date.now());
    await execution.clearOutput();
    const { stdout, error } = vscode.NotebookCellOutputItem;
    const items = code === "raise" ? [error(new Error("no"))] : [stdout(`${code}ed\n`)];
    await execution.appendOutput(new vscode.NotebookCellOutput(items));
    if (code === "wait") {
      running.resolve();
      await new Promise<void>((resolve) => execution.token.onCancellationRequested(() => resolve()));
    }
    execution.end(code === "print", Date.now());
    return code === "print";
  }

  let running: PromiseWithResolvers<void>;

  beforeEach(() => {
    order = [];
    running = Promise.withResolvers();
    kernel = vscode.notebooks.createNotebookController("test-kernel", "jupyter-notebook", "Test kernel");
    kernel.executeHandler = async (cells) => {
      for (const cell of cells) if (!(await execute(cell))) break;
    };
  });

  afterEach(() => kernel.dispose());

  const CODE = notebookText([
    codeCell("print", undefined, "aa"),
    codeCell("raise", undefined, "bb"),
    codeCell("wait", undefined, "cc"),
  ]);

  it("run while it's opened beside what is in front, and leave their outputs in the editor", async () => {
    const file = writeInWorkspace("run.ipynb", CODE);
    await vscode.window.showTextDocument(vscode.Uri.file(writeInWorkspace("mine.txt", "mine")));
    const first = await run(await prepare("run_cell", { filename: "run.ipynb", cell: 1 }));
    const front = vscode.window.activeTextEditor?.document.uri.path.split("/").at(-1);
    const rest = await run(await prepare("run_cell", { filename: "run.ipynb", cell: 1, last_cell: 3 }));
    const read = await run(await prepare("read_file", { filename: "run.ipynb" }));

    assert.match(first, /^It ran\.\nCell 1 ended(?: after [\d.]+ s)?:\nprinted\n\[The outputs are in the editor/);
    assert.match(
      rest,
      /^It failed\. 1 further cell didn't run\.\nCell 1 ended(?: after [\d.]+ s)?:\nprinted\nCell 2 failed:\nError: no/,
    );
    assert.match(read, /# %% output of cell 1\nprinted\n# %% cell 2/);
    assert.deepEqual(
      { order, front, stored: fs.readFileSync(file, "utf8") === CODE },
      { order: ["print", "print", "raise"], front: "mine.txt", stored: true },
    );
  });

  it("are interrupted when the user stops them", async () => {
    writeInWorkspace("stop.ipynb", CODE);
    const stop = new AbortController();
    const call = await prepare("run_cell", { filename: "stop.ipynb", cell: 3 });
    const ending = run(call, undefined, stop.signal);
    await running.promise;
    stop.abort();

    assert.match(
      await ending,
      /The user stopped it; it may have done a part of its work\.\\nCell 3 failed(?: after [\d.]+ s)?:\\nwaited/,
    );
  });

  it("don't run once they have changed", async () => {
    writeInWorkspace("change.ipynb", CODE);
    const call = await prepare("run_cell", { filename: "change.ipynb", cell: 1 });
    const document = await vscode.workspace.openNotebookDocument(vscode.Uri.file(inWorkspace("change.ipynb")));
    await typeInCell(document, 0, "print()\n");

    assert.match(await run(call), /has changed since it was read\. Nothing was run\./);
    assert.deepEqual(order, []);
  });

  it("don't run without a kernel, which the user is asked to select", async () => {
    writeInWorkspace("idle.ipynb", CODE);
    kernel.dispose();
    const ending = run(await prepare("run_cell", { filename: "idle.ipynb", cell: 1 }));
    const closing = setInterval(() => void vscode.commands.executeCommand("workbench.action.closeQuickOpen"), 200);
    const outcome = await ending.finally(() => clearInterval(closing));

    assert.match(outcome, /No kernel ran cell 1 of .*Ask the user to select a kernel/);
  });

  it("say what they wait for until a kernel is selected", async () => {
    writeInWorkspace("waits.ipynb", CODE);
    kernel.dispose();
    const ending = run(await prepare("run_cell", { filename: "waits.ipynb", cell: 1 }));
    await until("it's said", () => printed !== "");
    const closing = setInterval(() => void vscode.commands.executeCommand("workbench.action.closeQuickOpen"), 200);
    await ending.finally(() => clearInterval(closing));

    assert.equal(printed, "waits.ipynb waits for a kernel that runs its cells.\n");
  });
});

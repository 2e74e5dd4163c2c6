import { setTimeout as wait } from "node:timers/promises";
import * as vscode from "vscode";
import { waitOrAbort } from "../../core/base/async.ts";
import type { CellRange, CellResult, CellRunner, CellsRun, Notebook } from "../../core/ports/notebooks.ts";
import { StaleFileError } from "../../core/ports/workspace.ts";
import { formatDisplayLine } from "../../editor/panel/notification-text.ts";
import { t } from "../../texts/language.ts";
import { OwnGroup } from "../review/proposal-tabs.ts";
import { areSameCells } from "./editor-notebooks.ts";
import { formatCellOutput, listNotebookCells, openNotebooks } from "./open-notebooks.ts";
import { convertPathToUri } from "./places.ts";

/** Time for an interrupted kernel to end, in milliseconds. */
const INTERRUPT_MS = 5_000;

/** Time for a kernel that returns immediately to begin, in milliseconds. */
const BEGIN_MS = 1_000;

/** Time until a run that hasn't begun asks the user for a kernel, in milliseconds. VS Code doesn't report whether one is selected. */
const KERNEL_MS = 2_000;

/** Explains what a run waits for, with a button for it, and returns the sentence for the panel. */
function askForKernel(document: vscode.NotebookDocument, file: string): string {
  const text = t("review.needsKernel", { file: formatDisplayLine(file) });
  const choose = t("review.chooseKernelButton");
  void vscode.window.showInformationMessage(text, choose).then((answer) => {
    const notebookEditor = vscode.window.visibleNotebookEditors.find(({ notebook }) => notebook === document);
    if (answer === choose) void vscode.commands.executeCommand("notebook.selectKernel", { notebookEditor });
  });
  return `${text}\n`;
}

/**
 * Runs cells with VS Code's notebook kernels, through the commands of its notebook editor. These run only cells of a visible notebook, and
 * ask the user for a kernel if none is selected.
 */
export const editorCells: CellRunner = {
  async run(notebook, range, { timeoutSeconds, signal, reportOutput }) {
    const document = await ensureVisibleNotebook(notebook);
    const execution = new CellsExecution(document, range, reportOutput);
    const asking = setTimeout(() => {
      if (!execution.hasBegun) reportOutput(askForKernel(document, notebook.place.label));
    }, KERNEL_MS);
    try {
      const at = { ranges: [range], document: document.uri };
      const executed = vscode.commands.executeCommand("notebook.cell.execute", at);
      const timeout = AbortSignal.timeout(timeoutSeconds * 1000);
      const interrupted = AbortSignal.any([signal, timeout]);
      const ended = await waitOrAbort(execution.end(executed), interrupted);
      if (ended !== "aborted") return { ended, results: execution.listResults() };
      await vscode.commands.executeCommand("notebook.cell.cancelExecution", at);
      await Promise.race([execution.end(executed), wait(INTERRUPT_MS)]);
      return { ended: signal.aborted ? "stopped" : "timeout", results: execution.listResults() };
    } finally {
      clearTimeout(asking);
      execution.dispose();
    }
  },
};

/** Returns the notebook in a visible editor, and opens it without focus if necessary. */
async function ensureVisibleNotebook(notebook: Notebook): Promise<vscode.NotebookDocument> {
  const { path, label } = notebook.place;
  const document = openNotebooks(path)[0] ?? (await vscode.workspace.openNotebookDocument(convertPathToUri(path)));
  const isVisible = vscode.window.visibleNotebookEditors.some((editor) => editor.notebook === document);
  if (!isVisible) {
    const show = async (viewColumn: vscode.ViewColumn): Promise<void> => {
      await vscode.window.showNotebookDocument(document, { preserveFocus: true, preview: false, viewColumn });
    };
    const column = findTabColumn(document);
    await (column === undefined ? new OwnGroup().open(false, show) : show(column));
  }
  // Only now, because the notebook may change while its editor opens.
  if (document.isClosed || !areSameCells(listNotebookCells(document), notebook.cells))
    throw new StaleFileError(
      `"${label}" has changed since it was read. Nothing was run. Read it again, then repeat the command.`,
    );
  return document;
}

/** The column of a tab that shows the notebook. */
function findTabColumn({ uri }: vscode.NotebookDocument): vscode.ViewColumn | undefined {
  return vscode.window.tabGroups.all.find(({ tabs }) =>
    tabs.some(({ input }) => input instanceof vscode.TabInputNotebook && input.uri.toString() === uri.toString()),
  )?.viewColumn;
}

/** Follows the execution of cells of one notebook. */
class CellsExecution implements vscode.Disposable {
  private readonly document: vscode.NotebookDocument;
  private readonly cells: readonly vscode.NotebookCell[];
  private readonly before: ReadonlyMap<vscode.NotebookCell, vscode.NotebookCellExecutionSummary | undefined>;
  private readonly begun = new Set<vscode.NotebookCell>();
  private readonly shown = new Map<vscode.NotebookCell, string>();
  private readonly changes = new vscode.EventEmitter<void>();
  private readonly disposables: readonly vscode.Disposable[];

  constructor(document: vscode.NotebookDocument, { start, end }: CellRange, output: (chunk: string) => void) {
    this.document = document;
    this.cells = document
      .getCells(new vscode.NotebookRange(start, end))
      .filter((cell) => cell.kind === vscode.NotebookCellKind.Code && cell.document.languageId !== "raw");
    this.before = new Map(this.cells.map((cell) => [cell, cell.executionSummary]));
    this.disposables = [
      this.changes,
      vscode.workspace.onDidCloseNotebookDocument(() => this.changes.fire()),
      vscode.workspace.onDidChangeNotebookDocument(({ cellChanges }) => {
        for (const { cell, executionSummary, outputs } of cellChanges) {
          if (!this.before.has(cell)) continue;
          // A cell that only waits for a kernel has an empty summary.
          if (outputs || executionSummary?.executionOrder !== undefined || this.hasEnded(cell)) this.begun.add(cell);
          if (outputs) this.show(cell, output);
        }
        this.changes.fire();
      }),
    ];
  }

  /** Waits until VS Code's command and every started cell have ended; some kernels return before their cells end. */
  async end(executed: Thenable<unknown>): Promise<Exclude<CellsRun["ended"], "timeout" | "stopped">> {
    const closed = this.waitUntil(() => this.document.isClosed);
    await Promise.race([executed, closed]);
    const begins = this.waitUntil(() => this.begun.size > 0);
    await Promise.race([begins, closed, wait(BEGIN_MS)]);
    await this.waitUntil(() => this.document.isClosed || this.isOver());
    if (this.document.isClosed) return "closed";
    return this.begun.size === 0 ? "idle" : "all";
  }

  get hasBegun(): boolean {
    return this.begun.size > 0;
  }

  listResults(): readonly CellResult[] {
    return this.cells
      .filter((cell) => this.begun.has(cell) && (this.hasEnded(cell) || listOutputs(cell).length > 0))
      .map((cell) => {
        const { success, timing } = (this.hasEnded(cell) && cell.executionSummary) || {};
        const ms = timing ? timing.endTime - timing.startTime : 0;
        return { index: cell.index, outputs: listOutputs(cell), succeeded: success, seconds: ms / 1000 };
      });
  }

  dispose(): void {
    for (const disposable of this.disposables) disposable.dispose();
  }

  /** True once all cells have ended or one has failed. */
  private isOver(): boolean {
    const begun = [...this.begun];
    const hasFailed = begun.some((cell) => this.hasEnded(cell) && cell.executionSummary?.success === false);
    return hasFailed || begun.every((cell) => this.hasEnded(cell));
  }

  private hasEnded(cell: vscode.NotebookCell): boolean {
    const now = cell.executionSummary;
    if (now?.timing === undefined && now?.success === undefined) return false;
    return now.timing?.endTime !== this.before.get(cell)?.timing?.endTime;
  }

  private waitUntil(holds: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const check = (): void => {
        if (!holds()) return;
        listening.dispose();
        resolve();
      };
      const listening = this.changes.event(check);
      check();
    });
  }

  /** Reports what was added to a cell's outputs. */
  private show(cell: vscode.NotebookCell, output: (chunk: string) => void): void {
    const text = listOutputs(cell).join("\n");
    const before = this.shown.get(cell) ?? "";
    this.shown.set(cell, text);
    if (text !== before) output(text.startsWith(before) ? text.slice(before.length) : `\n${text}`);
  }
}

function listOutputs({ outputs }: vscode.NotebookCell): readonly string[] {
  return outputs.map(formatCellOutput);
}

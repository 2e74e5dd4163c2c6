import { type ResolvedPath, WorkspaceError } from "./workspace.ts";

/** A cell as people write it. */
export interface CellSource {
  readonly kind: "code" | "markdown" | "raw";
  /** Language of a code cell, if it isn't the notebook's. */
  readonly language?: string;
  /** Its text with `\n` as line end. */
  readonly source: string;
}

/** A cell of a notebook with the results of its last execution. */
export interface NotebookCell extends CellSource {
  /** Each output as text. */
  readonly outputs: readonly string[];
}

/** A cell of an edited notebook. */
export interface EditedCell extends CellSource {
  /** Index of the cell that it was; absent for a new cell. */
  readonly from?: number;
}

/** A notebook as it was read. */
export interface Notebook {
  /** At the version that was read. */
  readonly place: ResolvedPath;
  /** Language of its code cells. */
  readonly language: string;
  readonly cells: readonly NotebookCell[];
  /** The notebook is open in the editor: it was read there, and changes stay there until the user saves it. */
  readonly open?: { readonly isUnsaved: boolean };
  /** Builds the text of its file with these cells. Unchanged parts are equal byte for byte. */
  buildFileText(cells: readonly EditedCell[]): string;
  /** True while the notebook has exactly the cells that were read. */
  isCurrent(): Promise<boolean>;
  /** Replaces the cells; throws `StaleFileError` unless the notebook is current. */
  write(cells: readonly EditedCell[]): Promise<void>;
}

/** Notebooks of the workspace. Both methods throw `WorkspaceError` with a sentence for the model. */
export interface Notebooks {
  read(place: ResolvedPath, signal: AbortSignal): Promise<Notebook>;
  /** Creates a notebook without cells, to replace a file that is missing or isn't a notebook. Doesn't write it yet. */
  createBlank(place: ResolvedPath): Notebook;
}

/** A notebook with edits in its editor that aren't saved. */
export interface UnsavedNotebook {
  listCells(): readonly CellSource[];
  /** Replaces the cells in the editor, as one edit that the user can undo. False if the editor refused. */
  replace(cells: readonly EditedCell[]): Promise<boolean>;
}

/** The file isn't a notebook; `why` is a clause. Its text can be read and repaired like any other. */
export class NotebookFormatError extends WorkspaceError {
  override readonly name = "NotebookFormat";
  readonly why: string;
  constructor(message: string, why: string) {
    super(message);
    this.why = why;
  }
}

/** Reads a language from a notebook's metadata; "" for a text that isn't a name, which cards and cell marks couldn't hold. */
export function parseLanguageName(value: unknown): string {
  return typeof value === "string" && /^[\w+#.-]{1,40}$/.test(value) ? value : "";
}

/** True if a file's name is that of a notebook. */
export function isNotebook(label: string): boolean {
  return /\.ipynb$/i.test(label);
}

/** A range of cells, by index; `end` is exclusive. */
export interface CellRange {
  readonly start: number;
  readonly end: number;
}

/** A cell after its execution. */
export interface CellResult {
  readonly index: number;
  /** Each output as text. */
  readonly outputs: readonly string[];
  /** Undefined if the execution didn't finish. */
  readonly succeeded: boolean | undefined;
  readonly seconds: number;
}

/** The execution of cells. */
export interface CellsRun {
  /** `idle`: no kernel has run a cell. `closed`: the user closed the notebook. */
  readonly ended: "all" | "idle" | "timeout" | "stopped" | "closed";
  /** The cells that have run, in their order. */
  readonly results: readonly CellResult[];
}

/** Runs cells with the kernel that the user has selected for their notebook. */
export interface CellRunner {
  /** Opens the notebook beside the active editor, if it isn't visible. Throws `StaleFileError` unless it's current. */
  run(
    notebook: Notebook,
    range: CellRange,
    options: {
      readonly timeoutSeconds: number;
      readonly signal: AbortSignal;
      reportOutput(chunk: string): void;
    },
  ): Promise<CellsRun>;
}

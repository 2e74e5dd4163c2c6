import { assertNever } from "../../core/base/errors.ts";
import { formatQuantity } from "../../core/base/text.ts";
import {
  type Command,
  createPreparedCall,
  type PrepareContext,
  type PreparedCall,
  type RunContext,
} from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import type { CellRange, CellResult, CellRunner, Notebook, Notebooks } from "../../core/ports/notebooks.ts";
import { isNotebook } from "../../core/ports/notebooks.ts";
import type { Shell } from "../../core/ports/programs.ts";
import type { Workspace } from "../../core/ports/workspace.ts";
import { displayText } from "../../texts/display-text.ts";
import {
  type Args,
  createObjectSchema,
  FILE_ALIASES,
  FILENAME,
  getNumberArgument,
  getRequiredText,
} from "../arguments.ts";
import { createFailure, createSuccess, NO_FILE } from "../outcomes.ts";
import { createTouch, describeMissingFile } from "../places.ts";
import { DEFAULT_SECONDS, TIMEOUT_SECONDS } from "../shell/run-line.ts";
import { chooseCellMark, numberCells, renderCells } from "./cell-text.ts";

/** Dependencies of running cells. */
export interface CellDependencies {
  readonly workspace: Workspace;
  readonly notebooks?: Notebooks | undefined;
  /** Absent where there is no editor. */
  readonly cells?: CellRunner | undefined;
  /** Absent if the user has turned off the shell, which cells could use. */
  readonly shell?: Shell | undefined;
  readonly shellTimeoutSeconds?: number | undefined;
  /** Command lines run in a sandbox, but kernels run outside it. */
  readonly isSandboxed?: boolean | undefined;
}

const NUMBER = { type: "integer", minimum: 1 } as const;

/** Runs cells of a notebook. */
export function runCell(parts: CellDependencies): Command {
  const parameters = createObjectSchema(
    { filename: FILENAME, cell: NUMBER, last_cell: NUMBER, timeout_seconds: TIMEOUT_SECONDS },
    ["filename", "cell"],
  );
  return {
    name: "run_cell",
    aliases: ["run_notebook_cell", "execute_cell", "run_cells"],
    category: "python",
    effect: "run",
    traits: {
      titles: [{ code: "RunCell", file: "filename" }],
      question: { code: "runCell" },
      rank: 250,
      needsEditor: true,
      mayRunExtensions: true,
    },
    description:
      "Runs a cell of a notebook, or the cells up to last_cell, in its kernel, which keeps its state. Returns the outputs.",
    parameters,
    argumentAliases: {
      ...FILE_ALIASES,
      cell_number: "cell",
      first_cell: "cell",
      to_cell: "last_cell",
      timeout: "timeout_seconds",
    },
    withheld: () => explainWithheldCells(parts),
    prepare: (args, preparing) => prepare(parts, args, preparing),
  };
}

function explainWithheldCells({ cells, shell }: CellDependencies): string | undefined {
  if (!cells) return "Cells run in the kernel of a notebook that is open in VS Code.";
  if (shell) return undefined;
  return "Shell commands are turned off (autogpt.shell.enabled), and cells could run them all the same.";
}

async function prepare(
  parts: CellDependencies,
  args: Args,
  { signal }: PrepareContext,
): Promise<PreparedCall | Outcome> {
  const { workspace, notebooks, cells, shell } = parts;
  if (!cells || !shell || !notebooks) return createFailure("Cells can't be run here.");
  const place = await workspace.locate(getRequiredText(args, "filename"));
  if (place.kind === "missing")
    return createFailure(await describeMissingFile(workspace, place.label, signal), NO_FILE);
  if (place.kind !== "file" || !isNotebook(place.label))
    return createFailure(`"${place.label}" is not a notebook. Name a file that ends with .ipynb.`);
  const notebook = await notebooks.read(place, signal);
  const range = readCellRange(args, notebook);
  if (typeof range === "string") return createFailure(range);
  const seconds = getNumberArgument(args, "timeout_seconds") ?? parts.shellTimeoutSeconds ?? DEFAULT_SECONDS;
  const { sandboxed, ...more } = parts.isSandboxed ? { ...OUTSIDE_SANDBOX, sandboxed: true } : { sandboxed: false };
  return createPreparedCall(
    "run",
    renderCellPreview(notebook, range, seconds, sandboxed),
    (running) => run(cells, { notebook, range, seconds }, running),
    { ...more, touches: [createTouch(place, "write")], fresh: () => notebook.isCurrent() },
  );
}

/** If programs have a sandbox, code outside it needs a person's own decision. */
const OUTSIDE_SANDBOX = {
  onlyByUser: { rule: "outside-sandbox", reason: "A notebook's kernel isn't in the sandbox." },
} as const;

/** Reads the cells to run, or explains the problem of the call. */
function readCellRange(args: Args, { cells, place }: Notebook): CellRange | string {
  const first = getNumberArgument(args, "cell") ?? 1;
  const last = getNumberArgument(args, "last_cell") ?? first;
  if (last < first) return `last_cell (${last}) comes before cell (${first}).`;
  if (last > cells.length) return `"${place.label}" has only ${formatQuantity(cells.length, "cell")}.`;
  const range = { start: first - 1, end: last };
  const [cell] = cells.slice(range.start, range.end);
  if (selectCodeCells(range, cells).length > 0) return range;
  return first === last
    ? `Cell ${first} of "${place.label}" is ${cell?.kind === "raw" ? "raw text" : "markdown"}; only code runs.`
    : `None of these cells of "${place.label}" is code.`;
}

function selectCodeCells({ start, end }: CellRange, cells: Notebook["cells"]): Notebook["cells"] {
  return cells.slice(start, end).filter(({ kind }) => kind === "code");
}

/** The code in full, and where it runs. */
function renderCellPreview(
  { cells, place, language }: Notebook,
  range: CellRange,
  seconds: number,
  sandboxed: boolean,
): string {
  const code = numberCells(cells)
    .slice(range.start, range.end)
    .filter(({ kind }) => kind === "code");
  const [only] = code;
  const text = code.length === 1 ? `${only?.source ?? ""}\n` : renderCells(code, chooseCellMark(cells));
  const sandbox = sandboxed ? " The kernel isn't in the sandbox." : "";
  return `${text}\nRuns ${formatCellRange(range)} of "${place.label}" (${only?.language ?? language}) in the kernel that is selected for the notebook, for ${formatQuantity(seconds, "second")} at most.${sandbox}`;
}

function formatCellRange({ start, end }: CellRange): string {
  return end === start + 1 ? `cell ${end}` : `cells ${start + 1} to ${end}`;
}

async function run(
  cells: CellRunner,
  { notebook, range, seconds }: { readonly notebook: Notebook; readonly range: CellRange; readonly seconds: number },
  { signal, output: show }: RunContext,
): Promise<Outcome> {
  const options = { timeoutSeconds: seconds, signal, reportOutput: show };
  const { ended, results } = await cells.run(notebook, range, options);
  const { label, path } = notebook.place;
  const report = results.map((result) => formatCellResult(result)).join("\n");
  const all = selectCodeCells(range, notebook.cells).length;
  switch (ended) {
    case "all": {
      const broken = results.find(({ succeeded }) => succeeded === false);
      const rest = results.length < all ? ` ${formatQuantity(all - results.length, "further cell")} didn't run.` : "";
      const head = `${broken ? "It failed." : "It ran."}${rest}`;
      const output = `${head}\n${report}\n${SAVED_BY_USER}`;
      const summary = broken
        ? displayText("results.cellFailed", { number: broken.index + 1 })
        : displayText("results.cellsRan", { count: results.length });
      return { ...createSuccess(output, summary), inEditor: [path], ...(broken ? { exitCode: 1 } : {}) };
    }
    case "idle":
      return createFailure(
        `No kernel ran ${formatCellRange(range)} of "${label}". Ask the user to select a kernel for the notebook (at its top right), then try again.`,
        displayText("timeline.noKernel"),
      );
    case "timeout":
      return createFailure(
        `It was interrupted after ${formatQuantity(seconds, "second")} and may have done a part of its work. Give more timeout_seconds, or run less.\n${report}`.trimEnd(),
        displayText("timeline.timedOut", { seconds }),
      );
    case "stopped":
      return createFailure(
        `The user stopped it; it may have done a part of its work.\n${report}`.trimEnd(),
        displayText("timeline.stoppedByUser"),
      );
    case "closed":
      return createFailure(
        `The user closed "${label}" while it ran; it may have done a part of its work. Ask before you run it again.`,
        displayText("results.notebookClosed"),
      );
    default:
      return assertNever(ended);
  }
}

const SAVED_BY_USER = "[The outputs are in the editor, not on disk, until the user saves the notebook.]";

function formatCellResult({ index, outputs, succeeded, seconds }: CellResult): string {
  const time = seconds < 1 ? "" : ` after ${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
  const how = succeeded === undefined ? "didn't end" : succeeded ? "ended" : "failed";
  const text = outputs.filter((output) => output !== "").join("\n");
  return `Cell ${index + 1} ${how}${time}${text === "" ? ", without output." : `:\n${text}`}`;
}

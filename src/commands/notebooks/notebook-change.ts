import { omitUndefined } from "../../core/base/objects.ts";
import { formatQuantity } from "../../core/base/text.ts";
import type { PreparedCall, RunContext } from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import type { CellSource, EditedCell, Notebook } from "../../core/ports/notebooks.ts";
import { type DisplayText, displayText } from "../../texts/display-text.ts";
import { describeUserChanges } from "../file-change.ts";
import { createFailure, createSuccess } from "../outcomes.ts";
import { createTouch } from "../places.ts";
import { chooseCellMark, numberCells, parseCells, renderCells, restoreCellNumbers } from "./cell-text.ts";
import { matchCells } from "./matched-cells.ts";

/** New cells of a notebook, written only if it's unchanged since it was read. */
export interface NotebookChange {
  readonly notebook: Notebook;
  readonly cells: readonly EditedCell[];
  /** The outcome's first word. */
  readonly did: "Edited" | "Replaced" | "Created";
}

/** A change of a notebook, shown as a diff of its cells. */
export function prepareNotebookChange({ notebook, cells, did }: NotebookChange): PreparedCall | Outcome {
  const { place } = notebook;
  if (cells.some(({ source }) => source.includes("\0")))
    return createFailure(`"${place.label}" was left unchanged: a cell contains a NUL character. Leave it out.`);
  const texts = renderTexts(notebook, cells);
  return {
    effect: "write",
    preview: {
      kind: "change",
      file: place.label,
      target: place.path,
      ...(place.kind === "missing" ? {} : { before: texts.before }),
      after: texts.after,
      ...(notebook.open ? { unsaved: true } : {}),
    },
    notebook: {
      get before() {
        return place.kind === "missing" ? "" : notebook.buildFileText(keepAllCells(notebook));
      },
      get after() {
        return notebook.buildFileText(cells);
      },
      accepted: (now) => renderAcceptedText(now, cells, texts),
    },
    touches: [createTouch(place, "write")],
    fresh: () => notebook.isCurrent(),
    run: (running) => write({ notebook, cells, did }, texts, running),
  };
}

/** Creates an edit of a notebook that changes no cell. */
export function keepAllCells({ cells }: Notebook): readonly EditedCell[] {
  return cells.map(({ outputs: _, ...cell }, from) => ({ ...cell, from }));
}

interface Texts {
  readonly mark: string;
  readonly before: string;
  readonly after: string;
}

function renderTexts(notebook: Notebook, cells: readonly EditedCell[]): Texts {
  const mark = chooseCellMark(notebook.cells);
  const before = renderCells(numberCells(notebook.cells), mark);
  return { mark, before, after: renderCells(restoreCellNumbers(cells), mark) };
}

/** For the model, which may be going to run a program on the file. */
const IN_OPEN_NOTEBOOK =
  "The change is in the editor, not on disk, because the notebook is open there. Programs don't see it until the user saves it.";

/** The text of the proposed cells as a person has edited them. */
function renderAcceptedText(
  now: readonly CellSource[],
  proposed: readonly EditedCell[],
  { mark, after }: Texts,
): string | undefined {
  const cells = matchCells(now, proposed).map(({ from, ...cell }) => {
    const origin = from === undefined ? undefined : proposed[from]?.from;
    return { ...cell, ...omitUndefined({ from: origin }) };
  });
  const text = renderCells(restoreCellNumbers(cells), mark);
  return text === after ? undefined : text;
}

async function write(
  { notebook, cells, did }: NotebookChange,
  { mark, before, after }: Texts,
  { accepted = after }: RunContext,
): Promise<Outcome> {
  const { label } = notebook.place;
  if (accepted === before)
    return createSuccess(
      `The user accepted none of your changes, so "${label}" is unchanged. Ask why, or try another way.`,
      displayText("timeline.noneAccepted"),
    );
  const read = accepted === after ? { cells } : parseCells(accepted, notebook.cells, mark);
  if ("problem" in read)
    return createFailure(`"${label}" was left unchanged, because the accepted text isn't a notebook. ${read.problem}`);
  await notebook.write(read.cells);
  const outcome = createSuccess(
    [
      `${did} "${label}": ${summarizeChanges(notebook.cells, read.cells)}`,
      describeUserChanges(label, after, accepted),
      renderChangedCells(notebook.cells, read.cells, mark),
      notebook.open ? IN_OPEN_NOTEBOOK : "",
    ]
      .filter((part) => part !== "")
      .join("\n"),
    accepted === after
      ? displayText("results.cells", { what: listChangeTexts(countCellChanges(notebook.cells, read.cells)) })
      : displayText("timeline.withYourChanges"),
    [{ file: label, change: notebook.place.kind === "missing" ? "created" : "changed" }],
  );
  return notebook.open ? { ...outcome, inEditor: [notebook.place.path] } : outcome;
}

/** True for a cell that an edit leaves as it is. */
function isSame({ from, kind, language, source }: EditedCell, old: readonly CellSource[]): boolean {
  const was = from === undefined ? undefined : old[from];
  return was !== undefined && was.kind === kind && was.language === language && was.source === source;
}

/** Differences between the cells and the old ones, in numbers. */
interface CellChanges {
  readonly changed: number;
  readonly created: number;
  readonly deleted: number;
  readonly isMoved: boolean;
}

function countCellChanges(old: readonly CellSource[], cells: readonly EditedCell[]): CellChanges {
  const kept = cells.flatMap(({ from }) => from ?? []);
  return {
    changed: cells.filter((cell) => cell.from !== undefined && !isSame(cell, old)).length,
    created: cells.length - kept.length,
    deleted: old.length - kept.length,
    isMoved: kept.some((from, index) => from < (kept[index - 1] ?? 0)),
  };
}

/** The changes for people. */
function listChangeTexts({ changed, created, deleted, isMoved }: CellChanges): readonly DisplayText[] {
  return [
    ...(changed > 0 ? [displayText("results.cellsChanged", { count: changed })] : []),
    ...(created > 0 ? [displayText("results.cellsNew", { count: created })] : []),
    ...(deleted > 0 ? [displayText("results.cellsDeleted", { count: deleted })] : []),
    ...(isMoved ? [displayText("results.cellsMoved")] : []),
  ];
}

function summarizeChanges(old: readonly CellSource[], cells: readonly EditedCell[]): string {
  const { changed, created, deleted, isMoved } = countCellChanges(old, cells);
  const parts = [
    changed > 0 ? `${formatQuantity(changed, "cell")} changed` : "",
    created > 0 ? `${created} new` : "",
    deleted > 0 ? `${deleted} deleted` : "",
    isMoved ? "the order changed" : "",
  ].filter((part) => part !== "");
  const renumbered = cells.some(({ from }, index) => from !== undefined && from !== index);
  return `${parts.join(", ")}. It has ${formatQuantity(cells.length, "cell")} now${renumbered ? ", with new numbers" : ""}.`;
}

/** Limits on the cells that are shown, and on the lines of each. */
const MOST_CELLS = 6;
const MOST_LINES = 8;
const LONGEST_LINE = 200;

/** The changed and the new cells with their numbers, for further edits. */
function renderChangedCells(old: readonly CellSource[], cells: readonly EditedCell[], mark: string): string {
  const shown = cells.flatMap((cell, index) => (isSame(cell, old) ? [] : [{ ...cell, number: index + 1 }]));
  const texts = shown.slice(0, MOST_CELLS).map((cell) => {
    const [head = "", ...lines] = renderCells([cell], mark).trimEnd().split("\n");
    const cut = lines.map((line) => (line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line));
    const rest = cut.length > MOST_LINES ? [`and ${formatQuantity(cut.length - MOST_LINES, "more line")}`] : [];
    return [head, ...cut.slice(0, MOST_LINES), ...rest].join("\n");
  });
  const more = shown.length > MOST_CELLS ? [`and ${formatQuantity(shown.length - MOST_CELLS, "more cell")}`] : [];
  return [...texts, ...more].join("\n");
}

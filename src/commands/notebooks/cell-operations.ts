import type { CellSource, EditedCell } from "../../core/ports/notebooks.ts";

/** A change of an open notebook that the user can undo in one step. Indexes are those before the change. */
export type CellOperations =
  /** A new source of one cell, which keeps its place in the editor. */
  | { readonly kind: "source"; readonly index: number; readonly source: string }
  /** Replaces cells by others, from the last to the first. A cell that comes from another place has its `from`. */
  | { readonly kind: "cells"; readonly replacements: readonly CellReplacement[] };

interface CellReplacement {
  readonly start: number;
  readonly end: number;
  readonly cells: readonly EditedCell[];
}

/** Computes the operations that turn the old cells into the wanted ones and change as few cells as possible. */
export function computeCellOperations(old: readonly CellSource[], cells: readonly EditedCell[]): CellOperations {
  const kept = new Set(findUnchangedCells(old, cells));
  const changed = cells.filter((cell) => !kept.has(cell));
  const [only] = changed;
  if (changed.length === 1 && only?.from !== undefined && cells.length === old.length) {
    const was = old[only.from];
    if (cells[only.from] === only && was?.kind === only.kind && was.language === only.language)
      return { kind: "source", index: only.from, source: only.source };
  }
  const replacements: CellReplacement[] = [];
  let start = 0;
  let added: EditedCell[] = [];
  const close = (end: number): void => {
    if (end > start || added.length > 0) replacements.unshift({ start, end, cells: added });
    added = [];
  };
  for (const cell of cells) {
    if (!kept.has(cell) || cell.from === undefined) {
      added.push(cell);
      continue;
    }
    close(cell.from);
    start = cell.from + 1;
  }
  close(old.length);
  return { kind: "cells", replacements };
}

/** The longest sequence of unchanged cells in order. */
function findUnchangedCells(old: readonly CellSource[], cells: readonly EditedCell[]): readonly EditedCell[] {
  const candidates = cells.filter(({ from, kind, language, source }) => {
    const was = from === undefined ? undefined : old[from];
    return was !== undefined && was.kind === kind && was.language === language && was.source === source;
  });
  const before: number[] = [];
  const lengths: number[] = [];
  let best = -1;
  for (const [index, { from = 0 }] of candidates.entries()) {
    let previous = -1;
    for (let earlier = 0; earlier < index; earlier++)
      if ((candidates[earlier]?.from ?? 0) < from && (lengths[earlier] ?? 0) > (lengths[previous] ?? 0))
        previous = earlier;
    before.push(previous);
    lengths.push((lengths[previous] ?? 0) + 1);
    if ((lengths[index] ?? 0) > (lengths[best] ?? 0)) best = index;
  }
  const kept: EditedCell[] = [];
  for (let index = best; index >= 0; index = before[index] ?? -1) {
    const cell = candidates[index];
    if (cell) kept.unshift(cell);
  }
  return kept;
}

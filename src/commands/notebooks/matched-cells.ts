import { diffArrays } from "diff";
import { omitUndefined } from "../../core/base/objects.ts";
import type { CellSource, EditedCell } from "../../core/ports/notebooks.ts";

/**
 * Matches cells of unknown origin with the indexes of their earlier cells in `base`: an equal one, or the one that was edited in its place.
 * A kept cell keeps its language.
 */
export function matchCells(cells: readonly CellSource[], base: readonly CellSource[]): readonly EditedCell[] {
  const matched: EditedCell[] = [];
  let from = 0;
  let gap: { removed: number; added: CellSource[] } = { removed: 0, added: [] };
  const close = (): void => {
    matched.push(...matchCellsWithinGap(gap.added, base, from, gap.removed));
    from += gap.removed;
    gap = { removed: 0, added: [] };
  };
  for (const part of diffArrays([...base], [...cells], { comparator: isEqual })) {
    if (part.removed) gap.removed += part.value.length;
    else if (part.added) gap.added.push(...part.value);
    else {
      close();
      for (const _ of part.value) matched.push(keepCell(base[from] as CellSource, from++));
    }
  }
  close();
  return matched;
}

function keepCell(cell: CellSource, from: number): EditedCell {
  return { ...copyCellSource(cell), from };
}

function copyCellSource({ kind, language, source }: CellSource): CellSource {
  return { kind, ...omitUndefined({ language }), source };
}

function isEqual(one: CellSource, other: CellSource): boolean {
  return one.kind === other.kind && one.source === other.source;
}

/** If as many cells were added as removed, they count as edited; otherwise, only the first ones of the same kind do. */
function matchCellsWithinGap(
  added: readonly CellSource[],
  base: readonly CellSource[],
  from: number,
  removed: number,
): readonly EditedCell[] {
  let isInStep = true;
  return added.map((cell, index) => {
    const old = index < removed ? base[from + index] : undefined;
    isInStep &&= old !== undefined && (added.length === removed || old.kind === cell.kind);
    if (!isInStep || !old) return copyCellSource(cell);
    const language = cell.kind === "code" ? (old.language ?? cell.language) : undefined;
    return {
      ...copyCellSource({ kind: cell.kind, source: cell.source }),
      ...omitUndefined({ language }),
      from: from + index,
    };
  });
}

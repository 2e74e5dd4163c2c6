import assert from "node:assert/strict";
import fc from "fast-check";
import { computeCellOperations } from "../../../../src/commands/notebooks/cell-operations.ts";
import { matchCells } from "../../../../src/commands/notebooks/matched-cells.ts";
import type { CellSource, EditedCell } from "../../../../src/core/ports/notebooks.ts";

const code = (source: string): CellSource => ({ kind: "code", source });
const OLD = [code("a"), code("b"), code("c"), code("d")] as const;
const old = (from: number, source = OLD[from]?.source ?? ""): EditedCell => ({ kind: "code", source, from });

describe("the operations that change open cells", () => {
  for (const [what, cells, expected] of [
    ["nothing", [old(0), old(1), old(2), old(3)], { kind: "cells", replacements: [] }],
    ["a source", [old(0), old(1, "B"), old(2), old(3)], { kind: "source", index: 1, source: "B" }],
    [
      "new and deleted cells, from the last to the first",
      [code("new"), old(0), old(1), old(3)],
      {
        kind: "cells",
        replacements: [
          { start: 2, end: 3, cells: [] },
          { start: 0, end: 0, cells: [code("new")] },
        ],
      },
    ],
    [
      "the order",
      [old(3), old(0), old(1), old(2)],
      {
        kind: "cells",
        replacements: [
          { start: 3, end: 4, cells: [] },
          { start: 0, end: 0, cells: [old(3)] },
        ],
      },
    ],
    [
      "the kind",
      [old(0), { kind: "raw", source: "b", from: 1 }, old(2), old(3)],
      {
        kind: "cells",
        replacements: [{ start: 1, end: 2, cells: [{ kind: "raw", source: "b", from: 1 }] }],
      },
    ],
    ["all cells", [], { kind: "cells", replacements: [{ start: 0, end: 4, cells: [] }] }],
    [
      "two sources, as one change",
      [old(0, "A"), old(1), old(2), old(3, "D")],
      {
        kind: "cells",
        replacements: [
          { start: 3, end: 4, cells: [old(3, "D")] },
          { start: 0, end: 1, cells: [old(0, "A")] },
        ],
      },
    ],
  ] as const)
    it(`change ${what}`, () => {
      assert.deepEqual(computeCellOperations(OLD, cells), expected);
    });

  it("end in exactly the wanted cells, whatever they are", () => {
    const wanted = fc.array(
      fc.oneof(
        fc.string({ maxLength: 2 }).map((source): EditedCell => code(source)),
        fc.record({
          from: fc.nat(3),
          source: fc.string({ maxLength: 2 }),
          kind: fc.constantFrom("code", "raw"),
        }),
      ),
      { maxLength: 8 },
    );
    fc.assert(
      fc.property(wanted, (all) => {
        const cells = all.filter(
          ({ from }, index) => from === undefined || all.findIndex((cell) => cell.from === from) === index,
        );
        const operations = computeCellOperations(OLD, cells);
        const now: CellSource[] = [...OLD];
        if (operations.kind === "source") now[operations.index] = code(operations.source);
        else
          for (const { start, end, cells: added } of operations.replacements) now.splice(start, end - start, ...added);
        assert.deepEqual(
          now.map(({ kind, source }) => [kind, source]),
          cells.map(({ kind, source }) => [kind, source]),
        );
      }),
    );
  });
});

describe("the origins of cells that a person has edited", () => {
  for (const [what, cells, origins] of [
    ["the same cells", ["a", "b", "c", "d"], [0, 1, 2, 3]],
    ["an edited cell", ["a", "B", "c", "d"], [0, 1, 2, 3]],
    ["a new cell", ["a", "b", "new", "c", "d"], [0, 1, undefined, 2, 3]],
    ["a deleted cell", ["a", "c", "d"], [0, 2, 3]],
    ["an edited and a new cell", ["a", "B", "new", "c", "d"], [0, 1, undefined, 2, 3]],
  ] as const)
    it(`are found for ${what}`, () => {
      assert.deepEqual(
        matchCells(cells.map(code), OLD).map(({ from }) => from),
        origins,
      );
    });

  it("keep the language of the cell", () => {
    assert.deepEqual(matchCells([code("b")], [{ ...code("a"), language: "sql" }]), [
      { ...code("b"), language: "sql", from: 0 },
    ]);
  });
});

import assert from "node:assert/strict";
import fc from "fast-check";
import type { EditedCell } from "../../../src/core/ports/notebooks.ts";
import { formatNotebookOutput } from "../../../src/node/documents/cell-outputs.ts";
import { replaceNotebookCells } from "../../../src/node/documents/notebook-edits.ts";
import { readNotebook } from "../../../src/node/documents/notebook-json.ts";
import { codeCell, markdownCell, notebookText } from "../../support/notebooks.ts";

const CELLS = [
  markdownCell(["# Grüße\n", "Text."], "aa"),
  codeCell(["x = 1\n", "x"], "1\n", "bb"),
  codeCell("y", "2\n", "cc"),
] as const;

/** A file's own cells as an edit, changed by a function. */
function edited(text: string, change: (cells: readonly EditedCell[]) => readonly EditedCell[]): string {
  const notebook = readNotebook(text);
  const cells = notebook.cells.map(({ kind, source }, from) => ({ kind, source, from }));
  return replaceNotebookCells(text, notebook, change(cells));
}

/** The lines that two texts don't share, as a diff with `-` and `+`. */
function changedLines(before: string, after: string): readonly string[] {
  const [old, now] = [before.split("\n"), after.split("\n")];
  let start = 0;
  while (old[start] === now[start] && start < old.length) start++;
  let end = 0;
  while (old.at(-1 - end) === now.at(-1 - end) && end < old.length - start) end++;
  return [
    ...old.slice(start, old.length - end).map((line) => `-${line}`),
    ...now.slice(start, now.length - end).map((line) => `+${line}`),
  ];
}

describe("the file of an edited notebook", () => {
  for (const [style, text] of [
    ["Jupyter's indentation", notebookText(CELLS)],
    ["another indentation", notebookText(CELLS, 4)],
    ["tabs", notebookText(CELLS, "\t")],
    ["one line", notebookText(CELLS, 0)],
    ["CRLF", notebookText(CELLS).replaceAll("\n", "\r\n")],
  ] as const)
    it(`is the same without an edit: ${style}`, () => {
      assert.equal(
        edited(text, (cells) => cells),
        text,
      );
    });

  it("differs in the lines of a changed source alone", () => {
    const text = notebookText(CELLS);
    const after = edited(text, ([first, second, third]) => [
      first as EditedCell,
      { ...(second as EditedCell), source: "x = 2\nx" },
      third as EditedCell,
    ]);
    assert.deepEqual(changedLines(text, after), ['-    "x = 1\\n",', '+    "x = 2\\n",']);
  });

  it("keeps a source that is one string, and a list in one line", () => {
    const text = notebookText([codeCell("y")]).replace('"source": "y"', '"source": ["y"]');
    assert.deepEqual(
      [
        changedLines(
          text,
          edited(text, ([cell]) => [{ ...(cell as EditedCell), source: "z\n1" }]),
        ),
        changedLines(
          notebookText([codeCell("y")]),
          edited(notebookText([codeCell("y")]), ([cell]) => [{ ...(cell as EditedCell), source: "z\n1" }]),
        ),
      ],
      [
        ['-   "source": ["y"]', '+   "source": ["z\\n", "1"]'],
        ['-   "source": "y"', '+   "source": "z\\n1"'],
      ],
    );
  });

  it("escapes what the rest of it escapes", () => {
    const text = notebookText([codeCell(["ü"])]).replace("ü", "\\u00fc");
    const after = edited(text, ([cell]) => [{ ...(cell as EditedCell), source: "ß" }]);
    assert.deepEqual(changedLines(text, after), ['-    "\\u00fc"', '+    "\\u00df"']);
  });

  it("has a new cell as Jupyter writes it, with an id of its own", () => {
    const text = notebookText(CELLS);
    const after = edited(text, ([first, ...rest]) => [
      first as EditedCell,
      { kind: "code", source: "new\n2" },
      ...rest,
    ]);
    const id = readNotebook(after).ids?.[1] ?? "";
    assert.match(id, /^[0-9a-f]{8}$/);
    assert.deepEqual(changedLines(text, after), [
      '+   "cell_type": "code",',
      '+   "execution_count": null,',
      `+   "id": "${id}",`,
      '+   "metadata": {},',
      '+   "outputs": [],',
      '+   "source": [',
      '+    "new\\n",',
      '+    "2"',
      "+   ]",
      "+  },",
      "+  {",
    ]);
  });

  it("has no ids before version 4.5 of the format", () => {
    const text = notebookText([markdownCell("a")]).replace('"nbformat_minor": 5', '"nbformat_minor": 4');
    const after = edited(text, (cells) => [...cells, { kind: "markdown", source: "b" }]);
    assert.deepEqual(JSON.parse(after).cells[1], { cell_type: "markdown", metadata: {}, source: ["b"] });
  });

  it("keeps id and metadata of a cell that becomes another kind, and no outputs of text", () => {
    const text = notebookText([{ ...codeCell("x", "1\n", "bb"), metadata: { tags: ["a"] } }]);
    const after = edited(text, ([cell]) => [{ ...(cell as EditedCell), kind: "markdown", source: "# X" }]);
    assert.deepEqual(JSON.parse(after).cells, [
      { cell_type: "markdown", id: "bb", metadata: { tags: ["a"] }, source: ["# X"] },
    ]);
  });

  it("holds exactly the wanted cells, and the old ones byte for byte", () => {
    const cell = fc.record({
      kind: fc.constantFrom("code", "markdown", "raw"),
      source: fc.string({ unit: "binary", maxLength: 20 }).map((text) => text.replace(/\r\n?/g, "\n")),
    });
    fc.assert(
      fc.property(
        fc.array(cell, { maxLength: 5 }),
        fc.array(fc.oneof(cell, fc.nat(4)), { maxLength: 6 }),
        fc.constantFrom<number | string>(0, 1, 2, "\t"),
        (stored, wanted, indent) => {
          const text = notebookText(
            stored.map(({ kind, source }, index) =>
              kind === "code"
                ? codeCell(source.split(/(?<=\n)/), "out\n", `${index}`)
                : { cell_type: kind, source: source.split(/(?<=\n)/), id: `${index}` },
            ),
            indent,
          );
          const numbers = [...new Set(wanted.filter((one) => typeof one === "number"))];
          const cells = wanted
            .filter((one, index) => typeof one !== "number" || wanted.indexOf(one) === index)
            .flatMap((one): readonly EditedCell[] => {
              if (typeof one !== "number") return [one];
              const old = stored[one];
              return old ? [{ ...old, from: one }] : [];
            });
          const after = replaceNotebookCells(text, readNotebook(text), cells);
          const read = readNotebook(after);
          assert.deepEqual(
            read.cells.map(({ kind, source }) => ({ kind, source })),
            cells.map(({ kind, source }) => ({ kind, source })),
          );
          const spans = readNotebook(text).cells.map(({ at }) => text.slice(at.start, at.end));
          for (const number of numbers) assert.ok(spans[number] === undefined || after.includes(spans[number]));
        },
      ),
      { numRuns: 50 },
    );
  });
});

describe("a file that is no notebook", () => {
  for (const [text, why] of [
    ["{", "it isn't a Jupyter notebook, because it isn't JSON"],
    ['{"cells": 3}', "it isn't a Jupyter notebook"],
    ['{"cells": [{"cell_type": "code"}]}', "one of its cells has no source"],
    [
      '{"worksheets": []}',
      "it's in version 3 of the notebook format; have it converted with: jupyter nbconvert --to notebook --inplace",
    ],
  ] as const)
    it(`is refused: ${text}`, () => {
      assert.throws(() => readNotebook(text), { message: why });
    });
});

describe("the text of a cell's output", () => {
  for (const [name, output, text] of [
    ["a stream", { output_type: "stream", text: ["a\n", "b\n"] }, "a\nb"],
    ["the last state of a progress bar", { output_type: "stream", text: "10%\r50%\r100%\n" }, "100%"],
    [
      "plain text rather than HTML",
      { output_type: "execute_result", data: { "text/html": "<b>2</b>", "text/plain": ["2"] } },
      "2",
    ],
    [
      "the names of pictures",
      { output_type: "display_data", data: { "text/plain": "<Figure>", "image/png": "AAAA" } },
      "<Figure>\n[image/png, 3 bytes]",
    ],
    ["data", { output_type: "display_data", data: { "application/json": { a: 1 } } }, '{"a":1}'],
    ["an error without a traceback", { output_type: "error", ename: "KeyError", evalue: "a" }, "KeyError: a"],
    [
      "an error's traceback without its colors",
      {
        output_type: "error",
        ename: "KeyError",
        evalue: "a",
        traceback: ["\u001b[31mTraceback\u001b[0m", "KeyError: a"],
      },
      "Traceback\nKeyError: a",
    ],
  ] as const)
    it(`is ${name}`, () => {
      assert.equal(formatNotebookOutput(output), text);
    });

  it("keeps beginning and end of a long one", () => {
    const text = formatNotebookOutput({ output_type: "stream", text: `begin ${"x".repeat(10_000)} end` });
    assert.deepEqual([text.slice(0, 6), text.slice(-4), text.length], ["begin ", " end", 4005]);
  });
});

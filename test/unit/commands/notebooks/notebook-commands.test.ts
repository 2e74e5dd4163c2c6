import assert from "node:assert/strict";
import { readNotebook } from "../../../../src/node/documents/notebook-json.ts";
import { codeCell, markdownCell, notebookText } from "../../../support/notebooks.ts";
import { plantedBenches } from "../../../support/planted-bench.ts";
import { grown } from "../../../support/trees.ts";

const NOTEBOOK = notebookText([
  markdownCell(["# Sales\n", "By month."], "aa"),
  codeCell(["x = 1\n", "print(x)"], "1\n", "bb"),
  codeCell("print(x)", undefined, "cc"),
]);

const TEXT = "# %% cell 1 [markdown]\n# Sales\nBy month.\n# %% cell 2 [code]\nx = 1\nprint(x)\n";
const REST = "# %% cell 3 [code]\nprint(x)\n";

const HINT =
  '[Code cells are python. edit_file edits this text without the outputs; a line "# %% [code]" or "# %% [markdown]" begins a new cell.]';

/** The kinds, sources and numbers of outputs of a notebook's cells. */
function cellsOf(text: unknown): readonly unknown[] {
  return readNotebook(String(text)).cells.map(({ kind, source, outputs }) => [kind, source, ...outputs]);
}

describe("read_file of a notebook", () => {
  const planted = plantedBenches();
  const read = async (text: string, args: object = {}) =>
    (await planted({ "a.ipynb": text })).bench.call("read_file", { filename: "a.ipynb", ...args });

  it("shows its numbered cells with their outputs", async () => {
    assert.deepEqual(await read(NOTEBOOK), {
      status: "done",
      output: `The cells of a.ipynb, 10 lines\n${TEXT}# %% output of cell 2\n1\n${REST}\n${HINT}`,
    });
  });

  it("shows some of its lines", async () => {
    assert.deepEqual(await read(NOTEBOOK, { start_line: 4, end_line: 5 }), {
      status: "done",
      output: `The cells of a.ipynb, lines 4 to 5 of 10\n# %% cell 2 [code]\nx = 1\n\n${HINT}`,
    });
  });

  it("names the language of a cell that isn't in the notebook's", async () => {
    const text = notebookText([
      { ...codeCell("SELECT 1"), metadata: { vscode: { languageId: "sql" } } },
      { cell_type: "raw", id: "r", source: "raw" },
    ]);
    assert.match(JSON.stringify(await read(text)), /# %% cell 1 \[code: sql\].*# %% cell 2 \[raw\]/);
  });

  it("marks cells otherwise if they hold such marks themselves", async () => {
    assert.match(JSON.stringify(await read(notebookText([codeCell("# %% a")]))), /# %%% cell 1 \[code\]/);
  });

  it("says that there is none", async () => {
    assert.deepEqual(await read(notebookText([])), {
      status: "done",
      output: `The cells of a.ipynb, 1 line\n(no cells)\n\n[Write cells with write_to_file; a line "# %% [code]" or "# %% [markdown]" begins each.]`,
    });
  });

  it("reads a large one in a thread of its own", async () => {
    const text = notebookText([codeCell("x", "y".repeat(300_000))]);
    assert.match(JSON.stringify(await read(text)), /# %% cell 1 \[code\]\\nx\\n# %% output of cell 1\\nyyy/);
  });

  it("is its source, when that is wanted or it isn't a notebook", async () => {
    assert.deepEqual(
      [await read("[1]", { source: true }), await read("<<<<<<< HEAD")],
      [
        { status: "done", output: "a.ipynb, 1 line\n[1]" },
        {
          status: "done",
          output:
            "The cells of a.ipynb, 1 line\n<<<<<<< HEAD\n\n[This is the file's source: it isn't a Jupyter notebook, because it isn't JSON.]",
        },
      ],
    );
  });
});

describe("edit_file of a notebook", () => {
  const planted = plantedBenches();
  const edit = async (args: object, accepted?: string) => {
    const { bench, folder } = await planted({ "a.ipynb": NOTEBOOK });
    const tried = await bench.try("edit_file", { filename: "a.ipynb", ...args }, accepted);
    return { ...tried, file: (await grown(folder))["a.ipynb"] };
  };

  it("changes cells, shown as a diff of their text, and nothing else of the file", async () => {
    const { preview, outcome, file } = await edit({ search: "x = 1", replace: "x = 2" });
    assert.deepEqual(
      { preview: preview?.kind === "change" && { ...preview, target: "" }, outcome, file },
      {
        preview: {
          kind: "change",
          file: "a.ipynb",
          target: "",
          before: TEXT + REST,
          after: TEXT.replace("x = 1", "x = 2") + REST,
        },
        outcome: {
          status: "done",
          output: 'Edited "a.ipynb": 1 cell changed. It has 3 cells now.\n# %% cell 2 [code]\nx = 2\nprint(x)',
        },
        file: NOTEBOOK.replace("x = 1", "x = 2"),
      },
    );
  });

  it("makes new cells, and deletes some, by their marks", async () => {
    const { outcome, file } = await edit({
      edits: [
        { search: "# %% cell 1 [markdown]\n# Sales\nBy month.\n", replace: "" },
        { search: "# %% cell 3 [code]", replace: "\n# %% [markdown]\n\nThen:\n\n# %% cell 3 [code]" },
      ],
    });
    assert.deepEqual(
      { outcome, cells: cellsOf(file) },
      {
        outcome: {
          status: "done",
          output:
            'Edited "a.ipynb": 1 new, 1 deleted. It has 3 cells now, with new numbers.\n# %% cell 2 [markdown]\nThen:',
        },
        cells: [
          ["code", "x = 1\nprint(x)", "1"],
          ["markdown", "Then:"],
          ["code", "print(x)"],
        ],
      },
    );
  });

  it("takes a diff", async () => {
    const diff = "@@\n # %% cell 3 [code]\n-print(x)\n+print(x + 1)\n";
    assert.equal(
      (await edit({ diff })).file,
      NOTEBOOK.replace('"print(x)"\n  }', '"print(x + 1)"\n  }').replace(
        '"source": "print(x)"',
        '"source": "print(x + 1)"',
      ),
    );
  });

  it("changes the order and the kind of cells, which keep their outputs", async () => {
    const swapped = `# %% cell 2 [code]\nx = 1\nprint(x)\n# %% cell 1 [raw]\n# Sales\nBy month.\n`;
    const { outcome, file } = await edit({ search: TEXT, replace: swapped });
    assert.deepEqual(
      { output: outcome.status === "done" && outcome.output.split("\n")[0], cells: cellsOf(file) },
      {
        output: 'Edited "a.ipynb": 1 cell changed, the order changed. It has 3 cells now, with new numbers.',
        cells: [
          ["code", "x = 1\nprint(x)", "1"],
          ["raw", "# Sales\nBy month."],
          ["code", "print(x)"],
        ],
      },
    );
  });

  for (const [what, args, error] of [
    [
      "outputs",
      { search: "# %% output of cell 2\n1\n", replace: "" },
      /^"a\.ipynb" was left unchanged: the text to search for is not in the file\..*\nEdits apply to the cells' text as read_file shows it, without the outputs, which only running a cell changes\.$/s,
    ],
    [
      "a text that is there twice",
      { search: "print(x)", replace: "" },
      /occurs 2 times\. [\s\S]*\n6: print\(x\)\n[\s\S]*\n8: print\(x\)\n/,
    ],
    [
      "a mark that isn't one",
      { search: "x = 1", replace: "x = 1\n# %% Load the data" },
      /The line "# %% Load the data" isn't a cell's mark\. Each cell begins with a line such as "# %% \[code\]" or "# %% \[markdown\]"\.$/,
    ],
    [
      "a number twice",
      { search: "x = 1", replace: "x = 1\n# %% cell 1 [code]" },
      /Cell 1 is there twice\. Begin a new cell with "# %% \[code\]", without a number\.$/,
    ],
    [
      "a number that no cell has",
      { search: "x = 1", replace: "x = 1\n# %% cell 9 [code]" },
      /There is no cell 9: the notebook has 3 cells\./,
    ],
    [
      "a text above the first cell",
      { search: "# %% cell 1 [markdown]\n", replace: "" },
      /There is text before the mark of the first cell\./,
    ],
    ["all cells", { search: TEXT + REST, replace: "" }, /these edits would leave no cell in it/],
    ["a NUL character", { search: "x = 1", replace: "\0" }, /a cell contains a NUL character/],
  ] as const)
    it(`leaves the file as it is and says why: ${what}`, async () => {
      const { outcome, file } = await edit(args);
      assert.deepEqual({ status: outcome.status, file }, { status: "failed", file: NOTEBOOK });
      assert.match(outcome.status === "failed" ? outcome.error : "", error);
    });

  it("changes nothing if only blank lines at the end of a cell do", async () => {
    assert.deepEqual((await edit({ search: "By month.", replace: "By month.\n\n" })).outcome, {
      status: "done",
      output: 'These edits change nothing in "a.ipynb"; it is unchanged.',
    });
  });

  it("changes the source of the file where only that has the text", async () => {
    const edits = { search: '"name": "python3"', replace: '"name": "julia"' };
    assert.equal((await edit(edits)).file, NOTEBOOK.replace('"name": "python3"', '"name": "julia"'));
  });

  it("writes what the user made of it, and reports that", async () => {
    const accepted = `${TEXT.replace("x = 1", "x = 3")}# %% [code]\nmine\n${REST}`;
    const { outcome, file } = await edit({ search: "x = 1", replace: "x = 2" }, accepted);
    assert.deepEqual(cellsOf(file), [
      ["markdown", "# Sales\nBy month."],
      ["code", "x = 3\nprint(x)", "1"],
      ["code", "mine"],
      ["code", "print(x)"],
    ]);
    assert.match(
      outcome.status === "done" ? outcome.output : "",
      /The user changed your proposal before accepting it.*-x = 2\n\+x = 3/s,
    );
  });

  it("writes nothing if the user accepted none of it, or made no notebook of it", async () => {
    const args = { search: "x = 1", replace: "x = 2" };
    const [none, no] = [await edit(args, TEXT + REST), await edit(args, "no cells")];
    assert.deepEqual([none.file, no.file], [NOTEBOOK, NOTEBOOK]);
    assert.deepEqual(
      [none.outcome, no.outcome],
      [
        {
          status: "done",
          output: 'The user accepted none of your changes, so "a.ipynb" is unchanged. Ask why, or try another way.',
        },
        {
          status: "failed",
          error:
            '"a.ipynb" was left unchanged, because the accepted text isn\'t a notebook. It has no cell. Each cell begins with a line such as "# %% [code]" or "# %% [markdown]".',
        },
      ],
    );
  });

  it("is shown again after the file has changed", async () => {
    const { bench, folder } = await planted({ "a.ipynb": NOTEBOOK });
    const call = await bench.prepare("edit_file", { filename: "a.ipynb", search: "x = 1", replace: "y" });
    assert.ok("fresh" in call);
    const before = await call.fresh();
    await bench.call("edit_file", { filename: "a.ipynb", search: "Sales", replace: "S" });
    assert.deepEqual([before, await call.fresh()], [true, false]);
    await assert.rejects(async () => {
      const outcome = await bench.run(call);
      throw new Error(outcome.status);
    }, /failed/);
    assert.deepEqual((await grown(folder))["a.ipynb"], NOTEBOOK.replace("Sales", "S"));
  });
});

describe("write_to_file and append_to_file of a notebook", () => {
  const planted = plantedBenches();

  it("create one from the text of cells", async () => {
    const { bench, folder } = await planted({});
    const contents = "# %% [markdown]\n# A\n\n# %%\nprint(1)\n";
    const { preview, outcome } = await bench.try("write_to_file", { filename: "a.ipynb", contents });
    const file = String((await grown(folder))["a.ipynb"]);
    assert.deepEqual(
      [preview?.kind === "change" && preview.before, outcome, cellsOf(file), JSON.parse(file).nbformat],
      [
        undefined,
        {
          status: "done",
          output:
            'Created "a.ipynb": 2 new. It has 2 cells now.\n# %% cell 1 [markdown]\n# A\n# %% cell 2 [code]\nprint(1)',
        },
        [
          ["markdown", "# A"],
          ["code", "print(1)"],
        ],
        4,
      ],
    );
  });

  it("replace its cells; those with their number keep their outputs", async () => {
    const { bench, folder } = await planted({ "a.ipynb": NOTEBOOK });
    await bench.call("write_to_file", {
      filename: "a.ipynb",
      contents: "# %% cell 2 [code]\nx = 5\n# %% [code]\nx\n",
    });
    assert.deepEqual(cellsOf((await grown(folder))["a.ipynb"]), [
      ["code", "x = 5", "1"],
      ["code", "x"],
    ]);
  });

  it("write the source of a file as it is", async () => {
    const { bench, folder } = await planted({});
    await bench.call("write_to_file", { filename: "a.ipynb", contents: NOTEBOOK });
    assert.deepEqual((await grown(folder))["a.ipynb"], NOTEBOOK);
  });

  it("write nothing else", async () => {
    const { bench, folder } = await planted({ "a.ipynb": NOTEBOOK });
    const outcomes = [
      await bench.call("write_to_file", { filename: "a.ipynb", contents: "print(1)" }),
      await bench.call("append_to_file", { filename: "a.ipynb", contents: "print(1)" }),
    ];
    const why = 'It has no cell. Each cell begins with a line such as "# %% [code]" or "# %% [markdown]".';
    assert.deepEqual(
      [outcomes, (await grown(folder))["a.ipynb"]],
      [
        [
          { status: "failed", error: `"a.ipynb" was not written. ${why}` },
          { status: "failed", error: `"a.ipynb" was left unchanged. ${why}` },
        ],
        NOTEBOOK,
      ],
    );
  });

  it("add cells at the end", async () => {
    const { bench, folder } = await planted({ "a.ipynb": NOTEBOOK });
    const contents = "# %% [code]\nx + 1";
    await bench.call("append_to_file", { filename: "a.ipynb", contents });
    assert.deepEqual(cellsOf((await grown(folder))["a.ipynb"]).slice(2), [
      ["code", "print(x)"],
      ["code", "x + 1"],
    ]);
  });
});

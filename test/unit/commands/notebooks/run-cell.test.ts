import assert from "node:assert/strict";
import { join } from "node:path";
import { isPrepared } from "../../../../src/core/commands/command.ts";
import type { CellRange, CellRunner, CellsRun } from "../../../../src/core/ports/notebooks.ts";
import { codeCell, markdownCell, notebookText } from "../../../support/notebooks.ts";
import { plantedBenches } from "../../../support/planted-bench.ts";

const NOTEBOOK = notebookText([
  markdownCell("# A", "aa"),
  codeCell(["x = 1\n", "x"], undefined, "bb"),
  codeCell("y", undefined, "cc"),
]);

const SAVED = "[The outputs are in the editor, not on disk, until the user saves the notebook.]";

describe("run_cell", () => {
  const planted = plantedBenches();

  async function bench(run?: CellsRun, more: object = {}) {
    const asked: (CellRange & { readonly timeoutSeconds: number })[] = [];
    const cells: CellRunner = {
      run: async (_notebook, range, { timeoutSeconds }) => {
        asked.push({ ...range, timeoutSeconds });
        return run ?? { ended: "idle", results: [] };
      },
    };
    const { bench: commands, folder } = await planted({ "a.ipynb": NOTEBOOK, "a.py": "1" }, { cells, ...more });
    return { commands, asked, folder };
  }

  it("shows the code and where it runs, and returns the outputs", async () => {
    const results = [{ index: 1, outputs: ["1", ""], succeeded: true, seconds: 2.34 }];
    const { commands, asked, folder } = await bench({ ended: "all", results });
    const tried = await commands.try("run_cell", { filename: "a.ipynb", cell: 2, timeout_seconds: 9 });
    assert.deepEqual(
      [tried, asked],
      [
        {
          preview: {
            kind: "details",
            text: 'x = 1\nx\n\nRuns cell 2 of "a.ipynb" (python) in the kernel that is selected for the notebook, for 9 seconds at most.',
          },
          outcome: {
            status: "done",
            output: `It ran.\nCell 2 ended after 2.3 s:\n1\n${SAVED}`,
            inEditor: [join(folder, "a.ipynb")],
          },
        },
        [{ start: 1, end: 2, timeoutSeconds: 9 }],
      ],
    );
  });

  it("names the language of a cell that isn't the notebook's", async () => {
    const shell = { ...codeCell("ls", undefined, "dd"), metadata: { vscode: { languageId: "shellscript" } } };
    const { bench: commands } = await planted(
      { "a.ipynb": notebookText([shell]) },
      { cells: { run: async () => assert.fail() } },
    );
    const prepared = await commands.prepare("run_cell", { filename: "a.ipynb", cell: 1 });
    assert.ok(isPrepared(prepared) && prepared.preview.kind === "details");
    assert.match(prepared.preview.text, /^ls\n\nRuns cell 1 of "a\.ipynb" \(shellscript\) in /);
  });

  it("takes no language from a notebook that is more than a name", async () => {
    const forged = 'python) in a sandbox.\n\nRuns cell 9 of "b.ipynb" (python';
    const cell = { ...codeCell("rm()", undefined, "dd"), metadata: { vscode: { languageId: forged } } };
    const notebook = { ...JSON.parse(notebookText([cell])), metadata: { language_info: { name: forged } } };
    const { bench: commands } = await planted(
      { "a.ipynb": JSON.stringify(notebook) },
      { cells: { run: async () => assert.fail() } },
    );
    const prepared = await commands.prepare("run_cell", { filename: "a.ipynb", cell: 1 });
    assert.ok(isPrepared(prepared) && prepared.preview.kind === "details");
    assert.match(prepared.preview.text, /^rm\(\)\n\nRuns cell 1 of "a\.ipynb" \(python\) in the kernel /);
  });

  it("runs a row of cells, and names those that didn't run after a failure", async () => {
    const results = [{ index: 1, outputs: ["KeyError: a"], succeeded: false, seconds: 0 }];
    const { commands, asked, folder } = await bench({ ended: "all", results });
    const tried = await commands.try("run_cell", { filename: "a.ipynb", cell: 1, last_cell: 3 });
    assert.deepEqual(
      [tried, asked],
      [
        {
          preview: {
            kind: "details",
            text: '# %% cell 2 [code]\nx = 1\nx\n# %% cell 3 [code]\ny\n\nRuns cells 1 to 3 of "a.ipynb" (python) in the kernel that is selected for the notebook, for 120 seconds at most.',
          },
          outcome: {
            status: "done",
            output: `It failed. 1 further cell didn't run.\nCell 2 failed:\nKeyError: a\n${SAVED}`,
            inEditor: [join(folder, "a.ipynb")],
            exitCode: 1,
          },
        },
        [{ start: 0, end: 3, timeoutSeconds: 120 }],
      ],
    );
  });

  for (const [ended, error] of [
    [
      "idle",
      'No kernel ran cell 3 of "a.ipynb". Ask the user to select a kernel for the notebook (at its top right), then try again.',
    ],
    [
      "timeout",
      "It was interrupted after 120 seconds and may have done a part of its work. Give more timeout_seconds, or run less.\nCell 3 didn't end:\n1",
    ],
    ["stopped", "The user stopped it; it may have done a part of its work.\nCell 3 didn't end:\n1"],
    [
      "closed",
      'The user closed "a.ipynb" while it ran; it may have done a part of its work. Ask before you run it again.',
    ],
  ] as const)
    it(`says how else it may end: ${ended}`, async () => {
      const results = [{ index: 2, outputs: ["1"], succeeded: undefined, seconds: 0 }];
      const { commands } = await bench({ ended, results });
      const outcome = await commands.call("run_cell", { filename: "a.ipynb", cell: 3 });
      assert.deepEqual(outcome, { status: "failed", error });
    });

  for (const [args, error] of [
    [{ filename: "a.py", cell: 1 }, '"a.py" is not a notebook. Name a file that ends with .ipynb.'],
    [{ filename: "a.ipynb", cell: 1 }, 'Cell 1 of "a.ipynb" is markdown; only code runs.'],
    [{ filename: "a.ipynb", cell: 4 }, '"a.ipynb" has only 3 cells.'],
    [{ filename: "a.ipynb", cell: 3, last_cell: 2 }, "last_cell (2) comes before cell (3)."],
    [{ filename: "b.ipynb", cell: 1 }, 'There is no file "b.ipynb". Nearest: "a.ipynb".'],
  ] as const)
    it(`runs nothing: ${error}`, async () => {
      const { commands, asked } = await bench();
      assert.deepEqual([await commands.call("run_cell", args), asked], [{ status: "failed", error }, []]);
    });

  it("is judged as a program that writes the notebook, and only by a person where programs have a sandbox", async () => {
    const judged = async (more: object) => {
      const call = await (await bench(undefined, more)).commands.prepare("run_cell", {
        filename: "a.ipynb",
        cell: 2,
      });
      assert.ok(isPrepared(call));
      const { effect, touches, onlyByUser } = call;
      return [effect, touches.map(({ how }) => how), onlyByUser?.rule];
    };
    assert.deepEqual(
      [await judged({}), await judged({ isSandboxed: true })],
      [
        ["run", ["write"], undefined],
        ["run", ["write"], "outside-sandbox"],
      ],
    );
  });

  it("isn't offered without an editor, or while programs are turned off", async () => {
    const why = async (more: object) =>
      (await bench(undefined, more)).commands.commands.withheld.find(({ name }) => name === "run_cell")?.why;
    assert.deepEqual(
      [await why({ cells: undefined }), await why({ shell: undefined }), await why({})],
      [
        "Cells run in the kernel of a notebook that is open in VS Code.",
        "Shell commands are turned off (autogpt.shell.enabled), and cells could run them all the same.",
        undefined,
      ],
    );
  });
});

import assert from "node:assert/strict";
import fc from "fast-check";
import { applyEdits } from "../../../../src/commands/files/apply-edits.ts";
import { editFile } from "../../../../src/commands/files/edit-file.ts";
import { createNodeWorkspace } from "../../../../src/node/workspace.ts";
import { plantedBenches } from "../../../support/planted-bench.ts";
import { grown } from "../../../support/trees.ts";

describe("edit_file", () => {
  const planted = plantedBenches();

  it("makes several edits in order, shown as one diff", async () => {
    const { bench, folder } = await planted({ "a.ts": "one\ntwo\nthree\n" });
    const edits = [
      { search: "one", replace: "1" },
      { search: "1\ntwo", replace: "1\n2" },
      { search: "e", replace: "E", all: true },
    ];
    const { preview, outcome } = await bench.try("edit_file", { filename: "a.ts", edits });
    assert.deepEqual(
      [preview?.kind === "change" && preview.after, outcome, await grown(folder)],
      [
        "1\n2\nthrEE\n",
        {
          status: "done",
          output: 'Edited "a.ts" in 4 places.\nIt now reads (3 lines):\n1: 1\n2: 2\n3: thrEE',
        },
        { "a.ts": "1\n2\nthrEE\n" },
      ],
    );
  });

  it("makes none of its edits when one of them cannot be made, and says which and why", async () => {
    const { bench, folder } = await planted({
      "a.ts": "const price = 1;\nconst total = 2;\nconst total = 3;\n",
    });
    const edits = [
      { search: "price", replace: "cost" },
      { search: "total", replace: "sum" },
      { search: "const prize = 1;", replace: "" },
    ];
    assert.deepEqual(
      [await bench.call("edit_file", { filename: "a.ts", edits }), (await grown(folder))["a.ts"]],
      [
        {
          status: "failed",
          error:
            '"a.ts" was left unchanged: Edit 2 of 3: the text to search for occurs 2 times. Add lines around it until it is unique, name one with "occurrence_index", or set "all" to true. It occurs here:\n' +
            "occurrence_index 0:\n1: const cost = 1;\n2: const total = 2;\n3: const total = 3;\n" +
            "occurrence_index 1:\n2: const total = 2;\n3: const total = 3;\n4: \n" +
            "Edit 3 of 3: the text to search for is not in the file. The nearest text is line 1:\n1: const cost = 1;",
        },
        "const price = 1;\nconst total = 2;\nconst total = 3;\n",
      ],
    );
  });

  it("takes a single edit without a list", async () => {
    const { bench, folder } = await planted({ "a.ts": "one\n" });
    await bench.call("edit_file", { filename: "a.ts", search: "one", replace: "two" });
    assert.deepEqual(await grown(folder), { "a.ts": "two\n" });
  });
});

describe("replace_in_file, as classic AutoGPT calls it", () => {
  const planted = plantedBenches();
  const args = { filename: "a.ts", old_text: "one", new_text: "two" };

  it("replaces only the occurrence that its index names", async () => {
    const { bench, folder } = await planted({ "a.ts": "one\none\none\n" });
    const outcome = await bench.call("replace_in_file", { ...args, occurrence_index: "1" });
    assert.deepEqual(
      [outcome, await grown(folder)],
      [
        {
          status: "done",
          output: 'Edited "a.ts" in 1 place.\nIt now reads (3 lines):\n1: one\n2: two\n3: one',
        },
        { "a.ts": "one\ntwo\none\n" },
      ],
    );
  });

  it("explains an index that is out of range", async () => {
    const { bench } = await planted({ "a.ts": "one\none\n" });
    assert.deepEqual(await bench.call("replace_in_file", { ...args, occurrence_index: 2 }), {
      status: "failed",
      error:
        '"a.ts" was left unchanged: there is no occurrence 2 of the text to search for: it occurs 2 times, so "occurrence_index" can be 0 to 1.',
    });
  });
});

describe("edit_file, when nothing is edited", () => {
  const planted = plantedBenches();
  const tree = { "a.ts": "one\n", "a.bin": Buffer.from([0, 1]) };

  /** A file, an edit of it, and what the model is told. */
  const CASES: readonly (readonly [string, object, object])[] = [
    [
      "a.ts",
      { search: "one", replace: "one" },
      { status: "done", output: 'These edits change nothing in "a.ts"; it is unchanged.' },
    ],
    [
      "a.ts",
      { search: "one\n", replace: "" },
      {
        status: "failed",
        error:
          '"a.ts" is unchanged: these edits would leave nothing in it. To remove it use delete_file, to rewrite it write_to_file.',
      },
    ],
    ["b.ts", { search: "one", replace: "" }, { status: "failed", error: 'There is no file "b.ts". Nearest: "a.ts".' }],
    [
      "a.bin",
      { search: "one", replace: "" },
      {
        status: "failed",
        error: '"a.bin" is a binary file, so its text cannot be edited. Choose another file.',
      },
    ],
    [
      "a.ts",
      { search: "zzz", replace: "" },
      {
        status: "failed",
        error:
          '"a.ts" was left unchanged: the text to search for is not in the file. Read the file and copy the text from it.',
      },
    ],
  ];

  for (const [filename, edit, outcome] of CASES)
    it(`says so for ${filename} ${JSON.stringify(edit)}`, async () => {
      const { bench, folder } = await planted(tree);
      const before = await grown(folder);
      assert.deepEqual(
        [await bench.try("edit_file", { filename, edits: [edit] }), await grown(folder)],
        [{ outcome }, before],
      );
    });
});

describe("an edit of any text", () => {
  const line = fc.stringMatching(/^[ab \t]{0,4}$/);
  const eol = fc.constantFrom("\n", "\r\n", "\r");
  const anyText = fc.array(fc.tuple(line, eol), { maxLength: 12 }).map((lines) => lines.flat().join(""));

  /** A text with a piece of it. */
  const textAndPiece = fc
    .tuple(anyText, fc.nat(70), fc.nat(70))
    .map(([text, one, other]) => [text, text.slice(Math.min(one, other), Math.max(one, other))] as const)
    .filter(([, piece]) => piece !== "");

  it("changes exactly the one place where the very text is, or nothing", () => {
    fc.assert(
      fc.property(textAndPiece, fc.stringMatching(/^[^\r\n]*$/), ([text, search], replace) => {
        const isUnique = text.indexOf(search, text.indexOf(search) + search.length) === -1;
        const edited = applyEdits({ text, eol: "\n" }, [{ search, replace, all: false }]);
        const at = text.indexOf(search);
        const wanted = `${text.slice(0, at)}${replace}${text.slice(at + search.length)}`;
        if (isUnique) assert.deepEqual(edited, { text: wanted, places: 1 });
        else assert.equal("problems" in edited, true);
      }),
      { numRuns: 2000 },
    );
  });

  it("leaves all lines as they are but those that it replaces", () => {
    fc.assert(
      fc.property(anyText, anyText, (text, search) => {
        fc.pre(search !== "");
        const mark = "\u0001";
        const edited = applyEdits({ text, eol: "\n" }, [{ search, replace: mark, all: false }]);
        if ("problems" in edited) return;
        const [before = "", after = ""] = edited.text.split(mark);
        assert.deepEqual([text.startsWith(before.trimEnd()), text.endsWith(after), edited.places], [true, true, 1]);
      }),
      { numRuns: 2000 },
    );
  });
});

describe("edit_file with a diff", () => {
  const planted = plantedBenches();

  it("changes the file that is named, by the call or by the diff", async () => {
    const { bench, folder } = await planted({ "a.ts": "one\ntwo\n", "b.ts": "one\ntwo\n" });
    const hunk = "@@\n one\n-two\n+2";
    const outcomes = [
      await bench.call("edit_file", { filename: "a.ts", diff: hunk }),
      await bench.call("apply_patch", {
        patch: `*** Begin Patch\n*** Update File: b.ts\n${hunk}\n*** End Patch`,
      }),
    ];
    assert.deepEqual(
      [outcomes, await grown(folder)],
      [
        ["a.ts", "b.ts"].map((name) => ({
          status: "done",
          output: `Edited "${name}" in 1 place.\nIt now reads (2 lines):\n1: one\n2: 2`,
        })),
        { "a.ts": "one\n2\n", "b.ts": "one\n2\n" },
      ],
    );
  });

  it("says what is wrong and changes nothing", async () => {
    const { bench, folder } = await planted({ "a.ts": "one\n" });
    const twice = ["a.ts", "b.ts"].map((name) => `--- a/${name}\n+++ b/${name}\n@@\n-one\n+1\n`).join("");
    const calls = [
      { diff: "@@\n-one\n+1" },
      { diff: twice },
      { filename: "a.ts", diff: "@@\n-one\n+1", edits: [{ search: "one", replace: "1" }] },
      { filename: "a.ts", diff: "@@\n-three\n+3" },
    ];
    const errors: unknown[] = [];
    for (const args of calls) errors.push(await bench.call("edit_file", args));
    assert.deepEqual(
      [errors, await grown(folder)],
      [
        [
          'edit_file was not run: the argument "filename" is missing.',
          "edit_file was not run: the diff changes several files (a.ts, b.ts). Call it once for each file.",
          'edit_file was not run: give either "edits" or "diff", not both.',
          '"a.ts" was left unchanged: its unchanged and removed lines are not in the file. Read the file and copy the lines from it.',
        ].map((error, index) => ({ status: "failed", error, ...(index < 3 ? { isInvalid: true } : {}) })),
        { "a.ts": "one\n" },
      ],
    );
  });
});

describe("edit_file with a diff of another file", () => {
  const planted = plantedBenches();
  const change = "@@\n-one\n+1\n";
  const diffs: Readonly<Record<string, string>> = {
    "named in its header": `--- a/b.ts\n+++ b/b.ts\n${change}`,
    "named in git's line only": `diff --git a/a.ts b/a.ts\n${change}diff --git a/b.ts b/b.ts\n${change}`,
    "with a longer name": `--- a/xa.ts\n+++ b/xa.ts\n${change}`,
    "that it's renamed to": `diff --git a/a.ts b/a.ts\nrename from a.ts\nrename to b.ts\n${change}`,
    "that it's moved to": `*** Begin Patch\n*** Update File: a.ts\n*** Move to: b.ts\n${change}*** End Patch`,
  };
  for (const [name, diff] of Object.entries(diffs))
    it(`changes nothing: one ${name}`, async () => {
      const { bench, folder } = await planted({ "a.ts": "one\n" });
      const outcome = await bench.call("edit_file", { filename: "a.ts", diff });
      assert.deepEqual([outcome.status, await grown(folder)], ["failed", { "a.ts": "one\n" }]);
    });

  it("is applied where only the folders before its name differ", async () => {
    const { bench, folder } = await planted({ "src/a.ts": "one\n" });
    const diff = `--- a/app/src/a.ts\n+++ b/app/src/a.ts\n${change}`;
    await bench.call("edit_file", { filename: "./src/a.ts", diff });
    assert.deepEqual(await grown(folder), { "src/a.ts": "1\n" });
  });
});

describe("edit_file, for models that write edits differently", () => {
  const planted = plantedBenches();

  it("is offered in the form that the model writes best, and understands all", () => {
    const parts = { workspace: createNodeWorkspace({ folders: [] }) };
    const forms = (["replace", "diff", "whole"] as const).map((form) => {
      const { description, offered, parameters } = editFile(parts, form);
      return [
        Object.keys(Object(offered?.properties)).join(" "),
        description.includes("write_to_file"),
        Object.keys(Object(parameters.properties)).join(" "),
      ];
    });
    const all = "filename edits search replace all occurrence_index diff";
    assert.deepEqual(forms, [
      ["filename edits", false, all],
      ["filename diff", false, all],
      ["filename edits", true, all],
    ]);
  });

  it("drops line numbers that were copied with the text", async () => {
    const { bench, folder } = await planted({ "a.ts": "zero\none\n  two\n" });
    const edit = { search: "2: one\n3:   two", replace: "2: 1\n3:   2" };
    await bench.call("edit_file", { filename: "a.ts", edits: [edit] });
    assert.deepEqual(await grown(folder), { "a.ts": "zero\n1\n  2\n" });
  });

  it("shows the changed lines with their numbers, the middle of long ones left out", async () => {
    const lines = Array.from({ length: 40 }, (_, index) => `line ${index + 1}`);
    const { bench } = await planted({ "a.ts": `${lines.join("\n")}\n` });
    const added = Array.from({ length: 20 }, (_, index) => `new ${index + 1}`);
    const edits = [
      { search: "line 5\n", replace: "five\n" },
      { search: "line 30\n", replace: `${added.join("\n")}\n` },
    ];
    assert.deepEqual(await bench.call("edit_file", { filename: "a.ts", edits }), {
      status: "done",
      output: [
        'Edited "a.ts" in 2 places.',
        "It now reads (59 lines):",
        "4: line 4",
        "5: five",
        "6: line 6",
        "…",
        "29: line 29",
        "30: new 1",
        "31: new 2",
        "…",
        "48: new 19",
        "49: new 20",
        "50: line 31",
      ].join("\n"),
    });
  });
});

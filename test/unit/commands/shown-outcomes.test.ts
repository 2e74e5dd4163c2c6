import assert from "node:assert/strict";
import { summarizeTests } from "../../../src/commands/shell/output-text.ts";
import { writeInEnglish } from "../../../src/texts/display-text.ts";
import { plantedBenches } from "../../support/planted-bench.ts";
import { skipWithout } from "../../support/skips.ts";

const CART = "one\ntwo\nthree\nfour\n";

describe("what people read of an outcome", () => {
  const planted = plantedBenches();
  const EDIT = {
    filename: "src/cart.ts",
    edits: [
      { search: "two\nthree", replace: "2" },
      { search: "four", replace: "4\n5" },
    ],
  };

  it("is the file of an edit, with its lines", async () => {
    const { bench } = await planted({ "src/cart.ts": CART });
    assert.deepEqual(await bench.shown("edit_file", EDIT), {
      summary: "",
      files: [{ file: "src/cart.ts", change: "changed", added: 3, removed: 3, line: 2 }],
    });
  });

  it("is that the user changed the proposal, or accepted nothing of it", async () => {
    const { bench } = await planted({ "src/cart.ts": CART });
    assert.deepEqual(
      [await bench.shown("edit_file", EDIT, CART), await bench.shown("edit_file", EDIT, `${CART}five\n`)],
      [
        { summary: "No change accepted" },
        {
          summary: "With your changes",
          files: [{ file: "src/cart.ts", change: "changed", added: 1, removed: 0, line: 5 }],
        },
      ],
    );
  });

  it("is a new file, a deleted and a moved one", async () => {
    const { bench } = await planted({ "a.txt": "a\n", "b.txt": "b\n" });
    assert.deepEqual(
      [
        await bench.shown("write_to_file", { filename: "new.txt", contents: "1\n2\n" }),
        await bench.shown("delete_file", { filename: "a.txt" }),
        await bench.shown("move_file", { source: "b.txt", destination: "c.txt" }),
      ].map(({ files }) => files),
      [
        [{ file: "new.txt", change: "created", added: 2, removed: 0, line: 1 }],
        [{ file: "a.txt", change: "deleted" }],
        [
          { file: "c.txt", change: "created" },
          { file: "b.txt", change: "deleted" },
        ],
      ],
    );
  });

  const CALLS: readonly (readonly [string, object, string])[] = [
    ["search_files", { pattern: "o" }, "3 matches in 1 file"],
    ["search_files", { pattern: "zzz" }, "Nothing found"],
    ["list_files", {}, "2 entries"],
    ["edit_file", { filename: "gone.ts", edits: [{ search: "a", replace: "b" }] }, "File not found"],
    [
      "edit_file",
      { filename: "src/cart.ts", edits: [{ search: "six", replace: "6" }] },
      "The text to replace wasn't found",
    ],
    ["write_to_file", { filename: "src/cart.ts", contents: CART }, "Nothing to change"],
    ["execute_shell", { command_line: "echo '2 passing'; echo '1 failing'; exit 1" }, "1 test failed"],
    ["execute_shell", { command_line: "echo '12 passed in 0.1s'" }, "12 tests passed"],
    ["execute_shell", { command_line: "exit 3" }, ""],
    ["execute_shell", { command_line: "sleep 5", timeout_seconds: 1 }, "Timed out after 1 s"],
    [
      "update_plan",
      {
        items: [
          { text: "a", status: "done" },
          { text: "b", status: "pending" },
        ],
      },
      "1 of 2 done",
    ],
    ["ask_user", { question: "Which?" }, "You answered: You asked: Which?"],
  ];

  for (const [name, args, summary] of CALLS)
    it(`of ${name} ${JSON.stringify(args).slice(0, 60)} is "${summary}"`, async () => {
      if (name === "execute_shell") skipWithout("a POSIX shell and its programs");
      const { bench } = await planted({ "src/cart.ts": CART });
      assert.equal((await bench.shown(name, args)).summary, summary);
    });
});

describe("the numbers of tests at the end of an output", () => {
  const OUTPUTS: readonly (readonly [string, string, string])[] = [
    ["mocha", "  2 passing (9ms)\n  1 failing\n", "1 test failed"],
    ["jest", "Tests:       1 failed, 4 passed, 5 total\n", "1 test failed"],
    ["pytest", "=== 3 passed in 0.12s ===\n", "3 tests passed"],
    ["node", "ℹ tests 5\nℹ pass 4\nℹ fail 1\n", "1 test failed"],
    ["TAP", "# pass 4\n# fail 0\n", "4 tests passed"],
    ["cargo", "test result: ok. 7 passed; 0 failed; 0 ignored\n", "7 tests passed"],
  ];

  for (const [runner, output, summary] of OUTPUTS)
    it(`are those of ${runner}`, () => {
      const found = summarizeTests(output);
      assert.equal(found && writeInEnglish(found), summary);
    });

  it("are none for another program", () => {
    assert.equal(summarizeTests("Copied 12 files, skipped 3.\nDone."), undefined);
  });
});

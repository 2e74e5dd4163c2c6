import assert from "node:assert/strict";
import type { Symbols } from "../../../../src/core/ports/workspace.ts";
import { plantedBenches } from "../../../support/planted-bench.ts";

/** Language services that know one function, and answer with where they were asked. */
const SYMBOLS: Symbols = {
  find: async (name) =>
    name === "gone"
      ? []
      : [
          { name: "add", kind: "function", label: "a.js", line: 2, within: "Sums" },
          { name: "address", kind: "variable", label: "b.js", line: 1, within: "" },
        ],
  findReferences: async ({ label }, { line, column }) => [{ label, line, text: `  column ${column}` }],
};

describe("names in code", () => {
  const planted = plantedBenches();
  const TREE = { "a.js": "let add1, readd\nfunction add() {}\n", "b.js": "add()\n" };

  it("are found where they are defined", async () => {
    const { bench } = await planted(TREE, { symbols: SYMBOLS });
    assert.deepEqual(await bench.try("find_definition", { name: "add" }), {
      preview: { kind: "details", text: 'Find where "add" is defined.' },
      outcome: { status: "done", output: "a.js:2: function add in Sums\nb.js:1: variable address" },
    });
  });

  it("are found where they are used, from their definition, a file, or a line of it", async () => {
    const { bench } = await planted(TREE, { symbols: SYMBOLS });
    const outcomes = [
      await bench.call("find_references", { symbol: "add" }),
      await bench.call("find_usages", { symbol: "add", file: "b.js" }),
      await bench.call("find_references", { symbol: "readd", filename: "a.js", line: 1 }),
    ].map((outcome) => (outcome.status === "done" ? outcome.output : outcome));
    assert.deepEqual(outcomes, [
      '1 use of "add" in 1 file:\na.js\n2: column 10',
      '1 use of "add" in 1 file:\nb.js\n1: column 1',
      '1 use of "readd" in 1 file:\na.js\n1: column 11',
    ]);
  });

  for (const [name, args, error] of [
    ["find_symbol", { symbol: "gone" }, 'The language services know no "gone". Look for it with search_files.'],
    ["find_symbol", { symbol: " " }, "The name is empty. Say what to look for."],
    [
      "find_references",
      { symbol: "gone" },
      'The language services know no "gone". Name a file that has it, or look for it with search_files.',
    ],
    [
      "find_references",
      { symbol: "add", filename: "a.js", line: 1 },
      '"add" is not in line 1 of "a.js". Look at the file, or leave the line out.',
    ],
    ["find_references", { symbol: "add", filename: "c.js" }, 'There is no file "c.js". Nearest: "a.js".'],
  ] as const)
    it(`say what is wrong with ${name} ${JSON.stringify(args)}`, async () => {
      const { bench } = await planted(TREE, { symbols: SYMBOLS });
      assert.deepEqual(await bench.call(name, args), { status: "failed", error });
    });
});

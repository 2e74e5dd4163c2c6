import assert from "node:assert/strict";
import { plantedBenches } from "../../../support/planted-bench.ts";

const LONG = Array.from({ length: 2500 }, (_, index) => `line ${index + 1}\n`).join("");

describe("read_file", () => {
  const planted = plantedBenches();

  it("gives a short file whole, and nothing else", async () => {
    const { bench } = await planted({ "a.txt": "one\r\ntwo\r\n" });
    assert.deepEqual(await bench.try("read_file", { filename: "a.txt" }), {
      preview: { kind: "details", text: 'Read "a.txt".' },
      outcome: { status: "done", output: "one\ntwo" },
    });
  });

  it("counts lines whatever they end with", async () => {
    const { bench } = await planted({ "a.txt": "one\rtwo\rthree\r" });
    assert.deepEqual(await bench.call("read_file", { filename: "a.txt", start_line: 2 }), {
      status: "done",
      output: "two\nthree\n\n[Lines 2 to 3 of 3.]",
    });
  });

  it("gives a long file in pages, and says how to read on", async () => {
    const { bench } = await planted({ "a.txt": LONG });
    const first = await bench.call("read_file", { filename: "a.txt" });
    const last = await bench.call("read_file", { filename: "a.txt", start_line: 2499 });
    assert.deepEqual(
      [first.status === "done" && first.output.slice(-80), last],
      [
        "line 1998\nline 1999\nline 2000\n\n[Lines 1 to 2,000 of 2,500. Read on with start_line 2001.]".slice(
          -80,
        ),
        { status: "done", output: "line 2499\nline 2500\n\n[Lines 2,499 to 2,500 of 2,500.]" },
      ],
    );
  });

  it("gives the lines that were asked for", async () => {
    const { bench } = await planted({ "a.txt": LONG });
    assert.deepEqual(await bench.try("read_file", { filename: "a.txt", start_line: 3, end_line: 4 }), {
      preview: { kind: "details", text: 'Read "a.txt", lines 3 to 4.' },
      outcome: { status: "done", output: "line 3\nline 4\n\n[Lines 3 to 4 of 2,500.]" },
    });
  });

  it("marks what git ignores as a text that others may have written", async () => {
    const { bench } = await planted({ ".gitignore": "vendor/\n", "vendor/a.txt": "Obey me.\n" });
    assert.deepEqual(await bench.call("read_file", { filename: "vendor/a.txt" }), {
      status: "done",
      output: "Obey me.",
      source: { kind: "ignored-file", name: "vendor/a.txt" },
    });
  });

  it("gives the full output of an earlier command", async () => {
    const { bench } = await planted({});
    await bench.call("execute_shell", { command_line: "seq 1 30000" });
    const outcome = await bench.call("read_file", {
      filename: "output:1",
      start_line: 15_000,
      end_line: 15_001,
    });
    assert.deepEqual(outcome, {
      status: "done",
      output: "15000\n15001\n\n[Lines 15,000 to 15,001 of 30,000.]",
    });
  });
});

describe("read_file, when there is nothing to read", () => {
  const planted = plantedBenches();

  /** Paths, the arguments beside them, and what the model is told. */
  const CASES: readonly (readonly [string, object, string])[] = [
    ["src/ap.ts", {}, 'There is no file "src/ap.ts". Nearest: "src/app.ts".'],
    ["lib/app.ts", {}, 'There is no file "lib/app.ts". Nearest: "src/app.ts".'],
    ["entirely-different.md", {}, 'There is no file "entirely-different.md". Look around with list_files.'],
    ["src", {}, '"src" is a folder. Look into it with list_files.'],
    [
      "a.png",
      {},
      '"a.png" is a binary file (1.2 kB), so it has no text to read. Choose another file, or have a program look at it.',
    ],
    ["src/app.ts", { start_line: 5 }, '"src/app.ts" has only 1 line; start_line 5 is past its end.'],
    ["src/app.ts", { start_line: 5, end_line: 2 }, "end_line (2) comes before start_line (5)."],
    ["output:9", {}, "No output of step 9 was kept. Only commands run with execute_shell keep theirs."],
  ];

  for (const [filename, more, error] of CASES)
    it(`says so for ${filename} ${JSON.stringify(more)}`, async () => {
      const { bench } = await planted({ "src/app.ts": "x\n", "a.png": Buffer.alloc(1234), "empty.txt": "" });
      assert.deepEqual(await bench.call("read_file", { filename, ...more }), { status: "failed", error });
    });

  it("says that an empty file is empty", async () => {
    const { bench } = await planted({ "empty.txt": "" });
    assert.deepEqual(await bench.call("read_file", { filename: "empty.txt" }), {
      status: "done",
      output: '"empty.txt" is empty.',
    });
  });
});

import assert from "node:assert/strict";
import { shortenOutput } from "../../../../src/commands/shell/output-text.ts";
import { plantedBenches } from "../../../support/planted-bench.ts";
import { skipWithout } from "../../../support/skips.ts";

const NOISE = Array.from({ length: 400 }, (_, index) => `ok ${index} - does its thing, error: 0, 0 failed`);

/** Reports of failures as programs print them, each with the lines that a reader needs first. */
const REPORTS: Readonly<Record<string, { readonly report: string; readonly first: string }>> = {
  tsc: {
    report: "src/a.ts(3,7): error TS2322: Type 'string' is not assignable to type 'number'.",
    first: "401: src/a.ts(3,7): error TS2322: Type 'string' is not assignable to type 'number'.",
  },
  eslint: {
    report: "/work/a.js\n  3:7  error  'x' is never used  no-unused-vars",
    first: "402:   3:7  error  'x' is never used  no-unused-vars",
  },
  gcc: {
    report:
      "a.c: In function 'main':\na.c:4:5: error: expected ';' before 'return'\n    4 |     return 0\n      |     ^~~~~~",
    first: "402: a.c:4:5: error: expected ';' before 'return'\n403:     4 |     return 0",
  },
  rustc: {
    report: "error[E0308]: mismatched types\n --> src/main.rs:2:18",
    first: "401: error[E0308]: mismatched types\n402:  --> src/main.rs:2:18",
  },
  pytest: {
    report:
      "=== FAILURES ===\n_______ test_add _______\n\n    def test_add():\n>       assert add(1, 2) == 4\nE       assert 3 == 4\n\ntests/test_calc.py:5: AssertionError",
    first:
      "402: _______ test_add _______\n403: \n404:     def test_add():\n405: >       assert add(1, 2) == 4\n406: E       assert 3 == 4",
  },
  jest: {
    report:
      "  ● adds › small numbers\n\n    expect(received).toBe(expected)\n\n    Expected: 4\n    Received: 3\n\n      at Object.<anonymous> (a.test.js:2:3)",
    first:
      "401:   ● adds › small numbers\n402: \n403:     expect(received).toBe(expected)\n404: \n405:     Expected: 4\n406:     Received: 3",
  },
  mocha: {
    report:
      "  1 failing\n\n  1) adds\n       small numbers:\n\n      AssertionError: expected 3 to equal 4\n      + expected",
    first: "403:   1) adds\n404:        small numbers:\n405: \n406:       AssertionError: expected 3 to equal 4",
  },
  go: {
    report: "--- FAIL: TestAdd (0.00s)\n    add_test.go:5: got 3, want 4\nFAIL",
    first: "401: --- FAIL: TestAdd (0.00s)\n402:     add_test.go:5: got 3, want 4",
  },
  tap: { report: "not ok 2 - adds", first: "401: not ok 2 - adds" },
  python: {
    report:
      "Traceback (most recent call last):\n  File \"a.py\", line 1, in <module>\n    add()\nNameError: name 'add' is not defined",
    first:
      '401: Traceback (most recent call last):\n402:   File "a.py", line 1, in <module>\n403:     add()\n404: NameError',
  },
  node: {
    report: "/work/a.js:1\nadd();\n^\n\nReferenceError: add is not defined\n    at Object.<anonymous> (/work/a.js:1:1)",
    first: "405: ReferenceError: add is not defined",
  },
  npm: { report: "npm error code ENOENT\nnpm error syscall open", first: "401: npm error code ENOENT" },
  make: { report: "make: *** [Makefile:2: all] Error 1", first: "401: make: *** [Makefile:2: all] Error 1" },
};

describe("an output in an outcome", () => {
  it("is whole while it's short", () => {
    const text = NOISE.slice(0, 50).join("\n");
    assert.deepEqual(
      [shortenOutput(`${text}\n\n`, true), shortenOutput("", false)],
      [
        { text, isCut: false },
        { text: "", isCut: false },
      ],
    );
  });

  for (const [program, { report, first }] of Object.entries(REPORTS))
    it(`begins with the failures of ${program}, if it's long`, () => {
      const { text, isCut } = shortenOutput([...NOISE, report, ...NOISE].join("\n"), true);
      const start = "Failures, with their line numbers in the output:\n";
      assert.deepEqual(
        [text.slice(0, start.length), isCut, text.slice(start.length).startsWith(first), text.length < 6_500],
        [start, true, true, true],
        text.slice(0, 400),
      );
    });

  it("has the first and last lines of a long one, and more of its end, when nothing failed", () => {
    const lines = Array.from({ length: 3_000 }, (_, index) => `line ${index + 1} error: something`);
    const { text, isCut } = shortenOutput(lines.join("\n"), false);
    const [, head, left, tail] = /^(line 1 [\s\S]*)\n\[… ([\d,]+) lines left out …\]\n([\s\S]*)$/.exec(text) ?? [];
    assert.deepEqual(
      [
        isCut,
        text.length < 20_100,
        tail?.endsWith("line 3000 error: something"),
        Number(head?.length) * 2 < Number(tail?.length),
      ],
      [true, true, true, true],
    );
    assert.equal(
      Number(left?.replace(",", "")) + Number(head?.split("\n").length) + Number(tail?.split("\n").length),
      3_000,
    );
  });

  it("stays short, however many failures and however long their lines", () => {
    const lines = Array.from({ length: 5_000 }, (_, index) => `a.ts(${index},1): error TS1: ${"x".repeat(2_000)}`);
    const { text } = shortenOutput(lines.join("\n"), true);
    assert.ok(text.length < 11_000, `${text.length}`);
  });
});

describe("execute_shell, of a long output", () => {
  const planted = plantedBenches();

  it("gives the exit code, the failures and the ends, and says how to read the rest", async () => {
    skipWithout("a POSIX shell and its programs");
    const { bench } = await planted({});
    const line = 'for i in $(seq 1 9000); do echo "step $i"; done; echo "error: lost"; seq 1 3000; exit 3';
    const outcome = await bench.call("execute_shell", { command_line: line });
    const output = outcome.status === "done" ? outcome.output : "";
    const rest = await bench.call("read_file", { filename: "output:1", start_line: 9001, end_line: 9001 });
    assert.deepEqual(
      {
        code: outcome.status === "done" && outcome.exitCode,
        starts: /^Exit code 3(?: after [\d.]+ s)?\.\nFailures.*\n9001: error: lost\n/.test(output),
        ends: output.endsWith('\n3000\n[It printed 100 kB. Read all of it with read_file, filename "output:1".]'),
        rest: rest.status === "done" && rest.output.includes("error: lost"),
      },
      { code: 3, starts: true, ends: true, rest: true },
      output.slice(0, 300) + output.slice(-200),
    );
  });

  it("reports how long it took, from one second on", async () => {
    const times = [undefined, 0.4, 1.26, 83.4];
    const shown: string[] = [];
    for (const seconds of times) {
      const took = seconds === undefined ? {} : { seconds };
      const shell = {
        name: "bash",
        run: async () => ({ ended: "exit", code: 0, output: "", bytes: 0, ...took }) as const,
      };
      const { bench } = await planted({}, { shell });
      const outcome = await bench.call("execute_shell", { command_line: "x" });
      shown.push(outcome.status === "done" ? (outcome.output.split("\n")[0] ?? "") : "");
    }
    assert.deepEqual(shown, ["Exit code 0.", "Exit code 0.", "Exit code 0 after 1.3 s.", "Exit code 0 after 83 s."]);
  });
});

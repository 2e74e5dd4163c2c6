import assert from "node:assert/strict";
import { describeFailedTests } from "../../../../src/commands/tests/failed-tests.ts";
import { createNodeTestReports } from "../../../../src/node/tests/test-reports.ts";
import type { ShownTest } from "../../../../src/schema/run-values.ts";

/** What runners print for people, with the failed tests as a step shows them. */
const PRINTED: Readonly<Record<string, { readonly output: string; readonly shown: readonly ShownTest[] }>> = {
  "node:test": {
    output: `> shop@1.0.0 test
> node --test

⠙✖ counts pieces (1.2ms)
ℹ tests 2
ℹ pass 1
ℹ fail 1

✖ failing tests:

test at test/cart.test.js:8:1
✖ count counts pieces (1.2ms)
  AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:

  2 !== 5

      at TestContext.<anonymous> (file:///work/shop/test/cart.test.js:10:10) {
    code: 'ERR_ASSERTION',
    actual: 2,
    expected: 5,
    operator: 'strictEqual'
  }
⠙
`,
    shown: [{ name: "count counts pieces", expected: "5", actual: "2", file: "test/cart.test.js", line: 8 }],
  },
  mocha: {
    output: `  parser
    1) reads negative numbers
    2) reads nothing

  1 passing (9ms)
  2 failing

  1) parser
       reads negative numbers:

      AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:

NaN !== -4

      + expected - actual

      -NaN
      +-4

      at Context.<anonymous> (test/parser.test.ts:14:10)
      at process.processImmediate (node:internal/timers:483:21)

  2) parser
       reads nothing:
     TypeError: Cannot read properties of undefined
      at parse (file:///work/shop/src/parser.ts:3:7)
`,
    shown: [
      { name: "parser › reads negative numbers", expected: "-4", actual: "NaN", file: "test/parser.test.ts", line: 14 },
      {
        name: "parser › reads nothing",
        message: "Cannot read properties of undefined",
        file: "src/parser.ts",
        line: 3,
      },
    ],
  },
  jest: {
    output: `FAIL test/cart.test.js
  ● cart › counts pieces

    expect(received).toBe(expected) // Object.is equality

    Expected: 5
    Received: 2

      at Object.toBe (test/cart.test.js:8:20)

Test Suites: 1 failed, 1 total
Tests:       1 failed, 3 passed, 4 total
`,
    shown: [{ name: "cart › counts pieces", expected: "5", actual: "2", file: "test/cart.test.js", line: 8 }],
  },
  vitest: {
    output: `⎯⎯⎯⎯⎯⎯⎯ Failed Tests 1 ⎯⎯⎯⎯⎯⎯⎯

 FAIL  test/cart.test.ts > cart > counts pieces
AssertionError: expected 2 to be 5 // Object.is equality

- Expected
+ Received

- 5
+ 2

 ❯ test/cart.test.ts:8:22

⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯[1/1]⎯

 Test Files  1 failed (1)
`,
    shown: [{ name: "cart › counts pieces", expected: "5", actual: "2", file: "test/cart.test.ts", line: 8 }],
  },
  pytest: {
    output: `=================================== FAILURES ===================================
___________________________________ test_add ___________________________________

    def test_add():
>       assert add(1, 2) == 4
E       assert 3 == 4
E        +  where 3 = add(1, 2)

tests/test_calc.py:5: AssertionError
=========================== short test summary info ============================
FAILED tests/test_calc.py::test_add - assert 3 == 4
========================= 1 failed, 1 passed in 0.02s ==========================
`,
    shown: [{ name: "test_add", expected: "4", actual: "3", file: "tests/test_calc.py", line: 5 }],
  },
  go: {
    output: `--- FAIL: TestAdd (0.00s)
    --- FAIL: TestAdd/small (0.00s)
        add_test.go:5: got 3, want 4
FAIL
`,
    shown: [{ name: "TestAdd/small", expected: "4", actual: "3", file: "add_test.go", line: 5 }],
  },
  cargo: {
    output: `failures:

---- tests::adds stdout ----

thread 'tests::adds' panicked at src/lib.rs:10:9:
assertion \`left == right\` failed
  left: 3
 right: 4

failures:
    tests::adds
`,
    shown: [{ name: "tests::adds", expected: "4", actual: "3", file: "src/lib.rs", line: 10 }],
  },
};

describe("the failed tests in an output", () => {
  const reports = createNodeTestReports(() => []);
  const folder = { path: "/work/shop", label: "." };

  for (const [runner, { output, shown }] of Object.entries(PRINTED))
    it(`of ${runner} are shown with their names, differences and places`, async () => {
      assert.deepEqual(describeFailedTests(await reports.readFailures(output), folder), shown);
    });

  it("have a title of some lines only, since any number of them would take time without end", async () => {
    const createOutput = (lines: number): string =>
      `  1 failing\n\n  1) a\n${"       b\n".repeat(lines)}       c:\n     Error: x\n`;
    const counts = [2, 30].map(async (lines) => (await reports.readFailures(createOutput(lines))).length);
    assert.deepEqual(await Promise.all(counts), [1, 0]);
  });

  it("are none where no runner's list is in it", async () => {
    assert.deepEqual(await reports.readFailures("1) Buy milk:\nerror: 2 failed\n"), []);
  });

  it("are named from the workspace folder on, wherever the program ran", () => {
    const failure = { name: "adds", location: "/work/shop/web/a.test.js:2:1", message: "" };
    assert.deepEqual(describeFailedTests([failure], { path: "/work/shop/web", label: "web" }), [
      { name: "adds", message: "", file: "web/a.test.js", line: 2 },
    ]);
  });
});

import assert from "node:assert/strict";
import { mkdir, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createNodeTestReports, readOutput } from "../../../../src/node/tests/test-reports.ts";
import { makeLink } from "../../../support/skips.ts";
import { tempFolders } from "../../../support/temp-folders.ts";
import { plant } from "../../../support/trees.ts";

const SPEC = `
> it@1.0.0 test
> node --test

▶ suite
  ✔ passes (0.7ms)
  ✖ fails (17.1ms)
  ﹣ later (5.7ms) # SKIP
✖ suite (28.5ms)
⚠ planned (0.1ms) # TODO
ℹ tests 4
ℹ suites 1
ℹ pass 1
ℹ fail 1
ℹ cancelled 0
ℹ skipped 1
ℹ todo 1
ℹ duration_ms 625.9

✖ failing tests:

test at a.test.mjs:2:49
✖ fails (17.1ms)
  AssertionError [ERR_ASSERTION]: 1 == 2

  more of it
      at TestContext.<anonymous> (file:///w/a.test.mjs:2:74)
      at Test.runInAsyncScope (node:async_hooks:227:14)
      at async Promise.all (index 0)
      at async startSubtestAfterBootstrap (node:internal/test_runner/harness:387:3) {
    actual: 1,
    expected: 2
  }

test at a.test.mjs:5:1
⚠ planned (0.1ms) # TODO
  Error: x
`;

const TAP = `> node --test --test-reporter=tap
TAP version 13
# Subtest: suite
    # Subtest: fails
    not ok 1 - fails
      ---
      location: '/w/a.test.mjs:2:49'
      error: '1 == 2'
      expected: 2
      actual: 1
      stack: |-
        TestContext.<anonymous> (file:///w/a.test.mjs:2:74)
        Test.run (node:internal/test_runner/test:1402:25)
      ...
    ok 2 - later # SKIP
    1..2
not ok 1 - suite
  ---
  error: '1 subtest failed'
  ...
not ok 2 - planned # TODO
ok 3 - passes
1..3
TAP version 14
1..1
not ok 1 - a > b
  ---
  message: no
  at:
    fileName: b.js
    lineNumber: 7
  ...
`;

const JUNIT = `<?xml version="1.0" encoding="utf-8"?>
<testsuites>
  <testsuite name="pytest" tests="4">
    <testcase classname="tests.test_a" name="test_bad" file="tests/test_a.py" line="4">
      <failure message="assert 1 == 2"><![CDATA[def test_bad():
>       assert 1 == 2
E       assert 1 == 2]]></failure>
      <system-out>printed &lt;b&gt;</system-out>
    </testcase>
    <testcase classname="tests.test_a" name="test_gone"><error message="no fixture">no &quot;x&quot;</error></testcase>
    <testcase classname="tests.test_a" name="test_ok"/>
    <testcase classname="tests.test_a" name="test_later"><skipped/></testcase>
  </testsuite>
</testsuites>`;

describe("test results in an output", () => {
  it("are read from what node --test prints for people", async () => {
    assert.deepEqual(await readOutput(SPEC), {
      format: "node:test",
      passed: 1,
      failed: 1,
      skipped: 2,
      failures: [
        {
          name: "fails",
          location: "a.test.mjs:2:49",
          message:
            "AssertionError [ERR_ASSERTION]: 1 == 2\n\nmore of it\n    at TestContext.<anonymous> (file:///w/a.test.mjs:2:74)\n    {\n  actual: 1,\n  expected: 2\n}",
        },
      ],
    });
  });

  it("are read in color and with the line ends of a terminal", async () => {
    const colored = SPEC.replace(/^(ℹ|✖|⚠)(.*)$/gm, "\u001b[34m$1$2\u001b[39m").replaceAll("\n", "\r\n");
    assert.deepEqual(await readOutput(colored), await readOutput(SPEC));
  });

  it("are read from TAP of one runner after another, each test once", async () => {
    assert.deepEqual(await readOutput(TAP), {
      format: "TAP",
      passed: 1,
      failed: 2,
      skipped: 2,
      failures: [
        {
          name: "suite › fails",
          location: "/w/a.test.mjs:2:49",
          message: "1 == 2\nexpected: 2\nactual: 1\nTestContext.<anonymous> (file:///w/a.test.mjs:2:74)",
        },
        { name: "a › b", location: "b.js:7", message: "no" },
      ],
    });
  });

  it("end in a failure where a TAP runner gives up", async () => {
    const report = await readOutput("1..2\nok 1 - a\nBail out! no disk\n");
    assert.deepEqual(
      { failed: report?.failed, failures: report?.failures },
      { failed: 1, failures: [{ name: "Bail out!", message: "no disk" }] },
    );
  });

  it("are read from JUnit between other lines", async () => {
    assert.deepEqual(await readOutput(`running\n${JUNIT}\ndone\n`), {
      format: "JUnit",
      passed: 1,
      failed: 2,
      skipped: 1,
      failures: [
        {
          name: "tests.test_a › test_bad",
          location: "tests/test_a.py:4",
          message: "def test_bad():\n>       assert 1 == 2\nE       assert 1 == 2",
        },
        { name: "tests.test_a › test_gone", message: 'no fixture\nno "x"' },
      ],
    });
  });

  for (const [what, text] of [
    ["prose", "All is well: 1 ok, 2 not ok\n"],
    ["nothing", ""],
    ["XML that ends too early", "<testsuites><testsuite name='a'><testcase></testsuite>"],
    ["a document with entities of its own", '<!DOCTYPE x [<!ENTITY a "b">]><testsuites>&a;</testsuites>'],
  ] as const)
    it(`aren't read into ${what}`, async () => {
      assert.equal(await readOutput(text), undefined);
    });

  it("are read where a value holds itself, or a number that JSON lacks", async () => {
    for (const [value, message] of [
      ["&a [*a]", "expected:"],
      ["!bigint 5", "expected: 5"],
    ] as const) {
      const report = await readOutput(`TAP version 13\nnot ok 1 - a\n  ---\n  expected: ${value}\n  ...\n1..1\n`);
      assert.deepEqual(report?.failures, [{ name: "a", message }]);
    }
  });

  it("keep only the beginning of endless details, and every test after them", async () => {
    const details = (count: number) =>
      `  ---\n  error: no\n${Array.from({ length: count }, (_, at) => `  k${at}: ${"[".repeat(at > 300 ? 1 : 0)}\n`).join("")}`;
    const report = await readOutput(
      `TAP version 13\nnot ok 1 - a\n${details(900)}  ...\nnot ok 2 - b\n${details(2)}not ok 3 - c\n1..3\n`,
    );
    assert.deepEqual(
      report?.failures.map(({ name }) => name),
      ["a", "b", "c"],
    );
    // With the lines behind the limit they wouldn't be YAML.
    assert.equal(report.failures[0]?.message, "no");
  });

  it("keep few of a test's many messages and of its many suites", async () => {
    const messages = Array.from({ length: 100 }, (_, at) => `<failure message="m${at}."/>`).join("");
    const xml = `${'<testsuite name="s">'.repeat(100)}<testcase name="t">${messages}</testcase>${"</testsuite>".repeat(100)}`;
    const [failure] = (await readOutput(xml))?.failures ?? [];
    assert.deepEqual([failure?.name.split(" › ").length, failure?.message.split("\n").length], [21, 20]);
  });

  it("are left unread once reading is given up", async () => {
    const aborted = AbortSignal.abort(new Error("too long"));
    const long = `TAP version 13\n${"not ok 1 - x\n".repeat(20_000)}1..20000\n`;
    assert.equal(await readOutput(long, aborted), undefined);
  });

  it("count all failures but keep no more than can be read", async () => {
    const many = Array.from({ length: 1000 }, (_, at) => `not ok ${at + 1} - test ${at}`).join("\n");
    const report = await readOutput(`TAP version 13\n${many}\n1..1000\n`);
    assert.deepEqual([report?.failed, report?.failures.length], [1000, 200]);
  });
});

describe("test results in report files", () => {
  const tempFolder = tempFolders();

  it("are those that the run has written, in every module, without the user's excluded ones", async () => {
    const folder = await tempFolder();
    const one = (name: string): string =>
      `<testsuite name="${name}"><testcase name="t"><failure message="m"/></testcase></testsuite>`;
    await plant(folder, {
      "target/surefire-reports/TEST-old.xml": one("old"),
      "junit.xml": one("again"),
      ".autogptignore": "secret/\n",
    });
    const expected = await createNodeTestReports(() => [folder]).expect(folder);
    await plant(folder, {
      "target/surefire-reports/TEST-new.xml": one("new"),
      "core/build/test-results/test/TEST-core.xml": one("core"),
      "secret/junit.xml": one("secret"),
      "pom-notes.xml": one("no report"),
    });
    await utimes(join(folder, "junit.xml"), 1, 1);
    const report = await expected.read("1..1\nok 1\n");
    assert.deepEqual(report?.failures.map(({ name }) => name).toSorted(), ["again › t", "core › t", "new › t"]);
  });

  it("aren't read through links", async () => {
    const folder = await tempFolder();
    const elsewhere = await tempFolder();
    await plant(elsewhere, { "junit.xml": JUNIT });
    const expected = await createNodeTestReports(() => [folder]).expect(folder);
    await makeLink(join(elsewhere, "junit.xml"), join(folder, "junit.xml"));
    await makeLink(elsewhere, join(folder, "reports"));
    assert.equal(await expected.read(""), undefined);
  });

  it("leave the output to speak where none can be read", async () => {
    const folder = await tempFolder();
    const expected = await createNodeTestReports(() => [folder]).expect(folder);
    await mkdir(join(folder, "reports"));
    await writeFile(join(folder, "reports", "junit.xml"), "<testsuites>");
    assert.equal((await expected.read("1..1\nok 1\n"))?.format, "TAP");
  });
});

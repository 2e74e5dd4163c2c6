import assert from "node:assert/strict";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { tempFolders } from "../../../test/support/temp-folders.ts";
import { applyOracleCalls, findLostLine, listKeptLines } from "../src/suites/edits/kept-lines.ts";
import { readEditTasks } from "../src/suites/edits/task-texts.ts";
import { runGradingProgram } from "../src/suites/grading-program.ts";

const TEXT = `A comment.
@@@ test lab.py
shared
@@@ task one
Do it.

Now.
@@@ file a.txt crlf open
x
y
@@@ file b.txt bom
z
@@@ test hidden_test.py
tests
@@@ edit a.txt
x
@@@ to
1
@@@ edit a.txt all
y
@@@ to

@@@ write c.txt
new

@@@ task two
Other.
`;

describe("a file of edit tasks", () => {
  it("has projects with their line ends, tests with the shared ones, and solutions with one call per file", () => {
    const shared = { "lab.py": "shared\n" };
    const first = { search: "x", replace: "1" };
    assert.deepEqual(readEditTasks(TEXT), [
      {
        name: "one",
        task: "Do it.\n\nNow.",
        files: { "a.txt": "x\r\ny", "b.txt": "\uFEFFz\n" },
        tests: { ...shared, "hidden_test.py": "tests\n" },
        oracle: [
          {
            command: "edit_file",
            args: { filename: "a.txt", edits: [first, { search: "y", replace: "", all: true }] },
          },
          { command: "write_to_file", args: { filename: "c.txt", contents: "new\n" } },
        ],
      },
      { name: "two", task: "Other.", files: {}, tests: shared, oracle: [] },
    ]);
  });

  it("may not have an edit without what it becomes", () => {
    assert.throws(() => readEditTasks("@@@ task x\n@@@ edit a\nb\n@@@ test c\n"), /The task x has an edit without/);
  });
});

describe("lines that an edit has no reason to touch", () => {
  const before = "a\nb\n\nc\nd\ne\n\nf\ng\nh\ni\n";

  it("are those away from the changed paragraph and its neighbors", () => {
    assert.deepEqual(listKeptLines(before, before.replace("d", "D")).join(""), "a\nb\nf\ng\nh\ni\n");
    assert.deepEqual(listKeptLines(before, `0\n${before}`).join(""), "\nc\nd\ne\n\nf\ng\nh\ni\n");
    assert.deepEqual(listKeptLines(before, before), before.match(/.*\n/g));
  });

  it("must be there in order, byte for byte", () => {
    const kept = ["a\n", "c\r\n"];
    assert.deepEqual(
      ["a\nb\nc\r\n", "c\r\na\n", "a\nc\n", "b\nc\r\n"].map((text) => findLostLine(kept, text)),
      [undefined, "c\r\n", "c\r\n", "a\n"],
    );
  });

  it("are found by the texts after the solution, with the file's line ends", () => {
    const files = { "a.txt": "x\r\ny\r\n", "b.txt": "b\n" };
    const edits = [{ search: "y", replace: "1\n2" }];
    assert.deepEqual(
      applyOracleCalls(files, [
        { command: "edit_file", args: { filename: "a.txt", edits } },
        { command: "write_to_file", args: { filename: "c.txt", contents: "c\n" } },
      ]),
      { "a.txt": "x\r\n1\r\n2\r\n", "c.txt": "c\n" },
    );
  });
});

describe("a program of a grader", () => {
  const tempFolder = tempFolders();
  const signal = new AbortController().signal;
  const node = (code: string, seconds = 30) =>
    runGradingProgram({ file: process.execPath, args: ["-e", code], cwd: "/", seconds, signal });

  it("ends with its code and output", async () => {
    assert.deepEqual(await node("console.log(1); console.error(2); process.exitCode = 3"), {
      code: 3,
      stdout: "1\n",
      stderr: "2\n",
    });
  });

  it("is killed with all it started when its time is over", async () => {
    const file = join(await tempFolder(), "beats");
    const child = `setInterval(() => require("fs").appendFileSync(${JSON.stringify(file)}, "."), 20)`;
    const start = `require("child_process").spawn(process.execPath, ["-e", ${JSON.stringify(child)}])`;
    const { trouble } = await node(`${start}; setInterval(() => undefined, 1000)`, 2);
    const { size } = await stat(file);
    await wait(200);
    assert.deepEqual([/ran longer than 2 s$/.test(trouble ?? ""), (await stat(file)).size], [true, size]);
  });

  it("that isn't there is reported", async () => {
    const end = await runGradingProgram({ file: "/no/such", args: [], cwd: "/", seconds: 1, signal });
    assert.match(end.trouble ?? "", /^\/no\/such did not start: /);
  });
});

import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CommandBench } from "../../../test/support/command-bench.ts";
import { tempFolders } from "../../../test/support/temp-folders.ts";
import { plant } from "../../../test/support/trees.ts";
import type { EvalTask, Grade, GradedRun, OracleCall } from "../src/suite.ts";
import { EDIT_LANGUAGES } from "../src/suites/edits/languages.ts";
import { EDITS } from "../src/suites/edits/suite.ts";

/** Tasks to prove in place of a sample: those with this in their names, or `all`. */
const { EDITS_PROVEN } = process.env;
const all = await EDITS.loadTasks({ seed: 1 });
const sample = await EDITS.loadTasks({ seed: 1, count: 5 });

describe("the suite of edits", () => {
  const tempFolder = tempFolders();

  /** The folder of a task, in which these calls were made. */
  async function folderAfter(task: EvalTask, calls: readonly OracleCall[]): Promise<string> {
    const folder = await tempFolder();
    await plant(folder, task.files);
    const bench = new CommandBench(folder, await tempFolder());
    for (const { command, args } of calls)
      assert.equal((await bench.call(command, args)).status, "done", JSON.stringify(args));
    return folder;
  }

  const graded = (task: EvalTask, folder: string): Promise<Grade> =>
    task.grade({ folder, signal: new AbortController().signal } as GradedRun);

  const named = (name: string): EvalTask => all.find((task) => task.name === name) as EvalTask;

  for (const task of EDITS_PROVEN === undefined
    ? sample
    : all.filter(({ name }) => EDITS_PROVEN === "all" || name.includes(EDITS_PROVEN)))
    it(`can be solved, and not by doing nothing: ${task.name}`, async function () {
      if (task.skip !== undefined) return this.skip();
      assert.deepEqual(
        [
          await graded(task, await folderAfter(task, task.oracle)),
          (await graded(task, await folderAfter(task, []))).passed,
        ],
        [{ passed: true }, false],
      );
    }).timeout(240_000);

  it("has ten tasks in each of ten languages, no two with the same text", () => {
    const counts = EDIT_LANGUAGES.map(({ name }) => all.filter((task) => task.name.startsWith(`${name}-`)).length);
    assert.deepEqual(
      [counts, new Set(all.map(({ task }) => task)).size, new Set(all.map(({ name }) => name)).size],
      [Array(10).fill(10), 100, 100],
    );
  });

  it("takes the languages in turn for a sample, which the seed decides", async () => {
    const languages = sample.map(({ name }) => name.split("-")[0]);
    const names = async (seed: number) => (await EDITS.loadTasks({ seed, count: 30 })).map(({ name }) => name);
    assert.deepEqual(languages, ["javascript", "typescript", "python", "bash", "sql"]);
    assert.deepEqual(await names(7), await names(7));
    assert.notDeepEqual(await names(7), await names(8));
  });

  it("names the tasks whose programs aren't here", async () => {
    const { PATH } = process.env;
    process.env.PATH = "";
    try {
      const skipped = (await EDITS.loadTasks({ seed: 1 })).filter(({ skip }) => skip !== undefined);
      const languages = new Set(skipped.map(({ name }) => name.split("-")[0]));
      assert.deepEqual(
        [[...languages].join(" "), skipped.at(-1)?.skip],
        ["python bash sql html config c go rust", "Its tests need Rust (rustc), which is not on this machine."],
      );
    } finally {
      process.env.PATH = PATH;
    }
  });

  it("fails a search and replace that hits similar places as well", async () => {
    const task = named("javascript-last-page");
    const sloppy = { search: "Math.floor", replace: "Math.ceil", all: true };
    const call = { command: "edit_file", args: { filename: "src/pages.js", edits: [sloppy] } };
    assert.deepEqual(await graded(task, await folderAfter(task, [call])), {
      passed: false,
      why: 'src/pages.js lost a line that should stay: "  return Math.floor(total / ARCHIVE_PER_PAGE);\\n"',
    });
  });

  it("fails a right edit that also changes line ends, a file of its own accord, or removes one", async () => {
    const task = named("javascript-reduced-rate");
    const ends = await folderAfter(task, task.oracle);
    const text = await readFile(join(ends, "tax.mjs"), "utf8");
    await writeFile(join(ends, "tax.mjs"), text.replaceAll("\r\n", "\n"));
    const other = named("javascript-last-page");
    const rewritten = await folderAfter(other, other.oracle);
    await writeFile(join(rewritten, "package.json"), '{ "type": "module" }\n');
    const removed = await folderAfter(other, [
      ...other.oracle,
      { command: "delete_file", args: { filename: "package.json" } },
    ]);
    assert.deepEqual(
      [(await graded(task, ends)).why, await graded(other, rewritten), await graded(other, removed)],
      [
        'tax.mjs lost a line that should stay: "// Rates in percent.\\r\\n"',
        { passed: false, why: "package.json should be as it was." },
        { passed: false, why: "There is no file package.json." },
      ],
    );
  });

  it("fails code that ends before the tests do", async () => {
    const task = named("javascript-last-page");
    const folder = await folderAfter(task, task.oracle);
    const text = await readFile(join(folder, "src/pages.js"), "utf8");
    await writeFile(join(folder, "src/pages.js"), `${text}process.exit(0);\n`);
    assert.deepEqual(await graded(task, folder), {
      passed: false,
      why: "Its tests ended before their last line.",
    });
  });

  it("gives the tested code none of our keys", async () => {
    const task = named("javascript-last-page");
    const folder = await folderAfter(task, task.oracle);
    const text = await readFile(join(folder, "src/pages.js"), "utf8");
    await writeFile(join(folder, "src/pages.js"), `${text}if (process.env.OPENAI_API_KEY) throw new Error("key");\n`);
    const before = process.env.OPENAI_API_KEY;
    process.env.OPENAI_API_KEY = "sk-test";
    try {
      assert.deepEqual(await graded(task, folder), { passed: true });
    } finally {
      if (before === undefined) delete process.env.OPENAI_API_KEY;
      else process.env.OPENAI_API_KEY = before;
    }
  });
});

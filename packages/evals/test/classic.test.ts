import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { strToU8, zipSync } from "fflate";
import { findOnPath } from "../../../src/node/processes/programs.ts";
import { unpackChromium } from "../../../test/host/npm-chromium.ts";
import { CommandBench } from "../../../test/support/command-bench.ts";
import { tempFolders } from "../../../test/support/temp-folders.ts";
import { plant } from "../../../test/support/trees.ts";
import type { EvalTask, Grade, GradedRun, OracleCall } from "../src/suite.ts";
import { type Challenge, readChallenges } from "../src/suites/classic/challenge.ts";
import { gradeChallenge } from "../src/suites/classic/grade-challenge.ts";
import { loadChallengeFiles } from "../src/suites/classic/package-files.ts";
import { CLASSIC } from "../src/suites/classic/suite.ts";

const DATA = {
  task: "Write it.",
  ground: { files: [".txt"], should_contain: ["yes"], should_not_contain: ["no"], eval: { type: "file" } },
};

const FILES = {
  "abilities/one/data.json": JSON.stringify(DATA),
  "abilities/one/artifacts_in/a.txt": "given\n",
  "abilities/one/artifacts_in/deeper/b.txt": "not copied\n",
  "abilities/one/custom_python/test.py": "added\n",
  "abilities/two/data_draft.json": "{}",
};

const python = findOnPath(["python3", "python"]) ?? "python3";

describe("the package of the classic challenges", () => {
  const tempFolder = tempFolders();

  it("is read from a folder of packages, or from its wheel as it is", async () => {
    const [unpacked, packed] = [await tempFolder(), await tempFolder()];
    const paths = Object.entries(FILES).map(([path, text]) => [`agbenchmark/challenges/${path}`, text] as const);
    await plant(unpacked, Object.fromEntries([...paths, ["agbenchmark-0.0.10.dist-info/METADATA", ""]]));
    const entries = paths.map(([path, text]) => [path, strToU8(text)] as const);
    await writeFile(
      join(packed, "agbenchmark-0.0.10-py3-none-any.whl"),
      zipSync({ ...Object.fromEntries(entries), "agbenchmark/app.py": strToU8("x") }),
    );
    assert.deepEqual(
      [await loadChallengeFiles(unpacked), await loadChallengeFiles(packed)].map((files) => Object.fromEntries(files)),
      [FILES, FILES],
    );
  });

  it("is asked for in a sentence if it isn't there, or if it's another version", async () => {
    const folder = await tempFolder();
    await assert.rejects(
      loadChallengeFiles(folder),
      /doesn't have it\. .* pip download --no-deps agbenchmark==0\.0\.10/,
    );
    await assert.rejects(loadChallengeFiles(join(folder, "none")), /^Error: There is no folder .*none\. The suite/);
    await mkdir(join(folder, "agbenchmark-0.0.9.dist-info"));
    await assert.rejects(loadChallengeFiles(folder), /has agbenchmark 0\.0\.9, but the suite is made for 0\.0\.10\.$/);
  });

  it("has challenges, with the files right in their folders; drafts are none", () => {
    assert.deepEqual(readChallenges(new Map(Object.entries(FILES))), [
      {
        path: "abilities/one",
        task: "Write it.",
        given: { "a.txt": "given\n" },
        added: { "test.py": "added\n" },
        ground: { kind: "file", files: [".txt"], contains: ["yes"], lacks: ["no"] },
      },
    ]);
  });

  it("that has an unknown way of grading is refused", () => {
    const ground = { ...DATA.ground, eval: { type: "guess" } };
    const files = new Map([["x/data.json", JSON.stringify({ ...DATA, ground })]]);
    assert.throws(() => readChallenges(files), /x is graded in an unknown way: guess/);
  });
});

describe("a classic challenge is graded as the package does:", () => {
  const tempFolder = tempFolders();
  const { signal } = new AbortController();

  async function graded(
    tree: Readonly<Record<string, string>>,
    ground: Partial<Challenge["ground"]>,
    added: Readonly<Record<string, string>> = {},
  ): Promise<Grade> {
    const folder = await tempFolder();
    await plant(folder, tree);
    const challenge: Challenge = {
      ...{ path: "one", task: "", given: {}, added },
      ground: { kind: "file", files: [".txt"], contains: ["yes"], lacks: ["no"], ...ground },
    };
    return gradeChallenge(challenge, folder, { python, browser: { why: "No browser." } }, signal);
  }

  it("one file with all it should have is enough, in the folder itself", async () => {
    const passed = { passed: true };
    assert.deepEqual(
      [
        await graded({ "a.txt": "no", "b.txt": "oh yes" }, {}),
        await graded({ "a.txt": "yes, no" }, {}),
        await graded({ "a.txt": "maybe" }, {}),
        await graded({ "deeper/a.txt": "yes", ".a.txt": "yes" }, {}),
        await graded({ "a.txt": "yes" }, { files: ["b.txt"] }),
      ],
      [
        passed,
        { passed: false, why: 'The result has "no".' },
        { passed: false, why: 'The result lacks "yes".' },
        { passed: false, why: "There is no file .txt." },
        { passed: false, why: "There is no file b.txt." },
      ],
    );
  });

  it("programs run with the added files, as python too; a word on standard error fails them", async () => {
    const run = (code: string, added = {}) =>
      graded({ "test.py": code }, { kind: "python", files: ["test.py"] }, added);
    const itself = "import subprocess; subprocess.call(['python', '-c', 'print(\"yes\")'])";
    const why = (grade: Grade) => [grade.passed, grade.why?.split("\n").at(-1)];
    assert.deepEqual(
      [
        why(await run("print('no')", { "test.py": "print('yes')" })),
        why(await run(itself)),
        why(await run("print('yes'); import sys; sys.exit(1)")),
        why(await run("print('yes'); import sys; print('no error', file=sys.stderr)")),
      ],
      [
        [true, undefined],
        [true, undefined],
        [false, "test.py fails: yes"],
        [false, "no error"],
      ],
    );
  });

  it("the one for a browser says that there is none", async () => {
    assert.deepEqual(await graded({}, {}, { "test.py": "from selenium import webdriver" }), {
      passed: false,
      why: "No browser.",
    });
  });
});

/** Where the real package is, for the proof of all its challenges. */
const { AGBENCHMARK } = process.env;
if (AGBENCHMARK !== undefined) process.env.CHROMIUM ??= (await unpackChromium())?.executablePath ?? "";
const tasks = AGBENCHMARK === undefined ? [] : await CLASSIC.loadTasks({ seed: 1, packages: AGBENCHMARK });
const files = AGBENCHMARK === undefined ? new Map<string, string>() : await loadChallengeFiles(AGBENCHMARK);

describe("the challenges of agbenchmark", () => {
  const tempFolder = tempFolders();

  async function folderOf(task: EvalTask, calls: readonly OracleCall[]): Promise<string> {
    const folder = await tempFolder();
    await plant(folder, task.files);
    const bench = new CommandBench(folder, await tempFolder());
    for (const { command, args } of calls)
      assert.equal((await bench.call(command, args)).status, "done", JSON.stringify(args));
    return folder;
  }

  /** The folder with the solution that is in the package. */
  async function folderWithOwn(task: EvalTask): Promise<string> {
    const folder = await folderOf(task, []);
    const own = [...files].flatMap(([path, text]) => {
      const [challenge = "", name = ""] = path.split("/artifacts_out/");
      return challenge.replaceAll("/", "-") === task.name && name !== "" ? [[name, text]] : [];
    });
    await plant(folder, Object.fromEntries(own));
    return folder;
  }

  const graded = async (task: EvalTask, folder: string): Promise<boolean> =>
    (await task.grade({ folder, signal: new AbortController().signal } as GradedRun)).passed;

  for (const task of tasks)
    it(`can be solved, by us and by the package, and not by doing nothing: ${task.name}`, async function () {
      if (task.skip !== undefined) return this.skip();
      assert.deepEqual(
        {
          ours: await graded(task, await folderOf(task, task.oracle)),
          own: await graded(task, await folderWithOwn(task)),
          untouched: await graded(task, await folderOf(task, [])),
        },
        { ours: true, own: true, untouched: false },
      );
    }).timeout(120_000);

  if (AGBENCHMARK !== undefined)
    it("are 34 without a network", () => {
      assert.equal(tasks.length, 34);
    });
});

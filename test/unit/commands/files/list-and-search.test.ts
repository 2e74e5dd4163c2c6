import assert from "node:assert/strict";
import { isPrepared } from "../../../../src/core/commands/command.ts";
import { createNodeWorkspace } from "../../../../src/node/workspace.ts";
import { plantedBenches } from "../../../support/planted-bench.ts";
import { testFiles } from "../../../support/test-ripgrep.ts";
import { plant, type Tree } from "../../../support/trees.ts";

const TREE: Tree = {
  "src/app.ts": "const port = 80;\nlisten(port);\n",
  "src/b.md": "The port.\n",
  "c.txt": "x\n",
};

describe("list_files", () => {
  const planted = plantedBenches();

  it("lists the workspace folder, and a folder in it by a glob", async () => {
    const { bench } = await planted(TREE);
    assert.deepEqual(
      [await bench.call("list_files", {}), await bench.try("list_files", { folder: "src", glob: "*.ts" })],
      [
        { status: "done", output: '3 files, 1 folder in ".":\nc.txt\nsrc/\nsrc/app.ts\nsrc/b.md' },
        {
          preview: { kind: "details", text: 'List what is below "src" and matches *.ts.' },
          outcome: { status: "done", output: '1 file in "src":\nsrc/app.ts' },
        },
      ],
    );
  });

  it("says when there is nothing, or nothing to list", async () => {
    const { bench } = await planted({ "a.txt": "" });
    await bench.call("create_folder", { folder: "empty" });
    assert.deepEqual(
      [
        await bench.call("list_files", { folder: "empty" }),
        await bench.call("list_files", { glob: "*.rs" }),
        await bench.call("list_files", { folder: "a.txt" }),
        await bench.call("list_files", { folder: "b" }),
        await bench.call("list_files", { glob: "{1..999}" }),
      ],
      [
        { status: "done", output: '"empty" is empty, or all in it is ignored.' },
        { status: "done", output: 'Nothing in "." matches *.rs.' },
        {
          status: "failed",
          error: '"a.txt" is not a folder, so there is nothing to list. Leave the folder out to see what there is.',
        },
        {
          status: "failed",
          error: '"b" is not there, so there is nothing to list. Leave the folder out to see what there is.',
        },
        {
          status: "failed",
          error:
            'The glob "{1..999}" has ranges of more than 200 numbers. Use a simpler one, like "*.ts" or "src/**/*.test.ts".',
        },
      ],
    );
  });

  it("shows a thousand names of more, and says so", async () => {
    const names = Array.from({ length: 1200 }, (_, index) => [`f${String(index).padStart(4, "0")}`, ""]);
    const { bench } = await planted(Object.fromEntries(names));
    const outcome = await bench.call("list_files", {});
    assert.equal(
      outcome.status === "done" && outcome.output.slice(-82),
      "f0999\n\n[Only 1,000 names are shown. List a folder below, or give a narrower glob.]".slice(-82),
    );
  });
});

describe("search_files", () => {
  const planted = plantedBenches();

  it("shows the matching lines under the names of their files", async () => {
    const { bench } = await planted(TREE);
    assert.deepEqual(await bench.try("search_files", { pattern: "port" }), {
      preview: { kind: "details", text: 'Find "port" in ".".' },
      outcome: {
        status: "done",
        output:
          '3 matches of "port" in 2 files:\nsrc/app.ts\n1: const port = 80;\n2: listen(port);\n\nsrc/b.md\n1: The port.',
      },
    });
  });

  it("names the files that are called so where no line has it", async () => {
    const { bench } = await planted({ "logs/a.tmp": "1", "logs/old/b.tmp": "2", "c.txt": "3" });
    const named =
      'But the names of these files have it. To list files by their names, use list_files with a glob like "**/*.tmp*".\nlogs/a.tmp\nlogs/old/b.tmp';
    assert.deepEqual(
      [
        await bench.call("search_files", { pattern: ".tmp" }),
        await bench.call("search_files", { pattern: ".*\\.tmp$", regex: true }),
        await bench.call("search_files", { pattern: "nowhere" }),
      ].map((outcome) => outcome.status === "done" && outcome.output),
      [`Nothing contains ".tmp".\n${named}`, `Nothing matches ".*\\\\.tmp$".\n${named}`, 'Nothing contains "nowhere".'],
    );
  });

  it("takes regular expressions, folders, single files and globs", async () => {
    const { bench } = await planted(TREE);
    assert.deepEqual(
      [
        await bench.call("search_files", { pattern: "^\\w+\\(", regex: true, folder: "src" }),
        await bench.call("search_files", { pattern: "port", glob: "**/*.md" }),
        await bench.call("search_files", { pattern: "x", filename: "c.txt" }),
      ].map((outcome) => outcome.status === "done" && outcome.output),
      [
        '1 match of "^\\\\w+\\\\(" in 1 file:\nsrc/app.ts\n2: listen(port);',
        '1 match of "port" in 1 file:\nsrc/b.md\n1: The port.',
        '1 match of "x" in 1 file:\nc.txt\n1: x',
      ],
    );
  });

  it("shows the matches of each file while it searches, no more than in its outcome", async () => {
    const { bench } = await planted({ "a.txt": "hit\n".repeat(150), "b.txt": "hit\n".repeat(150) });
    const prepared = await bench.prepare("search_files", { pattern: "hit" });
    const shown: string[] = [];
    assert.ok(isPrepared(prepared));
    await prepared.run({
      step: 1,
      signal: new AbortController().signal,
      output: (chunk) => void shown.push(chunk),
      record: async () => undefined,
    });
    assert.deepEqual(
      shown.map((chunk) => [chunk.split("\n")[0], chunk.split("\n").length - 2]),
      [
        ["a.txt", 150],
        ["b.txt", 50],
      ],
    );
  });

  it("lists when it is given no pattern, as it always did", async () => {
    const { bench } = await planted(TREE);
    assert.deepEqual(await bench.call("search_files", { directory: "src" }), {
      status: "done",
      output: '2 files in "src":\nsrc/app.ts\nsrc/b.md',
    });
  });
});

describe("search_files, in a file whose lines end as on an old Mac", () => {
  const planted = plantedBenches();

  it("counts them as lines", async () => {
    const { bench } = await planted({ "a.txt": "one\rtwo\rthree\r" });
    assert.deepEqual(await bench.call("search_files", { pattern: "two" }), {
      status: "done",
      output: '1 match of "two" in 1 file:\na.txt\n2: two',
    });
  });
});

describe("search_files, in files and lines of any length", () => {
  const planted = plantedBenches();
  const MB = 1024 * 1024;
  const minified = `${"var a=1;".repeat((3 * MB) / 8)}needle();${"b=2;".repeat(1000)}needle2()`;

  for (const where of [".", "dist/app.min.js"])
    for (const regex of [false, true])
      it(`shows each match with some characters around it: ${regex ? "a regular expression" : "a text"} in ${where}`, async () => {
        const { bench } = await planted({ "dist/app.min.js": minified }, {});
        const outcome = await bench.call("search_files", { pattern: "needle", folder: where, regex });
        const [first = "", label, one = "", other = ""] = outcome.status === "done" ? outcome.output.split("\n") : [];
        assert.deepEqual(
          [
            first,
            label,
            /^1: ….*1;needle\(\);b=2.*…$/.test(one),
            /^1: ….*b=2;needle2\(\)$/.test(other),
            one.length < 400,
          ],
          ['2 matches of "needle" in 1 file:', "dist/app.min.js", true, true, true],
        );
      });

  it("names the files that are too large, and searches one of them alone", async () => {
    const { bench, folder } = await planted({ "a.txt": "x" });
    await plant(folder, { "big.csv": `${"1,2,3\n".repeat(3 * MB)}needle,1\n` });
    const [all, alone] = [
      await bench.call("search_files", { pattern: "needle" }),
      await bench.call("search_files", { pattern: "needle", folder: "big.csv" }),
    ];
    assert.deepEqual(
      [all, alone],
      [
        {
          status: "done",
          output:
            'Nothing contains "needle".\n[Not searched, because too large or unreadable: "big.csv". Search one alone by naming it as the folder; if that fails, use execute_shell (grep -o).]',
        },
        { status: "done", output: `1 match of "needle" in 1 file:\nbig.csv\n${3 * MB + 1}: needle,1` },
      ],
    );
  });
});

describe("search_files, when not all is searched", () => {
  const planted = plantedBenches();

  for (const files of [undefined, testFiles()])
    it(`names binary files that match, and finds wide text, ${files ? "with" : "without"} ripgrep`, async () => {
      const { folder } = await planted({
        "a.bin": Buffer.from("\0\u0001needle"),
        "b.bin": Buffer.from("\0\u0001"),
        "c.txt": Buffer.from("Привет needle\n", "utf16le"),
      });
      const workspace = createNodeWorkspace({
        folders: [{ name: "project", path: folder }],
        ...(files ? { files } : {}),
      });
      const { bench } = await planted({}, { workspace });
      const outcomes = [
        await bench.call("search_files", { pattern: "needle" }),
        await bench.call("search_files", { pattern: "needle", folder: "b.bin" }),
      ];
      const inBinary = '[Matches in binary files aren\'t shown: "a.bin". Use execute_shell (grep -a -o).]';
      assert.deepEqual(
        outcomes.map((one) => one.status === "done" && one.output),
        [
          `1 match of "needle" in 1 file:\nc.txt\n1: Привет needle\n${inBinary}`,
          'Nothing contains "needle".\n["b.bin" is a binary file, so only its bytes were searched. Documents are read with read_file.]',
        ],
      );
    });

  it("says what it did not find, did not show and did not look into", async () => {
    const { folder } = await planted({
      "many.txt": "hit\n".repeat(250),
      "big.txt": "hit\n".repeat(600_000),
      ".env": "hit",
    });
    const workspace = createNodeWorkspace({
      folders: [{ name: "project", path: folder }],
      leftOut: (path) => path.endsWith(".env"),
    });
    const { bench } = await planted({}, { workspace });
    const [none, many] = [
      await bench.call("search_files", { pattern: "missing" }),
      await bench.call("search_files", { pattern: "hit" }),
    ];
    assert.deepEqual(
      [none, many.status === "done" && many.output.split("\n").slice(-1)],
      [
        {
          status: "done",
          output: 'Nothing contains "missing".\n[1 file was left out, because it may contain secrets.]',
        },
        [
          '[Not searched, because too large or unreadable: "big.txt". Search one alone by naming it as the folder; if that fails, use execute_shell (grep -o). 1 file was left out, because it may contain secrets.]',
        ],
      ],
    );
  });
});

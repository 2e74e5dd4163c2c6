import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Tree } from "../support/trees.ts";
import { complaint, type Planted } from "./workspace-under-test.ts";

const signal = new AbortController().signal;

/** What every `Workspace` promises of listing and searching. */
export function walksContract(planted: Planted): void {
  lists(planted);
  searches(planted);
}

function lists(planted: Planted): void {
  it("lists all that is not ignored, and follows no link", async () => {
    const { workspace } = await planted(LISTED);
    assert.deepEqual(await workspace.list(await workspace.locate("."), { limit: 100, signal }), {
      labels: [
        ".autogptignore",
        ".github/",
        ".github/workflows/",
        ".github/workflows/ci.yml",
        ".gitignore",
        "out",
        "picture.png",
        "src/",
        "src/app.ts",
        "src/deep/",
        "src/deep/app.test.ts",
      ],
      more: false,
    });
  });

  it("lists what a glob matches, below the folder that was asked for", async () => {
    const { workspace } = await planted(LISTED);
    const src = await workspace.locate("src");
    assert.deepEqual(
      [
        (await workspace.list(src, { glob: "*.ts", limit: 100, signal })).labels,
        (await workspace.list(src, { glob: "deep/**", limit: 100, signal })).labels,
        (await workspace.list(src, { glob: "src/*.ts", limit: 100, signal })).labels,
      ],
      [["src/app.ts", "src/deep/app.test.ts"], ["src/deep/", "src/deep/app.test.ts"], ["src/app.ts"]],
    );
  });

  it("lists the nearest levels first when not all fits, and says that there is more", async () => {
    const { workspace } = await planted({ "a/b/c.txt": "", "d.txt": "" });
    assert.deepEqual(await workspace.list(await workspace.locate("."), { limit: 3, signal }), {
      labels: ["a/", "a/b/", "d.txt"],
      more: true,
    });
  });

  it("lists an ignored folder when it is asked for", async () => {
    const { workspace } = await planted(LISTED);
    const { labels } = await workspace.list(await workspace.locate("dist"), { limit: 9, signal });
    assert.deepEqual(labels, ["dist/a.js"]);
  });

  it("stops when it is told to", async () => {
    const { workspace, folder } = await planted({});
    for (let index = 0; index < 50; index++) await mkdir(join(folder, `d${index}`));
    const place = await workspace.locate(".");
    const aborted = AbortSignal.abort(new Error("stopped"));
    await assert.rejects(workspace.list(place, { limit: 1000, signal: aborted }), { message: "stopped" });
  });
}

function searches(planted: Planted): void {
  it("finds a text without regard to capitals unless the pattern has some", async () => {
    const { workspace } = await planted(LISTED);
    const place = await workspace.locate(".");
    const find = async (pattern: string) =>
      (await workspace.search(place, { pattern, regex: false, limit: 9, signal })).matches;
    assert.deepEqual(
      [await find("hello"), await find("Hello")],
      [
        [
          { label: "src/app.ts", line: 1, text: "// Hello" },
          { label: "src/deep/app.test.ts", line: 1, text: "hello" },
        ],
        [{ label: "src/app.ts", line: 1, text: "// Hello" }],
      ],
    );
  });

  it("finds a regular expression in one file, with a limit", async () => {
    const { workspace } = await planted({ "a.txt": "a1\nb\na2\na3\n" });
    const place = await workspace.locate("a.txt");
    assert.deepEqual(await workspace.search(place, { pattern: "^a\\d$", regex: true, limit: 2, signal }), {
      matches: [
        { label: "a.txt", line: 1, text: "a1" },
        { label: "a.txt", line: 3, text: "a2" },
      ],
      more: true,
    });
  });

  it("takes a text as it stands, and a line for what it is", async () => {
    const { workspace } = await planted({ "a.txt": "a.b\naxb\n[x]($1)\n" });
    const place = await workspace.locate(".");
    const lines = async (pattern: string) =>
      (await workspace.search(place, { pattern, regex: false, limit: 9, signal })).matches.map(
        ({ line }) => line,
      );
    assert.deepEqual([await lines("a.b"), await lines("[x]($1)")], [[1], [3]]);
  });

  it("ends a regular expression that explodes, and says so", async () => {
    const { workspace } = await planted({ "a.txt": `${"a".repeat(60)}!\n` });
    const place = await workspace.locate(".");
    const { matches, note = "" } = await workspace.search(place, {
      pattern: "(a+)+$",
      regex: true,
      limit: 9,
      signal,
    });
    assert.deepEqual([matches, /took too long/.test(note)], [[], true]);
  });

  it("says what is wrong with a regular expression that is none", async () => {
    const { workspace } = await planted({});
    const place = await workspace.locate(".");
    const search = workspace.search(place, { pattern: "(", regex: true, limit: 9, signal });
    assert.match(await complaint(search), /is not a regular expression/);
  });
}

const LISTED: Tree = {
  ".gitignore": "dist/\n",
  ".autogptignore": "private/\n",
  ".git/config": "",
  ".autogpt/runs/x/run.jsonl": "",
  ".github/workflows/ci.yml": "",
  "dist/a.js": "hello",
  "private/diary.txt": "hello",
  "node_modules/x/index.js": "hello",
  "src/app.ts": "// Hello\nconst x = 1;\n",
  "src/deep/app.test.ts": "hello\r\nworld\r\n",
  out: { link: "/etc" },
  "picture.png": Buffer.from("\x89PNG\0hello", "latin1"),
};

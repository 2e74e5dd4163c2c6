import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Tree } from "../support/trees.ts";
import { complaint, type Planted, type WorkspaceUnderTest } from "./workspace-under-test.ts";

const signal = new AbortController().signal;

/** What every `Workspace` promises of listing and searching. */
export function walksContract(planted: Planted): void {
  lists(planted);
  searches(planted);
  keepsToTheRules(planted);
  readsAnyText(planted);
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
      note: "2 ignored or excluded entries were left out.",
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

  it("stops when asked to", async () => {
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

  it("matches a text literally, not as a pattern", async () => {
    const { workspace } = await planted({ "a.txt": "a.b\naxb\n[x]($1)\n" });
    const place = await workspace.locate(".");
    const lines = async (pattern: string) =>
      (await workspace.search(place, { pattern, regex: false, limit: 9, signal })).matches.map(({ line }) => line);
    assert.deepEqual([await lines("a.b"), await lines("[x]($1)")], [[1], [3]]);
  });

  it("is not held up by a regular expression that explodes", async () => {
    const { workspace } = await planted({ "a.txt": `${"a".repeat(60)}!\n` });
    const place = await workspace.locate(".");
    const { matches } = await workspace.search(place, { pattern: "(a+)+$", regex: true, limit: 9, signal });
    assert.deepEqual(matches, []);
  });

  it("says what is wrong with a regular expression that is none", async () => {
    const { workspace } = await planted({});
    const place = await workspace.locate(".");
    const search = workspace.search(place, { pattern: "(", regex: true, limit: 9, signal });
    assert.match(await complaint(search), /is not a regular expression/);
  });
}

/** The places of the lines that hold "needle", below a folder. */
async function needles({ workspace }: WorkspaceUnderTest, folder = "."): Promise<readonly string[]> {
  const place = await workspace.locate(folder);
  const { matches } = await workspace.search(place, { pattern: "needle", regex: false, limit: 99, signal });
  return matches.map(({ label, line }) => `${label}:${line}`);
}

function keepsToTheRules(planted: Planted): void {
  it("shows no line of what an ignore file names, wherever it is and whatever else names it", async () => {
    const under = await planted({
      ".gitignore": "*.log\n/top\nBUILD/\n!kept.log\n",
      ".autogptignore": "private/\nsecret*\n",
      ".ignore": "plain.txt\n",
      "plain.txt": "needle",
      "x.log": "needle",
      "kept.log": "needle",
      top: "needle",
      "build/a.txt": "needle",
      "private/a.txt": "needle",
      "a/.gitignore": "!x.log\nlocal\n",
      "a/.autogptignore": "b/own.txt\n",
      "a/x.log": "needle",
      "a/top": "needle",
      "a/local": "needle",
      "a/secret.txt": "needle",
      "a/b/own.txt": "needle",
      "a/b/x.log": "needle",
      "a/private/a.txt": "needle",
      "a/node_modules/x.js": "needle",
      "a/.git/HEAD": "needle",
      "b/local": "needle",
    });
    assert.deepEqual(
      [await needles(under), await needles(under, "a"), await needles(under, "build")],
      [
        ["kept.log:1", "plain.txt:1", "a/top:1", "a/x.log:1", "b/local:1", "a/b/x.log:1"],
        ["a/top:1", "a/x.log:1", "a/b/x.log:1"],
        ["build/a.txt:1"],
      ],
    );
  });

  it("takes rules from a linked ignore file, and follows no other link", async () => {
    const under = await planted({
      "rules/ours": "hidden\n",
      ".autogptignore": { link: "rules/ours" },
      hidden: "needle",
      "a.txt": "needle",
      "file-link": { link: "a.txt" },
      "folder-link": { link: "rules" },
      "outside-link": { link: "/etc" },
    });
    assert.deepEqual(await needles(under), ["a.txt:1"]);
  });

  it("gives the first matches in the order of a walk, and says that there are more", async () => {
    const { workspace } = await planted({
      "b/z.txt": "needle\nneedle\n",
      "a/b/c.txt": "needle\n",
      "a/z.txt": "needle\n",
      "z.txt": "needle\n",
    });
    const place = await workspace.locate(".");
    const found = [];
    for (const regex of [true, false])
      for (const limit of [3, 5])
        found.push(await workspace.search(place, { pattern: "needle", regex, limit, signal }));
    const labels = ["z.txt", "a/z.txt", "b/z.txt", "b/z.txt", "a/b/c.txt"];
    assert.deepEqual(
      found.map(({ matches, more }) => [matches.map(({ label }) => label), more]),
      [
        [labels.slice(0, 3), true],
        [labels, false],
        [labels.slice(0, 3), true],
        [labels, false],
      ],
    );
  });
}

function readsAnyText(planted: Planted): void {
  it("finds a pattern that looks like an option, and none with a line end or a NUL", async () => {
    const { workspace } = await planted({ "a.txt": "--files\n-e x\n", "-b.txt": "--files\n" });
    const place = await workspace.locate(".");
    const find = (pattern: string, regex: boolean) => workspace.search(place, { pattern, regex, limit: 9, signal });
    const counts = [];
    for (const pattern of ["--files", "-e x", "--pre=sh", "-"])
      for (const regex of [true, false]) counts.push((await find(pattern, regex)).matches.length);
    assert.deepEqual(counts, [2, 2, 1, 1, 0, 0, 3, 3]);
    for (const pattern of ["a\nb", "a\0b"])
      assert.match(await complaint(find(pattern, false)), /one line at a time|NUL character/);
  });

  it("finds letters in old encodings, and lines however they end", async () => {
    const { workspace } = await planted({
      "latin.txt": Buffer.from("Das Stra\xdfencaf\xe9 \xf6ffnet sp\xe4ter.\nDAS CAF\xc9 SCHLIESST.\n", "latin1"),
      "wide.txt": Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from("ein café\r\nTor\r\n", "utf16le")]),
      "windows.txt": "café\r\nTor\r\n",
      "old-mac.txt": "ein\rTor\rcafé\r",
      "binary.bin": Buffer.from("caf\xe9 Tor\0\0", "latin1"),
    });
    const place = await workspace.locate(".");
    const find = async (pattern: string, regex: boolean) =>
      (await workspace.search(place, { pattern, regex, limit: 9, signal })).matches.map(
        ({ label, line, text }) => `${label}:${line}:${text}`,
      );
    assert.deepEqual(
      [await find("café", false), await find("^Tor$", true)],
      [
        [
          "latin.txt:1:Das Straßencafé öffnet später.",
          "latin.txt:2:DAS CAFÉ SCHLIESST.",
          "old-mac.txt:3:café",
          "wide.txt:1:ein café",
          "windows.txt:1:café",
        ],
        ["old-mac.txt:2:Tor", "wide.txt:2:Tor", "windows.txt:2:Tor"],
      ],
    );
  });

  it("shows where a regular expression matches in a very long line", async () => {
    const { workspace } = await planted({ "a.min.js": `${"ä".repeat(60_000)}needle${"y".repeat(99_000)}\n` });
    const query = { pattern: "n..dle", regex: true, limit: 9, signal };
    const { matches } = await workspace.search(await workspace.locate("."), query);
    assert.deepEqual(
      matches.map(({ text }) => text.replace(/ä+/, "ä").replace(/y+/, "y")),
      ["…äneedley…"],
    );
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

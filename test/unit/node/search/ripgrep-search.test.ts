import assert from "node:assert/strict";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import type { TextFile } from "../../../../src/core/ports/workspace.ts";
import { createRipgrepFinder, listSearchRipgrepPaths } from "../../../../src/node/search/find-ripgrep.ts";
import { createNodeWorkspace, type WorkspaceOptions } from "../../../../src/node/workspace.ts";
import { makeLink } from "../../../support/skips.ts";
import { tempFolders } from "../../../support/temp-folders.ts";
import { testFiles, testRipgrep } from "../../../support/test-ripgrep.ts";
import { plant, type Tree } from "../../../support/trees.ts";

const signal = new AbortController().signal;
const isWindows = process.platform === "win32";

describe("a search with ripgrep", () => {
  const tempFolder = tempFolders();

  async function planted(tree: Tree, options: Partial<WorkspaceOptions> = {}) {
    const folder = await tempFolder();
    await plant(folder, tree);
    const workspace = createNodeWorkspace({
      folders: [{ name: "project", path: folder }],
      files: testFiles(),
      ...options,
    });
    const search = async (pattern: string, more: { regex?: boolean; signal?: AbortSignal } = {}) =>
      workspace.search(await workspace.locate("."), { pattern, regex: false, limit: 9, signal, ...more });
    return { folder, search };
  }

  /** A program that answers `--version` as ripgrep does, and then does something else. */
  async function stand(script: string): Promise<string> {
    const path = join(await tempFolder(), "rg");
    await writeFile(path, `#!/bin/sh\n[ "$2" = --version ] && echo "ripgrep 15.0.0" && exit\n${script}\n`);
    await chmod(path, 0o755);
    return path;
  }

  it("finds a text in every Unicode form, and all matches of a long line", async () => {
    const long = `${"x".repeat(150_000)}déjà${"y".repeat(3000)}déjà`.normalize("NFD");
    const { search } = await planted({
      "nfc.txt": "déjà vu\n",
      "nfd.txt": "déjà vu\n".normalize("NFD"),
      "z.min.js": long,
    });
    const counts = [];
    for (const form of ["NFC", "NFD"])
      for (const regex of [false, true]) {
        const { matches } = await search("déjà".normalize(form), { regex });
        counts.push(matches.map(({ label, line }) => `${label}:${line}`).join(" "));
      }
    assert.deepEqual(new Set(counts), new Set(["nfc.txt:1 nfd.txt:1 z.min.js:1 z.min.js:1"]));
  });

  it("continues without ripgrep when it is missing, killed or too old, and says so", async function () {
    if (isWindows) this.skip();
    const programs = [
      join(await tempFolder(), "missing"),
      await stand("kill -9 $$"),
      await stand("echo 'rg: unrecognized flag --engine' >&2; exit 2"),
      await stand("printf 'a.txt\\0'; exit 3"),
    ];
    const found = [];
    for (const program of programs) {
      const { search } = await planted({ "a.txt": "needle\n" }, { files: testFiles({ ripgrep: async () => program }) });
      const { matches, note = "" } = await search("needle");
      found.push([matches.length, note.replace(/(?<=failed: ).*/s, "…")]);
    }
    const note = "A slower search was used, because ripgrep failed: …";
    assert.deepEqual(found, [
      [1, note],
      [1, note],
      [1, note],
      [1, note],
    ]);
  });

  it("says what only JavaScript can do", async () => {
    const { search } = await planted({ "a.txt": "x" });
    await assert.rejects(search("[^]x", { regex: true }), {
      name: "WorkspaceError",
      message:
        '"[^]x" is not a regular expression of ripgrep, which searches here, but of JavaScript only: unclosed character class. Rewrite it in ripgrep\'s syntax, or search for it as text by leaving "regex" out.',
    });
  });

  it("looks around and back, and ends an expression that explodes while it does", async () => {
    const { search } = await planted({ "a.txt": `foobar\nbarfoo\n${"a".repeat(60)}!\n`, "b.txt": "xx\n" });
    const ahead = await search("foo(?=bar)", { regex: true });
    const back = await search("^(x)\\1$", { regex: true });
    const explodes = await search("(a+)+(?=b)$", { regex: true });
    assert.deepEqual(
      [ahead.matches[0]?.line, back.matches[0]?.label, explodes.matches, /took too long/.test(explodes.note ?? "")],
      [1, "b.txt", [], true],
    );
  });

  for (const engine of [{}, { ripgrep: async () => undefined }])
    it(`finds text in the encoding that the user has set, ${"ripgrep" in engine ? "without" : "with"} ripgrep`, async () => {
      const tree = {
        "cyrillic.txt": Buffer.from([0xef, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2, 0x0a]),
        "wide.txt": Buffer.from("plain text without a mark\n", "utf16le"),
      };
      const found = [];
      for (const [encoding, pattern, regex] of [
        ["windows-1251", "привет", false],
        ["windows-1251", "^пр..ет$", true],
        ["utf-16le", "without a", false],
      ] as const) {
        const files = testFiles({ ...engine, findEncoding: () => ({ encoding, bom: false }) });
        const { search } = await planted(tree, { files });
        found.push((await search(pattern, { regex })).matches.map(({ label, text }) => `${label}: ${text}`));
      }
      assert.deepEqual(found, [
        ["cyrillic.txt: привет"],
        ["cyrillic.txt: привет"],
        ["wide.txt: plain text without a mark"],
      ]);
    });

  it("isn't configured by the user's environment", async () => {
    const config = join(await tempFolder(), "config");
    await writeFile(config, "--invert-match\n--follow\n");
    const { RIPGREP_CONFIG_PATH: before } = process.env;
    process.env.RIPGREP_CONFIG_PATH = config;
    try {
      const { search } = await planted({ "a.txt": "needle\nhay\n" });
      assert.deepEqual((await search("needle")).matches, [{ label: "a.txt", line: 1, text: "needle" }]);
    } finally {
      if (before === undefined) delete process.env.RIPGREP_CONFIG_PATH;
      else process.env.RIPGREP_CONFIG_PATH = before;
    }
  });

  it("shows no line of a file or folder that ripgrep names although it's a link by now", async function () {
    if (isWindows) this.skip();
    const outside = await tempFolder();
    await plant(outside, { "a.txt": "needle\n" });
    const program = await stand("printf './link/a.txt\\0./file.txt\\0./../x\\0'");
    const { folder, search } = await planted({}, { files: testFiles({ ripgrep: async () => program }) });
    await makeLink(outside, join(folder, "link"));
    await makeLink(join(outside, "a.txt"), join(folder, "file.txt"));
    assert.deepEqual((await search("needle")).matches, []);
  });

  it("shows no line of a secret, as text or as a regular expression", async () => {
    const { search } = await planted(
      { ".env": "needle", "a.txt": "needle" },
      { leftOut: (path) => path.endsWith(".env") },
    );
    const found = [await search("needle"), await search("n.*", { regex: true })];
    assert.deepEqual(
      found.map(({ matches }) => matches.map(({ label }) => label)),
      [["a.txt"], ["a.txt"]],
    );
  });

  it("ends ripgrep when it is stopped", async function () {
    if (isWindows) this.skip();
    const program = await stand('case "$*" in *files-with-matches*) echo $$ > pid; exec sleep 600; esac');
    const { folder, search } = await planted({}, { files: testFiles({ ripgrep: async () => program }) });
    const controller = new AbortController();
    const stopped = search("x", { signal: controller.signal });
    stopped.catch(() => undefined);
    const pid = await appears(join(folder, "pid"));
    controller.abort(new Error("stopped"));
    await assert.rejects(stopped, { message: "stopped" });
    assert.throws(() => process.kill(pid, 0), { code: "ESRCH" });
  });

  it("has all matches of many, whatever the batches are", async () => {
    const names = Array.from({ length: 130 }, (_, index) => `f${String(index).padStart(3, "0")}.txt`);
    const { search } = await planted(Object.fromEntries(names.map((name) => [name, "a1\na2\na3\n"])));
    const { matches, more } = await search("^a\\d$", { regex: true });
    assert.deepEqual(
      [matches.map(({ label, line }) => `${label}:${line}`), more],
      [["f000", "f001", "f002"].flatMap((name) => [1, 2, 3].map((line) => `${name}.txt:${line}`)), true],
    );
  });
});

describe("unsaved texts", () => {
  const tempFolder = tempFolders();

  for (const files of [undefined, testFiles()])
    it(`are searched in place of those on disk ${files ? "with" : "without"} ripgrep`, async () => {
      const folder = await tempFolder();
      await plant(folder, {
        ".gitignore": "out/\n",
        "a.txt": "old needle\n",
        "b.txt": "needle\n",
        ".env": "x",
        "out/c.txt": "x",
      });
      const file = (text: string): TextFile => ({ text, encoding: "utf-8", bom: false, eol: "\n" });
      const texts: Readonly<Record<string, string>> = {
        "a.txt": "new\nNEEDLE here\n",
        "b.txt": "gone\n",
        "sub/deleted.txt": "a needle\n",
        ".env": "needle=1\n",
        "out/c.txt": "needle\n",
      };
      const unsaved = Object.entries(texts).map(([name, text]) => ({
        path: join(folder, name),
        read: () => ({ kind: "text" as const, file: file(text), version: "editor" }),
        replace: async () => false,
      }));
      const workspace = createNodeWorkspace({
        folders: [{ name: "project", path: folder }],
        leftOut: (path) => path.endsWith(".env"),
        unsaved: { listTextsBelow: (path) => unsaved.filter((one) => one.path.startsWith(path)) },
        files,
      });
      const search = async (where: string, regex: boolean) =>
        workspace.search(await workspace.locate(where), { pattern: "needle", regex, limit: 9, signal });
      const [all, one, regex] = [await search(".", false), await search("a.txt", false), await search(".", true)];
      assert.deepEqual(
        [
          all.matches,
          /3 files have unsaved edits in the editor; their text there was searched\./.test(all.note ?? ""),
          one.matches,
          regex.matches.map(({ label }) => label),
        ],
        [
          [
            { label: "a.txt", line: 2, text: "NEEDLE here" },
            { label: "sub/deleted.txt", line: 1, text: "a needle" },
          ],
          true,
          [{ label: "a.txt", line: 2, text: "NEEDLE here" }],
          ["sub/deleted.txt"],
        ],
      );
    });
});

describe("the ripgrep to use", () => {
  const tempFolder = tempFolders();

  it("is the first that runs, never one of the workspace or of a relative folder", async () => {
    const [workspace, links, real] = [await tempFolder(), await tempFolder(), await testRipgrep()];
    const name = isWindows ? "rg.exe" : "rg";
    await writeFile(join(workspace, name), "#!/bin/sh\necho ripgrep 15.0.0\n");
    await chmod(join(workspace, name), 0o755);
    await mkdir(join(links, "a"));
    await makeLink(join(workspace, name), join(links, "a", name));
    const path = ["", ".", "bin", workspace, join(links, "a")].join(delimiter);
    const places = [...listSearchRipgrepPaths(path), real];
    const [found, none] = [
      createRipgrepFinder(places, () => [workspace]),
      createRipgrepFinder(listSearchRipgrepPaths(undefined)),
    ];
    assert.deepEqual([places.length, await found(), await none()], [3, real, undefined]);
  });
});

async function appears(file: string): Promise<number> {
  while (true) {
    const text = await readFile(file, "utf8").catch(() => "");
    if (text.endsWith("\n")) return Number(text);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

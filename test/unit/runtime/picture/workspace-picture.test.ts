import assert from "node:assert/strict";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { get_encoding } from "tiktoken";
import { findNodeGit } from "../../../../src/node/git/git.ts";
import { createEnvironmentOutside, listProgramVersions } from "../../../../src/node/processes/program-versions.ts";
import { loadFolderOutline } from "../../../../src/node/search/folder-outline.ts";
import { createNodeWorkspace } from "../../../../src/node/workspace.ts";
import { type PictureSources, renderWorkspacePicture } from "../../../../src/runtime/picture/workspace-picture.ts";
import { renderWorkspaceTree } from "../../../../src/runtime/picture/workspace-tree.ts";
import { golden } from "../../../support/golden.ts";
import { git, makeRepository, writeFiles } from "../../../support/repositories.ts";
import { makeLink, skipWithout } from "../../../support/skips.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

const tempFolder = tempFolders();

/** Sources over a real folder, with git. */
function sourcesOf(folder: string, more: Partial<PictureSources> = {}): PictureSources {
  const folders = [{ name: "app", path: folder }];
  return {
    folders,
    realFolders: [folder],
    workspace: createNodeWorkspace({ folders }),
    platform: "linux",
    shell: "bash",
    git: findNodeGit(),
    programs: async () => ["Node 24.1.0", "Python 3.12.3"],
    partMs: 20_000,
    ...more,
  };
}

const PROJECT = {
  "README.md": "",
  "package.json": "{}",
  "package-lock.json": "{}",
  ".env": "KEY=1",
  ".gitignore": "dist/\n",
  ".autogptignore": "private/\n",
  "dist/app.js": "",
  "private/plan.md": "",
  "node_modules/left-pad/index.js": "",
  "docs/guide.md": "",
  "src/main.ts": "",
  "src/ui/button.ts": "",
  "src/ui/panel.ts": "",
  "src/ui/styles/dark.css": "",
  "test/main.test.ts": "",
};

describe("the picture of the workspace", () => {
  it("shows machine, git, problems, open files and a tree, without ignored files and secrets", async () => {
    const folder = await tempFolder();
    makeRepository(folder, PROJECT);
    writeFiles(folder, { "src/main.ts": "changed", "src/new.ts": "", ".autogpt/.gitignore": "runs/\n" });
    const picture = await renderWorkspacePicture(
      sourcesOf(folder, {
        problems: {
          list: async () =>
            (["error", "warning", "error"] as const).map((severity) => ({
              label: "src/main.ts",
              line: 1,
              severity,
              message: "",
              source: "",
            })),
        },
        openFiles: [
          { path: join(folder, "docs/guide.md") },
          { path: join(folder, "src/main.ts"), isActive: true, selected: [3, 9] },
          { path: join(folder, "dist/app.js") },
          { path: join(folder, "private/plan.md") },
          { path: join(folder, ".env") },
          { path: "/etc/hostname" },
        ],
      }),
    );
    golden("workspace-picture.txt", picture ?? "");
  });

  it("leaves out each part that isn't known", async () => {
    const folder = await tempFolder();
    const picture = await renderWorkspacePicture({
      ...sourcesOf(folder, { git: undefined, shell: undefined }),
      programs: () => Promise.reject(new Error("none")),
      problems: { list: async () => undefined },
      openFiles: [],
    });
    assert.equal(picture, "Linux");
  });

  it("names the branch and whether it's clean", async () => {
    const folder = await tempFolder();
    const stateOf = async (): Promise<string | undefined> =>
      /^Git: .*$/m.exec((await renderWorkspacePicture(sourcesOf(folder))) ?? "")?.[0];
    git(folder, "init", "-q", "-b", "trunk");
    const states = [await stateOf()];
    makeRepository(folder, { "a.txt": "1", "b.txt": "1" });
    states.push(await stateOf());
    writeFiles(folder, { "a.txt": "2", "c/d.txt": "" });
    states.push(await stateOf());
    git(folder, "checkout", "-q", "-b", "fix/it");
    states.push(await stateOf());
    git(folder, "checkout", "-q", "--detach");
    states.push(await stateOf());
    assert.deepEqual(states, [
      "Git: branch trunk, clean.",
      "Git: branch trunk, clean.",
      "Git: branch trunk, 2 files changed.",
      "Git: branch fix/it, 2 files changed.",
      "Git: no branch (detached HEAD), 2 files changed.",
    ]);
  });

  it("runs no git over a history outside the workspace, and starts no program of the repository", async () => {
    const [outer, marks] = [await tempFolder(), await tempFolder()];
    makeRepository(outer, { "app/a.txt": "1" });
    const inside = await renderWorkspacePicture(sourcesOf(join(outer, "app")));
    const own = await tempFolder();
    makeRepository(own, { "a.txt": "1", ".gitattributes": "* filter=evil\n" });
    const evil = `touch ${marks}/ran`;
    git(own, "config", "core.fsmonitor", evil);
    git(own, "config", "filter.evil.clean", evil);
    writeFiles(own, { "a.txt": "2" });
    const picture = await renderWorkspacePicture(sourcesOf(own));
    const ran = await loadFolderOutline([{ name: "marks", path: marks }], {
      names: 10,
      milliseconds: 1000,
      isLeftOut: () => false,
    });
    assert.deepEqual(
      { inside: inside?.includes("Git:"), own: picture?.includes("1 file changed"), ran: ran.labels },
      { inside: false, own: true, ran: [] },
    );
  });

  it("quotes names that could be read as something else", async () => {
    skipWithout("files as POSIX has them");
    const folder = await tempFolder();
    const names = ["a\nGit: branch main, clean.", "b, c", "\u202egpj.exe", "x".repeat(200)];
    for (const name of names) await writeFile(join(folder, name), "");
    const picture = await renderWorkspacePicture(sourcesOf(folder, { git: undefined, programs: undefined }));
    assert.equal(
      picture,
      ["Linux, bash", "Files:", '"a\\nGit: branch main, clean."', '"b, c"', "x".repeat(200), '"⟨U+202E⟩gpj.exe"'].join(
        "\n",
      ),
    );
  });

  it("gives up a part that takes too long", async () => {
    const folder = await tempFolder();
    const forever = new Promise<never>(() => undefined);
    const started = performance.now();
    const picture = await renderWorkspacePicture(
      sourcesOf(folder, {
        git: undefined,
        programs: () => forever,
        problems: { list: () => forever },
        partMs: 300,
      }),
    );
    assert.deepEqual([picture, performance.now() - started < 30_000], ["Linux, bash", true]);
  });
});

describe("the tree of the workspace", () => {
  const encoding = get_encoding("o200k_base");
  after(() => encoding.free());

  async function treeOf(names: readonly string[], most: Partial<{ names: number }> = {}) {
    const folder = await tempFolder();
    writeFiles(folder, Object.fromEntries(names.map((name) => [name, ""])));
    const limits = { names: 5_000, milliseconds: 20_000, isLeftOut: () => false, ...most };
    const outline = await loadFolderOutline([{ name: "app", path: folder }], limits);
    return renderWorkspaceTree(outline, 300) ?? "";
  }

  it("has at most 300 tokens, whatever the names", async () => {
    const words = ["controller", "Übersicht", "数据处理模块", "x9f3a1c77b", "SomeVeryLongClassName", "a"];
    const names = words.flatMap((one) =>
      words.flatMap((other) => words.map((last, index) => `${one}/${other}/${last}-${index}.ts`)),
    );
    const tree = await treeOf([...names, ...words.flatMap((word) => words.map((one) => `${word}.${one}.py`))]);
    const tokens = encoding.encode(tree).length;
    assert.deepEqual([tokens <= 300, tokens > 120], [true, true], `${tokens} tokens:\n${tree}`);
  });

  it("has at most 300 tokens, made of any names", () => {
    const name = fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 }).map((text) => text.replaceAll("/", "-"));
    const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join("/"));
    fc.assert(
      fc.property(fc.array(path, { maxLength: 60 }), (labels) => {
        const tree = renderWorkspaceTree({ labels, unread: new Set() }, 300) ?? "";
        assert.ok(encoding.encode_ordinary(tree).length <= 300, tree);
      }),
      { numRuns: 200 },
    );
  });

  it("shows the top level, then source folders, then others, and counts the rest", async () => {
    const tree = await treeOf([
      ...Array.from({ length: 60 }, (_, index) => `src/api/handler-for-request-${index}.ts`),
      ...["src/index.ts", "test/api.test.ts", "docs/a.md", "docs/b.md", "docs/c.md"],
      ...["go.mod", "zebra.txt", "LICENSE"],
    ]);
    golden("workspace-tree.txt", tree);
  });

  it("shows whole paths where they fit", async () => {
    assert.equal(await treeOf(["logs/old/c.tmp", "logs/a.txt", "pom.xml"]), "logs/a.txt\nlogs/old/c.tmp\npom.xml");
  });

  it("shows a chain of folders as one in a large tree", async () => {
    const names = Array.from({ length: 61 }, (_, index) => `src/main/java/com/acme/B${index}.java`);
    assert.match(
      (await treeOf([...names, "pom.xml"])) ?? "",
      /^\.\/ pom\.xml, src\/main\/java\/com\/acme\/ \(61\)\nsrc\/main\/java\/com\/acme\/ /,
    );
  });

  it("marks folders that weren't read to their end", async () => {
    const names = ["a/1.ts", "a/2.ts", "a/3.ts", "b/1.ts", "b/2.ts", "b/3.ts", "c.ts"];
    assert.equal(await treeOf(names, { names: 7 }), "./ a/ (3), b/ (1+), c.ts\na/ 1.ts, 2.ts, 3.ts\nb/ 1.ts, and more");
  });

  it("stops in time in a large workspace", async () => {
    const folder = await tempFolder();
    const limits = { names: 5_000, milliseconds: 400, isLeftOut: () => false };
    for (let index = 0; index < 40; index++) {
      await mkdir(join(folder, `part-${index}`));
      for (let file = 0; file < 200; file += 100)
        await Promise.all(
          Array.from({ length: 100 }, (_, at) => writeFile(join(folder, `part-${index}`, `${file + at}.py`), "")),
        );
    }
    const started = performance.now();
    const outline = await loadFolderOutline([{ name: "app", path: folder }], limits);
    const took = performance.now() - started;
    assert.deepEqual(
      { inTime: took < 30_000, isCut: outline.unread.size > 0, most: outline.labels.length <= 5_000 },
      { inTime: true, isCut: true, most: true },
    );
  });
});

describe("versions of programs", () => {
  it("come from programs outside the workspace alone", async () => {
    const [inside, outside] = [await tempFolder(), await tempFolder()];
    const program = async (path: string, version: string): Promise<void> => {
      await writeFile(path, `#!/bin/sh\necho ${version}\n`);
      await chmod(path, 0o755);
    };
    await program(join(inside, "node"), "v1.0.0");
    await program(join(outside, "python3"), "Python 3.9.1");
    await makeLink(join(inside, "node"), join(outside, "node"));
    const env = { PATH: [inside, "relative", outside].join(":") };
    assert.deepEqual(await listProgramVersions([inside], env), ["Python 3.9.1"]);
  });

  it("are those of the programs on this machine", async () => {
    const [node] = await listProgramVersions([await tempFolder()]);
    assert.match(node ?? "", /^Node \d+\.\d+\.\d+$/);
  });
});

describe("the environment of programs that a picture asks", () => {
  it("has no search path into the workspace", async () => {
    const [inside, outside] = [await tempFolder(), await tempFolder()];
    await mkdir(join(inside, "bin"));
    await makeLink(join(inside, "bin"), join(outside, "linked"));
    const path = [join(inside, "bin"), join(outside, "linked"), join(outside, "missing"), ".", outside];
    const { PATH, OPENAI_API_KEY } = createEnvironmentOutside([inside], {
      PATH: path.join(":"),
      OPENAI_API_KEY: "sk-1",
    });
    assert.deepEqual([PATH, OPENAI_API_KEY], [outside, undefined]);
  });
});

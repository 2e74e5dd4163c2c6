import assert from "node:assert/strict";
import { boundedPatterns, ignoreRules } from "../../../src/node/files/ignore-rules.ts";
import { globTest } from "../../../src/node/search/glob.ts";
import { tempFolders } from "../../support/temp-folders.ts";
import { plant } from "../../support/trees.ts";

describe("ignore files", () => {
  const tempFolder = tempFolders();

  it("are asked from the innermost outwards, each about what lies below it", async () => {
    const folder = await tempFolder();
    await plant(folder, {
      ".gitignore": "*.log\nbuild/\n/top.txt\n",
      "a/.gitignore": "!keep.log\n*.tmp\n",
      "a/.autogptignore": "*.pem\n",
    });
    const { ignored } = ignoreRules(folder);
    const paths = [
      "x.log",
      "a/x.log",
      "a/keep.log",
      "b/keep.log",
      "a/x.tmp",
      "x.tmp",
      "build/deep/x",
      "a/build/",
      "top.txt",
      "a/top.txt",
      "a/b/c.pem",
      "c.pem",
    ];
    assert.deepEqual(await Promise.all(paths.map((path) => ignored(path))), [
      "git",
      "git",
      undefined,
      "git",
      "git",
      undefined,
      "git",
      "git",
      "git",
      undefined,
      "agent",
      undefined,
    ]);
  });

  it("hold no pattern that takes long, and then ignore rather more than less", () => {
    const slow = `${"a*".repeat(30)}b`;
    assert.deepEqual(
      boundedPatterns(`*.log\n**/x/**/y\n${slow}\n!${slow}\n${"z/".repeat(400)}\n`).split("\n"),
      ["*.log", "**/x/**/y", "a*a*a*", "", `${"z/".repeat(250)}*`, ""],
    );
  });
});

describe("a glob", () => {
  it("is about names where it has no folder, and about paths where it has", () => {
    const tests = [
      globTest("*.ts"),
      globTest("src/*.ts"),
      globTest("src/**"),
      globTest("**/*.{ts,js}"),
      globTest("/a.ts"),
    ];
    const paths = ["a.ts", "src/a.ts", "src/b/a.ts", ".x.ts", "a.js"];
    assert.deepEqual(
      tests.map((test) => paths.filter(test)),
      [
        ["a.ts", "src/a.ts", "src/b/a.ts", ".x.ts"],
        ["src/a.ts"],
        ["src/a.ts", "src/b/a.ts"],
        ["a.ts", "src/a.ts", "src/b/a.ts", ".x.ts", "a.js"],
        ["a.ts"],
      ],
    );
  });

  it("is refused when it could take long", () => {
    for (const glob of ["*a*b*c*d", "**/**/**/**/**/a", "x".repeat(300)])
      assert.throws(() => globTest(glob), { name: "WorkspaceError" });
  });
});

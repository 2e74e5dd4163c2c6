import assert from "node:assert/strict";
import { ignoreRules, limitPatterns } from "../../../src/node/files/ignore-rules.ts";
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
    const { matchWithParents } = ignoreRules(folder);
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
    assert.deepEqual(await Promise.all(paths.map((path) => matchWithParents(path))), [
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
    assert.deepEqual(limitPatterns(`*.log\n**/x/**/y\n${slow}\n!${slow}\n${"z/".repeat(400)}\n`).split("\n"), [
      "*.log",
      "**/x/**/y",
      "a*a*a*",
      "",
      `${"z/".repeat(250)}*`,
      "",
    ]);
  });
});

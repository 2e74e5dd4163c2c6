import assert from "node:assert/strict";
import fs from "node:fs";
import * as vscode from "vscode";
import { FileIndexes } from "../../../src/node/search/file-index.ts";
import { createRipgrepFinder, listEditorRipgrepPaths } from "../../../src/node/search/find-ripgrep.ts";
import { demandInBounds, findMatchingFiles } from "../../../src/vscode/workspace/mentions.ts";
import { inWorkspace, writeInWorkspace } from "./workspace-files.ts";

const ripgrep = createRipgrepFinder(listEditorRipgrepPaths(vscode.env.appRoot));
const files = new FileIndexes({ ripgrep, leftOut: () => false });

const FILES = [".autogptignore", ".gitignore", "mentioned.txt", "kept", "built", "mentioned-link.txt"];

describe("a file that a task mentions", () => {
  beforeEach(() => {
    writeInWorkspace(".autogptignore", "kept/\n");
    writeInWorkspace(".gitignore", "built/\n");
    for (const name of ["mentioned.txt", "kept/mentioned.txt", "built/mentioned.txt"]) writeInWorkspace(name, "x");
    fs.symlinkSync("kept/mentioned.txt", inWorkspace("mentioned-link.txt"));
  });
  afterEach(() => {
    for (const name of FILES) fs.rmSync(inWorkspace(name), { recursive: true, force: true });
  });

  it("is offered in the panel unless an ignore file names it, or what it links to", async () => {
    assert.deepEqual(await findMatchingFiles("mentioned", files), ["mentioned.txt"]);
  });

  it("is offered by its folder's name too, in small or large letters", async () => {
    writeInWorkspace("Deep/below/mentioned.txt", "x");
    const found = [await findMatchingFiles("deep", files), await findMatchingFiles("MENTIONED", files)];
    fs.rmSync(inWorkspace("Deep"), { recursive: true });
    assert.deepEqual(found, [["Deep/below/mentioned.txt"], ["mentioned.txt", "Deep/below/mentioned.txt"]]);
  });

  it("is not made a task of when the user keeps the agent out of it", async () => {
    const uri = (name: string) => vscode.Uri.file(inWorkspace(name));
    await demandInBounds([uri("mentioned.txt"), uri("built/mentioned.txt")]);
    for (const name of ["kept/mentioned.txt", "mentioned-link.txt"])
      await assert.rejects(demandInBounds([uri("mentioned.txt"), uri(name)]), /is listed in \.autogptignore/);
  });
});

import assert from "node:assert/strict";
import { FileIndexes, type FileIndexOptions } from "../../src/node/search/file-index.ts";
import { createRipgrepFinder, listPackageRipgrepPaths } from "../../src/node/search/find-ripgrep.ts";

const find = createRipgrepFinder(listPackageRipgrepPaths(import.meta.url));

/** The ripgrep of the packages that the tests use; a test without it must fail. */
export async function testRipgrep(): Promise<string> {
  const found = await find();
  assert.ok(found, "The package @vscode/ripgrep isn't installed.");
  return found;
}

/** Lists of files without a watch, by the ripgrep of the tests or another one. */
export function testFiles(options: Partial<FileIndexOptions> = {}): FileIndexes {
  return new FileIndexes({ ripgrep: testRipgrep, leftOut: () => false, ...options });
}

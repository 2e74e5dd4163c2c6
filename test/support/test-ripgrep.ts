import assert from "node:assert/strict";
import { ripgrepFinder, ripgrepInPackages } from "../../src/node/search/find-ripgrep.ts";

const find = ripgrepFinder(ripgrepInPackages(import.meta.url));

/** The ripgrep of the packages that the tests use; a test without it must fail. */
export async function testRipgrep(): Promise<string> {
  const found = await find();
  assert.ok(found, "The package @vscode/ripgrep isn't installed.");
  return found;
}

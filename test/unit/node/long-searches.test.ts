import assert from "node:assert/strict";
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { createRegexMatcher, createTextMatcher } from "../../../src/node/search/line-matcher.ts";
import { createNodeWorkspace } from "../../../src/node/workspace.ts";
import { tempFolders } from "../../support/temp-folders.ts";
import { plant } from "../../support/trees.ts";

/** Keeps this thread busy for longer than a search of one text may take. */
function stayBusy(): void {
  const until = performance.now() + 1200;
  while (performance.now() < until);
}

describe("a long search", () => {
  const tempFolder = tempFolders();

  it("is stopped in the middle of an expression that explodes", async () => {
    const folder = await tempFolder();
    await plant(folder, { "a.txt": `${"a".repeat(100)}!\n` });
    const workspace = createNodeWorkspace({ folders: [{ name: "project", path: folder }] });
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error("stopped")), 50);
    const options = { pattern: "(a+)+$", regex: true, limit: 9, signal: controller.signal };
    await assert.rejects(workspace.search(await workspace.locate("."), options), { message: "stopped" });
  });

  it("shows the part of a long line that matches", async () => {
    const folder = await tempFolder();
    await plant(folder, { "a.min.js": `${"x".repeat(5000)}needle${"y".repeat(5000)}\n` });
    const workspace = createNodeWorkspace({ folders: [{ name: "project", path: folder }] });
    const options = { pattern: "needle", regex: false, limit: 9, signal: new AbortController().signal };
    const { matches } = await workspace.search(await workspace.locate("."), options);
    assert.deepEqual(matches, [{ label: "a.min.js", line: 1, text: `…${"x".repeat(100)}needle${"y".repeat(194)}…` }]);
  });

  it("finds no more lines in a text than are wanted, in both ways of matching", async () => {
    const text = "hit\n".repeat(1000);
    const regex = createRegexMatcher("h.t", new AbortController().signal);
    const counts = [await createTextMatcher("hit").match(text, 3), await regex.match(text, 3)].map(
      (found) => found?.length,
    );
    await regex.close();
    assert.deepEqual(counts, [3, 3]);
  });

  it("finds lines on a machine that is too busy to load their threads within the time for a text", async () => {
    const busy = Array.from({ length: 4 * availableParallelism() }, () => new Worker("for (;;);", { eval: true }));
    const { signal } = new AbortController();
    const matchers = Array.from({ length: 12 }, () => createRegexMatcher("h.t", signal));
    const found = await Promise.all(matchers.map((matcher) => matcher.match("one\nhit", 3)));
    await Promise.all(matchers.map((matcher) => matcher.close()));
    await Promise.all(busy.map((worker) => worker.terminate()));
    const hit = [{ line: 2, column: 0, text: "hit" }];
    assert.deepEqual(
      found,
      matchers.map(() => hit),
    );
  });

  it("has no more lines after an expression that explodes, once its time is over", async () => {
    const regex = createRegexMatcher("(a+)+$", new AbortController().signal);
    const found = [await regex.match("aa", 3), await regex.match(`${"a".repeat(100)}!`, 3), await regex.match("aa", 3)];
    await regex.close();
    assert.deepEqual(found, [[{ line: 1, column: 0, text: "aa" }], undefined, undefined]);
  });

  it("finds lines however long its thread takes to start, and while this one is busy", async () => {
    const regex = createRegexMatcher("h.t", new AbortController().signal);
    const found: unknown[] = [];
    for (const text of ["hit", "a hat"]) {
      const match = regex.match(text, 3);
      stayBusy();
      found.push((await match)?.map((line) => line.text));
    }
    await regex.close();
    assert.deepEqual(found, [["hit"], ["a hat"]]);
  });
});

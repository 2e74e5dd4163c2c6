import assert from "node:assert/strict";
import { mkdir, readdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { FolderWatch } from "../../../../src/core/ports/folder-watch.ts";
import { WORKERS } from "../../../../src/headless/workers.ts";
import { NodeFolderWatch } from "../../../../src/node/watch/folder-watch.ts";
import { CodeIndexes, type CodeQuery, type FoundCode } from "../../../../src/runtime/code-search/code-indexes.ts";
import { skipWithout } from "../../../support/skips.ts";
import { tempFolders } from "../../../support/temp-folders.ts";
import { plant } from "../../../support/trees.ts";

const { signal: NEVER } = new AbortController();
const PLAIN: Omit<CodeQuery, "query"> = {
  count: 10,
  below: "",
  settings: { excludes: { files: {}, search: {} } },
  unsaved: [],
};

describe("indexes of code in a thread", () => {
  const folder = tempFolders();
  const opened: { close(): Promise<void> }[] = [];

  afterEach(async () => {
    for (const one of opened.splice(0)) await one.close();
  });

  function open(cache: string, watch: Pick<FolderWatch, "watch"> = realWatch()): CodeIndexes {
    const indexes = new CodeIndexes({ worker: WORKERS.code, folder: cache, watch });
    opened.push(indexes);
    return indexes;
  }

  function realWatch(): FolderWatch {
    const watch = new NodeFolderWatch(WORKERS.watch);
    opened.push(watch);
    return watch;
  }

  it("find the code that a question is about, with its lines, its names and an excerpt, below a folder and by a glob", async () => {
    const root = await folder();
    const code =
      "import x;\n\n/** Ends a run that spends too much money. */\nexport class SpendingLimit {\n  check() {\n    stop();\n  }\n}\n";
    await plant(root, {
      "src/budget.ts": code,
      "lib/budget.py": "# Too much is spent.\n",
      "a.md": "money\n",
    });
    const indexes = open(await folder());
    const query = "what stops a run that spends too much money?";
    const answer = await search(indexes, root, { query });
    const { score: _score, ...best } = answer.found[0] ?? { score: 0 };
    assert.deepEqual(
      {
        best,
        below: paths(await search(indexes, root, { query, below: "lib/" })),
        file: paths(await search(indexes, root, { query, below: "a.md" })),
        glob: paths(await search(indexes, root, { query, glob: "*.{md,py}" })).toSorted(),
      },
      {
        best: {
          path: "src/budget.ts",
          from: 1,
          to: 8,
          symbols: ["SpendingLimit", "check"],
          others: [],
          line: 1,
          excerpt: code.split("\n").slice(0, 6).join("\n"),
        },
        below: ["lib/budget.py"],
        file: ["a.md"],
        glob: ["a.md", "lib/budget.py"],
      },
    );
  });

  it("see a change in the next search, and after a search that was canceled", async () => {
    skipWithout("watches that follow a renamed folder");
    const root = await folder();
    await mkdir(join(root, "many"));
    for (let file = 0; file < 300; file++)
      await writeFile(join(root, "many", `f${file}.ts`), `export const value${file} = 1;\n`);
    const indexes = open(await folder());
    const stop = new AbortController();
    const canceled = search(indexes, root, { query: "yak" }, stop.signal);
    setTimeout(() => stop.abort(new Error("canceled")), 5);
    await assert.rejects(canceled, /canceled/);
    await writeFile(join(root, "many", "zz.ts"), "yak\n");
    const seen = [paths(await search(indexes, root, { query: "yak" }))];
    await rename(join(root, "many"), join(root, "moved"));
    seen.push(paths(await search(indexes, root, { query: "yak" })));
    await writeFile(join(root, "moved", "zz.ts"), "gnu\n");
    await assert.rejects(search(indexes, root, { query: "gnu" }, AbortSignal.abort(new Error("at once"))), /at once/);
    seen.push(paths(await search(indexes, root, { query: "gnu" })));
    assert.deepEqual(seen, [["many/zz.ts"], ["moved/zz.ts"], ["moved/zz.ts"]]);
  });

  it("look at everything where a folder can't be watched, and watch it once it can be", async () => {
    const root = await folder();
    await plant(root, { "a.ts": "gnu\n" });
    const watch = realWatch();
    let isBroken = true;
    const indexes = open(await folder(), {
      watch: async (...given) => {
        if (isBroken) throw new Error("There are too many watches.");
        return watch.watch(...given);
      },
    });
    const seen = [paths(await search(indexes, root, { query: "gnu" }))];
    isBroken = false;
    await writeFile(join(root, "b.ts"), "yak\n");
    seen.push(paths(await search(indexes, root, { query: "yak" })));
    assert.deepEqual(seen, [["a.ts"], ["b.ts"]]);
  });

  it("serve two windows that share what is kept, and keep nothing of a copy", async () => {
    const [root, copy, cache] = [await folder(), await folder(), await folder()];
    await plant(root, { "a.ts": "gnu\n" });
    await plant(copy, { "a.ts": "gnu\n", "b.ts": "ibex\n" });
    const [one, other] = [open(cache), open(cache)];
    await Promise.all([search(one, root, { query: "gnu" }), search(other, root, { query: "gnu" })]);
    await writeFile(join(root, "b.ts"), "yak\n");
    const found = await Promise.all([search(one, root, { query: "yak" }), search(other, root, { query: "yak" })]);
    await Promise.all([one.close(), other.close()]);
    const third = open(cache);
    const [again, copied] = [
      await search(third, root, { query: "yak" }),
      await search(third, copy, { query: "ibex", origin: root }),
    ];
    await third.close();
    assert.deepEqual(
      {
        found: found.map(paths),
        again: [paths(again), again.read],
        copied: [paths(copied), copied.read],
        kept: (await readdir(cache)).length,
      },
      { found: [["b.ts"], ["b.ts"]], again: [["b.ts"], 0], copied: [["b.ts"], 1], kept: 1 },
    );
  });

  it("work again after their thread has ended", async () => {
    const root = await folder();
    await plant(root, { "a.ts": "gnu\n" });
    const indexes = open(await folder());
    const before = paths(await search(indexes, root, { query: "gnu" }));
    await indexes.close();
    await writeFile(join(root, "b.ts"), "gnu\n");
    assert.deepEqual(
      [before, paths(await search(indexes, root, { query: "gnu" })).toSorted()],
      [["a.ts"], ["a.ts", "b.ts"]],
    );
  });
});

function search(
  indexes: CodeIndexes,
  root: string,
  query: Partial<CodeQuery> & Pick<CodeQuery, "query">,
  signal = NEVER,
): Promise<FoundCode> {
  return indexes.search(root, { ...PLAIN, ...query }, () => undefined, signal);
}

function paths({ found }: FoundCode): readonly string[] {
  return found.map(({ path }) => path);
}

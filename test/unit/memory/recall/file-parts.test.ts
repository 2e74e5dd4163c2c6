import assert from "node:assert/strict";
import { openMemory } from "../../../../src/memory/open-memory.ts";
import { ingestDocument } from "../../../../src/memory/recall/documents.ts";
import { FileParts } from "../../../../src/memory/recall/file-parts.ts";
import type { WorkspaceMemory } from "../../../../src/memory/workspace-memory.ts";
import { listed } from "../../../support/listed.ts";
import { shippedTable } from "../../../support/shipped-table.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

describe("the parts of files that runs remember", () => {
  let store: WorkspaceMemory;
  afterEach(() => store.close());
  const tempFolder = tempFolders();
  beforeEach(async () => {
    store = await openMemory({ folder: await tempFolder(), embedder: shippedTable() });
  });

  const linesOf = (from: number, to: number, word = "line"): string[] =>
    Array.from({ length: to - from + 1 }, (_, at) => `${word} ${from + at}`);
  const part = (from: number, to: number, word?: string) => ({
    source: "src/a.ts",
    fromLine: from,
    lines: linesOf(from, to, word),
  });
  const origin = (run: string, step = 1) => ({ run, step, at: "2026-01-02T03:04:05.000Z", sources: [] });
  const shown = async () =>
    (await listed(store.iterateAll())).map(({ run, step, source, place, text }) =>
      [run, step, source, place, text.split("\n")[0]].join(" | "),
    );

  it("have path, lines, run and step", async () => {
    await new FileParts().keep(store, part(10, 12), origin("r1", 4));
    assert.deepEqual(await shown(), ["r1 | 4 | src/a.ts | lines 10 to 12 | line 10"]);
  });

  it("are remembered once, whichever run reads them, and a larger part replaces those in it", async () => {
    const first = new FileParts();
    await first.keep(store, part(10, 12), origin("r1"));
    await first.keep(store, part(10, 12), origin("r1", 2));
    const second = new FileParts();
    await second.keep(store, part(11, 12), origin("r2"));
    await second.keep(store, part(5, 20), origin("r2", 2));
    assert.deepEqual(await shown(), ["r2 | 2 | src/a.ts | lines 5 to 20 | line 5"]);
  });

  it("are replaced when the file has changed, the lines that were read elsewhere too", async () => {
    await new FileParts().keep(store, part(10, 12), origin("r1"));
    await new FileParts().keep(store, part(100, 102), origin("r1"));
    await store.add([{ kind: "note", text: "A note.", source: "src/a.ts" }]);
    await new FileParts().keep(store, part(11, 14, "changed"), origin("r2"));
    assert.deepEqual(await shown(), [" |  | src/a.ts |  | A note.", "r2 | 1 | src/a.ts | lines 11 to 14 | changed 11"]);
  });

  it("are forgotten when a run changes the file", async () => {
    const parts = new FileParts();
    await parts.keep(store, part(10, 12), origin("r1"));
    await parts.forget(store, "src/a.ts");
    await parts.forget(store, "src/unknown.ts");
    assert.deepEqual(await shown(), []);
  });

  it("aren't added where the user has added the whole file, unless it has changed since", async () => {
    const text = linesOf(1, 300).join("\n");
    await ingestDocument(store, { kind: "file", source: "src/a.ts", text, sources: [] });
    const whole = store.state.count;
    await new FileParts().keep(store, part(10, 200), origin("r1"));
    const same = store.state.count;
    await new FileParts().keep(store, part(10, 12, "changed"), origin("r1"));
    assert.deepEqual([whole > 1, same, store.state.count], [true, whole, whole + 1]);
  });

  it("are added although others of the team remember the same lines", async () => {
    const theirs = { kind: "file", source: "src/a.ts", author: "Bo", sources: [] } as const;
    await store.add([{ ...theirs, text: linesOf(10, 12).join("\n"), place: "lines 10 to 12" }]);
    await new FileParts().keep(store, part(10, 12), origin("r1"));
    assert.equal(store.state.count, 2);
  });

  it("are bounded for each run", async () => {
    const parts = new FileParts();
    for (let at = 0; at < 30; at++)
      await parts.keep(
        store,
        { source: `src/${at}.ts`, fromLine: 1, lines: linesOf(1, 1200, `the number of file ${at} is`) },
        origin("r1"),
      );
    assert.equal(store.state.count, 200);
  });
});

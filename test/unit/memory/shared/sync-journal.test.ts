import assert from "node:assert/strict";
import fs from "node:fs/promises";
import path from "node:path";
import { SyncJournal } from "../../../../src/memory/shared/sync-journal.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

const tempFolder = tempFolders();

describe("the journal of sharing", () => {
  it("isn't read through a link, which could lead to a file without an end", async () => {
    const [folder, elsewhere] = [await tempFolder(), await tempFolder()];
    const journal = await SyncJournal.open(elsewhere, "log");
    await journal.record({ sent: ["a"] });
    await fs.symlink(path.join(elsewhere, "shared.jsonl"), path.join(folder, "shared.jsonl"));
    const linked = await SyncJournal.open(folder, "log");
    assert.deepEqual([...linked.sent], []);
  });
});

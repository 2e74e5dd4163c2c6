import assert from "node:assert/strict";
import path from "node:path";
import { hasSent, SyncJournal } from "../../../../src/memory/shared/sync-journal.ts";
import { makeLink } from "../../../support/skips.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

const tempFolder = tempFolders();
const KEY = "the key of this machine";

describe("the journal of sharing", () => {
  it("isn't read through a link, which could lead to a file without an end", async () => {
    const [folder, elsewhere] = [await tempFolder(), await tempFolder()];
    const journal = await SyncJournal.open(elsewhere, "log", KEY);
    await journal.record({ sent: ["a"] });
    await makeLink(path.join(elsewhere, "shared.jsonl"), path.join(folder, "shared.jsonl"));
    const linked = await SyncJournal.open(folder, "log", KEY);
    assert.deepEqual([...linked.sent], []);
  });

  it("knows afterwards whether something was sent to a project", async () => {
    const shop = { backend: "postgres", url: "postgres://db.example/team", project: "shop" };
    const name = JSON.stringify([shop.backend, shop.url, shop.project, "Ada"]);
    const [sent, unsent] = [await tempFolder(), await tempFolder()];
    await (await SyncJournal.open(sent, name, KEY)).record({ sent: ["a"] });
    await (await SyncJournal.open(unsent, name, KEY)).record({ cursor: "1" });
    assert.deepEqual(
      [
        await hasSent(sent, shop),
        await hasSent(sent, { ...shop, project: "till" }),
        await hasSent(unsent, shop),
        await hasSent(await tempFolder(), shop),
      ],
      [true, false, false, false],
    );
  });

  it("keeps a removal that is noted while the server turns out to have another log", async () => {
    const folder = await tempFolder();
    const journal = await SyncJournal.open(folder, "log", KEY);
    await Promise.all([journal.restart(), journal.record({ removing: ["a"] })]);
    const again = await SyncJournal.open(folder, "log", KEY);
    assert.deepEqual([...again.removing], ["a"]);
  });

  it("is believed if this user wrote it for this log, so that no repository has memories removed from the server", async () => {
    const folder = await tempFolder();
    const theirs = await SyncJournal.open(folder, "log", "the key of another machine");
    await theirs.record({ sent: ["a"], removing: ["b"] });
    const own = await SyncJournal.open(folder, "log", KEY);
    const before = [...own.sent, ...own.removing];
    await own.record({ sent: ["c"], cursor: "1" });
    const again = await SyncJournal.open(folder, "log", KEY);
    const known = [...again.sent, again.cursor];
    const other = await SyncJournal.open(folder, "another log", KEY);
    assert.deepEqual([before, known, [...other.sent]], [[], ["c", "1"], []]);
  });
});

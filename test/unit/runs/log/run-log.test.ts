import assert from "node:assert/strict";
import { appendFile, mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { LogError } from "../../../../src/core/ports/storage.ts";
import { LOG_FILE, openRunLog } from "../../../../src/runs/log/run-log.ts";
import type { AgentEvent } from "../../../../src/schema/events.ts";
import { makeLink, skipWithout } from "../../../support/skips.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

const tempFolder = tempFolders();
const said = (seq: number): AgentEvent => ({ seq, at: "", type: "said", text: "hi", by: "user" });
const lines = (...seqs: readonly number[]): string => seqs.map((seq) => `${JSON.stringify(said(seq))}\n`).join("");

describe("a run's log on the disk", () => {
  it("is for its owner alone, folder and file", async () => {
    skipWithout("files as POSIX has them");
    const folder = join(await tempFolder(), "runs", "one");
    await (await openRunLog(folder)).close();
    const modes = await Promise.all(
      [folder, join(folder, LOG_FILE)].map(async (path) => (await stat(path)).mode & 0o777),
    );
    assert.deepEqual(modes, [0o700, 0o600]);
  });

  const torn = ['{"seq":1,"at', "x".repeat(200_000), '{"seq":1}'];
  for (const tail of torn) {
    it(`loses a torn last line of ${tail.length} characters when it is opened, and nothing else`, async () => {
      const folder = await tempFolder();
      await writeFile(join(folder, LOG_FILE), lines(0) + tail);
      const log = await openRunLog(folder);
      await log.append(said(1));
      await log.close();
      assert.equal(await readFile(join(folder, LOG_FILE), "utf8"), lines(0, 1));
    });
  }

  it("is left as it is when it is only viewed, and not touched once someone else has resumed its run", async () => {
    const folder = await tempFolder();
    const path = join(folder, LOG_FILE);
    await writeFile(path, `${lines(0)}{"seq":1`);
    const log = await openRunLog(folder);
    const looked = await readFile(path, "utf8");
    await writeFile(path, lines(0, 1));
    await assert.rejects(log.append(said(1)), { message: /^Another window or program has continued/ });
    await log.close();
    assert.deepEqual([looked, await readFile(path, "utf8")], [`${lines(0)}{"seq":1`, lines(0, 1)]);
  });

  it("loses a torn first line", async () => {
    const folder = await tempFolder();
    await writeFile(join(folder, LOG_FILE), '{"seq"');
    const log = await openRunLog(folder);
    await log.append(said(0));
    await log.close();
    assert.equal(await readFile(join(folder, LOG_FILE), "utf8"), lines(0));
  });

  it("syncs its folder too while it is new", async () => {
    const log = await openRunLog(join(await tempFolder(), "new"));
    await log.append(said(0));
    assert.deepEqual([await log.sync(), await log.sync(), await log.close()], [undefined, undefined, undefined]);
  });

  it("notices another writer", async () => {
    const folder = await tempFolder();
    const log = await openRunLog(folder);
    await log.append(said(0));
    await appendFile(join(folder, LOG_FILE), lines(1));
    await assert.rejects(log.append(said(1)), LogError);
    await log.close();
  });
});

describe("a run's log that cannot be opened", () => {
  it("says so when there is a file in the place of its folder", async () => {
    const folder = join(await tempFolder(), "file");
    await writeFile(folder, "");
    await assert.rejects(
      openRunLog(folder),
      (error) => error instanceof LogError && error.message.endsWith("to continue the run."),
    );
  });

  it("is not looked for through a symbolic link", async () => {
    skipWithout("files as POSIX has them");
    const folder = await tempFolder();
    await writeFile(join(folder, "victim"), "precious");
    await makeLink(join(folder, "victim"), join(folder, LOG_FILE));
    await assert.rejects(openRunLog(folder), /is a symbolic link, which isn't followed/);
  });

  it("says so when it is a folder", async () => {
    const folder = await tempFolder();
    await mkdir(join(folder, LOG_FILE));
    await assert.rejects(openRunLog(folder), LogError);
  });
});

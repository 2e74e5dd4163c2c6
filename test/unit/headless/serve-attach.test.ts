import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { createFleetKey } from "../../../src/fleet/key.ts";
import { Attachment } from "../../../src/headless/fleet/serve-attach.ts";
import { takeServedRun, writeServedRecord } from "../../../src/headless/fleet/served-runs.ts";
import type { ServedLine } from "../../../src/schema/fleet/served.ts";
import { onFaultyDisk } from "../../support/faulty-disk.ts";
import { tempFolders } from "../../support/temp-folders.ts";

const RUN = "20260102_090000_remote_a1b2";

describe("a window's connection to a run on this machine", () => {
  const tempFolder = tempFolders();

  /** The lines for a window that sends words, and leaves once it has an answer. */
  async function sendWords(): Promise<readonly ServedLine[]> {
    const data = await tempFolder();
    const key = await createFleetKey(data);
    const record = { version: 1, run: RUN, repository: "", startedAt: "", refused: [], handled: [] } as const;
    await writeServedRecord(data, { ...record, refused: [{ id: "r-1", question: "q-1", why: "It came too late." }] });
    const release = await takeServedRun(data, RUN, key);
    const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
    const { signal } = new AbortController();
    const printed: ServedLine[] = [];
    const answered = Promise.withResolvers<void>();
    const print = async (line: ServedLine): Promise<void> => {
      printed.push(line);
      if (line.type !== "asks") answered.resolve();
    };
    const around = { stdin, stdout, stderr, data, signal };
    const following = new Attachment(RUN, { lines: 0, around, print }).follow();
    stdin.write(`${JSON.stringify({ type: "tell", id: "s-1", message: "sealed" })}\n`);
    await answered.promise;
    stdin.end();
    await following;
    await release?.();
    return printed.sort((one, other) => one.type.localeCompare(other.type));
  }

  it("says at first that nothing is asked, takes requests, and ends when the window has gone", async () => {
    assert.deepEqual(await sendWords(), [{ type: "asks" }, { type: "taken", id: "s-1" }]);
  });

  it("says that the disk is full in place of taking words", async () => {
    assert.deepEqual(await onFaultyDisk("ENOSPC", /inbox/, sendWords), [
      { type: "asks" },
      {
        type: "failed",
        why: "The disk of that machine is full, so it has written nothing. Make room there, then try again; the run continues where it was.",
      },
    ]);
  });
});

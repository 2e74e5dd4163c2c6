import assert from "node:assert/strict";
import { LogError } from "../../../../src/core/ports/storage.ts";
import { createAppendingLog, type RunLogFile } from "../../../../src/runs/log/run-log.ts";
import type { AgentEvent } from "../../../../src/schema/events.ts";

/** A file on a disk with room for so many bytes. */
class SmallDisk implements RunLogFile {
  content = "";
  syncs = 0;
  room: number;
  private readonly whenFull: "part" | "error";

  constructor(room: number, whenFull: "part" | "error" = "part") {
    this.room = room;
    this.whenFull = whenFull;
  }

  async write(bytes: Buffer): Promise<{ bytesWritten: number }> {
    const left = this.room - this.content.length;
    if (bytes.length > left && this.whenFull === "error") {
      this.content += bytes.toString().slice(0, left);
      throw Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" });
    }
    const written = bytes.subarray(0, left);
    this.content += written.toString();
    return { bytesWritten: written.length };
  }

  async truncate(length: number): Promise<void> {
    this.content = this.content.slice(0, length);
  }

  getSize(): number {
    return this.content.length;
  }

  async datasync(): Promise<void> {
    this.syncs++;
    await new Promise((resolve) => setImmediate(resolve));
  }

  async close(): Promise<void> {}
}

const EMPTY = { end: 0, size: 0 };

const said = (seq: number): AgentEvent => ({ seq, at: "", type: "said", text: "x".repeat(40), by: "user" });
const line = (seq: number): string => `${JSON.stringify(said(seq))}\n`;

describe("a log on a full disk", () => {
  for (const whenFull of ["part", "error"] as const) {
    it(`takes back a line of which only a part fitted (${whenFull}), and says what to do`, async () => {
      const disk = new SmallDisk(line(0).length + 20, whenFull);
      const log = createAppendingLog(disk, EMPTY, "/runs/1/run.jsonl");
      await log.append(said(0));
      await assert.rejects(
        log.append(said(1)),
        (error) =>
          error instanceof LogError &&
          /^The disk is full, so the run's log \/runs\/1\/run\.jsonl can't be written\. Free some space/.test(
            error.message,
          ),
      );
      assert.equal(disk.content, line(0));
    });
  }

  it("continues once there is room again", async () => {
    const disk = new SmallDisk(line(0).length + 20);
    const log = createAppendingLog(disk, EMPTY, "log");
    await log.append(said(0));
    await assert.rejects(log.append(said(1)));
    disk.room = 1000;
    await log.append(said(1));
    assert.equal(disk.content, line(0) + line(1));
  });

  it("takes a torn line back later when it could not at once", async () => {
    const disk = new SmallDisk(20);
    const truncate = disk.truncate.bind(disk);
    disk.truncate = async () => {
      throw new Error("EIO");
    };
    const log = createAppendingLog(disk, EMPTY, "log");
    await assert.rejects(log.append(said(0)));
    Object.assign(disk, { truncate, room: 1000 });
    await log.append(said(0));
    assert.equal(disk.content, line(0));
  });
});

describe("a log that someone else writes to", () => {
  it("is not written to any more", async () => {
    const disk = new SmallDisk(1000);
    const log = createAppendingLog(disk, EMPTY, "log");
    await log.append(said(0));
    disk.content += line(1);
    await assert.rejects(log.append(said(1)), {
      message:
        "Another window or program has continued this run, so it ends here. Open the run again to see its current state.",
    });
    assert.equal(disk.content, line(0) + line(1));
  });
});

describe("syncing a log", () => {
  it("is done once for all who ask while it is in progress", async () => {
    const disk = new SmallDisk(1000);
    const log = createAppendingLog(disk, EMPTY, "log");
    await Promise.all(Array.from({ length: 20 }, () => log.sync()));
    assert.equal(disk.syncs, 2);
  });

  it("waits for what is being written", async () => {
    const disk = new SmallDisk(1000);
    const log = createAppendingLog(disk, EMPTY, "log");
    const seen: string[] = [];
    disk.datasync = async () => void seen.push(disk.content);
    void log.append(said(0));
    await log.sync();
    assert.deepEqual(seen, [line(0)]);
  });

  it("says what to do when it fails, and works again later", async () => {
    const disk = new SmallDisk(1000);
    const sync = disk.datasync.bind(disk);
    disk.datasync = async () => {
      throw Object.assign(new Error("EIO: i/o error"), { code: "EIO" });
    };
    const log = createAppendingLog(disk, EMPTY, "log");
    await assert.rejects(log.sync(), LogError);
    disk.datasync = sync;
    await log.sync();
    assert.equal(disk.syncs, 1);
  });
});

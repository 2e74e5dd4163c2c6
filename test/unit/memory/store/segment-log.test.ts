import assert from "node:assert/strict";
import { MemoryError } from "../../../../src/memory/store/memory-error.ts";
import { SegmentLog, type SegmentLogFile } from "../../../../src/memory/store/segment-log.ts";
import { decodeLog, LOG_MAGIC, type SegmentRecord } from "../../../../src/memory/store/segment-records.ts";
import { note } from "../sample-items.ts";

/** A file on a disk that takes so many bytes. */
class SmallDisk implements SegmentLogFile {
  bytes = Buffer.from(LOG_MAGIC);
  room: number;
  syncs: (Error | "on the disk")[] = [];

  constructor(room: number) {
    this.room = room;
  }

  write(bytes: Buffer, position: number): number {
    const part = bytes.subarray(0, this.room - position);
    if (part.length === 0) throw Object.assign(new Error("ENOSPC: no space left"), { code: "ENOSPC" });
    this.bytes = Buffer.concat([this.bytes.subarray(0, position), part]);
    return part.length;
  }

  async truncate(length: number) {
    this.bytes = this.bytes.subarray(0, length);
  }

  async datasync() {
    const outcome = this.syncs.shift();
    if (outcome instanceof Error) throw outcome;
  }

  async close() {}
}

const put = (text: string): SegmentRecord => ({ op: "put", item: note(text) });

describe("a log on a full disk", () => {
  it("says so, and has everything that was acknowledged before and after", async () => {
    const disk = new SmallDisk(400);
    const log = new SegmentLog(disk, LOG_MAGIC.length);
    await log.append([put("first")]);
    const error: unknown = await log.append([put("too long ".repeat(50))]).catch((reason: unknown) => reason);
    disk.room = 10_000;
    await log.append([put("second")]);
    assert.deepEqual(
      { said: error instanceof MemoryError && error.message, records: decodeLog(disk.bytes).records },
      {
        said: "The disk is full, so this wasn't remembered; earlier memories are safe. Free some space.",
        records: [put("first"), put("second")],
      },
    );
  });
});

describe("a log on a failing disk", () => {
  it("doesn't say that records are on the disk before they are", async () => {
    const disk = new SmallDisk(400);
    const log = new SegmentLog(disk, LOG_MAGIC.length);
    await log.append([put("first")]);
    disk.syncs = [new Error("EIO: first"), new Error("EIO: second"), "on the disk"];
    const said: unknown[] = [];
    for (let tries = 0; tries < 3; tries++) said.push(await log.sync().catch((error: unknown) => String(error)));
    assert.deepEqual(said, ["Error: EIO: first", "Error: EIO: second", undefined]);
  });
});

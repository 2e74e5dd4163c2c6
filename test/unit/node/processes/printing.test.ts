import assert from "node:assert/strict";
import { write } from "node:fs";
import { PassThrough } from "node:stream";
import { promisify } from "node:util";
import {
  closeEnd,
  createPipe,
  type OutputReader,
  readPipe,
  readStreams,
} from "../../../../src/node/processes/output-pipe.ts";

describe("what a process prints", () => {
  it("is read from a pipe of our own, all of it, no piece before the one before is taken", async function () {
    const pipe = await createPipe();
    if (!pipe) return this.skip();
    const taken: string[] = [];
    let busy = false;
    const printing = readPipe(pipe, async (bytes) => {
      assert.equal(busy, false);
      busy = true;
      const text = bytes.toString();
      await new Promise((resolve) => setTimeout(resolve, 2));
      taken.push(text);
      busy = false;
    });
    for (const text of ["one\n", "two\n"]) await promisify(write)(pipe.writeEnd, text);
    await closeEnd(pipe.writeEnd);
    await printing.ended;
    assert.equal(taken.join(""), "one\ntwo\n");
  });

  it("is read from streams where there is no such pipe, and what cannot be taken is let go", async () => {
    const streams = [new PassThrough(), new PassThrough(), new PassThrough()];
    const taken: string[] = [];
    const printing = readStreams(streams, async (bytes) => {
      if (bytes.toString() === "bad") throw new Error("No room.");
      taken.push(bytes.toString());
    });
    streams[0]?.end("one");
    streams[1]?.end("bad");
    streams[2]?.end("two");
    await printing.ended;
    assert.deepEqual(taken.toSorted(), ["one", "two"]);
  });

  it("is not waited for when it is given up on", async () => {
    const pipe = await createPipe();
    const stream = new PassThrough();
    const all: OutputReader[] = [readStreams([stream], async () => undefined)];
    if (pipe) all.push(readPipe(pipe, async () => undefined));
    for (const printing of all) printing.close();
    await Promise.all(all.map(({ ended }) => ended));
    if (pipe) await closeEnd(pipe.writeEnd);
    assert.equal(stream.destroyed, true);
  });
});

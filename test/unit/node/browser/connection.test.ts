import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { setImmediate as pass } from "node:timers/promises";
import { createPipeTransport } from "../../../../src/node/browser/connection.ts";

/** What is left of a connection after the browser has written this. */
async function receive(...chunks: readonly (string | Buffer)[]): Promise<object> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const transport = createPipeTransport(input, output);
  const messages: object[] = [];
  let isClosed = false;
  transport.onmessage = (message) => void messages.push(message);
  transport.onclose = () => {
    isClosed = true;
  };
  for (const chunk of chunks) {
    output.write(chunk);
    await pass();
  }
  // The end comes after the last message.
  await pass();
  return { messages, isClosed, isOpen: !input.destroyed };
}

describe("the pipe to a browser", () => {
  it("hands over messages that come in pieces", async () => {
    const received = await receive('{"id"', ':1}\0{"id":2}', "\0", '{"id":');
    assert.deepEqual(received, { messages: [{ id: 1 }, { id: 2 }], isClosed: false, isOpen: true });
  });

  it("resumes the code that waits for a message before the next one, even if both come at once", async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const transport = createPipeTransport(input, output);
    const steps: string[] = [];
    let resolve = (): void => undefined;
    void new Promise<void>((done) => (resolve = done)).then(() => steps.push("after the first"));
    transport.onmessage = (message) => {
      steps.push(JSON.stringify(message));
      resolve();
    };
    output.write('{"id":1}\0{"id":2}\0');
    await pass();
    await pass();
    assert.deepEqual(steps, ['{"id":1}', "after the first", '{"id":2}']);
  });

  const endings: readonly (readonly [string, readonly (string | Buffer)[]])[] = [
    ["that is too long", ['{"id":1}\0', ...Array.from({ length: 65 }, () => Buffer.alloc(1_000_000, "x"))]],
    ["that is none", ['{"id":1}\0', "{\0"]],
  ];
  for (const [kind, chunks] of endings)
    it(`ends at a message ${kind}, and nothing else does`, async () => {
      assert.deepEqual(await receive(...chunks), { messages: [{ id: 1 }], isClosed: true, isOpen: false });
    });
});

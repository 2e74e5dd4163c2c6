import assert from "node:assert/strict";
import { waitOrAbort, waitUntilAborted } from "../../../../src/core/base/async.ts";

describe("waiting for a promise or an abort", () => {
  const never = new Promise<string>(() => undefined);
  const aborted = AbortSignal.abort(new Error("stopped"));
  const { signal } = new AbortController();

  it("gives what comes first", async () => {
    const stop = new AbortController();
    const waiting = waitOrAbort(never, stop.signal);
    stop.abort();
    assert.deepEqual(
      [await waitOrAbort(Promise.resolve("done"), signal), await waiting, await waitOrAbort(never, aborted)],
      ["done", "aborted", "aborted"],
    );
  });

  it("throws the promise's error", () =>
    assert.rejects(waitOrAbort(Promise.reject(new Error("failed")), signal), /failed/));

  it("throws the signal's reason if that's wanted", () => assert.rejects(waitUntilAborted(never, aborted), /stopped/));
});

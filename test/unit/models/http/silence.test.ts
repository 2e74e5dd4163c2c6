import assert from "node:assert/strict";
import { StalledError, watchSilence } from "../../../../src/models/http/timers.ts";
import { HELLO, Listener, plainModel, reply, trouble } from "../../../support/completing.ts";
import { finish, saying, serverForSuite, stream, textChunks } from "../../../support/fake-model-server.ts";

describe("a server that falls silent", () => {
  const server = serverForSuite();
  const model = (timeoutSeconds: number) => plainModel(server().baseUrl, timeoutSeconds);
  const silent = () => ({
    trouble: "busy",
    message: `${server().baseUrl} sent nothing for 0.2 seconds. Try again, choose a faster model, or give it more time in autogpt.model.timeoutSeconds.`,
  });

  it("before its head is given up", async () => {
    server().plan({ pieces: [], headersHang: true });
    assert.deepEqual(await trouble(model(0.2)), silent());
  });

  it("before its first word is given up", async () => {
    server().plan(stream("hang!"));
    assert.deepEqual(await trouble(model(0.2)), silent());
  });

  it("in the middle of a reply is given up", async () => {
    server().plan(stream(...textChunks("Well"), "hang!"));
    assert.deepEqual(await trouble(model(0.2)), silent());
  });

  it("but for the sake of form is given up, too", async () => {
    const comments = Array.from({ length: 100 }, () => [": still here\n\n", { pauseMs: 20 }]).flat();
    server().plan(stream(...comments));
    assert.deepEqual(await trouble(model(0.2)), silent());
  });
});

describe("a server that is heard from", () => {
  const server = serverForSuite();
  const model = (timeoutSeconds: number) => plainModel(server().baseUrl, timeoutSeconds);

  it("to have ended its reply need not be heard any more", async () => {
    server().plan(stream(...textChunks("Well."), finish(), "hang!"));
    assert.deepEqual(await reply(model(0.2)), {
      text: "Well.",
      calls: [],
      finish: "stop",
      model: "served-model",
    });
  });

  it("may take its time from word to word, and for ever where no limit is set", async () => {
    const slow = textChunks("a", "b", "c", "d", "e").flatMap((chunk) => [chunk, { pauseMs: 100 }]);
    server().plan(stream(...slow, finish()));
    const texts = await Promise.all([reply(model(0.3)), reply(model(0))]);
    assert.deepEqual(
      texts.map(({ text }) => text),
      ["abcde", "abcde"],
    );
  });
});

describe("a stop", () => {
  const server = serverForSuite();

  it("hangs up on the server", async () => {
    const stop = new AbortController();
    server().plan(stream(...textChunks("Well"), "hang!"));
    const before = server().abandoned;
    await plainModel(server().baseUrl)
      .complete(HELLO, { signal: stop.signal, delta: () => stop.abort() })
      .catch(() => undefined);
    while (server().abandoned === before) await new Promise(setImmediate);
    assert.equal(server().abandoned, before + 1);
  });

  it("comes through even where fetch does not listen to it", async () => {
    const original = globalThis.fetch;
    const deaf = Promise.withResolvers<Response>();
    globalThis.fetch = () => deaf.promise;
    const stop = new AbortController();
    try {
      const completing = plainModel(server().baseUrl).complete(HELLO, new Listener(stop.signal));
      setTimeout(() => stop.abort(new Error("Enough.")), 20);
      await assert.rejects(completing, { message: "Enough." });
    } finally {
      globalThis.fetch = original;
      deaf.resolve(new Response());
    }
  });

  it("after the reply changes nothing", async () => {
    const stop = new AbortController();
    server().plan(saying("Well."));
    const { text } = await plainModel(server().baseUrl).complete(HELLO, new Listener(stop.signal));
    stop.abort();
    assert.equal(text, "Well.");
  });
});

describe("a watch over silence", () => {
  it("hands through what settles in time", async () => {
    using watch = watchSilence(new AbortController().signal, 60, () => undefined);
    assert.equal(await watch.race(Promise.resolve("here")), "here");
  });

  it("gives up what never settles", async () => {
    using watch = watchSilence(new AbortController().signal, 0.02, () => undefined);
    await assert.rejects(watch.race(new Promise(() => undefined)), StalledError);
  });

  it("cancels its work when it is disposed of", () => {
    const watch = watchSilence(new AbortController().signal, 60, () => undefined);
    watch[Symbol.dispose]();
    assert.equal(watch.signal.aborted, true);
  });
});

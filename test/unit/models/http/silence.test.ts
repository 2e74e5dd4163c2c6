import assert from "node:assert/strict";
import { FormatChoice } from "../../../../src/core/reply/formats.ts";
import { createChatModel } from "../../../../src/models/chat/chat-model.ts";
import { findModelFamily } from "../../../../src/models/chat/families.ts";
import { createOpenAiServer } from "../../../../src/models/http/endpoint.ts";
import { StalledError, watchSilence } from "../../../../src/models/http/timers.ts";
import { addRetries } from "../../../../src/models/retries.ts";
import { HELLO, Listener, plainModel, reply, trouble, WITH_TOOLS } from "../../../support/completing.ts";
import {
  callChunk,
  chunk,
  event,
  finish,
  type Piece,
  type ServerAnswer,
  saying,
  serverForSuite,
  stream,
  textChunks,
  whole,
} from "../../../support/fake-model-server.ts";
import { ofType, rehearse } from "../../../support/rehearsal.ts";
import { skipWithout } from "../../../support/skips.ts";

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
});

/** Bytes that are no part of a reply, once each. */
const SIGNS: readonly (readonly [string, string])[] = [
  ["comments", ": keepalive\n\n"],
  ["blank lines", "\n"],
  ["pings", "event: ping\ndata: {}\n\n"],
  ["spaces", " "],
  ["events without data", "event: ping\n\n"],
  ["empty data", "data:\n\n"],
  ["words", "data: [PING]\r\n\r\n"],
  ["messages of the queue", 'event: status\ndata: {"message":"Waiting in the queue"}\n\n'],
  ["empty deltas", event(chunk({ role: "assistant", content: "" }))],
];

describe("a server that shows signs of life", () => {
  const server = serverForSuite();
  const signs = (sign: string): Piece[] => Array.from({ length: 8 }, () => [sign, { pauseMs: 300 }] as const).flat();
  const json = { headers: { "content-type": "application/json" } };
  const thought = chunk({ reasoning_content: "Hm." });
  const reasoned = [thought, ...signs(": hm\n\n"), ...textChunks("We"), ...signs("\n"), ...textChunks("ll.")];
  const object = JSON.stringify(whole("Well."));
  const waiting: Readonly<Record<string, readonly ServerAnswer[]>> = {
    ...Object.fromEntries(
      SIGNS.flatMap(([name, sign]) =>
        ["text/event-stream", "application/json"].map((type) => [
          `${name} as ${type}`,
          [{ headers: { "content-type": type }, pieces: [...signs(sign), ...saying("Well.").pieces] }],
        ]),
      ),
    ),
    "in the middle of its reasoning and of its reply": [stream(...reasoned, finish())],
    "a JSON object that starts with spaces": [{ ...json, pieces: [...signs(" "), object] }],
    "a reply that is asked for as a whole": [stream(), { ...json, pieces: [...signs("\n"), object] }],
  };

  it("is waited for beyond the limit, whatever its signs", async () => {
    const left = Object.fromEntries(Object.entries(waiting).map(([name, answers]) => [name, [...answers]]));
    server().plan(({ body }) => left[body.model]?.shift() ?? saying("Too many requests."));
    const names = Object.keys(waiting);
    const texts = await Promise.all(
      names.map(async (name) => (await reply(plainModel(server().baseUrl, 2, name))).text),
    );
    assert.deepEqual(
      texts.map((text, index) => `${names[index]}: ${text}`),
      names.map((name) => `${name}: Well.`),
    );
  });

  it("is given up, once, after minutes without a word, which are named", async () => {
    function* forever(): Generator<Piece> {
      for (;;) yield* [": still here\n\n", { pauseMs: 20 }];
    }
    server().plan({ pieces: forever() });
    const before = server().requests.length;
    const { baseUrl } = server();
    const model = createChatModel({
      ...{ name: "m", contextWindow: 8_000, problem: undefined, wordlessMinutes: 0.005 },
      server: createOpenAiServer(baseUrl, { model: "m", apiKey: "k", timeoutSeconds: 60 }),
      family: findModelFamily("m", baseUrl),
      connection: { baseUrl, apiKey: "k" },
    });
    assert.deepEqual(
      [await trouble(addRetries(model)), server().requests.length - before],
      [
        {
          trouble: "other",
          message: `${baseUrl} stayed connected, but sent no part of a reply for 0 minutes. Try again, choose a faster model, or give it more time in autogpt.model.timeoutSeconds.`,
        },
        1,
      ],
    );
  });

  it("after the reason for the end isn't waited for", async () => {
    function* rest(): Generator<Piece> {
      yield* stream(...textChunks("Well."), finish()).pieces;
      for (;;) yield* [": still here\n\n", { pauseMs: 20 }];
    }
    server().plan({ pieces: rest() });
    assert.equal((await reply(plainModel(server().baseUrl, 5))).text, "Well.");
  });
});

describe("a server that sends white space without end", () => {
  const server = serverForSuite();
  const call = { index: 0, id: "c1", name: "read_file", arguments: '{"filename": "a"' };

  for (const [name, first, blank, wanted] of [
    ["after a text", textChunks("Well."), textChunks("\n"), "Well."],
    ["after reasoning", [chunk({ reasoning_content: "Hm." })], [chunk({ reasoning_content: " \n" })], "Hm."],
    ["in a call", [callChunk(call)], [callChunk({ index: 0, arguments: "\n  " })], '{"filename": "a"'],
    [
      "in a string of a call",
      [callChunk({ ...call, arguments: '{"contents": "a' })],
      [callChunk({ index: 0, arguments: "\\n" })],
      '{"contents": "a',
    ],
    ["as spaces in large pieces", textChunks("Well."), textChunks(" ".repeat(400)), "Well."],
  ] as const)
    it(`is hung up on, ${name}`, async () => {
      let sent = 0;
      function* forever(): Generator<Piece> {
        yield* stream(...first).pieces;
        for (; ; sent++) yield* [...stream(...blank).pieces, { pauseMs: 1 }];
      }
      server().plan({ pieces: forever() });
      const { text, calls, reasoning = "" } = await reply(plainModel(server().baseUrl));
      const got = text + reasoning + calls.map((each) => each.arguments).join("");
      assert.deepEqual([got.replace(/(?:\s|\\n)+$/, ""), sent < 1_000], [wanted, true]);
    });

  it("is hung up on, without a word, and not asked again in the same form", async () => {
    server().plan({ pieces: repeating([], "\n") });
    const before = server().requests.length;
    const { text, finish } = await reply(addRetries(plainModel(server().baseUrl)));
    assert.deepEqual([text, finish, server().requests.length - before], ["", "endless", 1]);
  });

  it("isn't asked for a call by all means any more", async () => {
    const blanks = Array.from({ length: 150 }, () => "\n");
    server().plan(stream(...textChunks('{"name": "list_files"}', ...blanks), finish()));
    const model = plainModel(server().baseUrl);
    const begun = server().requests.length;
    await reply(model, WITH_TOOLS);
    await reply(model, WITH_TOOLS);
    assert.deepEqual(
      server()
        .requests.slice(begun)
        .map(({ body }) => body.tool_choice),
      ["required", "auto"],
    );
  });

  it("may indent as deeply as it likes", async () => {
    skipWithout("connections that keep their end");
    const lines = Array.from({ length: 300 }, (_, index) => `\n${" ".repeat(index)}x`);
    server().plan(stream(...textChunks(...lines), finish()));
    assert.equal((await reply(plainModel(server().baseUrl))).text, lines.join(""));
  });
});

/** A stream that goes on with the same text for ever, in pieces of a few characters. */
function* repeating(first: readonly object[], block: string, inCall = false): Generator<Piece> {
  yield* stream(...first).pieces;
  for (;;)
    for (const [part] of block.matchAll(/[\s\S]{1,4}/g)) {
      const piece = inCall ? [callChunk({ index: 0, arguments: part })] : textChunks(part);
      yield* [...stream(...piece).pieces, { pauseMs: 0 }];
    }
}

const SENTENCE = "I will now read the file to see what it says.\n";
const OBJECT = '{"thoughts": {"text": "I look."}, "command": {"name": "list_files", "args": {}}}\n';
const LINES = "Hello, world!\n".repeat(100);
const ZEROS = `${`${"0, ".repeat(25)}\n`.repeat(25)}`;

describe("a server that sends the same without end", () => {
  const server = serverForSuite();
  const call = { index: 0, id: "c1", name: "write_to_file" };

  for (const [name, { first = [], block, inCall = false, wanted, most }] of Object.entries<{
    readonly first?: readonly object[];
    readonly block: string;
    readonly inCall?: boolean;
    readonly wanted: string;
    /** The most characters that are waited for. */
    readonly most: number;
  }>({
    "a sentence": {
      first: textChunks("Well.\n"),
      block: SENTENCE,
      wanted: `Well.\n${SENTENCE.trim()}`,
      most: 1_000,
    },
    "a whole reply": { block: OBJECT, wanted: OBJECT.trim(), most: 1_000 },
    "a few lines": {
      first: textChunks("```js\nlet a;\n```\n"),
      block: "Then:\n```sh\nnpm test\n```\nAnd again.\n\n",
      wanted: "```js\nlet a;\n```\nThen:\n```sh\nnpm test\n```\nAnd again.",
      most: 1_000,
    },
    "an object in a call's list": {
      first: [callChunk({ ...call, arguments: '{"files": [' })],
      block: '{"path": "a.txt", "text": "a"}, ',
      inCall: true,
      wanted: '{"files": [{"path": "a.txt", "text": "a"},',
      most: 1_000,
    },
    "a long block": {
      block: `${"Some words, ".repeat(3)}${"and others. ".repeat(30)}\n`,
      wanted: "",
      most: 2_600,
    },
    "a line of a file in a call": {
      first: [callChunk({ ...call, arguments: '{"contents": "' })],
      block: "Hello, world!\\n",
      inCall: true,
      wanted: '{"contents": "Hello, world!\\n',
      most: 4_300,
    },
    "a line of a file in a fence": {
      first: textChunks("a.txt\n```\n"),
      block: "Hello, world!\n",
      wanted: "a.txt\n```\nHello, world!",
      most: 4_300,
    },
  }))
    it(`is hung up on: ${name}`, async () => {
      server().plan({ pieces: repeating(first, block, inCall) });
      const heard = new Listener();
      const { text, calls, finish } = await plainModel(server().baseUrl).complete(HELLO, heard);
      const got = text + calls.map((each) => each.arguments).join("");
      assert.deepEqual([got, finish, heard.text.length < most], [wanted || block.trim(), "endless", true]);
    });

  for (const [name, pieces] of Object.entries({
    "a hundred equal lines in a fence": ["a.txt\n```\n", LINES, "```\n"],
    "a hundred equal lines in a string": ['{"path": "a", "contents": "', JSON.stringify(LINES).slice(1, -1), '"}'],
    "a table of zeros in a fence": ["t.csv\n```\n", ZEROS, "```\n"],
    "a table of zeros in a string": ['{"contents": "', JSON.stringify(ZEROS).slice(1, -1), '"}'],
    "a rule, a drawing and blanks": ["=".repeat(200), "\n", "+-----+\n".repeat(60), " ".repeat(400), "end"],
    "lines that are nearly equal": Array.from({ length: 400 }, (_, index) => `Line ${index} of them.\n`),
  }))
    it(`may send ${name}`, async () => {
      skipWithout("connections that keep their end");
      const parts = pieces.flatMap((piece) => piece.match(/[\s\S]{1,7}/g) ?? []);
      server().plan(stream(...textChunks(...parts), finish()));
      const { text, finish: end } = await reply(plainModel(server().baseUrl));
      assert.deepEqual([text, end], [pieces.join(""), "stop"]);
    });
});

describe("a run whose model doesn't end its reply", () => {
  const server = serverForSuite();
  const done = JSON.stringify({
    thoughts: { text: "Done." },
    command: { name: "task_complete", args: { title: "Done." } },
  });

  for (const [name, block, replies] of [
    ["white space", "\n", ["jsonSchema", "text"]],
    ["half of it, and white space", '{"thoughts": {"text": "Hm"}, \n'.padEnd(400, "\n"), ["jsonSchema", "text"]],
    ["a sentence", SENTENCE, ["jsonSchema", "text"]],
    ["whole replies", done, ["jsonSchema"]],
  ] as const)
    it(`asks once more in another form, unless it could be read: ${name}`, async () => {
      server().plan(({ body }) => (body.response_format ? { pieces: repeating([], block) } : saying(done)));
      const model = addRetries(plainModel(server().baseUrl));
      const thinking = { model, formats: new FormatChoice(["jsonSchema", "text"]) };
      const before = server().requests.length;
      const { log, end } = await rehearse({ answers: [], thinking });
      assert.deepEqual(
        [end.reason, ofType(log.events, "replied").map(({ format }) => format), server().requests.length - before],
        ["finished", replies, replies.length],
      );
    });
});

describe("a server that responds", () => {
  const server = serverForSuite();
  const model = (timeoutSeconds: number) => plainModel(server().baseUrl, timeoutSeconds);

  it("need not send anything more once its reply has ended", async () => {
    server().plan(stream(...textChunks("Well."), finish(), "hang!"));
    assert.deepEqual(await reply(model(0.2)), {
      text: "Well.",
      calls: [],
      finish: "stop",
      model: "served-model",
    });
  });

  it("may take its time from word to word, and for ever where no limit is set", async () => {
    const words = "abcdefghi";
    // Longer than the limit in all, and far below it from word to word, so that a busy machine keeps it.
    const slow = textChunks(...words).flatMap((chunk) => [chunk, { pauseMs: 300 }]);
    server().plan(stream(...slow, finish()));
    const texts = await Promise.all([reply(model(2)), reply(model(0))]);
    assert.deepEqual(
      texts.map(({ text }) => text),
      [words, words],
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

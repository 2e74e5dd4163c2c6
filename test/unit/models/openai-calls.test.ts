import assert from "node:assert/strict";
import { openAiModel } from "../../../src/models/providers/openai.ts";
import { Listener, reply, WITH_TOOLS } from "../../support/completing.ts";
import {
  callChunk,
  chunk,
  finish,
  json,
  type ServerAnswer,
  serverForSuite,
  stream,
} from "../../support/fake-model-server.ts";

const settings = { apiKey: "test-key", model: "my-model", contextWindow: 8_000, timeoutSeconds: 60 };
const read = { id: "c1", name: "read_file", arguments: '{"filename":"a"}' };
const list = { id: "c2", name: "list_files", arguments: "{}" };
const end = finish("tool_calls");

/** A call in the field for them. */
const calling = ({ id, name }: typeof read, args: string): object => ({
  id,
  type: "function",
  function: { name, arguments: args },
});

const CASES: readonly [string, ServerAnswer, object[]][] = [
  [
    "arguments in pieces",
    stream(
      callChunk({ index: 0, id: "c1", name: "read_file", arguments: "" }),
      callChunk({ index: 0, arguments: '{"filename"' }),
      callChunk({ index: 0, arguments: ':"a"}' }),
      end,
    ),
    [read],
  ],
  [
    "a number that is not the first",
    stream(callChunk({ index: 3, ...read }), callChunk({ index: 7, ...list }), end),
    [read, list],
  ],
  [
    "the same number for every call",
    stream(callChunk({ index: 0, ...read }), callChunk({ index: 0, ...list }), end),
    [read, list],
  ],
  ["no numbers at all", stream(callChunk(read), callChunk(list), end), [read, list]],
  [
    "no numbers, arguments in pieces",
    stream(callChunk({ ...read, arguments: '{"filename"' }), callChunk({ arguments: ':"a"}' }), callChunk(list), end),
    [read, list],
  ],
  [
    "id and name in every piece",
    stream(
      callChunk({ index: 0, ...read, arguments: '{"filename"' }),
      callChunk({ index: 0, ...read, arguments: ':"a"}' }),
      end,
    ),
    [read],
  ],
  [
    "arguments as one object",
    stream(callChunk({ index: 0, id: "c1", name: "read_file", arguments: { filename: "a" } }), end),
    [read],
  ],
  [
    "calls that take turns",
    stream(
      callChunk({ index: 0, ...read, arguments: '{"filename"' }),
      callChunk({ index: 1, ...list }),
      callChunk({ index: 0, arguments: ':"a"}' }),
      end,
    ),
    [read, list],
  ],
  [
    "a first piece that is the only one with a number, an id and a name",
    stream(
      callChunk({ index: 0, ...read, arguments: "" }),
      callChunk({ arguments: '{"filename"' }),
      callChunk({ arguments: ':"a"}' }),
      end,
    ),
    [read],
  ],
  [
    "numbers that shift after the first piece",
    stream(
      callChunk({ index: 0, ...read, arguments: "" }),
      callChunk({ index: 1, arguments: '{"filename"' }),
      callChunk({ index: 1, arguments: ':"a"}' }),
      callChunk({ index: 1, ...list, arguments: "" }),
      callChunk({ index: 2, arguments: "{}" }),
      end,
    ),
    [read, list],
  ],
  [
    "numbers from the second piece on",
    stream(
      callChunk({ ...read, arguments: "" }),
      callChunk({ ...list, arguments: "" }),
      callChunk({ index: 0, arguments: '{"filename":"a"}' }),
      callChunk({ index: 1, arguments: "{}" }),
      end,
    ),
    [read, list],
  ],
  [
    "a name in every piece, without a number",
    stream(
      callChunk({ ...read, arguments: '{"filename"' }),
      callChunk({ name: "read_file", arguments: ':"a"}' }),
      callChunk({ id: "c1", name: "read_file", arguments: "" }),
      end,
    ),
    [read],
  ],
  [
    "another id in every piece",
    stream(
      callChunk({ index: 0, ...read, arguments: '{"filename"' }),
      callChunk({ index: 0, id: "other", name: "read_file", arguments: ':"a"}' }),
      end,
    ),
    [read],
  ],
  [
    "an empty piece before the first one",
    stream(chunk({ tool_calls: [{}] }), callChunk({ index: 0, ...read }), end),
    [read],
  ],
  [
    "the same id for two calls",
    stream(callChunk({ index: 0, ...read }), callChunk({ index: 1, ...read, arguments: '{"filename":"b"}' }), end),
    [read, { ...read, arguments: '{"filename":"b"}' }],
  ],
  [
    "the same id and number for two calls in pieces",
    stream(
      callChunk({ index: 0, ...read, arguments: "" }),
      callChunk({ index: 0, arguments: '{"filename":"a"}' }),
      callChunk({ index: 0, ...read, arguments: "" }),
      callChunk({ index: 0, arguments: '{"filename"' }),
      callChunk({ index: 0, arguments: ':"b"}' }),
      end,
    ),
    [read, { ...read, arguments: '{"filename":"b"}' }],
  ],
  [
    "a call that is repeated whole at the end",
    stream(
      callChunk({ index: 0, ...read, arguments: '{"filename"' }),
      callChunk({ index: 0, arguments: ':"a"}' }),
      callChunk({ index: 0, ...read }),
      end,
    ),
    [read],
  ],
  [
    "pieces of two calls side by side, without numbers",
    stream(
      chunk({ tool_calls: [calling(read, ""), calling(list, "")] }),
      chunk({ tool_calls: [{ function: { arguments: '{"filename"' } }, { function: { arguments: "{" } }] }),
      chunk({ tool_calls: [{ function: { arguments: ':"a"}' } }, { function: { arguments: "}" } }] }),
      end,
    ),
    [read, list],
  ],
  [
    "all arguments so far in every piece",
    stream(
      callChunk({ index: 0, ...read, arguments: '{"filename"' }),
      callChunk({ index: 0, ...read, arguments: '{"filename":"a"' }),
      callChunk({ index: 0, ...read }),
      end,
    ),
    [read],
  ],
  [
    "a name in pieces",
    stream(
      callChunk({ index: 0, id: "c1", name: "read_", arguments: "" }),
      callChunk({ index: 0, name: "file", arguments: "" }),
      callChunk({ index: 0, arguments: read.arguments }),
      end,
    ),
    [read],
  ],
  [
    "a name and arguments beside the id",
    stream(chunk({ tool_calls: [{ index: 0, ...read, arguments: { filename: "a" } }] }), end),
    [read],
  ],
  [
    "parameters, or an input",
    stream(
      chunk({ tool_calls: [{ id: "c1", function: { name: "read_file", parameters: { filename: "a" } } }] }),
      chunk({ tool_calls: [{ id: "c2", custom: { name: "list_files", input: "{}" } }] }),
      end,
    ),
    [read, list],
  ],
  ["a call that is no list", stream(chunk({ tool_calls: calling(read, read.arguments) }), end), [read]],
  [
    "an empty older field beside them",
    stream(chunk({ function_call: {}, tool_calls: [calling(read, read.arguments)] }), end),
    [read],
  ],
  [
    "a part of the content",
    stream(chunk({ content: [{ type: "tool_use", id: "c1", name: "read_file", input: { filename: "a" } }] }), end),
    [read],
  ],
  [
    "a number after the last call that begins none",
    stream(callChunk({ index: 0, ...read }), callChunk({ index: 1, id: "c2" }), end),
    [read],
  ],
  [
    "a message at the end that repeats them",
    stream(
      callChunk({ index: 0, ...read }),
      { choices: [{ index: 0, delta: {}, message: { tool_calls: [calling(read, read.arguments)] } }] },
      end,
    ),
    [read],
  ],
  [
    "one of several replies",
    stream(
      callChunk({ index: 0, ...read }),
      { choices: [{ index: 1, delta: { tool_calls: [{ index: 0, ...list }] } }] },
      end,
    ),
    [read],
  ],
  [
    "a choice beside the one of the text",
    json(200, {
      choices: [
        { finish_reason: "tool_calls", message: { content: "I look." } },
        { finish_reason: "tool_calls", message: { tool_calls: [calling(read, read.arguments)] } },
      ],
    }),
    [read],
  ],
  [
    "all calls in one message",
    json(200, {
      model: "m",
      choices: [
        {
          message: {
            content: null,
            tool_calls: [read, list].map(({ id, ...rest }) => ({ id, type: "function", function: rest })),
          },
          finish_reason: "tool_calls",
        },
      ],
    }),
    [read, list],
  ],
];

describe("calls are read from", () => {
  const server = serverForSuite();

  for (const [name, planned, expected] of CASES) {
    it(name, async () => {
      server().plan(planned);
      const { calls } = await reply(openAiModel({ ...settings, baseUrl: server().baseUrl }), WITH_TOOLS);
      assert.deepEqual(calls, expected);
    });
  }
});

describe("a call", () => {
  const server = serverForSuite();
  const model = () => openAiModel({ ...settings, baseUrl: server().baseUrl });

  it("gives a call without an id one of its own", async () => {
    server().plan(
      stream(
        callChunk({ name: "list_files", arguments: "{}" }),
        callChunk({ name: "list_files", arguments: "{}" }),
        end,
      ),
    );
    const ids = (await reply(model(), WITH_TOOLS)).calls.map(({ id }) => id);
    assert.deepEqual([ids.length, new Set(ids).size, ids.every((id) => /^c[0-9a-f]{8}$/.test(id))], [2, 2, true]);
  });

  it("reads the older way of calling", async () => {
    server().plan(
      stream(
        chunk({ function_call: { name: "read_file", arguments: '{"filename"' } }),
        chunk({ function_call: { arguments: ':"a"}' } }),
        finish("function_call"),
      ),
    );
    const { calls } = await reply(model(), WITH_TOOLS);
    assert.deepEqual(
      calls.map(({ name, arguments: args }) => ({ name, args })),
      [{ name: "read_file", args: '{"filename":"a"}' }],
    );
  });

  it("streams the first call alone", async () => {
    server().plan(stream(callChunk({ index: 0, ...read }), callChunk({ index: 1, ...list }), end));
    const listener = new Listener();
    await model().complete(WITH_TOOLS, listener);
    assert.deepEqual(listener.deltas, [{ kind: "call", name: "read_file", text: '{"filename":"a"}' }]);
  });
});

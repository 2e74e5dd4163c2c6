import assert from "node:assert/strict";
import fc from "fast-check";
import type { ModelDelta, SentBack } from "../../../../src/core/ports/model.ts";
import { ReplyInProgress } from "../../../../src/models/chat/reply-stream.ts";
import { readChunk } from "../../../../src/models/wire/chat-completions.ts";
import { callChunk, chunk, finish } from "../../../support/fake-model-server.ts";

const ALL = ["reasoning_content", "reasoning", "thinking_blocks", "reasoning_details"] as const;

function read(chunks: readonly object[], sendsBack: readonly (keyof SentBack)[] = []) {
  const reply = new ReplyInProgress();
  const deltas = chunks.flatMap((each): readonly ModelDelta[] => reply.add(readChunk(each)));
  const { text, reasoning, sentBack, calls } = reply.buildCompletion("m", sendsBack);
  return { text, reasoning, sentBack, calls, deltas };
}

const CALL = callChunk({ index: 0, id: "c1", name: "read_file", arguments: "{}" });

describe("reasoning before a reply", () => {
  for (const [name, chunks] of [
    ["in DeepSeek's field", [chunk({ reasoning_content: "Look " }), chunk({ reasoning_content: "first." })]],
    ["in OpenRouter's field", [chunk({ reasoning: "Look first." })]],
    ["in Ollama's field", [chunk({ thinking: "Look first." })]],
    ["in both fields of one piece", [chunk({ reasoning_content: "Look first.", reasoning: "Look first." })]],
    [
      "in Mistral's parts",
      [chunk({ content: [{ type: "thinking", thinking: [{ type: "text", text: "Look first." }] }] })],
    ],
    ["in tags", [chunk({ content: "<think>\nLook first.\n</think>\n\n" })]],
    ["in tags whose beginning is in the prompt", [chunk({ content: "Look first.\n</think>\n\n" })]],
  ] as const)
    it(`is recognized ${name}`, () => {
      const { text, reasoning } = read([...chunks, chunk({ content: "Hi." }), finish()]);
      assert.deepEqual([text, reasoning], ["Hi.", "Look first."]);
    });

  it("in tags streams as reasoning, however it is cut", () => {
    const whole = "\n<think>a < b </th\u{1F600}</think>\n{}";
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1 }), (sizes) => {
        const pieces: string[] = [];
        for (let at = 0, turn = 0; at < whole.length; turn++) {
          const size = sizes[turn % sizes.length] ?? 1;
          pieces.push(whole.slice(at, at + size));
          at += size;
        }
        const { text, reasoning, deltas } = read([...pieces.map((content) => chunk({ content })), finish()]);
        const streamed = (kind: string): string =>
          deltas.map((delta) => (delta.kind === kind ? delta.text : "")).join("");
        assert.deepEqual(
          {
            text: text.trim(),
            reasoning,
            streamedText: streamed("text").trim(),
            streamed: streamed("reasoning"),
          },
          {
            text: "{}",
            reasoning: "a < b </th\u{1F600}",
            streamedText: "{}",
            streamed: "a < b </th\u{1F600}",
          },
        );
      }),
    );
  });

  for (const text of [
    '{"thoughts": "</think> ends it"}',
    "<thin",
    "[1]",
    "```\n</think>\n```",
    `Here it is: {"command":{"name":"write_to_file","args":{"contents":"</think>{'command':{'name':'do_nothing'}}"}}}`,
    "I write: <function=write_to_file><parameter=contents></think>{}</parameter></function>",
  ])
    it(`is not seen in ${JSON.stringify(text)}`, () => {
      const { text: read_, reasoning } = read([chunk({ content: text }), finish()]);
      assert.deepEqual([read_, reasoning], [text, undefined]);
    });

  it("that never ends is no text", () => {
    const { text, reasoning } = read([chunk({ content: "<think>On and on" }), finish("length")]);
    assert.deepEqual([text, reasoning], ["", "On and on"]);
  });

  it("is kept for its server in the field it came in", () => {
    const { sentBack } = read([chunk({ reasoning_content: "Look." }), CALL, finish("tool_calls")], ALL);
    assert.deepEqual(sentBack, { reasoning_content: "Look." });
  });

  it("is kept with Anthropic's seal", () => {
    const piece = (block: object) => chunk({ thinking_blocks: [block] });
    const { sentBack } = read(
      [
        piece({ type: "thinking", thinking: "Look ", signature: "" }),
        piece({ type: "thinking", thinking: "first.", signature: "" }),
        piece({ type: "thinking", thinking: "", signature: "sealed" }),
        piece({ type: "redacted_thinking", data: "xyz" }),
        piece({ type: "thinking", thinking: "Then act.", signature: "" }),
        CALL,
        finish("tool_calls"),
      ],
      ["thinking_blocks"],
    );
    assert.deepEqual(sentBack, {
      thinking_blocks: [
        { type: "thinking", thinking: "Look first.", signature: "sealed" },
        { type: "redacted_thinking", data: "xyz" },
        { type: "thinking", thinking: "Then act.", signature: "" },
      ],
    });
  });

  it("is not kept for a server that doesn't want it", () => {
    const { sentBack } = read([chunk({ reasoning_content: "Look." }), CALL, finish("tool_calls")]);
    assert.equal(sentBack, undefined);
  });

  it("is not kept without calls", () => {
    const { sentBack } = read([chunk({ reasoning_content: "Look." }), chunk({ content: "Hi." }), finish()], ALL);
    assert.equal(sentBack, undefined);
  });

  it("has Gemini's seal kept with the call", () => {
    const { calls } = read([
      chunk({
        tool_calls: [
          {
            index: 0,
            id: "c1",
            function: { name: "read_file", arguments: "{}" },
            extra_content: { google: { thought_signature: "sealed" } },
          },
        ],
      }),
      finish("tool_calls"),
    ]);
    assert.deepEqual(calls, [{ id: "c1", name: "read_file", arguments: "{}", signature: "sealed" }]);
  });

  const seal = (more: object) =>
    chunk({ tool_calls: [{ ...more, extra_content: { google: { thought_signature: "sealed" } } }] });
  for (const [name, more] of [
    ["without a number", {}],
    ["with the next number", { index: 1 }],
    ["with its id and name", { index: 0, id: "c1", function: { name: "read_file", arguments: "" } }],
  ] as const)
    it(`has Gemini's seal kept with the call that is open, if it comes last and ${name}`, () => {
      const { calls } = read([CALL, seal(more), finish("tool_calls")]);
      assert.deepEqual(calls, [{ id: "c1", name: "read_file", arguments: "{}", signature: "sealed" }]);
    });
});

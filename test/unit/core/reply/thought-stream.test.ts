import assert from "node:assert/strict";
import fc from "fast-check";
import { createThoughtStream } from "../../../../src/core/reply/thought-stream.ts";

/** The thoughts that stream in from a text in these pieces. */
function streamed(pieces: readonly string[]): Record<string, string> {
  const read = createThoughtStream();
  const thoughts: Record<string, string> = {};
  for (const { field, text } of pieces.flatMap(read)) thoughts[field] = (thoughts[field] ?? "") + text;
  return thoughts;
}

const REPLY =
  '{"thoughts":{"text":"He said \\"hi\\"\\n\\u00e9 {x}","plan":"- a","x":"no","criticism":"","speak":"ok"},"command":{"name":"a","args":{"text":"not this"}}}';
const SAID = { text: 'He said "hi"\né {x}', plan: "- a", speak: "ok" };

describe("thought stream", () => {
  it("reads the thoughts out of a whole reply, and nothing else", () => assert.deepEqual(streamed([REPLY]), SAID));

  it("reads the same however the reply is cut", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: REPLY.length }), { maxLength: 12 }), (cuts) => {
        const at = [0, ...cuts.sort((a, b) => a - b), REPLY.length];
        const pieces = at.slice(1).map((end, index) => REPLY.slice(at[index], end));
        assert.deepEqual(streamed(pieces), SAID);
      }),
    );
  });

  it("reads thoughts in an order or nesting of the model's own", () => {
    assert.deepEqual(streamed(['{"a":[1,{"b":"c"}],"thoughts":{"speak":"1","text":"2"},"text":"outside"}']), {
      speak: "1",
      text: "2",
    });
  });

  it("reads the thought of ReAct's text form, however the reply is cut", () => {
    const reply = "**Thought 1:** I look at\nall of it.\nAct first.\n\n**Action:** read_file\nAction Input: {}";
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: reply.length }), { maxLength: 12 }), (cuts) => {
        const at = [0, ...cuts.sort((a, b) => a - b), reply.length];
        const pieces = at.slice(1).map((end, index) => reply.slice(at[index], end));
        assert.deepEqual(streamed(pieces), { text: "I look at\nall of it.\nAct first." });
      }),
    );
  });

  it("never fails, whatever comes", () => {
    fc.assert(fc.property(fc.string(), (text) => Boolean(streamed([...text]))));
  });

  it("leaves out an escape that means nothing", () => {
    assert.deepEqual(streamed(['{"thoughts":{"text":"a\\uZZZZb\\qc"}}']), { text: "abqc" });
  });
});

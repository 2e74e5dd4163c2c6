import assert from "node:assert/strict";
import fc from "fast-check";
import { findJsonObjects } from "../../../../src/core/base/json.ts";

describe("objects in a text", () => {
  const cases: [string, string, readonly string[], boolean][] = [
    ["none", "no object here", [], false],
    ["one among prose", 'so {"a": {"b": []}} it is', ['{"a": {"b": []}}'], false],
    ["several", '{"a":1} and {"b":2}', ['{"a":1}', '{"b":2}'], false],
    ["braces inside strings", '{"a": "}{", "b": "\\"}"}', ['{"a": "}{", "b": "\\"}"}'], false],
    ["single quotes", "{'a': '}'}", ["{'a': '}'}"], false],
    ["an apostrophe in a bare word", '{"a": 1, b: don\'t}', ['{"a": 1, b: don\'t}'], false],
    ["a broken-off object", 'x {"a": {"b": 1}', [], true],
    ["a broken-off string", '{"a": "b}', [], true],
    ["a whole one, then a broken one", '{"a":1} {"b"', ['{"a":1}'], true],
  ];
  for (const [name, text, objects, cutOff] of cases) {
    it(`finds ${name}`, () => assert.deepEqual(findJsonObjects(text), { objects, cutOff }));
  }

  it("finds any object again among braceless prose", () => {
    const prose = fc.string().map((text) => text.replace(/[{}"'[\]]/g, ""));
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), prose, prose, (object, before, after) => {
        const text = JSON.stringify(object);
        assert.deepEqual(findJsonObjects(`${before}${text}${after}`), { objects: [text], cutOff: false });
      }),
    );
  });

  it("never takes a proper beginning of an object for a whole one", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(), (object, cut) => {
        const text = JSON.stringify(object);
        const start = text.slice(0, 1 + (cut % (text.length - 1)));
        assert.deepEqual(findJsonObjects(start), { objects: [], cutOff: true });
      }),
    );
  });
});

import assert from "node:assert/strict";
import { tryObject } from "../../../../src/core/reply/parse-object.ts";

/** What becomes of the value of `a`; undefined where the object can't be repaired. */
const repaired = (value: string): unknown => tryObject(`{"a": ${value},}`)?.a;

describe("a string in JSON that has to be repaired", () => {
  const cases: readonly (readonly [string, string, unknown])[] = [
    [
      "keeps a backslash that JSON doesn't know",
      String.raw`"grep '\d+\.ts' C:\users"`,
      String.raw`grep '\d+\.ts' C:\users`,
    ],
    ["keeps escapes that JSON knows", String.raw`"a\n\"b\" \u00e4"`, 'a\n"b" ä'],
    ["may hold raw line ends and tabs", '"a\n\tb"', "a\n\tb"],
    ["may have single quotes", String.raw`'it\'s "b"'`, 'it\'s "b"'],
    ["may hold an apostrophe between single quotes", "'it's'", "it's"],
    ["may hold a pair of quotes that aren't escaped", '"say "hi" now"', 'say "hi" now'],
    ["may be one of Python's of several lines", '"""a\n"b" c"""', 'a\n"b" c'],
    ["keeps what looks like a comment", '"// no{"', "// no{"],
    ["is unclear with a quote too many", '"echo "a, b"', undefined],
    ["is unclear where it may end twice", '"printf "x", "y" > f"', undefined],
    ["is unclear where texts are added", '"a" + "b"', undefined],
    ["is unclear where a variable is added", '"a" + b', undefined],
    ["is unclear with Python's own escapes", String.raw`'a\x00'`, undefined],
    ["is unclear between more than three quotes", '""""a"""', undefined],
    ["is unclear without its end", '"a', undefined],
  ];
  for (const [name, value, expected] of cases) it(name, () => assert.equal(repaired(value), expected));
});

describe("JSON that has to be repaired", () => {
  const cases: readonly (readonly [string, string, unknown])[] = [
    ["may have comments", '{"a": /* one */ 1, // two\n}', { a: 1 }],
    ["may have keys without quotes, and Python's literals", "{a: None, b: True}", { a: null, b: true }],
    ["is not repaired where something was left out", '{"a": ["b", ...],}', undefined],
    ["is not repaired where a function is called", '{"a": int(1)}', undefined],
    ["is not repaired where a comment swallows a string", '{"a": 1 // "b": 2\n}', undefined],
    ["is not repaired with a character that stands for strings", '{"a": "\ue0ff0",}', undefined],
  ];
  for (const [name, text, expected] of cases) it(name, () => assert.deepEqual(tryObject(text), expected));
});

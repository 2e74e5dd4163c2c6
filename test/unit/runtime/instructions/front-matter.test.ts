import assert from "node:assert/strict";
import { parseGlobs } from "../../../../src/runtime/instructions/file-globs.ts";
import { getFieldText, parseFrontMatter } from "../../../../src/runtime/instructions/front-matter.ts";
import { cpuTime } from "../../../support/cpu-time.ts";

describe("the front matter of a text", () => {
  const read = (text: string): unknown => {
    const matter = parseFrontMatter(text);
    return { fields: Object.fromEntries(matter.fields), body: matter.body };
  };

  for (const [what, text, found] of [
    ["is none without a first line of ---", "a: 1\n---\nBody", { fields: {}, body: "a: 1\n---\nBody" }],
    ["is none where it doesn't end", "---\na: 1\nBody", { fields: {}, body: "---\na: 1\nBody" }],
    ["may be empty", "---\n---\nBody", { fields: {}, body: "Body" }],
    [
      "may follow a byte order mark, with Windows' line ends",
      "\uFEFF---\r\na: 1\r\n---\r\nB",
      { fields: { a: "1" }, body: "B" },
    ],
    ["has texts only", "---\na: true\nb: 1.10\nc:\n---\nB", { fields: { a: "true", b: "1.10", c: "" }, body: "B" }],
    [
      "has lists",
      "---\npaths:\n  - \"src/**\"\n  - b\nother: [c, 'd']\n---\nB",
      { fields: { paths: ["src/**", "b"], other: ["c", "d"] }, body: "B" },
    ],
    [
      "has folded texts",
      "---\ndescription: >-\n  one\n  two\n---\nB",
      { fields: { description: "one two" }, body: "B" },
    ],
    [
      "has globs that aren't YAML",
      "---\nglobs: **/*.ts,*.js\nalwaysApply: false\n---\nB",
      { fields: { globs: "**/*.ts,*.js", alwaysApply: "false" }, body: "B" },
    ],
    ["has braces that aren't YAML", "---\nglobs: {a,b}/*.ts\n---\nB", { fields: { globs: "{a,b}/*.ts" }, body: "B" }],
    [
      "has a list of globs that isn't YAML",
      "---\nglobs:\n  - *.ts\n  - '*.js'\n---\nB",
      { fields: { globs: ["*.ts", "*.js"] }, body: "B" },
    ],
    [
      "has texts with colons",
      "---\ndescription: Use when: it rains # a remark\n---\nB",
      { fields: { description: "Use when: it rains" }, body: "B" },
    ],
    [
      "keeps what can be read of broken YAML",
      '---\nname: "x"\na: [\nb: &x *y\n---\nB',
      { fields: { name: "x", a: "[", b: "&x *y" }, body: "B" },
    ],
    ["takes no alias", "---\na: &a x\nb: *a\n---\nB", { fields: { a: "&a x", b: "*a" }, body: "B" }],
    [
      "leaves out objects",
      "---\nmetadata:\n  version: 1\nname: x\n---\nB",
      { fields: { metadata: "", name: "x" }, body: "B" },
    ],
  ] as const)
    it(what, () => assert.deepEqual(read(text), found));

  it("of a megabyte is none, at once", () => {
    const took = cpuTime();
    const { fields } = parseFrontMatter(`---\n${"a: &a [*a]\n".repeat(90_000)}---\nB`);
    assert.deepEqual([fields.size, took() < 500], [0, true]);
  });

  it("gives a field as a text, whatever it is written as", () => {
    const matter = parseFrontMatter("---\na: [x, '{y,z}']\nb: ' c '\n---\n");
    assert.deepEqual(
      [getFieldText(matter, "a"), getFieldText(matter, "b"), getFieldText(matter, "none")],
      ["x, {y,z}", "c", ""],
    );
  });
});

describe("a field of globs", () => {
  for (const [text, globs] of [
    ["", []],
    ["**", ["**"]],
    ["**/*.ts,**/*.tsx", ["**/*.ts", "**/*.tsx"]],
    [" 'a/**' , \"b\" ,, a/** ", ["a/**", "b"]],
    ["**/*.{ts,tsx}, src/{a,b{c,d}}/*", ["**/*.{ts,tsx}", "src/{a,b{c,d}}/*"]],
    ["[*.md, '*.txt']", ["*.md", "*.txt"]],
    ["{a,b", ["{a,b"]],
    ["a},b", ["a}", "b"]],
    ["😀/*.ts,b", ["😀/*.ts", "b"]],
  ] as const)
    it(`is split at its commas: ${JSON.stringify(text)}`, () => assert.deepEqual(parseGlobs(text), globs));
});

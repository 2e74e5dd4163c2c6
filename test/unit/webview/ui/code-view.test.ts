import assert from "node:assert/strict";
import fc from "fast-check";
import { splitCodeParts } from "../../../../src/webview/ui/text-view.ts";

const CODE = 'const total = 3; // "all"\nreturn "three";\n';

describe("the parts of a code", () => {
  it("have the kinds of their words, by the name of the language in any spelling", () => {
    const kinds = (name: string) =>
      Object.fromEntries(
        splitCodeParts(CODE, name)
          .filter(({ kind }) => kind !== "")
          .map(({ text, kind }) => [text.trim(), kind]),
      );
    const found = kinds("TypeScript");
    assert.deepEqual(
      { const: found.const, three: found['"three"'], number: found["3"], js: kinds("js").const },
      { const: "kwd", three: "str", number: "num", js: "kwd" },
    );
  });

  it("are one plain part without a known language, and for a long code", () => {
    const long = CODE.repeat(400);
    assert.deepEqual(
      [splitCodeParts(CODE, "nonsense"), splitCodeParts(CODE, "constructor"), splitCodeParts(long, "js")].map(
        (parts) => parts.length,
      ),
      [1, 1, 1],
    );
  });

  it("are the code again, whatever it is", () => {
    const names = fc.constantFrom("ts", "py", "bash", "html", "md", "sql", "diff", "yaml", "css", "java");
    fc.assert(
      fc.property(fc.string({ unit: "grapheme-ascii", maxLength: 300 }), names, (code, name) => {
        const parts = splitCodeParts(code, name);
        assert.equal(parts.map(({ text }) => text).join(""), code);
      }),
      { numRuns: 200 },
    );
  });
});

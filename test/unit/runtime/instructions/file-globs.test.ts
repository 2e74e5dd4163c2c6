import assert from "node:assert/strict";
import { createFileTest } from "../../../../src/runtime/instructions/file-globs.ts";
import { cpuTime } from "../../../support/cpu-time.ts";

describe("the globs of rules", () => {
  const FILES = ["a.ts", "src/a.ts", "src/deep/b.tsx", "packages/x/src/c.ts", "docs/read me.md", ".github/x.yml"];

  for (const [globs, fitting] of [
    [["**"], FILES],
    [["*"], FILES],
    [["**/*"], FILES],
    [["*.ts"], ["a.ts", "src/a.ts", "packages/x/src/c.ts"]],
    [["**/*.{ts,tsx}"], ["a.ts", "src/a.ts", "src/deep/b.tsx", "packages/x/src/c.ts"]],
    [["src/**"], ["src/a.ts", "src/deep/b.tsx", "packages/x/src/c.ts"]],
    [["src/"], ["src/a.ts", "src/deep/b.tsx", "packages/x/src/c.ts"]],
    [["/src/**"], ["src/a.ts", "src/deep/b.tsx"]],
    [["./src/*.ts"], ["src/a.ts", "packages/x/src/c.ts"]],
    [["docs/read me.md"], ["docs/read me.md"]],
    [[".github/**"], [".github/x.yml"]],
    [["none/**", "*.md"], ["docs/read me.md"]],
    [["[", "{", "("], []],
    [["[ab].ts"], ["a.ts", "src/a.ts"]],
    [["{src/deep,docs}/**"], ["src/deep/b.tsx", "docs/read me.md"]],
    [[], []],
  ] as const)
    it(`fit as in VS Code: ${globs.join(" ")}`, () => {
      const test = createFileTest(globs);
      assert.deepEqual(FILES.filter(test.isMatch), fitting);
    });

  it("that exclude, or are too long or too many, are left out and named", () => {
    const many = Array.from({ length: 101 }, (_, index) => `${index}.md`);
    const { usable, problems } = createFileTest([
      "!*.ts",
      "{1..999}.md",
      "x".repeat(500),
      "{",
      "{a,{b,c}}.md",
      ...many,
    ]);
    assert.deepEqual(
      { usable, problems },
      {
        usable: ["{", "{a,{b,c}}.md", ...many.slice(0, 98)],
        problems: [
          'The glob "!*.ts" excludes files, which isn\'t supported.',
          'The glob "{1..999}.md" has ranges of more than 200 numbers.',
          `The glob "${"x".repeat(79)}…" is longer than 500 characters.`,
          'The glob "98.md" is left out: there are more than 100.',
          'The glob "99.md" is left out: there are more than 100.',
        ],
      },
    );
  });

  it("take no time that counts, whatever they and the paths are", () => {
    const hard = ["**/a/**/b/**/c/**/d", "**/*a*a*b/**/*a*a*b/**/*a*a*b/**/x", `{a,b}/${"**/*a*b*c/".repeat(20)}x`];
    const { isMatch } = createFileTest([...hard, "{a*,b*}{a*,b*}{a*,b*}{a*,b*}z"]);
    const paths = ["a/b/c/", "aaaaaaaab/", "a/", "ab"].map((unit) => `${unit.repeat(4_000 / unit.length)}y`);
    const took = cpuTime();
    const found = paths.map(isMatch);
    assert.deepEqual([found, took() < 1_000], [[false, false, false, false], true]);
  });
});

import assert from "node:assert/strict";
import fc from "fast-check";
import picomatch from "picomatch";
import { createGlobTest, createPathGlobTest } from "../../../../src/node/search/glob.ts";
import { cpuTime } from "../../../support/cpu-time.ts";

/** A busy machine may take this long for all of them; one of them took minutes. */
const MOST_MS = 10_000;

const NAMES = ["a", "b", "ab", "src", "test", "x.ts", "a.ts", "b.tsx", "a.test.ts", ".env", ".git", "a-b"].concat([
  "a_b.js",
  "é.md",
  "A.TS",
  "ab.json",
  "1.txt",
  "12.txt",
  "index",
  "a.b.c",
]);
const PARTS = ["*", "**", "*.ts", "*.{ts,tsx}", "[ab]*", "?*", "a*", "*.test.*", "{src,test}", "{a,b}.ts"].concat(
  ["[^a]*", ".*", "*[0-9].txt", "?.ts", "*a*b*", "{a*,*.md}", "*.{js,json,m{d,x}}", "*.[jt]s", "{a..c}"],
  ["(a|b).ts", "a-?", "\\*", "a**", "**b", "src", "a.ts", ".git", "test"],
);

describe("a glob", () => {
  it("is about names where it has no folder, and about paths where it has", () => {
    const tests = ["*.ts", "src/*.ts", "src/**", "**/*.{ts,js}", "/a.ts"].map(createGlobTest);
    const paths = ["a.ts", "src/a.ts", "src/b/a.ts", ".x.ts", "a.js"];
    assert.deepEqual(
      tests.map((test) => paths.filter(test)),
      [
        ["a.ts", "src/a.ts", "src/b/a.ts", ".x.ts"],
        ["src/a.ts"],
        ["src/a.ts", "src/b/a.ts"],
        ["a.ts", "src/a.ts", "src/b/a.ts", ".x.ts", "a.js"],
        ["a.ts"],
      ],
    );
  });

  it("matches the paths that picomatch matches", () => {
    const name = fc.constantFrom(...NAMES);
    const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join("/"));
    const parts = fc.array(fc.constantFrom(...PARTS), { minLength: 1, maxLength: 4 });
    const start = fc.constantFrom("", "", "", "!", "./");
    const glob = fc.tuple(start, parts).map(([before, after]) => before + after.join("/"));
    const paths = fc.sample(path, 300);
    fc.assert(
      fc.property(glob, (one) => {
        const expected = picomatch(one, { dot: true, noextglob: true });
        assert.deepEqual(
          paths.filter(createPathGlobTest(one)),
          paths.filter((path) => expected(path)),
        );
      }),
      { numRuns: 500 },
    );
  });

  for (const [glob, fitting] of [
    ["[!a].ts", ["b.ts"]],
    ["{01..12}.md", ["01.md", "12.md"]],
    ["{1..12}.md", ["1.md", "12.md"]],
    ["{b..d}.ts", ["b.ts"]],
    ["app/(auth)/*", ["app/(auth)/x"]],
    ["*.md|a.ts", ["1.md", "01.md", "12.md", "a.ts"]],
    ["{[(.ts", ["{[(.ts"]],
    ["\\{a,b}.ts", ["{a,b}.ts"]],
    ["?", ["😀"]],
    ["", []],
  ] as const)
    it(`means what people expect: ${glob || "(empty)"}`, () => {
      const paths = ["a.ts", "b.ts", "1.md", "01.md", "12.md", "app/(auth)/x", "{[(.ts", "{a,b}.ts", "😀"];
      assert.deepEqual(paths.filter(createPathGlobTest(glob)).toSorted(), fitting.toSorted());
    });

  it("takes no time that counts, whatever it and the path are", () => {
    const globs = [
      "**/*a*a*a*a*a*a*a*a*b",
      `${"{a,aa}".repeat(80)}b`,
      `${"{a*,*a,**/a*}".repeat(30)}b`,
      `${"{{a,b},{a,b}}*".repeat(30)}z`,
      `${"(a|aa|a*)".repeat(50)}b`,
      "(a+)+b",
      `${"**/a/".repeat(80)}b`,
      `${"**/{a,**/a}/".repeat(30)}x`,
      `${"[a-z]*".repeat(80)}!`,
      `[${"a-z".repeat(150)}]*`,
      `${"*?".repeat(200)}b`,
      "{0..99}{0..99}x",
      "{".repeat(499),
      "[".repeat(499),
      "{a,".repeat(160),
    ];
    const paths = ["a".repeat(4000), `${"a/".repeat(2000)}c`, "ab".repeat(2000), "12".repeat(2000)];
    const took = cpuTime();
    const found = globs.map((glob) => paths.filter(createGlobTest(`${glob}§`)).length);
    assert.deepEqual([found, took() < MOST_MS], [globs.map(() => 0), true]);
  });

  it("keeps few steps in mind, whatever it has seen", () => {
    const fits = createPathGlobTest("**/*{a,b}*.{ts,tsx}");
    const names = Array.from({ length: 20_000 }, (_, index) => String.fromCodePoint(0x4e00 + index));
    assert.deepEqual([names.filter((name) => fits(`${name}/a.ts`)).length, fits("a.js")], [names.length, false]);
  });

  it("is refused with a way out when it is too large", () => {
    const problems = ["x".repeat(501), "{1..9999}"].map((glob) => {
      try {
        return createGlobTest(glob);
      } catch (error) {
        return String(error).replace(/x{500}/, "xx");
      }
    });
    const wayOut = 'Use a simpler one, like "*.ts" or "src/**/*.test.ts".';
    assert.deepEqual(problems, [
      `WorkspaceError: The glob "xx" is longer than 500 characters. ${wayOut}`,
      `WorkspaceError: The glob "{1..9999}" has ranges of more than 200 numbers. ${wayOut}`,
    ]);
  });
});

import assert from "node:assert/strict";
import { countChangedLines, hasMarkers, isBinary, mergeLines } from "../../../../src/isolation/review/three-way.ts";

const LINES = "1\n2\n3\n4\n5\n6\n";
/** So many different lines take too long to compare with as many others. */
const TOO_MANY = 15_000;

/** The merged text, with the number of conflicts before it. */
function merged(base: string, mine: string, theirs: string): string {
  const merge = mergeLines(Buffer.from(base), Buffer.from(mine), Buffer.from(theirs));
  return merge ? `${merge.conflicts} ${merge.content}` : "too long";
}

const numbered = (prefix: string) => Array.from({ length: TOO_MANY }, (_, index) => `${prefix}${index}\n`).join("");

describe("a merge by lines", () => {
  const cases: readonly (readonly [what: string, args: Parameters<typeof merged>, result: string])[] = [
    ["holds both changes", [LINES, "1\nuser\n3\n4\n5\n6\n", "1\n2\n3\n4\nrun\n6\n"], "0 1\nuser\n3\n4\nrun\n6\n"],
    ["holds additions at both ends", [LINES, `user\n${LINES}`, `${LINES}run\n`], `0 user\n${LINES}run\n`],
    ["holds removals at both ends", [LINES, "2\n3\n4\n5\n6\n", "1\n2\n3\n4\n5\n"], "0 2\n3\n4\n5\n"],
    ["takes the same change once", [LINES, "1\n2\nx\n4\n5\n6\n", "1\n2\nx\n4\n5\n6\n"], "0 1\n2\nx\n4\n5\n6\n"],
    [
      "is a conflict where both add lines in one place",
      ["a\na\n", "a\na\na\n", "a\na\nb\n"],
      "1 a\na\n<<<<<<< workspace\na\n=======\nb\n>>>>>>> isolated run\n",
    ],
    [
      "marks each conflict",
      [LINES, "user\n2\n3\n4\n5\nuser\n", "run\n2\n3\n4\n5\nrun\n"],
      "2 <<<<<<< workspace\nuser\n=======\nrun\n>>>>>>> isolated run\n2\n3\n4\n5\n<<<<<<< workspace\nuser\n=======\nrun\n>>>>>>> isolated run\n",
    ],
    [
      "marks a conflict in lines of their own, with the line ends of the text",
      ["a\r\nb", "a\r\nuser", "a\r\nrun\r\n"],
      "1 a\r\n<<<<<<< workspace\r\nuser\r\n=======\r\nrun\r\n>>>>>>> isolated run\r\n",
    ],
    [
      "marks a conflict with the line ends of either side",
      ["b\n", "user\r\n", "run\n"],
      "1 <<<<<<< workspace\r\nuser\r\n=======\r\nrun\n>>>>>>> isolated run\r\n",
    ],
    [
      "marks a conflict of last lines without an end",
      ["b", "user", "run"],
      "1 <<<<<<< workspace\nuser\n=======\nrun\n>>>>>>> isolated run\n",
    ],
    ["is none of texts that take too long", [numbered("a"), "user\n", numbered("c")], "too long"],
    [
      "compares only the lines between the first change and the last one",
      [
        `${numbered("a")}1\n2\n3\n${numbered("b")}`,
        `${numbered("a")}user\n2\n3\n${numbered("b")}`,
        `${numbered("a")}1\n2\nrun\n${numbered("b")}`,
      ],
      `0 ${numbered("a")}user\n2\nrun\n${numbered("b")}`,
    ],
  ];
  for (const [what, args, result] of cases)
    it(what, () => {
      assert.equal(merged(...args), result);
    });
});

describe("the figures of a change", () => {
  const cases: readonly (readonly [before: string, after: string, figures: string])[] = [
    [LINES, LINES, "+0 -0"],
    [LINES, LINES.replace("3", "x\ny"), "+2 -1"],
    [LINES, `0\n${LINES.replace("6\n", "")}`, "+1 -1"],
    [LINES, "", "+0 -6"],
    ["", LINES, "+6 -0"],
    ["a\n", "a\na\n", "+1 -0"],
    ["a\na\n", "a\n", "+0 -1"],
    ["a\nb", "a\nb\n", "+1 -1"],
    [`${numbered("a")}same\nold\n`, `${numbered("b")}same\nnew\n`, `+${TOO_MANY + 2} -${TOO_MANY + 2}`],
  ];
  for (const [index, [before, after, figures]] of cases.entries())
    it(`are ${figures} (${index})`, () => {
      const { added, removed } = countChangedLines(Buffer.from(before), Buffer.from(after));
      assert.equal(`+${added} -${removed}`, figures);
    });
});

describe("a text", () => {
  it("has conflicts marked as long as one of the outer marks is a line of it", () => {
    const texts = ["<<<<<<< workspace\r\na", "a\r>>>>>>> isolated run", "a\n=======\nb", "a <<<<<<< workspace"];
    assert.deepEqual(texts.map(hasMarkers), [true, true, false, false]);
  });

  it("has no byte that is zero", () => {
    assert.deepEqual(
      ["a\n", "a\0"].map((text) => isBinary(Buffer.from(text))),
      [false, true],
    );
  });
});

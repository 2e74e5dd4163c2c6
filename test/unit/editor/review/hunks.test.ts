import assert from "node:assert/strict";
import fc from "fast-check";
import {
  dropHunk,
  findDroppedHunks,
  findFirstChangedLine,
  findHunks,
  findLineBeside,
  keepHunk,
  restoreHunk,
} from "../../../../src/editor/review/hunks.ts";
import { aText, twoTexts } from "./texts.ts";

describe("hunks between two texts", () => {
  it("names the lines that differ on both sides", () => {
    assert.deepEqual(findHunks("a\nb\nc\nd\n", "a\nB\nc\nd\ne\n"), [
      { left: { start: 1, end: 2 }, right: { start: 1, end: 2 } },
      { left: { start: 4, end: 4 }, right: { start: 4, end: 5 } },
    ]);
  });

  it("shows a last newline that is missing", () => {
    assert.deepEqual(findHunks("a\n", "a"), [{ left: { start: 1, end: 2 }, right: { start: 1, end: 1 } }]);
  });

  it("finds none where only line ends differ", () => {
    assert.deepEqual(findHunks("a\r\nb\r\n", "a\nb\n"), []);
  });

  it("takes texts with little in common as one hunk, quickly", () => {
    const left = Array.from({ length: 5_000 }, (_, index) => `left ${index}`).join("\n");
    const right = Array.from({ length: 5_000 }, (_, index) => `right ${index}`).join("\n");
    assert.deepEqual(findHunks(left, right), [{ left: { start: 0, end: 5_000 }, right: { start: 0, end: 5_000 } }]);
  });

  it("makes the left text the right one when each hunk is taken over", () => {
    fc.assert(
      fc.property(twoTexts("\n"), ({ before, after }) => {
        const left = before.split("\n");
        const right = after.split("\n");
        const taken = findHunks(before, after).toReversed();
        for (const hunk of taken)
          left.splice(
            hunk.left.start,
            hunk.left.end - hunk.left.start,
            ...right.slice(hunk.right.start, hunk.right.end),
          );
        assert.equal(left.join("\n"), after);
      }),
    );
  });
});

describe("dropping a hunk", () => {
  const before = "one\ntwo\nthree\nfour\n";

  it("takes back a changed line and leaves the other hunks", () => {
    assert.equal(dropHunk(before, "ONE\ntwo\nthree\nFOUR\n", 0), "one\ntwo\nthree\nFOUR\n");
  });

  it("takes out added lines", () => {
    assert.equal(dropHunk(before, "one\ntwo\nnew\nnewer\nthree\nfour\n", 3), before);
  });

  for (const line of [0, 1])
    it(`brings back removed lines from beside them, line ${line}`, () => {
      assert.equal(dropHunk(before, "one\nfour\n", line), before);
    });

  it("is nothing on a line that did not change", () => {
    assert.equal(dropHunk(before, "ONE\ntwo\nthree\nfour\n", 2), undefined);
  });

  it("gives back a last newline that was taken away", () => {
    assert.equal(dropHunk("a\nb\n", "a\nb", 1), "a\nb\n");
  });

  it("takes away a last newline that was added", () => {
    assert.equal(dropHunk("a\nb", "a\nb\n", 2), "a\nb");
  });

  it("empties a file that is new", () => {
    assert.equal(dropHunk("", "a\nb\n", 0), "");
  });

  it("fills a file that was to be emptied", () => {
    assert.equal(dropHunk("a\nb\n", "", 0), "a\nb\n");
  });

  it("keeps the line ends of both texts", () => {
    assert.equal(dropHunk("a\r\nb\r\nc\n", "a\r\nB\nc\n", 1), "a\r\nb\r\nc\n");
  });

  for (const end of ["\n", "\r\n", "\r"])
    it(`leads back to what was there, hunk by hunk, with ${JSON.stringify(end)}`, () => {
      fc.assert(
        fc.property(twoTexts(end), ({ before, after }) => {
          let text = after;
          for (let [hunk] = findHunks(before, text); hunk; [hunk] = findHunks(before, text))
            text = dropHunk(before, text, hunk.right.start) ?? assert.fail("The hunk was not found.");
          assert.equal(text, before);
        }),
      );
    });
});

describe("restoring a hunk", () => {
  it("brings a dropped hunk back and leaves the rest as it is", () => {
    assert.equal(restoreHunk("ONE\ntwo\nTHREE\n", "one\ntwo\nthree, edited\n", 0), "ONE\ntwo\nthree, edited\n");
  });

  it("is nothing where the text is as proposed", () => {
    assert.equal(restoreHunk("ONE\ntwo\n", "ONE\nTWO\n", 0), undefined);
  });

  it("undoes the drop of any hunk", () => {
    fc.assert(
      fc.property(twoTexts("\n"), ({ before, after }) => {
        for (const { right } of findHunks(before, after)) {
          let text = dropHunk(before, after, right.start) ?? assert.fail("The hunk was not found.");
          for (let [hunk] = findHunks(after, text); hunk; [hunk] = findHunks(after, text))
            text = restoreHunk(after, text, hunk.right.start) ?? assert.fail("The hunk was not found.");
          assert.equal(text, after);
        }
      }),
    );
  });
});

describe("keeping one hunk", () => {
  it("drops all others, whichever it is, and is nothing between them", () => {
    const [before, after] = ["a\nb\nc\nd\ne\n", "A\nb\nc\nd\n"];
    assert.deepEqual(
      [0, 2, 4].map((line) => keepHunk(before, after, line)),
      ["A\nb\nc\nd\ne\n", undefined, "a\nb\nc\nd\n"],
    );
  });

  it("leaves that one as the only difference", () => {
    fc.assert(
      fc.property(twoTexts("\n"), ({ before, after }) => {
        for (const { right } of findHunks(before, after)) {
          const kept = keepHunk(before, after, right.start) ?? assert.fail("The hunk was not found.");
          assert.equal(dropHunk(before, kept, findHunks(before, kept)[0]?.right.start ?? -1), before);
        }
      }),
    );
  });
});

describe("dropped hunks", () => {
  it("are those whose lines are as before, at their place in the text as it is now", () => {
    const before = "a\nb\nc\nd\ne\n";
    const proposed = "A\nb\nnew\nc\nd\nE\n";
    assert.deepEqual(
      [proposed, "A\nA\nb\nc\nd\nE!\n", "a\nb\nnew\nc\nd\ne\n"].map((current) =>
        findDroppedHunks(before, proposed, current),
      ),
      [
        [],
        [{ start: 3, end: 3 }],
        [
          { start: 0, end: 1 },
          { start: 5, end: 6 },
        ],
      ],
    );
  });
});

describe("the first changed line", () => {
  it("is that of the new text, and none for equal texts", () => {
    assert.deepEqual(
      [
        findFirstChangedLine("a\nb\nc", "a\nx\ny\nC"),
        findFirstChangedLine("a\nb\nc", "a\nc"),
        findFirstChangedLine("a", "a"),
      ],
      [1, 1, undefined],
    );
  });
});

describe("the line beside a line of the left text", () => {
  it("moves with the hunks above it, and is the start of the hunk inside one", () => {
    const left = "a\nb\nc\nd\n";
    const right = "new\na\nB\nBB\nd\n";
    assert.deepEqual(
      [0, 1, 2, 3].map((line) => findLineBeside(left, right, line)),
      [1, 2, 2, 4],
    );
  });

  it("is a line of the right text", () => {
    fc.assert(
      fc.property(aText("\n"), aText("\n"), fc.nat(20), (left, right, line) => {
        const beside = findLineBeside(left, right, Math.min(line, left.split("\n").length - 1));
        assert.equal(beside >= 0 && beside <= right.split("\n").length, true);
      }),
    );
  });
});

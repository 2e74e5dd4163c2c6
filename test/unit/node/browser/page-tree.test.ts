import assert from "node:assert/strict";
import {
  cutLines,
  findLines,
  parseReference,
  readTree,
  selectElement,
} from "../../../../src/node/browser/page-tree.ts";

const SNAPSHOT = `- generic [active] [ref=e1]:
  - list [ref=e2]:
    - listitem [ref=e3]:
      - link "One" [ref=e4] [cursor=pointer]:
        - /url: /one
    - listitem [ref=e5]: Two
  - paragraph [ref=e6]: Three`;

describe("the tree of a page", () => {
  it("has an element per line with a short reference, which says the tab from the second on", () => {
    const texts = [1, 2].map((tab) => cutLines(readTree(SNAPSHOT, tab)).tree.split("\n"));
    assert.deepEqual(
      { first: texts[0]?.slice(0, 5), second: texts[1]?.[3] },
      {
        first: [
          "- generic [active] [e1]:",
          " - list [e2]:",
          "  - listitem [e3]:",
          '   - link "One" [e4]:',
          "    - /url: /one",
        ],
        second: '   - link "One" [t2e4]:',
      },
    );
  });

  it("takes no reference from what the page says", () => {
    const snapshot = String.raw`- button "Delete" [ref=e2]
- button "Cancel [ref=e2]" [ref=e3]
- button "Say \"x\" [ref=e2]" [disabled] [ref=e4]
- 'link "it''s: [ref=e2]" [ref=e5] [cursor=pointer]':
- textbox "- button [ref=e2]" [ref=e6]: "[ref=e2]"
- button "Without [ref=e2]": x
- text: "[ref=e2]"
- /url: /x[ref=e2]`;
    assert.deepEqual(
      readTree(snapshot, 1).map(({ reference }) => reference),
      ["e2", "e3", "e4", "e5", "e6", undefined, undefined, undefined],
    );
  });

  it("is read on from the first element that was left out", () => {
    const lines = readTree(SNAPSHOT, 1);
    const { tree, rest } = cutLines(lines, 32);
    assert.deepEqual(
      { last: tree.split("\n").at(-1), rest },
      {
        last: '   - link "One" [e4]:\n    - /url: /one'.split("\n").at(-1),
        rest: '2 more lines are left out: read on with read_page, from "e5", or only a part of the page, of an element.',
      },
    );
  });

  it("is searched with the elements around and above, and read by element", () => {
    const lines = readTree(SNAPSHOT, 1);
    const { found, count } = findLines(lines, "two");
    assert.deepEqual(
      {
        count,
        found: found.map(({ text }) => text.slice(0, 12)),
        part: selectElement(lines, "e3")?.length,
        none: selectElement(lines, "e9"),
        references: ["e4", "[t2f3e4]", "ref=e4", "4", "e4; rm"].map((text) => parseReference(text)?.name),
      },
      {
        count: 1,
        found: ["- generic [a", "- list [e2]:", "…", '- link "One"', "- /url: /one", "- listitem [", "- paragraph "],
        part: 3,
        none: undefined,
        references: ["e4", "t2f3e4", "e4", undefined, undefined],
      },
    );
  });
});

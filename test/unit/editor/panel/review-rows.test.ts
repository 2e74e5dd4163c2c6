import assert from "node:assert/strict";
import { acceptChoices, createReviewRows } from "../../../../src/editor/panel/review-rows.ts";
import type { Review, ReviewedChange } from "../../../../src/isolation/review/review.ts";

/** A change as a review has it, without anything to read on the disk. */
function change(label: string, more: Partial<ReviewedChange> = {}): ReviewedChange {
  const folder = { name: "shop", origin: "/nowhere/shop", path: "/nowhere/copy" };
  return {
    change: { folder, file: label },
    label,
    path: `/nowhere/shop/${label}`,
    kind: "edited",
    result: "taken",
    ownYes: [],
    ownLines: [],
    needs: [],
    added: 1,
    removed: 2,
    states: { base: { kind: "missing" }, mine: { kind: "missing" }, theirs: { kind: "missing" } },
    relation: {},
    ...more,
  };
}

function reviewOf(...changes: readonly ReviewedChange[]): Review {
  return { parts: {} as Review["parts"], changes };
}

describe("the rows of a review", () => {
  it("are the changes to decide on, with the reasons for a decision of their own", () => {
    const review = reviewOf(
      change(".git/config", { result: "refused", why: "It's a repository's own." }),
      change("tasks.json", { ownYes: ["protected"], kind: "created" }),
      change("a.ts", { result: "merged" }),
      change("b.ts"),
      change("c.ts", { result: "same" }),
      change("d.png", { ownYes: ["binary"] }),
      change("e.ts", { result: "conflict", settle: "replace", why: "Too long." }),
    );
    const { rows, count } = createReviewRows(review, new Map([["b.ts", "mine"]]));
    const figures = { added: 1, removed: 2 };
    assert.deepEqual(
      { rows, count },
      {
        rows: [
          {
            file: ".git/config",
            kind: "edited",
            ...figures,
            own: ["refused"],
            why: "It's a repository's own.",
          },
          { file: "tasks.json", kind: "created", ...figures, own: ["protected"] },
          { file: "a.ts", kind: "edited", ...figures, merged: true },
          { file: "b.ts", kind: "edited", ...figures, edited: true },
          { file: "d.png", kind: "edited", added: 0, removed: 0, own: ["binary"] },
          {
            file: "e.ts",
            kind: "edited",
            ...figures,
            settle: "replace",
            own: ["conflict"],
            why: "Too long.",
          },
        ],
        count: 6,
      },
    );
  });

  it("have a conflict only until no marked line is left, and the first lines of a manifest", () => {
    const conflict = change("a", { result: "conflict", settle: "merge", why: "Both changed it." });
    const manifest = change("b", { ownYes: ["installs"], ownLines: Array.from({ length: 9 }, (_, at) => `"x${at}"`) });
    const edits = ["<<<<<<< workspace\na\n=======\nb\n>>>>>>> isolated run\n", "settled\n"];
    const rows = edits.map((text) => createReviewRows(reviewOf(conflict), new Map([["a", text]])).rows[0]);
    const [lines = []] = createReviewRows(reviewOf(manifest), new Map()).rows.map((row) => row.lines);
    assert.deepEqual(
      { conflicts: rows.map((row) => [row?.own, row?.why]), lines: lines.length },
      {
        conflicts: [
          [["conflict"], "Both changed it."],
          [undefined, undefined],
        ],
        lines: 8,
      },
    );
  });

  it("have another version when a state that was compared is another one", () => {
    const states = { ...change("a").states, mine: { kind: "link", to: "b" } } as const;
    const versions = [change("a"), change("a"), change("a", { states })].map((one) =>
      createReviewRows(reviewOf(one), new Map()),
    );
    const [one, same, other] = versions.map(({ version }) => version);
    assert.deepEqual({ same: one === same, other: one === other }, { same: true, other: false });
  });
});

describe("what is accepted of a review", () => {
  it("is the user's own text where there is one, and the chosen side of a conflict", () => {
    const review = reviewOf(
      change("a.ts"),
      change("b.ts", { result: "conflict" }),
      change("c.png", { result: "conflict" }),
      change("d.ts"),
    );
    const edits = new Map([["b.ts", "merged"]]);
    const accept = (files: readonly string[], side?: "mine" | "run") => [...acceptChoices(review, files, edits, side)];
    assert.deepEqual(
      {
        undecided: accept(["a.ts", "b.ts", "c.png", "unknown"]),
        mine: accept(["b.ts"], "mine"),
        run: accept(["c.png"], "run"),
      },
      {
        undecided: [
          ["a.ts", "result"],
          ["b.ts", { text: "merged" }],
          ["c.png", "result"],
        ],
        mine: [["b.ts", "mine"]],
        run: [["c.png", "run"]],
      },
    );
  });
});

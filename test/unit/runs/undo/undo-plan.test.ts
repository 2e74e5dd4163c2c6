import assert from "node:assert/strict";
import type { FileState } from "../../../../src/runs/undo/file-state.ts";
import type { JournalChange, SettledChange } from "../../../../src/runs/undo/journal-lines.ts";
import { collectPathHistories, planRedo, planUndo } from "../../../../src/runs/undo/undo-plan.ts";
import { writeInEnglish } from "../../../../src/texts/display-text.ts";

const PATH = "/work/a.txt";

/** The state of a file with some content. */
const file = (content: string): FileState => ({
  kind: "file",
  hash: content,
  bytes: content.length,
  mode: 0o644,
});

type Line = JournalChange | SettledChange;

interface Deed {
  readonly id: number;
  readonly by?: JournalChange["by"];
  readonly step: number;
  readonly was: string;
  /** Absent: the change was interrupted. */
  readonly is?: string;
  readonly of?: readonly number[];
}

/** The two lines of a change of one file. */
function lines({ id, by = "step", step, was, is, of }: Deed): readonly Line[] {
  const begun: Line = { id, by, step, files: [{ path: PATH, was: file(was), ...(of ? { of } : {}) }] };
  return is === undefined ? [begun] : [begun, { id, now: [{ path: PATH, is: file(is) }] }];
}

const histories = (...deeds: readonly Deed[]) => collectPathHistories(deeds.flatMap(lines));
const standing = (...deeds: readonly Deed[]) =>
  histories(...deeds).flatMap((history) => history.standing.map(({ id }) => id));

const FIRST: Deed = { id: 1, step: 1, was: "a", is: "b" };
const SECOND: Deed = { id: 2, step: 2, was: "b", is: "c" };
const THIRD: Deed = { id: 3, step: 3, was: "c", is: "d" };

describe("the history of a file", () => {
  it("skips a step that changed nothing", () => {
    assert.deepEqual(standing(FIRST, { id: 2, step: 2, was: "b", is: "b" }), [1]);
  });

  it("keeps an interrupted step, whose result is unknown", () => {
    assert.deepEqual(standing(FIRST, { id: 2, step: 2, was: "b" }), [1, 2]);
  });

  it("loses the changes that an undo reverted, and only those", () => {
    assert.deepEqual(standing(FIRST, SECOND, { id: 3, by: "undo", step: 2, was: "c", is: "b", of: [2] }), [1]);
  });

  it("isn't changed by an interrupted undo", () => {
    assert.deepEqual(standing(FIRST, { id: 2, by: "undo", step: 1, was: "b", of: [1] }), [1]);
  });

  it("has the changes again that a redo restored, in their old order", () => {
    const undo: Deed = { id: 3, by: "undo", step: 1, was: "b", is: "a", of: [1] };
    const later: Deed = { id: 4, step: 4, was: "a", is: "e" };
    const redo: Deed = { id: 5, by: "redo", step: 1, was: "a", is: "b", of: [3] };
    assert.deepEqual(standing(FIRST, undo, later, redo), [1, 4]);
  });

  it("can have an undo restored after another one was", () => {
    const first: Deed = { id: 3, by: "undo", step: 2, was: "c", is: "b", of: [2] };
    const second: Deed = { id: 4, by: "undo", step: 1, was: "b", is: "a", of: [1] };
    const redo: Deed = { id: 5, by: "redo", step: 1, was: "a", is: "b", of: [4] };
    const left = histories(FIRST, SECOND, first, second, redo).flatMap(({ undone }) => undone.map(({ id }) => id));
    assert.deepEqual({ standing: standing(FIRST, SECOND, first, second, redo), left }, { standing: [1], left: [3] });
  });
});

describe("the plan of an undo", () => {
  const planOf = (request: Parameters<typeof planUndo>[1], ...deeds: readonly Deed[]) =>
    planUndo(histories(...deeds), request).map(({ of, expected, target, obstacle }) => ({
      of,
      expected,
      target,
      obstacle,
    }));

  it("goes from the state after the last change to the one before the first", () => {
    assert.deepEqual(planOf({}, FIRST, SECOND), [
      { of: [1, 2], expected: file("c"), target: file("a"), obstacle: undefined },
    ]);
  });

  it("starts after a step, without that step itself", () => {
    assert.deepEqual(
      planOf({ after: 1 }, FIRST, SECOND, THIRD).map(({ of, target }) => ({ of, target })),
      [{ of: [2, 3], target: file("b") }],
    );
  });

  it("takes one step alone only if no later one changed the file", () => {
    const last = planOf({ step: 3 }, FIRST, SECOND, THIRD);
    const middle = planOf({ step: 2 }, FIRST, SECOND, THIRD);
    assert.deepEqual(
      {
        last: last.map(({ obstacle }) => obstacle),
        middle: middle.map(({ obstacle = "" }) => writeInEnglish(obstacle)),
      },
      { last: [undefined], middle: ["Step 3 changed it too, later. Undo that step first."] },
    );
  });

  it("has an obstacle if someone else changed the file between two steps", () => {
    const [plan] = planOf({}, FIRST, { ...SECOND, was: "mine" });
    assert.equal(writeInEnglish(plan?.obstacle ?? ""), "Someone else changed it between two changes of the agent.");
  });

  it("expects nothing after an interrupted change, because its result is unknown", () => {
    const [plan] = planOf({}, FIRST, { id: 2, step: 2, was: "b" });
    assert.deepEqual({ of: plan?.of, expected: plan?.expected }, { of: [1, 2], expected: undefined });
  });

  it("takes only the files that are asked for", () => {
    assert.deepEqual(
      {
        this: planOf({ paths: [PATH] }, FIRST).length,
        another: planOf({ paths: ["/work/b.txt"] }, FIRST).length,
      },
      { this: 1, another: 0 },
    );
  });
});

describe("the plan of a redo", () => {
  it("takes the latest undo alone", () => {
    const first: Deed = { id: 3, by: "undo", step: 2, was: "c", is: "b", of: [2] };
    const second: Deed = { id: 4, by: "undo", step: 1, was: "b", is: "a", of: [1] };
    assert.deepEqual(planRedo(histories(FIRST, SECOND, first, second)), [
      { path: PATH, of: [4], steps: [1], target: file("b"), expected: file("a") },
    ]);
  });

  it("is empty without an undo", () => {
    assert.deepEqual(planRedo(histories(FIRST)), []);
  });
});

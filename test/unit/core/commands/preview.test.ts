import assert from "node:assert/strict";
import { getPreviewShape, isFullyShown, type PreviewLocation } from "../../../../src/core/commands/preview.ts";

const PLACES: readonly PreviewLocation[] = ["card", "editor", "diff", "notification"];

describe("a proposal is seen as a whole", () => {
  it("when its text was shown to its end, on the card, in an editor or in a notification", () => {
    assert.deepEqual(
      PLACES.filter((place) => isFullyShown("details", [place])),
      ["card", "editor", "notification"],
    );
  });

  it("when it changes a file, only in its diff", () => {
    assert.deepEqual(
      PLACES.filter((place) => isFullyShown("change", [place])),
      ["diff"],
    );
  });

  it("when it changes a file with a line that VS Code cuts in a diff, only as a text in an editor", () => {
    const line = "x".repeat(10_000);
    const changes = [
      { before: undefined, after: `a\n${line}` },
      { before: `a\n${line}`, after: `b\n${line}` },
      { before: `a\n${line}`, after: "b\n" },
      { before: "a\n", after: `${line.slice(1)}\n` },
    ];
    const shapes = changes.map(({ before, after }) =>
      getPreviewShape({
        kind: "change",
        file: "a",
        target: "/a",
        after,
        ...(before === undefined ? {} : { before }),
      }),
    );
    assert.deepEqual(
      { shapes, places: PLACES.filter((place) => isFullyShown("cutChange", [place])) },
      { shapes: ["cutChange", "change", "change", "change"], places: ["editor"] },
    );
  });

  it("at one place that shows it, whatever the others", () => {
    assert.deepEqual([isFullyShown("change", PLACES), isFullyShown("details", [])], [true, false]);
  });
});

import assert from "node:assert/strict";
import { isWholeSeen, type Showing } from "../../../src/core/sight.ts";

const PLACES: readonly Showing[] = ["card", "editor", "diff", "notification"];

describe("a proposal is seen as a whole", () => {
  it("when its text was shown to its end, on the card, in an editor or in a notification", () => {
    assert.deepEqual(
      PLACES.filter((place) => isWholeSeen("details", [place])),
      ["card", "editor", "notification"],
    );
  });

  it("when it changes a file, only in its diff", () => {
    assert.deepEqual(
      PLACES.filter((place) => isWholeSeen("change", [place])),
      ["diff"],
    );
  });

  it("at one place that shows it, whatever the others", () => {
    assert.deepEqual([isWholeSeen("change", PLACES), isWholeSeen("details", [])], [true, false]);
  });
});

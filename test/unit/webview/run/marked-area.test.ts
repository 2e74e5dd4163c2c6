import assert from "node:assert/strict";
import { changeAreaByKey, computeArea } from "../../../../src/webview/run/marked-area.ts";

const AREA = { left: 0.9, top: 0, width: 0.1, height: 0.5 };

/** In whole percent. */
const round = (area: typeof AREA | undefined) => area && Object.values(area).map((share) => Math.round(share * 100));

describe("a marked area", () => {
  it("is moved by arrow keys, and resized with Shift, within the picture", () => {
    assert.deepEqual(
      {
        left: round(changeAreaByKey(AREA, "ArrowLeft", false)),
        right: round(changeAreaByKey(AREA, "ArrowRight", false)),
        down: round(changeAreaByKey(AREA, "ArrowDown", false)),
        wider: round(changeAreaByKey(AREA, "ArrowRight", true)),
        lower: round(changeAreaByKey(AREA, "ArrowDown", true)),
        other: changeAreaByKey(AREA, "Enter", false),
      },
      {
        left: [88, 0, 10, 50],
        right: [90, 0, 10, 50],
        down: [90, 2, 10, 50],
        wider: [90, 0, 10, 50],
        lower: [90, 0, 10, 52],
        other: undefined,
      },
    );
  });

  it("is spanned between two corners in any order, and ends at the picture's edges", () => {
    assert.deepEqual(
      [
        round(computeArea({ x: 0.2, y: 0.3 }, { x: 0.6, y: 0.4 })),
        round(computeArea({ x: 0.6, y: 1.4 }, { x: -0.2, y: 0.4 })),
        round(computeArea({ x: 1, y: 1 }, { x: 1, y: 1 })),
      ],
      [
        [20, 30, 40, 10],
        [0, 40, 60, 60],
        [98, 98, 2, 2],
      ],
    );
  });
});

import assert from "node:assert/strict";
import { describeContinuousMode, StartMode } from "../../../../src/editor/panel/continuous-mode.ts";

const never = async () => false;

describe("the mode of a new run", () => {
  it("is continuous by setting only after a warning, once for a window", async () => {
    const limits: number[] = [];
    const answers = [undefined, "ask", "isolated", "continuous"] as const;
    const modes = new StartMode(async (limit) => answers[limits.push(limit) - 1]);
    const on = { continuous: true, continuousLimit: 25 };
    const chosen = [
      await modes.chooseMode({ ...on, continuous: false }, never),
      await modes.chooseMode(on, never),
      await modes.chooseMode(on, never),
      await modes.chooseMode(on, never),
      await modes.chooseMode(on, never),
      await modes.chooseMode(on, never),
      await modes.chooseMode({ ...on, continuous: false }, never),
    ];
    assert.deepEqual(
      { chosen, limits },
      {
        chosen: ["ask", undefined, "ask", "isolated", "continuous", "continuous", "ask"],
        limits: [25, 25, 25, 25],
      },
    );
  });
});

describe("the warning before continuous mode", () => {
  it("names isolated runs where there can be any", async () => {
    const offered: boolean[] = [];
    const modes = new StartMode(async (_limit, canIsolate) => void offered.push(canIsolate));
    for (const can of [true, false]) await modes.chooseMode({ continuous: true, continuousLimit: 5 }, async () => can);
    const named = [true, false].map((can) => describeContinuousMode(5, can).detail.includes("isolated run"));
    assert.deepEqual({ offered, named }, { offered: [true, false], named: [true, false] });
  });
});

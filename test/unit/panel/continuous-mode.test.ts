import assert from "node:assert/strict";
import { StartMode } from "../../../src/panel/continuous-mode.ts";

describe("the mode of a new run", () => {
  it("is continuous by setting only after a warning, once for a window", async () => {
    const limits: number[] = [];
    const answers = [undefined, "ask", "continuous"] as const;
    const modes = new StartMode(async (limit) => answers[limits.push(limit) - 1]);
    const on = { continuous: true, continuousLimit: 25 };
    const chosen = [
      await modes.of({ ...on, continuous: false }),
      await modes.of(on),
      await modes.of(on),
      await modes.of(on),
      await modes.of(on),
      await modes.of({ ...on, continuous: false }),
    ];
    assert.deepEqual(
      { chosen, limits },
      { chosen: ["ask", undefined, "ask", "continuous", "continuous", "ask"], limits: [25, 25, 25] },
    );
  });
});

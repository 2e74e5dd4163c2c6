import assert from "node:assert/strict";
import { Turns } from "../../../../src/vscode/diff/turns.ts";

describe("turns", () => {
  it("come one after the other, also after one that failed", async () => {
    const turns = new Turns();
    const happened: string[] = [];
    const gate = Promise.withResolvers<void>();

    const first = turns.take("a", async () => {
      await gate.promise;
      happened.push("first");
      throw new Error("No.");
    });
    const second = turns.take("a", async () => void happened.push("second"));
    const other = turns.take("b", async () => void happened.push("other"));
    await other;
    gate.resolve();
    await Promise.allSettled([first, second]);

    assert.deepEqual(happened, ["other", "first", "second"]);
  });
});

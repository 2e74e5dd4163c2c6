import assert from "node:assert/strict";
import { createTurnTaker } from "../../../src/headless/terminal.ts";

const NEVER = new AbortController().signal;

describe("turns at a terminal", () => {
  it("are taken one after the other, also by those behind one that gave up", async () => {
    const take = createTurnTaker();
    const { promise: answered, resolve: answer } = Promise.withResolvers<string>();
    const stopped = new AbortController();
    const order: string[] = [];
    const first = take(NEVER, () => answered);
    const second = take(stopped.signal, async () => order.push("second")).catch(() => order.push("gave up"));
    const third = take(NEVER, async () => order.push("third"));
    stopped.abort();
    await second;
    order.push("answered");
    answer("yes");
    await Promise.all([first, third]);
    assert.deepEqual(order, ["gave up", "answered", "third"]);
  });
});

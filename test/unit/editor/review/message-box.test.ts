import assert from "node:assert/strict";
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import { fillBox, MessageBox } from "../../../../src/editor/review/message-box.ts";

describe("a draft in a box that the user may edit", () => {
  it("grows piece by piece, and is taken back to what was there before", () => {
    const box = { value: "Template" };
    const draft = new MessageBox(box);
    const seen = ["fix", "fix: a", "fix: a sum"].map((text) => [draft.write(text), box.value]);
    draft.restore();
    assert.deepEqual(
      { seen, after: box.value },
      {
        seen: [
          [true, "fix"],
          [true, "fix: a"],
          [true, "fix: a sum"],
        ],
        after: "Template",
      },
    );
  });

  it("is never written over what the user types, at its end or anywhere else", () => {
    const box = { value: "" };
    const draft = new MessageBox(box);
    draft.write("fix: a");
    box.value = "fix: a roof";
    const written = draft.write("fix: a sum");
    draft.restore();
    assert.deepEqual(
      { written, isUsers: draft.isUsers, box: box.value },
      { written: false, isUsers: true, box: "fix: a roof" },
    );
  });

  it("isn't begun if the user types before its first word", () => {
    const box = { value: "" };
    const draft = new MessageBox(box);
    box.value = "my own";
    assert.deepEqual([draft.write("fix: a sum"), box.value], [false, "my own"]);
  });

  it("continues where the box still reports an earlier piece", () => {
    const box = { value: "" };
    const draft = new MessageBox(box);
    draft.write("fix");
    draft.write("fix: a");
    box.value = "fix";
    assert.deepEqual([draft.write("fix: a sum"), box.value], [true, "fix: a sum"]);
  });
});

describe("filling a box with a draft", () => {
  const { signal } = new AbortController();

  it("leaves the whole draft in it", async () => {
    const box = { value: "" };
    const drafted = await fillBox(new MessageBox(box), signal, async (_signal, show) => {
      show("fix: a");
      return { text: "fix: a sum" };
    });
    assert.deepEqual([drafted?.text, box.value], ["fix: a sum", "fix: a sum"]);
  });

  it("gives back its text where the model fails in between", async () => {
    const box = { value: "Ticket:" };
    const seen: string[] = [];
    const filling = fillBox(new MessageBox(box), signal, async (_signal, show) => {
      show("fix: a");
      seen.push(box.value);
      throw new Error("The model is gone.");
    });
    await assert.rejects(filling, /The model is gone/);
    assert.deepEqual([seen, box.value], [["fix: a"], "Ticket:"]);
  });

  it("gives back its text where it is stopped, even if the draft goes through", async () => {
    const box = { value: "" };
    const stopping = new AbortController();
    const filling = fillBox(new MessageBox(box), stopping.signal, async (_signal, show) => {
      show("fix: a");
      stopping.abort(new Error("Stopped."));
      return { text: "fix: a sum" };
    });
    await assert.rejects(filling, /Stopped/);
    assert.equal(box.value, "");
  });

  it("stops the model where the user types, and leaves the box to them", async () => {
    const box = { value: "" };
    let isStopped = false;
    const drafted = await fillBox(new MessageBox(box), signal, async (drafting, show) => {
      box.value = "my own";
      show("fix: a");
      isStopped = drafting.aborted;
      drafting.throwIfAborted();
      return { text: "fix: a sum" };
    });
    assert.deepEqual({ drafted, isStopped, box: box.value }, { drafted: undefined, isStopped: true, box: "my own" });
  });

  it("isn't undone by what the user types last", async () => {
    const box = { value: "" };
    const drafted = await fillBox(new MessageBox(box), signal, async (_signal, show) => {
      show("fix: a");
      box.value = "fix: a roof";
      return { text: "fix: a sum" };
    });
    assert.deepEqual({ drafted, box: box.value }, { drafted: undefined, box: "fix: a roof" });
  });

  it("gives back what the user typed where a piece on its way has replaced it", async () => {
    const box = { value: "" };
    const drafted = await fillBox(new MessageBox(box), signal, async (drafting, show) => {
      show("fix: a");
      const typed = new Promise((resolve) => drafting.addEventListener("abort", resolve));
      box.value = "fix: a roof";
      await typed;
      box.value = "fix: a";
      drafting.throwIfAborted();
      return { text: "fix: a sum" };
    });
    assert.deepEqual({ drafted, box: box.value }, { drafted: undefined, box: "fix: a roof" });
  });

  it("gives back what the user typed while its last piece was on its way", async () => {
    const box = { value: "" };
    const filling = fillBox(new MessageBox(box), signal, async () => ({ text: "fix: a sum" }));
    while (box.value !== "fix: a sum") await setImmediate();
    box.value = "fix: a roof";
    await sleep(30);
    box.value = "fix: a sum";
    assert.deepEqual([await filling, box.value], [undefined, "fix: a roof"]);
  });
});

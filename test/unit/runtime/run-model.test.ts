import assert from "node:assert/strict";
import { RunModel } from "../../../src/runtime/run-model.ts";
import { FakeModel, says } from "../../support/fake-model.ts";
import { rehearsal } from "../../support/rehearsal.ts";

describe("the model of a run", () => {
  it("can be changed between two steps, with the reply formats of the new one", async () => {
    const other = new FakeModel([says("task_complete", { title: "Done." })], ["text"]);
    const first = new FakeModel(
      [
        async () => {
          model.use({ smart: other, fast: other });
          return says("read_note", { title: "a" });
        },
      ],
      ["jsonSchema", "text"],
    );
    const model = new RunModel(
      { smart: first, fast: first },
      () => ({ replyFormat: "auto", thoughts: "auto", temperature: null }),
      async () => undefined,
    );
    await model.ensureModel(() => Promise.reject(new Error("There is a model.")));
    const thinking = model.createThinking({ findPromptTime: () => "now" });
    const { live, log } = await rehearsal({ answers: [], parts: { thinking } });
    live.resume();
    const end = await live.end;
    const formats = log.events.flatMap((event) => (event.type === "asked" ? [event.format] : []));
    assert.deepEqual(
      { end: end.reason, formats, asked: [first.requests.length, other.requests.length] },
      { end: "finished", formats: ["jsonSchema", "text"], asked: [1, 1] },
    );
  });
});

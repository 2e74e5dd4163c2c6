import assert from "node:assert/strict";
import { compareStepPrompt } from "../../../../src/core/prompt/shown-prompt.ts";
import type { AgentEvent } from "../../../../src/schema/events.ts";
import { says } from "../../../support/fake-model.ts";
import { rehearse } from "../../../support/rehearsal.ts";

const look = (title: string) => says("read_note", { title });

describe("the prompt of a step, as people read it", () => {
  const events = async (): Promise<readonly AgentEvent[]> => {
    const answers = [look("a"), { ...look("b"), usage: { input: 900, output: 9, cached: 700 } }];
    const { log } = await rehearse({ answers: [...answers, says("task_complete", { title: "Done." })] });
    return log.events;
  };

  it("has nothing before it to be the same at first, and later all but its new end", async () => {
    const all = await events();
    const [first, second, third] = [1, 2, 3].map((step) => compareStepPrompt(all, step));
    assert.deepEqual(
      {
        first: [first?.same, first?.before],
        second: [
          second?.before,
          second?.differsAt,
          second?.usage?.cached,
          /\n\n$/.test(second?.same ?? "") && /^--- assistant ---\n/.test(second?.rest ?? ""),
        ],
        grows: (third?.same.length ?? 0) > (second?.same.length ?? 0),
        whole: third?.same.startsWith(second?.same ?? "?"),
        unasked: compareStepPrompt(all, 9),
      },
      {
        first: ["", undefined],
        second: [1, undefined, 700, true],
        grows: true,
        whole: true,
        unasked: undefined,
      },
    );
  });

  it("names the first byte that differs where the beginning has changed", async () => {
    const all = await events();
    const at = all.findIndex((event) => event.type === "asked" && event.step === 2);
    const model = { smart: "other", fast: "other", contextWindow: 900 };
    const changed = { seq: 0, at: "", type: "changed", model } as const;
    const {
      same = "",
      differsAt = 0,
      before,
    } = compareStepPrompt([...all.slice(0, at), changed, ...all.slice(at)], 2) ?? {};
    assert.deepEqual([before, Buffer.byteLength(same) === differsAt, differsAt > 0], [1, true, true]);
  });
});

import assert from "node:assert/strict";
import { rebuildStepPrompt } from "../../../../src/core/prompt/prompt.ts";
import { createForkEvents } from "../../../../src/runs/store/fork-events.ts";
import type { AttachedPicture } from "../../../../src/schema/run-values.ts";
import { says } from "../../../support/fake-model.ts";
import { ofType, rehearsal } from "../../../support/rehearsal.ts";
import { sampleStart } from "../../../support/sample-run.ts";

const SHOT: AttachedPicture = {
  name: "shot.png",
  file: `${"0".repeat(64)}.png`,
  mediaType: "image/png",
  width: 800,
  height: 600,
  bytes: 1_000,
};
const SOURCES = [{ kind: "picture" as const, name: "shot.png" }];
const MENU = { ...SHOT, name: "menu.png" };

const picturesOf = (events: Parameters<typeof rebuildStepPrompt>[0], step: number) =>
  rebuildStepPrompt(events, step)?.messages.flatMap((message) =>
    message.role === "user" ? (message.pictures ?? []).map(({ name }) => name) : [],
  );

describe("pictures of a message", () => {
  it("reach the prompt after a rejection and with the task, also in a fork", async () => {
    const { live, log } = await rehearsal({
      answers: [says("write_note", { title: "a" }), says("task_complete", { title: "Done." })],
      start: { attached: [MENU], sources: [{ kind: "picture", name: "menu.png" }] },
      approver: "user",
    });
    const isAsking = new Promise<void>((resolve) => {
      live.onPending(() => live.pending && resolve());
    });
    live.resume();
    await isAsking;
    await live.say("Like this instead.", [SHOT]);
    for (let step = 2; !ofType(log.events, "over").length; ) {
      await new Promise((resolve) => setImmediate(resolve));
      if (live.pending?.kind === "proposal") await live.decide(step++, { allow: true });
    }
    const fork = createForkEvents({ events: log.events, step: 1, foreign: false }, sampleStart({ id: "x" }), "");
    assert.deepEqual(
      {
        said: ofType(log.events, "said").map(({ text, attached, sources }) => ({ text, attached, sources })),
        outcome: ofType(log.events, "ended")[0]?.outcome,
        first: picturesOf(log.events, 1),
        second: picturesOf(log.events, 2),
        fork: ofType(fork, "started").map(({ attached, sources }) => [attached, sources]),
      },
      {
        said: [{ text: "", attached: [SHOT], sources: SOURCES }],
        outcome: { status: "refused", feedback: "The user says: Like this instead." },
        first: ["menu.png"],
        second: ["menu.png", "shot.png"],
        fork: [[[MENU], [{ kind: "picture", name: "menu.png" }]]],
      },
    );
  });

  it("leave the prompt with the steps that are summarized, while the task keeps what fits a quarter of the window", async () => {
    const large = { ...SHOT, width: 2_048, height: 2_048 };
    const model = { smart: "m", fast: "m", contextWindow: 8_000 };
    const { live, log, run } = await rehearsal({
      answers: [says("read_note", { title: "a" }), says("read_note", { title: "b" })],
      start: { attached: [large, { ...large, name: "second.png" }], model },
    });
    await run.record({ type: "said", text: "See", by: "user", attached: [SHOT] });
    live.resume();
    await live.end;
    const start = log.events.slice(0, log.events.findIndex(({ type }) => type === "ended") + 1);
    const [asked] = ofType(log.events, "asked");
    assert.ok(asked);
    const after = [
      ...start,
      {
        seq: start.length,
        at: "",
        type: "compacted" as const,
        through: 1,
        summary: "It looked.",
        feedback: [],
      },
      { ...asked, seq: start.length + 1, step: 2 },
    ];
    assert.deepEqual([picturesOf(log.events, 1), picturesOf(after, 2)], [["shot.png", "shot.png"], ["shot.png"]]);
  });
});

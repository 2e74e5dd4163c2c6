import assert from "node:assert/strict";
import { createPreparedCall } from "../../../../src/core/commands/command.ts";
import { createCommandSet } from "../../../../src/core/commands/command-set.ts";
import { MAX_MISSED_IN_A_ROW } from "../../../../src/core/loop/loop-guard.ts";
import { DEFAULT_SETTINGS, getRunLimits } from "../../../../src/schema/read-settings.ts";
import { fakeCommands } from "../../../support/fake-commands.ts";
import { type Answer, FakeModel, says } from "../../../support/fake-model.ts";
import { deciding, ofType, outcomes, rehearse, types } from "../../../support/rehearsal.ts";
import { NO_LIMITS } from "../../../support/sample-run.ts";

const FINISH = says("task_complete", { title: "All tidy." });

describe("a run", () => {
  it("thinks, decides, acts and records until its task is complete", async () => {
    const { end, deeds, log } = await rehearse({ answers: [says("read_note", { title: "a" }), FINISH] });
    assert.deepEqual(
      { end, deeds, events: types(log.events) },
      {
        end: { reason: "finished", summary: "All tidy." },
        deeds: ["read a", "finish"],
        events: "started asked replied decided began ended asked replied decided began ended over",
      },
    );
  });

  it("is on the disk before anything is done, but not for a mere look", async () => {
    const { log } = await rehearse({
      answers: [says("read_note", { title: "a" }), says("write_note", { title: "b" }), FINISH],
    });
    const lastEventAtSync = log.syncs.map((count) => log.events[count - 1]);
    assert.deepEqual(
      lastEventAtSync.map((event) => event?.type === "began" && event.command),
      ["write_note", "task_complete"],
    );
  });

  it("continues when task_complete is refused", async () => {
    const approver = deciding({ allow: false, feedback: "The cellar is still untidy." });
    const { end, log } = await rehearse({
      answers: [FINISH, says("read_note", { title: "cellar" }), FINISH],
      approver,
    });
    assert.deepEqual(
      [end.reason, outcomes(log.events)],
      [
        "finished",
        ["1 refused: The cellar is still untidy.", '2 done: The note "cellar" is empty.', "3 finished: All tidy."],
      ],
    );
  });

  it("isn't finished if all that it wanted was refused", async () => {
    const approver = deciding({ allow: false, feedback: "Not that one." });
    const { end } = await rehearse({ answers: [says("write_note", { title: "a" }), FINISH], approver });
    const why = "Every command was refused, so nothing was done. All tidy.";
    const text = { code: "approval.allRefused", parameters: { text: "All tidy." } };
    assert.deepEqual(end, { reason: "stuck", why, text });
  });

  it("reports a refusal to the model, and executes nothing", async () => {
    const approver = deciding({ allow: false, feedback: "Not that one." });
    const { deeds, model } = await rehearse({
      answers: [says("write_note", { title: "a" }), FINISH],
      approver,
    });
    assert.deepEqual(
      [deeds, model.requests[1]?.messages.at(-2)],
      [["finish"], { role: "user", content: "write_note was refused and not run. Not that one." }],
    );
  });
});

describe("a call that is nearly right", () => {
  it("is kept, shown and run as the command takes it, and the model reads once what was left out", async () => {
    const approver = deciding();
    const { log, model, deeds } = await rehearse({
      answers: [says("open_note", { name: 7, volume: 11 }), FINISH],
      approver,
    });
    const [replied] = ofType(log.events, "replied");
    assert.deepEqual(
      {
        kept: replied?.reply.kind === "proposal" && replied.reply.call,
        shown: approver.requests[0]?.proposal.call,
        began: ofType(log.events, "began")[0]?.args,
        deeds,
        read: model.requests[1]?.messages.at(-2)?.content,
      },
      {
        kept: { name: "read_note", args: { title: "7" } },
        shown: { name: "read_note", args: { title: "7" } },
        began: { title: "7" },
        deeds: ["read 7", "finish"],
        read: 'read_note is done:\nThe note "7" is empty.\n(read_note has no argument "volume"; it was left out.)',
      },
    );
  });
});

describe("a decision", () => {
  it("may accept another text than the one proposed", async () => {
    const approver = deciding({ allow: true, accepted: "better" });
    const { log } = await rehearse({
      answers: [says("write_note", { title: "a", text: "good" }), FINISH],
      approver,
    });
    assert.deepEqual(
      [outcomes(log.events)[0], ofType(log.events, "decided")[0]?.edited],
      ["1 done: Written: better", true],
    );
  });

  it("may change the arguments, which are then shown to the policy again and passed to the model", async () => {
    const approver = deciding({ allow: true, args: { title: "b" } });
    const { log, deeds } = await rehearse({ answers: [says("read_note", { title: "a" }), FINISH], approver });
    assert.deepEqual(
      {
        asked: approver.requests.slice(0, 2).map(({ proposal, approved }) => [proposal.call.args, approved]),
        deeds,
        outcome: outcomes(log.events)[0],
        began: ofType(log.events, "began")[0]?.args,
      },
      {
        asked: [
          [{ title: "a" }, undefined],
          [{ title: "b" }, true],
        ],
        deeds: ["read b", "finish"],
        outcome: '1 done: The user changed your arguments to {"title":"b"}.\nThe note "b" is empty.',
        began: { title: "b" },
      },
    );
  });

  it("says so when the changed arguments do not fit", async () => {
    const approver = deciding({ allow: true, args: { volume: 11 } });
    const { log, deeds } = await rehearse({ answers: [says("read_note", { title: "a" }), FINISH], approver });
    assert.deepEqual(
      [deeds, outcomes(log.events)[0]],
      [
        ["finish"],
        '1 failed: The user changed your arguments to {"volume":11}. read_note was not run: the argument "title" is missing; it has no argument "volume" (it takes title, text).',
      ],
    );
  });
});

describe("what is decided on", () => {
  it("is bound to what was shown: another preview has another hash", async () => {
    const approver = deciding();
    await rehearse({
      answers: [
        says("read_note", { title: "a" }),
        says("read_note", { title: "a" }),
        says("read_note", { title: "b" }),
        FINISH,
      ],
      approver,
    });
    const [first, second, third] = approver.requests.map(({ hash }) => hash);
    assert.deepEqual([first === second, first === third, first?.length], [true, false, 64]);
  });

  it("is asked for again when the approver wants to see it again", async () => {
    const approver = deciding("again", { allow: true });
    const { deeds } = await rehearse({ answers: [says("read_note", { title: "a" }), FINISH], approver });
    assert.deepEqual([approver.requests.length, deeds], [3, ["read a", "finish"]]);
  });

  it("is asked for again when what was shown is no longer what would be done", async () => {
    let stale = 1;
    const [first, ...rest] = fakeCommands([]);
    assert.ok(first);
    const moody = {
      ...first,
      prepare: async () =>
        createPreparedCall("read", "", async () => ({ status: "done", output: "fresh" }), {
          fresh: async () => stale-- <= 0,
        }),
    };
    const approver = deciding();
    const { log } = await rehearse({
      answers: [says("read_note", { title: "a" }), FINISH],
      approver,
      parts: { commands: createCommandSet([moody, ...rest]) },
    });
    assert.deepEqual(
      [types(log.events.slice(3, 7)), outcomes(log.events)[0]],
      ["decided decided began ended", "1 done: fresh"],
    );
  });
});

describe("a call that cannot be made", () => {
  const cases: [string, object][] = [
    ["dance", {}],
    ["read_note", {}],
    ["read_note", { title: {} }],
  ];
  for (const [name, args] of cases) {
    it(`is answered before anyone is asked: ${name} ${JSON.stringify(args)}`, async () => {
      const approver = deciding();
      const { log } = await rehearse({ answers: [says(name, args), FINISH], approver });
      assert.deepEqual([ofType(log.events, "ended")[0]?.outcome.status, approver.requests.length], ["failed", 1]);
    });
  }

  it("is a failed outcome when the command breaks", async () => {
    const { log, end } = await rehearse({ answers: [says("break_note", { title: "a" }), FINISH] });
    assert.deepEqual(
      [end.reason, outcomes(log.events)[0]],
      ["finished", "1 failed: the pen broke (an unexpected error; try another way)"],
    );
  });
});

describe("replies that cannot be read", () => {
  const PROSE = { text: "I would rather talk." };

  it("are reported to the model, and forgotten when it recovers", async () => {
    const { end, log } = await rehearse({
      answers: [PROSE, PROSE, says("read_note", { title: "a" }), PROSE, PROSE, FINISH],
    });
    assert.deepEqual([end.reason, ofType(log.events, "decided").length], ["finished", 2]);
  });

  it("end the run as stuck after many in a row, in words for the user", async () => {
    const { end, log, model, deeds } = await rehearse({
      answers: [says("read_note", { title: "a" }), PROSE],
    });
    assert.deepEqual(
      { end, last: log.events.at(-2)?.type, replies: model.requests.length, deeds },
      {
        end: {
          reason: "stuck",
          why: "None of the last 20 steps ran a command: 20 unreadable replies. Choose another model, or tell the agent what to do next.",
          text: {
            code: "trouble.noneRan",
            parameters: {
              count: 20,
              parts: [{ code: "trouble.unreadableReplies", parameters: { count: 20 } }],
              advice: { code: "trouble.otherModelOrAdvice" },
            },
          },
        },
        last: "ended",
        replies: 1 + MAX_MISSED_IN_A_ROW,
        deeds: ["read a"],
      },
    );
  });

  for (const seed of [1, 2, 3, 4, 5]) {
    it(`don't end good work: 100 steps with 60% of them spoiled, draw ${seed}`, async () => {
      const model = new FakeModel([spoiled(seed, 0.6, 100)]);
      const { end, run, deeds } = await rehearse({
        answers: [],
        model,
        start: { limits: getRunLimits(DEFAULT_SETTINGS.run) },
      });
      const { steps, missed, replies } = run.state.totals;
      assert.deepEqual(
        { end: end.reason, deeds: deeds.length, ran: steps - missed, all: steps === replies },
        { end: "finished", deeds: 100, ran: 100, all: true },
      );
    });
  }

  it("never lead to an older command being run in their place", async () => {
    const { deeds } = await rehearse({ answers: [says("write_note", { title: "a" }), PROSE, FINISH] });
    assert.deepEqual(deeds, ["write a", "finish"]);
  });
});

describe("limits", () => {
  const look = (title: string) => says("read_note", { title });
  const LARGE = { input: 1_000, output: 500 };
  const cases = [
    ["steps", { steps: 2 }],
    ["tokens", { tokens: 3_000 }],
    ["usd", { usd: 0.002 }],
    ["minutes", { minutes: 0.1 }],
    ["replies", { replies: 2 }],
  ] as const;
  for (const [limit, limits] of cases) {
    it(`of ${limit} end the run between two steps`, async () => {
      const { end, log } = await rehearse({
        answers: [look("a"), look("b"), look("c"), FINISH].map((answer) => ({ ...answer, usage: LARGE })),
        start: { limits: { ...NO_LIMITS, ...limits } },
      });
      assert.deepEqual([end, log.events.at(-2)?.type], [{ reason: "exhausted", limit }, "ended"]);
    });
  }
});

describe("the limit of replies", () => {
  it("counts those that could not be read, were invalid or refused, which the limit of steps does not", async () => {
    const approver = deciding({ allow: false, feedback: "No." });
    const { end, run } = await rehearse({
      answers: [
        says("read_note", { title: "a" }),
        { text: "Hello." },
        says("dance"),
        says("read_note", { title: "b" }),
        FINISH,
      ],
      approver,
      start: { limits: { ...NO_LIMITS, steps: 1, replies: 5 } },
    });
    const { steps, missed, replies } = run.state.totals;
    assert.deepEqual(
      { end, steps, missed, replies },
      { end: { reason: "exhausted", limit: "steps" }, steps: 4, missed: 3, replies: 4 },
    );
  });

  it("ends a run that gets nothing done", async () => {
    const { end, model } = await rehearse({
      answers: [{ text: "Hello." }],
      start: { limits: { ...NO_LIMITS, replies: 4 } },
    });
    assert.deepEqual([end, model.requests.length], [{ reason: "exhausted", limit: "replies" }, 4]);
  });

  it("leaves no second attempt for a reply that was cut off", async () => {
    const { end, model } = await rehearse({
      answers: [{ text: "{", finish: "length" }],
      start: { limits: { ...NO_LIMITS, replies: 3 } },
    });
    assert.deepEqual([end, model.requests.length], [{ reason: "exhausted", limit: "replies" }, 3]);
  });

  it("grows with the limit of steps for a run whose log states none", async () => {
    const { replies: _replies, ...older } = NO_LIMITS;
    const repliesOf = async (steps: number): Promise<number> =>
      (await rehearse({ answers: [FINISH], start: { limits: { ...older, steps } } })).run.state.limits.replies;
    assert.deepEqual([await repliesOf(100), await repliesOf(200), await repliesOf(0)], [300, 600, 0]);
  });
});

/** Plays so many reads, then finishes; a share of the replies is prose. */
function spoiled(seed: number, share: number, steps: number): Answer {
  let state = seed;
  const random = (): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
  let given = 0;
  return async () => {
    if (random() < share) return { text: "I would rather talk." };
    given++;
    return given === steps ? FINISH : says("read_note", { title: `note ${given}` });
  };
}

describe("an agent that goes round in circles", () => {
  const SAME = says("read_note", { title: "a" });

  it("is warned first", async () => {
    const { model } = await rehearse({ answers: [SAME, SAME, SAME, FINISH] });
    assert.match(model.requests[3]?.messages.at(-1)?.content ?? "", /the same call 3 times/);
  });

  it("is stuck after that, where no one is there to help", async () => {
    const { end } = await rehearse({ answers: [SAME] });
    assert.deepEqual(end, {
      reason: "stuck",
      why: "It called read_note 4 times with the same arguments and outcome. Tell it what to do differently, or choose another model.",
      text: {
        code: "trouble.changeCourse",
        parameters: {
          did: { code: "trouble.sameCallRepeated", parameters: { value: "read_note", times: 4 } },
        },
      },
    });
  });
});

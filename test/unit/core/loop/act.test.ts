import assert from "node:assert/strict";
import {
  type Command,
  createPreparedCall,
  type Effect,
  type PreparedCall,
  type RunContext,
} from "../../../../src/core/commands/command.ts";
import { createCommandSet } from "../../../../src/core/commands/command-set.ts";
import type { Outcome } from "../../../../src/core/commands/outcome.ts";
import { Run } from "../../../../src/core/events/run.ts";
import type { StepView } from "../../../../src/core/events/run-state.ts";
import { decideAndAct, resolveInterruptedStep } from "../../../../src/core/loop/act.ts";
import { hashPreview } from "../../../../src/core/loop/prepare-calls.ts";
import type { ApprovalRequest, DecisionRecord } from "../../../../src/core/ports/approver.ts";
import { type Call, NO_THOUGHTS, type Proposal } from "../../../../src/core/reply/reply.ts";
import { sha256 } from "../../../../src/disk/sha256.ts";
import { sampleStart } from "../../../support/sample-run.ts";

const NEVER = new AbortController().signal;
const CALL: Call = { name: "note", args: { title: "a" } };
const DONE: Outcome = { status: "done", output: "Noted." };

interface Stage {
  readonly effect?: Effect;
  readonly call?: Partial<PreparedCall>;
  readonly outcome?: Outcome;
  readonly decisions?: readonly (DecisionRecord | "again")[];
}

/** A command named `note`, an approver that gives these decisions in turn, and a diary of all that happens. */
async function stage({ effect = "write", call = {}, outcome = DONE, decisions = [] }: Stage) {
  const diary: string[] = [];
  const requests: ApprovalRequest[] = [];
  const contexts: RunContext[] = [];
  const command: Command = {
    name: "note",
    description: "Takes a note.",
    parameters: { type: "object", properties: { title: { type: "string" } }, required: ["title"] },
    aliases: ["jot"],
    category: "notes",
    effect,
    argumentAliases: { heading: "title" },
    prepare: async (args) => ({
      ...createPreparedCall(effect, `note ${JSON.stringify(args)}`, async (context) => {
        diary.push("run");
        contexts.push(context);
        context.output("writing");
        await context.record({ type: "planned", items: [] });
        return outcome;
      }),
      ...call,
    }),
  };
  const log = {
    append: async <T extends { readonly type: string }>(event: T) => {
      diary.push(event.type);
      return event;
    },
    sync: async () => void diary.push("sync"),
    close: async () => undefined,
  };
  const run = await Run.start(log, sampleStart());
  diary.length = 0;
  const parts = {
    commands: createCommandSet([command]),
    approver: {
      decide: async (request: ApprovalRequest) => {
        requests.push(request);
        return decisions[requests.length - 1] ?? allowed();
      },
    },
    reportOutput: (step: number, chunk: string) => diary.push(`output ${step} ${chunk}`),
  };
  return { run, parts, diary, requests, contexts };
}

function allowed(decision: Extract<DecisionRecord["decision"], { allow: true }> = { allow: true }): DecisionRecord {
  return { decision, by: "user", reason: "a test says so" };
}

const proposal = (call: Call): Proposal => ({ kind: "proposal", thoughts: NO_THOUGHTS, call });

async function act(options: Stage, call = CALL) {
  const played = await stage(options);
  const outcomes = await decideAndAct(played.run, 1, proposal(call), call, played.parts, NEVER);
  const outcome = outcomes?.outcome;
  return { ...played, outcome };
}

describe("acting on a proposal", () => {
  it("records the decision and the start before it writes, each on the disk before the effect", async () => {
    const { outcome, diary } = await act({});
    assert.deepEqual(
      { outcome, diary },
      { outcome: DONE, diary: ["decided", "began", "sync", "run", "output 1 writing", "planned"] },
    );
  });

  for (const effect of ["none", "read"] as const)
    it(`doesn't wait for the disk before a call with the effect "${effect}"`, async () => {
      const { diary } = await act({ effect });
      assert.deepEqual(diary, ["decided", "began", "run", "output 1 writing", "planned"]);
    });

  it("asks with the hash of what is shown", async () => {
    const { requests } = await act({});
    const shown = { kind: "details", text: 'note {"title":"a"}' };
    assert.deepEqual(
      requests.map(({ step, hash, approved }) => ({ step, hash, approved })),
      [{ step: 1, hash: sha256(JSON.stringify([CALL, shown])), approved: undefined }],
    );
  });

  it("runs nothing that was refused, and passes the feedback on", async () => {
    const refusal: DecisionRecord = {
      decision: { allow: false, feedback: "Not that one." },
      by: "user",
      reason: "refused",
    };
    const { outcome, diary } = await act({ decisions: [refusal] });
    assert.deepEqual(
      { outcome, diary },
      { outcome: { status: "refused", feedback: "Not that one." }, diary: ["decided"] },
    );
  });

  it("records nothing when the approver wants to see it again", async () => {
    const { outcome, diary } = await act({ decisions: ["again"] });
    assert.deepEqual({ outcome, diary }, { outcome: undefined, diary: [] });
  });

  it("runs nothing whose preview is outdated by the time of the decision", async () => {
    const { outcome, diary } = await act({ call: { fresh: async () => false } });
    assert.deepEqual({ outcome, diary }, { outcome: undefined, diary: ["decided"] });
  });

  it("asks no one about a call that can't be made", async () => {
    const { outcome, diary, requests } = await act({}, { name: "note", args: {} });
    assert.deepEqual(
      { status: outcome?.status, diary, asked: requests.length },
      { status: "failed", diary: [], asked: 0 },
    );
  });

  it("prepares and asks again with changed arguments, marked as approved, and notifies the model", async () => {
    const changed = allowed({ allow: true, args: { title: "b" } });
    const { outcome, requests, diary } = await act({ decisions: [changed] });
    assert.deepEqual(
      { outcome, asked: requests.map(({ proposal: { call }, approved }) => ({ call, approved })), diary },
      {
        outcome: {
          status: "done",
          output: 'The user changed your arguments to {"title":"b"}.\nNoted.',
        },
        asked: [
          { call: CALL, approved: undefined },
          { call: { name: "note", args: { title: "b" } }, approved: true },
        ],
        diary: ["decided", "decided", "began", "sync", "run", "output 1 writing", "planned"],
      },
    );
  });

  it("notifies the model of changed arguments even if the call fails", async () => {
    const changed = allowed({ allow: true, args: { title: "b" } });
    const { outcome } = await act({ decisions: [changed], outcome: { status: "failed", error: "No pen." } });
    assert.deepEqual(outcome, {
      status: "failed",
      error: 'The user changed your arguments to {"title":"b"}. No pen.',
    });
  });

  it("passes on the accepted text and the folders of a read-only line", async () => {
    const edited: DecisionRecord = { ...allowed({ allow: true, accepted: "mine" }), harmlessIn: ["/w"] };
    const { contexts } = await act({ decisions: [edited] });
    assert.deepEqual(
      contexts.map(({ step, accepted, harmlessIn }) => ({ step, accepted, harmlessIn })),
      [{ step: 1, accepted: "mine", harmlessIn: ["/w"] }],
    );
  });
});

describe("a command that was allowed", () => {
  for (const by of ["user", "rule", "grant", "continuous"] as const)
    it(`knows whether a person approved it, when it was allowed by ${by}`, async () => {
      const { contexts } = await act({ decisions: [{ ...allowed({ allow: true }), by }] });

      assert.deepEqual(
        contexts.map(({ approvedByUser }) => approvedByUser),
        [by === "user" ? true : undefined],
      );
    });
});

describe("a command that was interrupted", () => {
  const question = { asksUser: true } as const;
  const view = (more: Partial<StepView> = {}): StepView => ({
    step: 1,
    at: "",
    stage: "began",
    recalled: [],
    reply: proposal(CALL),
    began: CALL,
    ...more,
  });
  async function resume(options: Stage, step: StepView) {
    const played = await stage(options);
    const { outcome } = await resolveInterruptedStep(played.run, step, played.parts, NEVER);
    const text = outcome.status === "failed" ? outcome.error.slice(0, 23) : outcome;
    return { text, ran: played.diary.includes("run") };
  }
  const notRepeated = { text: "The run was interrupted", ran: false };

  it("is asked again if it only waits for the user", async () => {
    assert.deepEqual(await resume({ effect: "none", call: question }, view()), { text: DONE, ran: true });
  });

  it("is asked again as the user changed it, and the model is notified of that", async () => {
    const began: Call = { name: "note", args: { title: "b" } };
    assert.deepEqual(await resume({ effect: "none", call: question }, view({ began })), {
      text: { status: "done", output: 'The user changed your arguments to {"title":"b"}.\nNoted.' },
      ran: true,
    });
  });

  it("isn't taken for changed where the model used older names", async () => {
    const reply = proposal({ name: "jot", args: { heading: "a" } });
    assert.deepEqual(await resume({ effect: "none", call: question }, view({ reply })), {
      text: DONE,
      ran: true,
    });
  });

  const cases: readonly (readonly [string, Stage, StepView])[] = [
    ["that may have written", { effect: "write" }, view()],
    ["that asks the user and writes", { effect: "write", call: question }, view()],
    ["that has no effect but doesn't ask the user", { effect: "none" }, view()],
    ["that can't be prepared anymore", { effect: "none", call: question }, view({ began: { ...CALL, args: {} } })],
    [
      "that isn't known",
      { effect: "none", call: question },
      { step: 1, at: "", stage: "began", recalled: [], reply: proposal(CALL) },
    ],
  ];
  for (const [name, options, step] of cases)
    it(`isn't repeated: one ${name}`, async () => assert.deepEqual(await resume(options, step), notRepeated));
});

describe("hash of a preview", () => {
  it("is SHA-256 of the UTF-8 of call and preview", async () => {
    const call = { name: "read_file", args: { filename: "é" } };
    const preview = { kind: "details", text: "Read é." } as const;
    assert.equal(await hashPreview(call, preview), sha256(JSON.stringify([call, preview])));
  });

  it("hashes the UTF-8 of a text", () => {
    assert.equal(sha256("é"), "4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c");
  });
});

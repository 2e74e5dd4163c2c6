import assert from "node:assert/strict";
import type { Command } from "../../../../src/core/commands/command.ts";
import { createPreparedCall } from "../../../../src/core/commands/command.ts";
import { createCommandSet } from "../../../../src/core/commands/command-set.ts";
import { getOutcomeText, type Outcome } from "../../../../src/core/commands/outcome.ts";
import { planCompaction } from "../../../../src/core/context/compaction.ts";
import { ContextBudget } from "../../../../src/core/context/context-budget.ts";
import { countMessageTokens, requestTokens } from "../../../../src/core/context/tokens.ts";
import { applyTrims, selectTrims } from "../../../../src/core/context/trims.ts";
import { Run } from "../../../../src/core/events/run.ts";
import type { Episode, HistoryEntry } from "../../../../src/core/prompt/entries.ts";
import { History } from "../../../../src/core/prompt/history.ts";
import { rebuildStepPrompt } from "../../../../src/core/prompt/prompt.ts";
import { NO_THOUGHTS } from "../../../../src/core/reply/reply.ts";
import type { AgentEvent } from "../../../../src/schema/events.ts";
import { FakeModel, says } from "../../../support/fake-model.ts";
import { MemoryLog } from "../../../support/memory-log.ts";
import { ofType, rehearse } from "../../../support/rehearsal.ts";

const LONG = "x".repeat(5_000);

function episode(step: number, name: string, args: object, output = LONG): Episode {
  return {
    kind: "episode",
    step,
    format: "text",
    thoughts: "full",
    text: "",
    calls: [],
    reply: { kind: "proposal", thoughts: NO_THOUGHTS, call: { name, args: { ...args } } },
    outcome: { status: "done", output },
  };
}

const read = (step: number, filename: string, more = {}): Episode => episode(step, "read_file", { filename, ...more });

/** Two more steps, which stay whole as the newest ones. */
const NEWEST = [episode(98, "execute_shell", {}, "ok"), episode(99, "execute_shell", {}, "ok")];

/** The lines of the superseded outcomes by step. */
function superseded(...episodes: readonly HistoryEntry[]): Readonly<Record<number, string>> {
  const trims = selectTrims([...episodes, ...NEWEST], 1_000_000, () => 1);
  return Object.fromEntries(trims.map(({ step, text }) => [step, text]));
}

describe("superseded outcomes", () => {
  const said = { kind: "said", by: "user", text: "Go on." } as const;
  const cases: [string, readonly HistoryEntry[], Readonly<Record<number, string>>][] = [
    ["none", [read(1, "a.ts"), read(2, "b.ts")], {}],
    [
      "a file that is read again, however its path is written",
      [read(1, "src/a.ts"), said, read(3, "./src\\a.ts")],
      { 1: "(an older reading of src/a.ts; read again in step 3)" },
    ],
    [
      "a file that is changed later",
      [read(1, "a.ts"), episode(2, "edit_file", { filename: "a.ts", edits: [] }, "Edited.")],
      { 1: "(an older reading of a.ts; changed in step 2)" },
    ],
    [
      "a file that is moved later",
      [read(1, "a.ts"), episode(2, "move_file", { source: "a.ts", destination: "b.ts" }, "Moved.")],
      { 1: "(an older reading of a.ts; changed in step 2)" },
    ],
    ["a file that was changed before", [episode(1, "edit_file", { filename: "a.ts" }), read(2, "a.ts")], {}],
    ["other lines of a file", [read(1, "a.ts", { start_line: 1, end_line: 9 }), read(2, "a.ts")], {}],
    [
      "the same lines of a file, named in another order",
      [read(1, "a.ts", { start_line: 1, end_line: 9 }), read(2, "a.ts", { end_line: 9, start_line: 1 })],
      { 1: "(an older reading of a.ts; read again in step 2)" },
    ],
    [
      "a look that was repeated",
      [episode(1, "list_files", { directory: "." }), episode(2, "list_files", { directory: "." })],
      { 1: "(an older outcome of list_files; called again in step 2)" },
    ],
    ["a program that ran again", [episode(1, "execute_shell", {}), episode(2, "execute_shell", {})], {}],
    [
      "a reading that failed later",
      [read(1, "a.ts"), { ...read(2, "a.ts"), outcome: { status: "failed", error: "Gone." } }],
      {},
    ],
    ["a short reading", [episode(1, "read_file", { filename: "a.ts" }, "a"), read(2, "a.ts")], {}],
  ];
  for (const [name, episodes, expected] of cases)
    it(`are replaced by a line: ${name}`, () => assert.deepEqual(superseded(...episodes), expected));

  it("keep the two newest steps whole", () => {
    assert.deepEqual(
      selectTrims([read(1, "a.ts"), read(2, "a.ts")], 0, () => 1),
      [],
    );
  });
});

describe("long outcomes", () => {
  const trim = (entries: readonly Episode[], maxTokens: number) => selectTrims(entries, maxTokens, () => 100);
  const shell = (step: number): Episode =>
    episode(step, "execute_shell", { command_line: `${step}` }, `${step} begins ${LONG} ${step} ends`);

  it("are shortened beyond half of the room, counted from the newest", () => {
    const shortened = trim([shell(1), shell(2), shell(3), shell(4), shell(5), shell(6)], 800);
    assert.deepEqual(
      shortened.map(({ step }) => step),
      [1, 2],
    );
  });

  it("keep their beginning and end, and say how to see the rest", () => {
    const [program, page] = trim([shell(1), read(2, "a.ts"), ...NEWEST], 0);
    assert.deepEqual(
      {
        program:
          program &&
          /^1 begins x+\n\[… \d+ characters of this older outcome are left out; read_file with filename "output:1" gives them …\]\nx+ 1 ends$/.test(
            program.text,
          ),
        page:
          page &&
          /\n\[… 4400 characters of this older outcome are left out; repeat the call to see them …\]\n/.test(page.text),
        size: page && page.text.length < 750,
      },
      { program: true, page: true, size: true },
    );
  });

  it("stay as they are if they were refused, are short or unreadable", () => {
    const entries = [
      { ...shell(1), outcome: { status: "refused", feedback: LONG } as const },
      episode(2, "execute_shell", {}, "ok"),
      { ...shell(3), reply: { kind: "unreadable", problem: "?" } as const },
      ...NEWEST,
    ];
    assert.deepEqual(
      trim(entries, 0).map(({ step }) => step),
      [],
    );
  });
});

describe("a step with several readings", () => {
  const several: Episode = {
    ...read(1, "a.ts"),
    reply: {
      kind: "proposal",
      thoughts: NO_THOUGHTS,
      call: { name: "read_file", args: { filename: "a.ts" } },
      also: [
        { name: "read_file", args: { filename: "b.ts" } },
        { name: "read_file", args: { filename: "c.ts" } },
      ],
    },
    also: [
      { status: "done", output: LONG },
      { status: "failed", error: "There is no c.ts." },
    ],
  };

  it("has each of them replaced for itself, by whichever later reading", () => {
    const later: Episode = { ...several, step: 5 };
    assert.deepEqual(
      {
        first: selectTrims([several, read(2, "b.ts"), ...NEWEST], 1_000_000, () => 1),
        all: selectTrims([several, later, ...NEWEST], 1_000_000, () => 1),
      },
      {
        first: [{ step: 1, text: "(an older reading of b.ts; read again in step 2)", also: 1 }],
        all: [
          { step: 1, text: "(an older reading of a.ts; read again in step 5)" },
          { step: 1, text: "(an older reading of b.ts; read again in step 5)", also: 1 },
        ],
      },
    );
  });

  it("has each of them shortened separately, and the prompt says so", () => {
    const trims = selectTrims([several, ...NEWEST], 0, () => 1);
    const short = applyTrims(
      several,
      Map.groupBy(trims, ({ step }) => step),
    );
    assert.deepEqual(
      {
        which: trims.map(({ also }) => also),
        lengths: short.kind === "episode" && [short.outcome, ...(short.also ?? [])].map(lengthOf),
        same:
          applyTrims(
            several,
            Map.groupBy(trims, ({ step }) => step),
          ) === short,
      },
      { which: [undefined, 1], lengths: [true, true, false], same: true },
    );
  });

  const lengthOf = (outcome: Outcome): boolean =>
    getOutcomeText(outcome).length > 600 && getOutcomeText(outcome).length < 750;
});

/** Events of steps that read the same files again and again. */
function reads(files: readonly string[]): readonly AgentEvent[] {
  let seq = 0;
  return files.flatMap((filename, index): AgentEvent[] => {
    const step = index + 1;
    const base = () => ({ seq: ++seq, at: "2026-01-02T03:04:05.000Z" });
    const tail = { time: "", budget: "", plan: [], recalled: [], remarks: [] };
    const call = { name: "read_file", args: { filename } };
    const reply = { kind: "proposal", thoughts: NO_THOUGHTS, call } as const;
    return [
      { ...base(), type: "asked", step, format: "text", tail },
      {
        ...base(),
        type: "replied",
        step,
        format: "text",
        text: "{}",
        calls: [],
        finish: "stop",
        reply,
        model: "m",
      },
      { ...base(), type: "ended", step, outcome: { status: "done", output: LONG } },
    ];
  });
}

function historyOf(events: readonly AgentEvent[]): History {
  const history = new History();
  for (const event of events) history.apply(event);
  return history;
}

describe("a plan of a compaction", () => {
  const files = ["a.ts", "b.ts", "a.ts", "b.ts", "a.ts", "b.ts", "a.ts", "b.ts"];
  const history = historyOf(reads(files));
  const size = (of: History): number =>
    of.messages("text").reduce((sum, message) => sum + countMessageTokens(message), 0);

  it("summarizes nothing where trimming makes enough room", () => {
    const plan = planCompaction(history, 5_000);
    assert.deepEqual([plan?.fold, plan?.trims.map(({ step }) => step)], [undefined, [1, 2, 3, 4, 5, 6]]);
  });

  it("summarizes the oldest steps where it doesn't, and trims the others", () => {
    const plan = planCompaction(history, 4_200);
    assert.deepEqual([plan?.fold?.through, plan?.trims.map(({ step }) => step)], [2, [3, 4, 5, 6]]);
  });

  it("makes the history as short as planned once it is recorded", () => {
    const plan = planCompaction(history, 5_000);
    const after = historyOf(reads(files));
    const before = size(after);
    after.apply({ seq: 100, at: "", type: "compacted", trimmed: plan?.trims ?? [] });
    assert.deepEqual(
      { before: before > 11_000, after: size(after) < 3_500, summary: after.summary },
      { before: true, after: true, summary: undefined },
    );
  });

  it("is nothing where nothing is superseded, long or too much", () => {
    assert.equal(planCompaction(historyOf(reads(["a.ts", "b.ts"])), 5_000), undefined);
  });
});

/** A command that answers with a long text, another one each time, as of files that are being changed. */
function lookingAt(name: string): Command {
  let times = 0;
  return {
    name,
    aliases: [],
    category: "files",
    effect: "read",
    description: "Reads.",
    parameters: { type: "object", properties: { filename: { type: "string" } } },
    prepare: async ({ filename }) =>
      createPreparedCall("read", "", async () => {
        const word = [...String(100 + times++)].map((digit) => "abcdefghij"[Number(digit)]).join("");
        return { status: "done", output: `${String(filename)} ${`${word}. `.repeat(800)}` };
      }),
  };
}

const FINISHING: Command = {
  ...lookingAt("task_complete"),
  prepare: async () => createPreparedCall("none", "", async () => ({ status: "finished", summary: "Done." })),
};

/** A run of 60 steps that reads five files in turn. */
async function readingRun(contextWindow: number) {
  const answers = Array.from({ length: 60 }, (_, step) => says("read_file", { filename: `src/${step % 5}.ts` }));
  const model = new FakeModel([...answers, says("task_complete")], ["text"], contextWindow);
  const commands = createCommandSet([lookingAt("read_file"), FINISHING]);
  const done = await rehearse({
    answers: [],
    model,
    start: { commands: commands.specs, model: { smart: "fake", fast: "fake", contextWindow } },
    parts: { commands },
    thinking: { contextBudget: new ContextBudget() },
  });
  return { ...done, compacted: ofType(done.log.events, "compacted") };
}

describe("a run that reads the same files again", () => {
  for (const window of [4_096, 8_192, 16_384, 128_000]) {
    it(`finishes within a window of ${window}, each prompt rebuilt byte for byte`, async () => {
      const { end, log, model } = await readingRun(window);
      const stored: AgentEvent[] = JSON.parse(JSON.stringify(log.events));
      const asked = ofType(stored, "asked");
      const rebuilt = asked.map(({ step }) => ({ ...rebuildStepPrompt(stored, step), cached: undefined }));
      const sent = model.requests.map(({ maxReplyTokens: _, ...request }) => ({
        ...request,
        cached: undefined,
      }));
      const over = model.requests.filter((request) => requestTokens(request) + (request.maxReplyTokens ?? 0) > window);
      assert.deepEqual(
        { end: end.reason, over: over.length, same: JSON.stringify(rebuilt) === JSON.stringify(sent) },
        { end: "finished", over: 0, same: true },
      );
    });
  }

  it("trims older readings before it summarizes, and continues from its log with the same prompt", async () => {
    const { compacted, log, run } = await readingRun(64_000);
    const again = Run.openStored(new MemoryLog(), JSON.parse(JSON.stringify(log.events)));
    assert.deepEqual(
      {
        first: compacted[0]?.through,
        trimmed: compacted[0]?.trimmed?.[0]?.text,
        same: JSON.stringify(again.history.messages("text")) === JSON.stringify(run.history.messages("text")),
      },
      { first: undefined, trimmed: "(an older reading of src/0.ts; read again in step 46)", same: true },
    );
  });
});

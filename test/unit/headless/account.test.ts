import assert from "node:assert/strict";
import { NOTHING_SPENT } from "../../../src/core/budget/budget.ts";
import type { RunEnd } from "../../../src/core/commands/outcome.ts";
import { NO_THOUGHTS } from "../../../src/core/reply/reply.ts";
import { formatSpending, renderEvent } from "../../../src/headless/display.ts";
import type { AgentEventBody } from "../../../src/schema/events.ts";
import { sampleStart, sampleTail } from "../../support/sample-run.ts";

const told = (body: AgentEventBody): string => renderEvent({ seq: 0, at: "", ...body });

const REPLIED = {
  type: "replied",
  step: 2,
  format: "text",
  text: "",
  calls: [],
  finish: "stop",
  model: "m",
} as const;
const DECIDED = {
  type: "decided",
  step: 1,
  by: "user",
  reason: "approved on the terminal",
  hash: "",
} as const;

describe("what a run has spent", () => {
  const spent = { ...NOTHING_SPENT, input: 251_701, output: 9_000, cached: 240_000 };
  for (const [what, totals, expected] of [
    ["nothing", NOTHING_SPENT, ""],
    [
      "with a known price",
      { ...spent, usd: 0.12, savedUsd: 0.6 },
      "Spent: 251,701 + 9,000 tokens, 240,000 of them from the cache, $0.1200 ($0.7200 without the cache).",
    ],
    [
      "with calls without a price",
      { ...spent, cached: 0, usd: 0.12, unpriced: 1 },
      "Spent: 251,701 + 9,000 tokens, $0.1200 or more.",
    ],
    ["without any price", { ...spent, cached: 0, unpriced: 3 }, "Spent: 251,701 + 9,000 tokens."],
  ] as const)
    it(`is one line ${what}`, () => assert.equal(formatSpending(totals), expected));
});

describe("the account of a run", () => {
  const call = { name: "read_file", args: { filename: "a" } };
  const cases: [string, AgentEventBody, string][] = [
    [
      "its start",
      sampleStart(),
      "Scribe, a careful keeper of notes.\nTask: Tidy the notes.\n  1. Read every note\n  2. Say which are stale\nRun: 20260102_030405_scribe_0a1b\nFolder: /work\nModel: fake\n",
    ],
    [
      "a reply",
      {
        ...REPLIED,
        reply: { kind: "proposal", thoughts: { ...NO_THOUGHTS, text: "Hm.", speak: "Hi" }, call },
        usage: { input: 5, output: 2, cached: 4 },
        costUsd: 0.01,
      },
      `── Step 2 ${"─".repeat(40)}\nTEXT: Hm.\nSPEAK: Hi\nCOMMAND: read_file {"filename":"a"}\n(5 + 2 tokens, 4 from the cache, $0.0100)`,
    ],
    [
      "a reply with the model's own reasoning",
      {
        ...REPLIED,
        reasoning: "Look at a first.",
        reply: { kind: "proposal", thoughts: { ...NO_THOUGHTS, text: "Hm." }, call },
      },
      `── Step 2 ${"─".repeat(40)}\nREASONING: Look at a first.\nTEXT: Hm.\nCOMMAND: read_file {"filename":"a"}`,
    ],
    [
      "a reply that could not be read",
      { ...REPLIED, reply: { kind: "unreadable", problem: "No JSON." } },
      `── Step 2 ${"─".repeat(40)}\nThe reply couldn't be read: No JSON.`,
    ],
    ["an approval", { ...DECIDED, allow: true }, "Approved: approved on the terminal (user)"],
    ["nothing of a refusal, which the outcome reports", { ...DECIDED, allow: false, feedback: "Nobody is there." }, ""],
    ["an outcome", { type: "ended", step: 1, outcome: { status: "done", output: "ok" } }, "Done: ok\n"],
    ["a plan", { type: "planned", items: [{ text: "look", status: "done" }] }, "Plan:\n  [done] look"],
    ["words", { type: "said", text: "hi", by: "user" }, "You: hi"],
    ["its own words", { type: "said", text: "hm", by: "self" }, "Self-criticism: hm"],
    ["a compaction", { type: "compacted", through: 9, summary: "" }, "Steps up to 9 are summarized from now on."],
    [
      "a compaction that only trimmed",
      { type: "compacted", trimmed: [{ step: 1, text: "…" }] },
      "Older outcomes are shortened from now on.",
    ],
    ["a pause", { type: "paused", reason: "Tea." }, "Paused: Tea."],
    ["a resumption", { type: "resumed", reason: "" }, "Resumed."],
    ["nothing of what was asked", { type: "asked", step: 1, format: "text", tail: sampleTail() }, ""],
  ];
  for (const [name, event, expected] of cases) {
    it(`reports ${name}`, () => assert.equal(told(event), expected));
  }
});

describe("the account of a run, on a terminal", () => {
  it("shows what would not be seen on a terminal", () => {
    assert.equal(
      told({ type: "ended", step: 1, outcome: { status: "failed", error: "\u001b[31mred\u202e" } }),
      "Failed: ⟨U+001B⟩[31mred⟨U+202E⟩\n",
    );
  });

  it("folds a long outcome", () => {
    const output = Array.from({ length: 50 }, (_, line) => `line ${line}`).join("\n");
    const lines = told({ type: "ended", step: 1, outcome: { status: "done", output } })
      .trimEnd()
      .split("\n");
    assert.deepEqual([lines.length, lines[12], lines.at(-1)], [17, "… 34 more lines …", "line 49"]);
  });
});

describe("the end of a run, as shown to people", () => {
  const ends: [RunEnd, string][] = [
    [{ reason: "finished", summary: "All tidy." }, "Finished. All tidy."],
    [
      {
        reason: "finished",
        summary: "It is blue.",
        pages: [
          { url: "https://a.example/", title: "Sea", quotes: ["The sea\u202e is blue."] },
          { url: "https://b.example/", title: "", quotes: [] },
        ],
      },
      'Finished. It is blue.\nSources:\n  Sea: https://a.example/\n    "The sea⟨U+202E⟩ is blue."\n  https://b.example/',
    ],
    [
      { reason: "exhausted", limit: "usd" },
      "The run reached its limit (run.budgetUsd), or its next call could exceed it. To continue, resume it with a higher one: --set run.budgetUsd=N.",
    ],
    [{ reason: "stuck", why: "Round it goes." }, "Stuck. Round it goes."],
    [{ reason: "failed", error: "No key." }, "The run can't continue. No key."],
    [{ reason: "stopped" }, "Stopped. Continue with --resume."],
    [{ reason: "crashed", error: "oops" }, "A bug ended the run: oops"],
  ];
  for (const [end, expected] of ends) {
    it(`is plain: ${end.reason}${"pages" in end ? " after reading pages" : ""}`, () =>
      assert.equal(told({ type: "over", end }), expected));
  }
});

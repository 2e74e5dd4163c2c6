import assert from "node:assert/strict";
import { listPastSteps, type StepView } from "../../../../src/core/events/run-state.ts";
import { trimEventForPanel } from "../../../../src/editor/panel/feed.ts";
import { listSideEvents, SideEvents } from "../../../../src/editor/panel/side-events.ts";
import { applyToDigest, type RunDigest } from "../../../../src/runs/store/run-summary.ts";
import type { AgentEvent, AgentEventBody } from "../../../../src/schema/events.ts";
import { writeInEnglish } from "../../../../src/texts/display-text.ts";
import { convertToRunNote } from "../../../../src/webview/run/notes.ts";
import { sampleStart, sampleTail } from "../../../support/sample-run.ts";

const word = (text: string): AgentEventBody => ({ type: "said", text, by: "user" });

const step = (count: number, ended = true): readonly AgentEventBody[] => [
  { type: "asked", step: count, format: "text", tail: sampleTail() },
  word(`in ${count}`),
  ...(ended ? [{ type: "ended", step: count, outcome: { status: "done", output: "" } } as const] : []),
];

function numbered(...bodies: readonly AgentEventBody[]): readonly AgentEvent[] {
  return bodies.map((body, seq) => ({ seq, at: new Date(seq * 1000).toISOString(), ...body }));
}

describe("what happened beside the steps of a page", () => {
  it("is with one page each, up to the next one, and with the last one up to now", () => {
    const bodies = [sampleStart(), ...step(1), word("after 1"), ...step(2), word("after 2"), ...step(3, false)];
    const events = numbered(...bodies);
    const pages = [2, 3].map((before) => listPastSteps(events, before, 1));
    assert.deepEqual(
      pages.map((page) => listSideEvents(events, page).map((event) => (event.type === "said" ? event.text : ""))),
      [
        ["in 1", "after 1"],
        ["in 2", "after 2", "in 3"],
      ],
    );
  });

  it("is known of a run at work without its log: the last of it, from the first step shown on", () => {
    const events = numbered(sampleStart(), word("early"), ...step(1), ...step(2), word("after 2"));
    const beside = new SideEvents();
    for (const event of events) beside.add(event);
    const told = (shown: readonly StepView[]) =>
      beside.listEventsSince(shown).map((event) => (event.type === "said" ? event.text : ""));
    assert.deepEqual(
      [told(listPastSteps(events, 3, 1)), told([])],
      [
        ["in 2", "after 2"],
        ["early", "in 1", "in 2", "after 2"],
      ],
    );
  });

  it("begins with what the repository gave the agent to read, as the feed shows it", () => {
    const start = sampleStart({
      rules: [{ file: "AGENTS.md", text: "Use tabs." }],
      unread: [".autogpt/rules.md isn't read: it is a device or a socket."],
    });
    const events = numbered(start, ...step(1), ...step(2));
    const beside = new SideEvents();
    for (const event of events) beside.add(event);
    const shown = (found: readonly AgentEvent[]) =>
      found
        .map((event) => convertToRunNote(trimEventForPanel(event)))
        .map((note) => (note?.kind === "news" ? [writeInEnglish(note.text), note.more, note.files] : [note?.text]));
    const first = listPastSteps(events, 9, 9);
    const note = [
      "Instructions that the agent reads, which can't widen permissions: AGENTS.md",
      [".autogpt/rules.md isn't read: it is a device or a socket."],
      ["AGENTS.md"],
    ];
    assert.deepEqual(
      [
        shown(beside.listEventsSince(first))[0],
        shown(listSideEvents(events, first))[0],
        beside.listEventsSince(first.slice(1)).length,
      ],
      [note, note, 1],
    );
  });

  it("names the result of a review, which the list of runs knows as well", () => {
    const isolated = { home: "/c", engine: "bubblewrap", folders: [] };
    const events = numbered(
      sampleStart({ mode: "isolated", isolated }),
      { type: "changed", mode: "isolated" },
      { type: "reviewed", what: "accepted", files: ["a", "b"], conflicts: ["c"] },
      { type: "reviewed", what: "branch", files: ["a"], branch: "auto" },
      { type: "ended", step: 1, outcome: { status: "done", output: "" } },
    );
    const notes = events.slice(1, 4).map((event) => convertToRunNote(trimEventForPanel(event)));
    assert.deepEqual(
      {
        notes: notes.map((note) => (note?.kind === "news" ? writeInEnglish(note.text) : note)),
        listed: [1, 3, 4, 5].map(
          (end) => events.slice(0, end).reduce<RunDigest | undefined>(applyToDigest, undefined)?.isolated,
        ),
      },
      {
        notes: [
          "Mode: isolated",
          "Accepted 2 files into the workspace. 1 file has conflicts and was left out.",
          "Committed 1 file to the branch auto.",
        ],
        listed: ["none", "accepted", "branch", "none"],
      },
    );
  });

  it("is not more than fits beside a page, however long the run is", () => {
    const beside = new SideEvents();
    for (const event of numbered(...Array.from({ length: 500 }, () => word("x")))) beside.add(event);
    assert.equal(beside.listEventsSince([]).length, 60);
  });
});

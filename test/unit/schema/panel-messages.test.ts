import assert from "node:assert/strict";
import { NO_RUN } from "../../../src/core/events/run-state.ts";
import type { PanelRequest, PanelUpdate } from "../../../src/schema/panel-messages.ts";
import { isPanelUpdate } from "../../../src/schema/panel-validators.ts";
import { readPanelRequest } from "../../../src/schema/readers.ts";

const at = "2026-01-02T03:04:05.000Z";

const UPDATES: readonly PanelUpdate[] = [
  {
    type: "welcome",
    welcome: {
      blocked: "Open a folder first.",
      hasKey: false,
      models: [{ id: "a", label: "A", detail: "8k", chosen: true }],
      lastRuns: [{ id: "r", task: "Fix it", title: "Fix", state: "finished" }],
      reviewProfile: true,
    },
  },
  { type: "drafted", task: "Fix it", profile: { name: "Fixer", role: "a fixer", goals: ["Fix it."] } },
  {
    type: "snapshot",
    run: "r",
    state: { ...NO_RUN, open: { step: 1, at, stage: "asked", recalled: [] } },
    readOnly: false,
    running: true,
    commands: [{ name: "read_file", description: "Reads a file." }],
    withheld: [{ name: "web_search", why: "It is turned off." }],
    continuous: false,
    grant: 0,
    speech: false,
  },
  {
    type: "page",
    run: "r",
    earlier: true,
    steps: [
      {
        step: 1,
        at,
        stage: "ended",
        recalled: [{ text: "a note", source: "run 1", score: 0.5 }],
        reply: { kind: "unreadable", problem: "No JSON.", cutOff: true },
        usage: { input: 10, output: 2 },
        outcome: { status: "failed", error: "No JSON." },
      },
    ],
    sideEvents: [{ seq: 3, at, type: "said", text: "Go on.", by: "user" }],
  },
  { type: "event", run: "r", event: { seq: 4, at, type: "over", end: { reason: "stopped" } } },
  { type: "thought", run: "r", step: 2, deltas: [{ field: "text", text: "I see" }] },
  { type: "output", run: "r", step: 2, text: "line\n" },
  {
    type: "waiting",
    run: "r",
    card: {
      step: 2,
      hash: "h",
      command: "execute_shell",
      text: "npm test",
      preview: "details",
      rule: "shell",
      reason: "It runs a program.",
      sources: [],
      sensitive: false,
    },
  },
  { type: "offered", text: "Fix it", note: "From a link." },
  {
    type: "costs",
    costs: {
      budgets: [{ per: "day", usd: 5, spent: 1 }],
      days: [{ name: "2026-11-29", usd: 1, tokens: 9, unpriced: 0 }],
      models: [],
      folders: [],
      months: [],
    },
  },
  { type: "cardText", run: "r", hash: "h", text: "more", more: false },
  { type: "seen", run: "r", hash: "h" },
  { type: "grant", run: "r", grant: 3, continuous: false },
  { type: "notice", text: "The key was refused.", kind: "error" },
  { type: "files", query: "a", files: ["a.ts"], contexts: ["git"], folders: ["a/"], prompts: ["a"] },
  { type: "picture", run: "r", step: 2, data: "data:image/png;base64,AA==" },
];

const REQUESTS: readonly PanelRequest[] = [
  { type: "ready" },
  { type: "resync", run: "r" },
  { type: "focus", inside: true },
  { type: "draft", task: "Fix it" },
  { type: "start", task: "Fix it", profile: { name: "Fixer", role: "a fixer", goals: ["Fix it."] } },
  { type: "cardButton", button: "approve", step: 1, hash: "h" },
  { type: "cardButton", button: "approveNext", step: 1, hash: "h", count: 3 },
  { type: "cardButton", button: "refuse", step: 1, hash: "h", feedback: "" },
  { type: "cardButton", button: "editArguments", step: 1, hash: "h", args: { text: "x" } },
  { type: "seen", step: 1, hash: "h" },
  { type: "editMessage", seq: 3, text: "Other words" },
  { type: "say", text: "Hello" },
  { type: "earlier", run: "r", before: 41 },
  { type: "showOutcome", run: "r", step: 1 },
  { type: "showPicture", run: "r", step: 2 },
  { type: "findFiles", query: "" },
  { type: "shareTerminal", label: "bash" },
  { type: "chooseModel", id: "a" },
  { type: "showPrompt", step: 1 },
  { type: "openFile", label: "a.ts" },
  { type: "openLink", address: "https://example.com/" },
  { type: "act", action: "stop" },
];

describe("the messages between extension and panel", () => {
  it("are read as they were written, to the panel", () => {
    assert.deepEqual(
      UPDATES.filter((update) => !isPanelUpdate(update)),
      [],
    );
  });

  it("are read as they were written, from the panel", () => {
    assert.deepEqual(REQUESTS.map(readPanelRequest), REQUESTS);
  });

  it("survive the way through JSON", () => {
    assert.deepEqual(
      UPDATES.filter((update) => !isPanelUpdate(JSON.parse(JSON.stringify(update)))),
      [],
    );
  });

  it("are dropped when a field is missing, of another type, or not known", () => {
    const wrong: readonly unknown[] = [
      undefined,
      null,
      "approve",
      [],
      {},
      { type: "toString" },
      { type: "approve" },
      { type: "approve", step: 1, hash: "h" },
      { type: "approve", step: "1", hash: "h", count: 1 },
      { type: "approve", step: 1.5, hash: "h", count: 1 },
      { type: "approve", step: 1, hash: "h", count: Number.NaN },
      { type: "approve", step: 1, hash: "h", count: 1, force: true },
      { type: "editArguments", step: 1, hash: "h", args: ["a"] },
      { type: "act", action: "deleteEverything" },
      { type: "start", task: "x", profile: { name: "n", role: "r", goals: [1] } },
    ];
    assert.deepEqual(
      wrong.map(readPanelRequest),
      wrong.map(() => undefined),
    );
  });

  it("are dropped when something deep inside does not fit", () => {
    const event = { seq: 1, at, type: "ended", step: 1, outcome: { status: "done", output: 7 } };
    assert.equal(isPanelUpdate({ type: "event", run: "r", event }), false);
  });
});

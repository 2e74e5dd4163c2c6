import assert from "node:assert/strict";
import { PAUSED_BY_USER } from "../../../../src/core/base/async.ts";
import { pauseReason } from "../../../../src/core/events/end-text.ts";
import { RECENT_STEPS } from "../../../../src/core/events/run-state.ts";
import type { PanelUpdate } from "../../../../src/schema/panel-messages.ts";
import { displayText } from "../../../../src/texts/display-text.ts";
import { findAnnouncement } from "../../../../src/webview/app/announcements.ts";
import { NEW_PANEL, type PanelState } from "../../../../src/webview/app/panel-state.ts";
import { receive } from "../../../../src/webview/app/receive.ts";
import { getRunActivity } from "../../../../src/webview/run/run-activity.ts";
import type { RunView } from "../../../../src/webview/run/run-view.ts";
import { updateTypedText } from "../../../../src/webview/ui/composer.ts";
import { SHELL_CARD, scene, WELCOME, waitingRun, workedRun } from "../../../panel/support/scenes.ts";
import { StagedRun } from "../../../panel/support/staged-run.ts";

const received = (messages: readonly PanelUpdate[], state: PanelState = NEW_PANEL): PanelState =>
  messages.reduce((before, message) => receive(before, message).state, state);

function runOf(state: PanelState): RunView {
  assert.ok(state.run);
  return state.run;
}

const draft: PanelUpdate = {
  type: "drafted",
  task: "Mend it",
  profile: { name: "Fixer", role: "a fixer", goals: ["Mend it."] },
};

describe("a notice about models", () => {
  it("disappears once a key, a server or a model was set", () => {
    const trouble = 'No model is set up yet. Choose one with "AutoGPT: Select Model…".';
    const start = received([
      { type: "welcome", welcome: WELCOME },
      { type: "notice", kind: "error", text: trouble },
      { type: "setupChanged" },
    ]);
    const form = received([{ ...draft, notice: trouble }, { type: "setupChanged" }]);
    assert.deepEqual(
      { notice: start.notice, name: form.form?.name, inForm: form.form?.notice },
      { notice: undefined, name: "Fixer", inForm: undefined },
    );
  });
});

describe("a notice about a task that waits for a machine", () => {
  it("empties the text box, so that the task isn't sent twice", () => {
    const before: PanelState = { ...received([{ type: "welcome", welcome: WELCOME }]), starting: true };
    const typed = { ...before, composer: { ...before.composer, text: "Fix the parser" } };
    const after = received([{ type: "notice", kind: "info", text: "It waits.", sent: true }], typed);

    assert.deepEqual(
      { text: after.composer.text, starting: after.starting, notice: after.notice },
      { text: "", starting: undefined, notice: { kind: "info", text: "It waits." } },
    );
  });
});

describe("warnings about a run", () => {
  const run = workedRun();
  const warned: readonly PanelUpdate[] = [
    ...run.opening(),
    { type: "notice", kind: "warning", text: "Two plugins wait." },
    { type: "notice", kind: "info", text: "Waiting for a retry." },
    { type: "notice", kind: "warning", text: "A plugin is off." },
    { type: "notice", kind: "warning", text: "Two plugins wait." },
  ];

  it("stay beside other notices, each once, when the run continues", () => {
    const { seq } = runOf(received(run.opening())).state;
    const at = "2026-01-02T03:04:05.000Z";
    const paused = { seq: seq + 1, at, type: "paused", reason: "Later." } as const;

    const { warnings, notice } = received([...warned, { type: "event", run: run.id, event: paused }]);

    assert.deepEqual({ warnings, notice }, { warnings: ["A plugin is off.", "Two plugins wait."], notice: undefined });
  });

  it("disappear on the start page", () => {
    const { warnings } = received([...warned, { type: "welcome", welcome: WELCOME }]);

    assert.deepEqual(warnings, []);
  });
});

const FIGURES = { added: 2, removed: 1, hunks: 1, dropped: 1, edited: true };

describe("a message about a run that isn't displayed", () => {
  const run = workedRun();
  const state = received([
    ...run.opening(),
    { type: "waiting", run: run.id, card: SHELL_CARD },
    { type: "notice", kind: "info", text: "Waiting for a retry." },
  ]);
  const other = "20260102_030405_other_0a1b";
  const { seq } = runOf(state).state;
  const at = "2026-01-02T03:04:05.000Z";
  const messages: readonly Extract<PanelUpdate, { readonly run: string }>[] = [
    { type: "event", run: other, event: { seq: seq + 1, at, type: "said", text: "Go on.", by: "user" } },
    { type: "event", run: other, event: { seq: seq + 1, at, type: "over", end: { reason: "stopped" } } },
    { type: "event", run: other, event: { seq: seq + 5, at, type: "paused", reason: "The disk is full." } },
    { type: "changes", run: other, files: ["a.ts"], count: 1 },
    { type: "account", run: other, account: { models: [], days: [], allModels: [] } },
    { type: "page", run: other, steps: [], earlier: true },
    { type: "thought", run: other, step: 6, deltas: [{ field: "text", text: "Hm." }] },
    { type: "output", run: other, step: 6, text: "line" },
    { type: "waiting", run: other },
    { type: "cardText", run: other, hash: SHELL_CARD.hash, text: "more", more: false },
    { type: "seen", run: other, hash: SHELL_CARD.hash },
    { type: "figures", run: other, hash: SHELL_CARD.hash, figures: FIGURES },
    { type: "processes", run: other, processes: [] },
    { type: "grant", run: other, grant: 3, continuous: true },
    { type: "picture", run: other, step: 1, data: "data:image/png;base64,AA==" },
  ];
  for (const [index, message] of messages.entries()) {
    it(`changes nothing and is not answered: ${message.type} (${index + 1})`, () => {
      const { state: after, answer } = receive(state, message);
      assert.deepEqual({ same: after === state, answer }, { same: true, answer: undefined });
    });
  }

  it("is applied when it is about the displayed run", () => {
    const ignored = messages.filter((message) => {
      const { state: after } = receive(state, { ...message, run: run.id });
      return after === state;
    });
    assert.deepEqual(ignored, []);
  });
});

describe("the model's own reasoning", () => {
  it("streams apart from the thoughts, and is void once the reply starts over", () => {
    const run = workedRun();
    const { step = 0 } = run.state.open ?? {};
    const thought = (changes: object): PanelUpdate => ({
      type: "thought",
      run: run.id,
      step,
      deltas: [],
      ...changes,
    });
    const streamed = received([
      ...run.opening(),
      thought({ deltas: [{ field: "own", text: "Let me " }] }),
      thought({
        deltas: [
          { field: "own", text: "see." },
          { field: "text", text: "I read." },
        ],
      }),
    ]);
    const over = received([thought({ restarted: true })], streamed);
    assert.deepEqual(
      [streamed, over].map((state) => [runOf(state).live.reasoning, runOf(state).live.thoughts.text]),
      [
        ["Let me see.", "I read."],
        ["", ""],
      ],
    );
  });
});

describe("the panel's state", () => {
  it("is the same after a snapshot with later events as after all events", () => {
    const run = workedRun();
    const opening = run.opening();
    const from = run.events.length;
    run.step({ thoughts: { text: "Once more." } });
    run.step({ until: "replied" });
    const news = run.events.slice(from).map((event): PanelUpdate => ({ type: "event", run: run.id, event }));
    const view = runOf(received([...opening, ...news]));
    assert.deepEqual(
      { state: view.state, steps: view.window.steps },
      { state: { ...run.state, recent: [] }, steps: run.steps },
    );
  });

  it("asks for a snapshot once when an event is missing, and waits for it", () => {
    const run = workedRun();
    const state = received(run.opening());
    const [, second, third] = run.step({});
    assert.ok(second && third);
    const gap = receive(state, { type: "event", run: run.id, event: second });
    const later = receive(gap.state, { type: "event", run: run.id, event: third });
    const healed = received(run.opening(), later.state);
    assert.deepEqual(
      { gap: gap.answer, later: later.answer, seq: runOf(healed).state.seq },
      { gap: { type: "resync", run: run.id }, later: undefined, seq: run.state.seq },
    );
  });

  it("asks for the picture that a step made, and keeps it", () => {
    const run = workedRun();
    const state = received(run.opening());
    const events = run.step({ outcome: { status: "done", output: "Saved.", picture: "a.png" } });
    const ended = events.find((event) => event.type === "ended");
    assert.ok(ended?.type === "ended");
    const messages = events.map((event): PanelUpdate => ({ type: "event", run: run.id, event }));
    const upTo = received(messages.slice(0, events.indexOf(ended)), state);
    const { state: asking, answer } = receive(upTo, { type: "event", run: run.id, event: ended });
    const { step } = ended;
    const shown = received([{ type: "picture", run: run.id, step, data: "data:image/png;base64,AA==" }], asking);
    assert.deepEqual(
      { answer, pictures: [...runOf(shown).pictures] },
      {
        answer: { type: "showPicture", run: run.id, step },
        pictures: [[step, "data:image/png;base64,AA=="]],
      },
    );
  });

  it("asks for the pictures of all results of a step, each once", () => {
    const run = workedRun();
    const shot = (file: string) => ({
      ...({ name: "shot.png", file, mediaType: "image/png", width: 5, height: 3, bytes: 77 } as const),
    });
    const done = (...files: readonly string[]) => ({
      ...({ status: "done", output: "" } as const),
      pictures: files.map(shot),
    });
    const state = received(run.opening());
    const events = run.step({ outcome: done("a.png") });
    const messages = events.map((event): PanelUpdate => ({ type: "event", run: run.id, event }));
    const last = messages.findLast((message) => message.type === "event" && message.event.type === "ended");
    assert.ok(last?.type === "event" && last.event.type === "ended");
    const ended = { ...last, event: { ...last.event, also: [done("b.png", "a.png")] } };
    const { answer } = receive(received(messages.slice(0, messages.indexOf(last)), state), ended);
    assert.deepEqual(answer, { type: "showAttached", run: run.id, files: ["a.png", "b.png"] });

    const opened = received([...run.opening(), ...messages]);
    const steps = runOf(opened).window.steps.map((step) => ({ ...step, also: [done("a.png", "b.png")] }));
    const page = { type: "page", run: run.id, steps, earlier: false } as const;
    assert.deepEqual(receive(received(run.opening()), page).answer, answer);
  });

  it("keeps the latest background processes, even after a snapshot", () => {
    const run = workedRun();
    const processes = [{ id: 1, commandLine: "npm start", state: "running", kept: false }] as const;
    const state = received([...run.opening(), { type: "processes", run: run.id, processes }, ...run.opening()]);
    assert.deepEqual(runOf(state).processes, processes);
  });

  it("keeps no more of notes and pictures than of steps, however long the run is", () => {
    const run = workedRun();
    const opened = received(run.opening());
    const state = Array.from({ length: 3 * RECENT_STEPS }).reduce<PanelState>((before) => {
      const word = run.add({ type: "said", text: "A word.", by: "user" });
      const events = [word, ...run.step({})];
      const last = events.findLast((event) => event.type === "ended");
      const picture: PanelUpdate = {
        type: "picture",
        run: run.id,
        data: "data:image/png;base64,AA==",
        step: last?.type === "ended" ? last.step : 0,
      };
      return received(
        [...events.map((event): PanelUpdate => ({ type: "event", run: run.id, event })), picture],
        before,
      );
    }, opened);
    const { window, notes, pictures } = runOf(state);
    const first = window.steps[0];
    assert.deepEqual(
      {
        notesOfSteps: notes.every(({ at }) => at >= (first?.at ?? "")),
        firstPicture: Math.min(...pictures.keys()),
        fewPictures: pictures.size <= 2 * RECENT_STEPS,
      },
      { notesOfSteps: true, firstPicture: first?.step, fewPictures: true },
    );
  });

  it("ignores events that it already has", () => {
    const run = workedRun();
    const state = received(run.opening());
    const [event] = run.events;
    assert.ok(event);
    assert.equal(runOf(receive(state, { type: "event", run: run.id, event }).state), state.run);
  });
});

describe("a card on another page", () => {
  it("was seen only if it is the one that waits here", () => {
    const run = waitingRun();
    const opened = received([...run.opening(), { type: "waiting", run: run.id, card: SHELL_CARD }]);
    const seenAfter = (hash: string) =>
      runOf(received([{ type: "seen", run: run.id, hash }], opened)).card?.seen ?? false;
    assert.deepEqual(
      { same: seenAfter(SHELL_CARD.hash), another: seenAfter("another") },
      { same: true, another: false },
    );
  });
});

describe("a proposed change that the user edits in its diff", () => {
  it("has its new size on the card that is displayed, which a screen reader announces", () => {
    const run = waitingRun();
    const card = { ...SHELL_CARD, figures: { ...FIGURES, hunks: 2, dropped: 0, edited: false } };
    const opened = received([...run.opening(), { type: "waiting", run: run.id, card }]);
    const withEdits = (hash: string) => received([{ type: "figures", run: run.id, hash, figures: FIGURES }], opened);
    const edited = withEdits(card.hash);
    assert.deepEqual(
      {
        figures: runOf(edited).card?.card.figures,
        other: runOf(withEdits("another")).card?.card.figures?.edited,
        announced: findAnnouncement(opened, edited),
        again: findAnnouncement(
          edited,
          received([{ type: "figures", run: run.id, hash: card.hash, figures: { ...FIGURES } }], edited),
        ),
      },
      {
        figures: FIGURES,
        other: false,
        announced: "1 change dropped. The proposal is now +2 −1.",
        again: undefined,
      },
    );
  });
});

describe("a run that cannot continue by itself", () => {
  const sentence = "The disk is full. Free some space.";

  it("says what it waits for, over a snapshot too, until it waits no more", () => {
    const run = workedRun();
    const opened = received(run.opening());
    const hindered = received([{ type: "waiting", run: run.id, blockedReason: sentence }], opened);
    const again = received(run.opening().slice(0, 1), hindered);
    const freed = received([{ type: "waiting", run: run.id }], hindered);
    assert.deepEqual(
      {
        blocked: getRunActivity(runOf(hindered)).text,
        again: getRunActivity(runOf(again)).text,
        freed: getRunActivity(runOf(freed)).text,
      },
      {
        blocked: "Waiting for the disk",
        again: "Waiting for the disk",
        freed: getRunActivity(runOf(opened)).text,
      },
    );
    assert.equal(findAnnouncement(opened, hindered), sentence);
  });

  it("is interrupted once it is idle, although no event says so", () => {
    const run = workedRun();
    const state = received([...run.opening(), { type: "waiting", run: run.id, running: false }]);
    assert.equal(getRunActivity(runOf(state)).text, "Interrupted");
  });
});

describe("what streams in and what waits", () => {
  it("collects the thoughts of the open step and drops them when the reply starts over", () => {
    const run = workedRun();
    run.step({ until: "asked" });
    const piece = (text: string, restarted?: boolean): PanelUpdate => ({
      type: "thought",
      run: run.id,
      step: 6,
      deltas: [{ field: "text", text }],
      ...(restarted ? { restarted } : {}),
    });
    const texts = [
      [piece("I s"), piece("ee")],
      [piece("I s"), piece("Now", true)],
    ].map((pieces) => runOf(received([...run.opening(), ...pieces])).live.thoughts.text);
    assert.deepEqual(texts, ["I see", "Now"]);
  });

  it("keeps a card as it is when it is shown again, and takes it away when it is decided", () => {
    const run = waitingRun();
    const waiting: PanelUpdate = { type: "waiting", run: run.id, card: SHELL_CARD };
    const shown = received([...run.opening(), waiting]);
    const again = received([waiting], shown);
    const event = run.add({
      type: "decided",
      step: 6,
      allow: true,
      by: "user",
      reason: "",
      hash: SHELL_CARD.hash,
    });
    const decided = received([{ type: "event", run: run.id, event }], again);
    assert.deepEqual(
      { same: runOf(again).card === runOf(shown).card, decided: runOf(decided).card },
      { same: true, decided: undefined },
    );
  });

  it("puts the pieces of a long card together and knows when it is whole", () => {
    const run = waitingRun();
    const piece = (text: string, more: boolean): PanelUpdate => ({
      type: "cardText",
      run: run.id,
      hash: "hash-6",
      text,
      more,
    });
    const state = received([
      ...run.opening(),
      { type: "waiting", run: run.id, card: { ...SHELL_CARD, text: "a", more: true } },
      piece("b", true),
      piece("c", false),
      piece("d", false),
    ]);
    const { text, complete } = runOf(state).card ?? {};
    assert.deepEqual({ text, complete }, { text: "abc", complete: true });
  });
});

describe("drafts, runs and notices", () => {
  it("opens the form with a draft, and keeps edits when the same draft arrives again", () => {
    const drafted = received([draft], { ...NEW_PANEL, drafting: "Mend it" });
    assert.ok(drafted.form);
    const edited = { ...drafted, form: { ...drafted.form, name: "Mender" } };
    assert.deepEqual(
      {
        drafting: drafted.drafting,
        name: drafted.form.name,
        edited: received([{ type: "welcome", welcome: WELCOME }, draft], edited).form?.name,
      },
      { drafting: undefined, name: "Fixer", edited: "Mender" },
    );
  });

  it("leaves the form for the run that starts", () => {
    const { form, lastDraft, run } = received([draft, ...workedRun().opening()]);
    assert.deepEqual(
      { form, lastDraft, shown: run?.state.profile.name },
      { form: undefined, lastDraft: undefined, shown: "Parser Fixer" },
    );
  });

  it("ends drafting, and lets a decision be taken again, when there is an error", () => {
    const notice: PanelUpdate = { type: "notice", kind: "error", text: "No." };
    const shown = received(scene("waiting"));
    const card = shown.run?.card;
    assert.ok(shown.run && card);
    const sent = { ...shown, drafting: "x", run: { ...shown.run, card: { ...card, sent: true } } };
    const state = received([notice], sent);
    assert.deepEqual(
      { drafting: state.drafting, sent: runOf(state).card?.sent, notice: state.notice?.text },
      { drafting: undefined, sent: false, notice: "No." },
    );
  });

  it("takes a notice away when it is taken back", () => {
    const notice: PanelUpdate = { type: "notice", kind: "info", text: "Waiting for a retry." };
    assert.equal(received([notice, { ...notice, text: "" }]).notice, undefined);
  });
});

describe("what the run is doing", () => {
  const told = (name: string) => getRunActivity(runOf(received(scene(name))));

  it("is described in a few words", () => {
    const names = ["thinking", "acting", "waiting", "asking", "paused", "finished", "exhausted"];
    assert.deepEqual(
      names.map((name) => `${told(name).kind}: ${told(name).text}`),
      [
        "busy: Thinking",
        "busy: In progress: npm test",
        "asks: Waiting for your decision",
        "asks: Waiting for your answer",
        "paused: Paused",
        "done: Finished",
        "ended: Out of budget",
      ],
    );
  });

  it("says in the user's language that the user paused it", () => {
    const paused = runOf(received(scene("paused"))).state;
    assert.deepEqual(
      [pauseReason(PAUSED_BY_USER, paused), pauseReason("The disk is full.", paused)],
      [displayText("approval.pausedByUser"), "The disk is full."],
    );
  });

  it("is interrupted when it is idle", () => {
    assert.deepEqual(getRunActivity(runOf(received(workedRun().opening({ running: false })))), {
      kind: "paused",
      text: "Interrupted",
    });
  });

  it("is announced when it changes to something the user should know, not at every step", () => {
    const before = received(scene("waiting").slice(0, 2));
    const waits = received(scene("waiting"));
    const run = workedRun();
    const opened = received(run.opening());
    const events = run.step({ rule: "read inside the workspace" });
    const news = events.map((event): PanelUpdate => ({ type: "event", run: run.id, event }));
    const steps = news.map((_, index) =>
      findAnnouncement(received(news.slice(0, index), opened), received(news.slice(0, index + 1), opened)),
    );
    assert.deepEqual(
      { waits: findAnnouncement(before, waits), steps: steps.filter((text) => text !== undefined) },
      { waits: "Step 6: approval needed. npm run build && npm test -- --grep 'negative numbers'", steps: [] },
    );
  });
});

describe("what a screen reader hears", () => {
  it("is one sentence for a step's title and one for its result, however they end", () => {
    const run = workedRun();
    const opened = received(run.opening());
    const events = run.step({
      call: { name: "ask_user", args: { question: "Half up?" } },
      outcome: {
        status: "done",
        output: "The user says: Yes.",
        summary: displayText("timeline.youAnswered", { text: "Yes." }),
      },
    });
    const news = events.map((event): PanelUpdate => ({ type: "event", run: run.id, event }));
    const [before, after] = [received(news.slice(0, -1), opened), received(news, opened)];
    assert.match(findAnnouncement(before, after) ?? "", /^Step \d+: Asked: Half up\. You answered: Yes\.$/);
  });

  it("is a model's Markdown without its marks", () => {
    const run = waitingRun();
    const before = received(run.opening());
    const question = "Which **parser** shall I fix?\n\n1. `src/parse.ts`\n2. [the lexer](src/lex.ts)";
    const asked = received([{ type: "waiting", run: run.id, question }], before);
    const over = run.add({
      type: "over",
      end: { reason: "finished", summary: "## Done\n\n- *All* tests pass." },
    });
    const ended = received([{ type: "event", run: run.id, event: over }], before);
    assert.deepEqual(
      { question: findAnnouncement(before, asked), end: findAnnouncement(before, ended) },
      {
        question: "The agent asks: Which parser shall I fix?\nsrc/parse.ts\nthe lexer",
        end: "Finished. Done\nAll tests pass.",
      },
    );
  });

  it("is each thing once: the decision as it is taken, its outcome, and how the run ended", () => {
    const run = waitingRun();
    const opened = received([...run.opening(), { type: "waiting", run: run.id, card: SHELL_CARD }]);
    const from = run.events.length;
    const { hash } = SHELL_CARD;
    run.add({ type: "decided", step: 6, allow: true, by: "user", reason: "", hash });
    run.add({ type: "began", step: 6, command: "execute_shell", args: {} });
    run.add({ type: "ended", step: 6, outcome: { status: "done", output: "" } });
    run.add({ type: "over", end: { reason: "finished", summary: "All is done." } });
    const heard: string[] = [];
    const news = run.events.slice(from).map((event): PanelUpdate => ({ type: "event", run: run.id, event }));
    [{ type: "waiting", run: run.id } as const, ...news].reduce((before: PanelState, message: PanelUpdate) => {
      const { state } = receive(before, message);
      const said = findAnnouncement(before, state);
      if (said !== undefined) heard.push(said);
      return state;
    }, opened);
    assert.deepEqual(heard, [
      "In progress: npm run build && npm test.",
      "Step 6: npm run build && npm test. Done.",
      "Finished. All is done.",
    ]);
  });
});

describe("a run that the user has just started", () => {
  it("is announced, unlike one that was already running", () => {
    const start = received([{ type: "welcome", welcome: WELCOME }]);
    const run = new StagedRun();
    const after = received(run.opening(), start);
    assert.deepEqual(
      [findAnnouncement({ ...start, starting: true }, after), findAnnouncement(start, after)],
      ["Preparing the next step.", undefined],
    );
  });

  it("isn't called interrupted before its work has begun", () => {
    const start = received([{ type: "welcome", welcome: WELCOME }]);
    const after = received(new StagedRun().opening({ running: false }), start);
    assert.equal(findAnnouncement({ ...start, starting: true }, after), undefined);
  });
});

describe("what is written and not sent", () => {
  it("stays where it was written: no run gets what was meant for another", () => {
    const run = workedRun();
    const welcome: PanelUpdate = { type: "welcome", welcome: WELCOME };
    const atStart = { ...received([welcome]), composer: { text: "a task" } };
    const inRun = received(run.opening(), atStart);
    const back = received([welcome], { ...inRun, composer: { text: "a word" } });
    const again = received(run.opening(), back);
    assert.deepEqual(
      { inRun: inRun.composer.text, back: back.composer.text, again: again.composer.text },
      { inRun: "", back: "a task", again: "a word" },
    );
  });
});

describe("a notice", () => {
  it("that only counts on is not read out again", () => {
    const told = ["Waiting for 10 seconds.", "Waiting for 20 seconds.", "It answers."].map((text) => ({
      ...NEW_PANEL,
      notice: { text, kind: "info" } as const,
    }));
    const heard = told.map((state, index) => findAnnouncement(told[index - 1] ?? NEW_PANEL, state));
    assert.deepEqual(heard, ["Waiting for 10 seconds.", undefined, "It answers."]);
  });

  it("of a wait for the model is gone once the reply is there", () => {
    const run = workedRun();
    const trying: PanelUpdate = { type: "notice", kind: "info", text: "Trying again." };
    const waiting = received([...run.opening(), trying]);
    const events = run.step({ until: "replied" });
    const after = received(
      events.map((event) => ({ type: "event", run: run.id, event })),
      waiting,
    );
    assert.deepEqual(
      { waiting: waiting.notice?.text, after: after.notice },
      { waiting: "Trying again.", after: undefined },
    );
  });

  it("of a wait for the model is gone once the run is paused or over", () => {
    const trying: PanelUpdate = { type: "notice", kind: "info", text: "Trying again in 8 seconds." };
    const left = (["paused", "over"] as const).map((type) => {
      const run = workedRun();
      run.step({ until: "asked" });
      const waiting = received([...run.opening(), trying]);
      const event =
        type === "paused"
          ? run.add({ type, reason: "Nothing answers." })
          : run.add({ type, end: { reason: "failed", error: "Nothing answers." } });
      return received([{ type: "event", run: run.id, event }], waiting).notice;
    });
    assert.deepEqual(left, [undefined, undefined]);
  });

  it("of an error ends what was asked for, with nothing to read when the user called it off", () => {
    const asked = {
      ...received([{ type: "welcome", welcome: WELCOME }]),
      drafting: "Mend it",
      starting: true,
    };
    const { drafting, starting, notice } = received([{ type: "notice", kind: "error", text: "" }], asked);
    assert.deepEqual({ drafting, starting, notice }, { drafting: undefined, starting: undefined, notice: undefined });
  });
});

describe("a text offered from elsewhere", () => {
  const welcome: PanelUpdate = { type: "welcome", welcome: WELCOME };
  const offered: PanelUpdate = { type: "offered", text: "Fix the test", note: "From a link." };

  it("joins a draft, is kept for its place with its origin, and loses that once the text is gone", () => {
    const start = received([welcome]);
    const draft = received([offered], { ...start, composer: { text: "My own words" } });
    const run = workedRun();
    const back = received([...run.opening(), welcome], draft);
    const emptied = updateTypedText(back.composer, "", 0);
    assert.deepEqual(
      { alone: received([offered], start).composer, draft: draft.composer, back: back.composer, emptied },
      {
        alone: { text: "Fix the test", note: "From a link." },
        draft: { text: "My own words\n\nFix the test", note: "From a link." },
        back: { text: "My own words\n\nFix the test", note: "From a link." },
        emptied: { text: "" },
      },
    );
  });
});

import assert from "node:assert/strict";
import type { Outcome } from "../../../../src/core/commands/outcome.ts";
import { NO_THOUGHTS } from "../../../../src/core/reply/reply.ts";
import {
  listStepMessages,
  revealHiddenText,
  splitStepsForPanel,
  trimEventForPanel,
  trimStateForPanel,
} from "../../../../src/editor/panel/feed.ts";
import type { AgentEvent } from "../../../../src/schema/events.ts";
import { MAX_MESSAGE_CHARS } from "../../../../src/schema/formats.ts";
import type { PanelUpdate } from "../../../../src/schema/panel-messages.ts";
import type { Card } from "../../../../src/schema/panel-values.ts";
import { says } from "../../../support/fake-model.ts";
import { rehearse } from "../../../support/rehearsal.ts";

const LONG = "x".repeat(300_000);
const REPLY = {
  kind: "proposal",
  thoughts: { ...NO_THOUGHTS, text: LONG, reasoning: LONG, plan: LONG, criticism: LONG, speak: LONG },
  call: {
    name: "write_to_file",
    args: Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`a${i}`, LONG])),
  },
} as const;

async function recorded() {
  const answers = [says("read_note", { title: "a" }), says("task_complete", { title: "Done." })];
  const { log, run } = await rehearse({ answers });
  return { events: log.events, state: run.state };
}

/** An event as long as its texts can be. */
function lengthened(event: AgentEvent): AgentEvent {
  switch (event.type) {
    case "started":
      return { ...event, task: LONG, rules: [{ file: "AGENTS.md", text: LONG }] };
    case "replied":
      return { ...event, text: LONG, reasoning: LONG, sentBack: { reasoning: LONG }, reply: REPLY };
    case "began":
      return { ...event, args: REPLY.call.args };
    case "ended":
      return { ...event, outcome: { status: "done", output: LONG } };
    case "asked":
      return { ...event, tail: { ...event.tail, remarks: [LONG] } };
    default:
      return event;
  }
}

function size(value: unknown): number {
  return JSON.stringify(value).length;
}

describe("what the panel is sent", () => {
  it("fits into one message, however long an event's texts are", async () => {
    const { events } = await recorded();
    const long = events.map(lengthened);
    const said: AgentEvent = { seq: 9, at: "", type: "said", text: LONG, by: "user" };

    const sizes = [...long, said].map(
      (event) => [event.type, size(trimEventForPanel(event)) < MAX_MESSAGE_CHARS] as const,
    );

    assert.deepEqual(
      sizes.filter(([, fits]) => !fits),
      [],
    );
  });

  it("cuts a long text in its middle, and says how much is missing", async () => {
    const { events } = await recorded();
    const ended = events.find((event) => event.type === "ended");
    assert.ok(ended);

    const shown = trimEventForPanel({ ...ended, outcome: { status: "done", output: `begin${LONG}end` } });

    const output = shown.type === "ended" && shown.outcome.status === "done" ? shown.outcome.output : "";
    assert.deepEqual(
      { start: output.slice(0, 6), end: output.slice(-4), mark: /… 296008 characters more …/.test(output) },
      { start: "beginx", end: "xend", mark: true },
    );
  });

  it("has long steps in several messages, each small enough, in order and whole", async () => {
    const { state } = await recorded();
    const [step] = state.recent;
    assert.ok(step);
    const steps = Array.from({ length: 9 }, (_, index) => ({ ...step, step: index + 1, reply: REPLY }));

    const pages = splitStepsForPanel("r", steps, false).filter((page) => page.type === "page");

    assert.deepEqual(
      {
        steps: pages.flatMap((page) => page.steps.map((one) => one.step)),
        small: pages.every((page) => size(page) < MAX_MESSAGE_CHARS),
        several: pages.length > 1,
        earlier: pages.map(({ earlier }) => earlier).slice(0, 2),
      },
      { steps: [1, 2, 3, 4, 5, 6, 7, 8, 9], small: true, several: true, earlier: [false, true] },
    );
  });

  it("keeps a snapshot small: its steps follow in pages", async () => {
    const { state } = await recorded();

    const shown = trimStateForPanel({ ...state, task: LONG, queued: [LONG, LONG] });

    assert.deepEqual({ recent: shown.recent, small: size(shown) < MAX_MESSAGE_CHARS }, { recent: [], small: true });
  });
});

describe("an event for the panel", () => {
  const at = { seq: 1, at: "2026-01-02T03:04:05.000Z" };
  /** The length of what is left of a text: the same if it was not cut. */
  const left = (event: AgentEvent, text: (shown: AgentEvent) => string | undefined) =>
    text(trimEventForPanel(event))?.length;

  it("has texts of up to a few thousand characters as they are, and cuts longer ones", () => {
    const said = (length: number) =>
      left({ ...at, type: "said", by: "user", text: "x".repeat(length) }, (event) =>
        event.type === "said" ? event.text : undefined,
      );
    const argument = (value: unknown) => {
      const event = trimEventForPanel({ ...at, type: "began", step: 1, command: "c", args: { a: value } });
      return event.type === "began" ? event.args.a : undefined;
    };
    const list = Array.from({ length: 2_000 }, () => "x");
    assert.deepEqual(
      {
        whole: said(4_000),
        cut: (said(4_001) ?? 0) < 4_100 && (said(4_001) ?? 0) !== 4_001,
        argument: argument("x".repeat(2_000)) === "x".repeat(2_000),
        cutArgument: argument("x".repeat(2_001)) === "x".repeat(2_001),
        number: argument(7),
        shortList: argument(["x"]),
        longList: typeof argument(list),
      },
      {
        whole: 4_000,
        cut: true,
        argument: true,
        cutArgument: false,
        number: 7,
        shortList: ["x"],
        longList: "string",
      },
    );
  });

  it("has no more than a dozen arguments, and none where the user changed none", () => {
    const args = Object.fromEntries(Array.from({ length: 13 }, (_, index) => [`a${index}`, index]));
    const decided = {
      ...at,
      type: "decided",
      step: 1,
      allow: true,
      by: "user",
      reason: "",
      hash: "",
    } as const;
    const changed = trimEventForPanel({ ...decided, args });
    assert.deepEqual(
      {
        changed: changed.type === "decided" && Object.keys(changed.args ?? {}).length,
        unchanged: trimEventForPanel(decided),
      },
      { changed: 12, unchanged: decided },
    );
  });

  it("has every kind of outcome with its text cut", () => {
    const text = "x".repeat(5_000);
    const shown = (outcome: Outcome) => {
      const event = trimEventForPanel({ ...at, type: "ended", step: 1, outcome });
      return event.type === "ended" ? event.outcome : undefined;
    };
    const short = /^x{2000}\n… 1000 characters more …\nx{2000}$/;
    const [done, failed, refused, finished] = [
      shown({ status: "done", output: text }),
      shown({ status: "failed", error: text }),
      shown({ status: "refused", feedback: text }),
      shown({ status: "finished", summary: text }),
    ];
    assert.deepEqual(
      {
        done: done?.status === "done" && short.test(done.output),
        failed: failed?.status === "failed" && short.test(failed.error),
        refused: refused?.status === "refused" && short.test(refused.feedback),
        finished: finished?.status === "finished" && short.test(finished.summary),
      },
      { done: true, failed: true, refused: true, finished: true },
    );
  });

  it("has the outcomes of a step's further calls in the room of one", () => {
    const outcome = { status: "done", output: "x".repeat(5_000) } as const;
    const event = trimEventForPanel({ ...at, type: "ended", step: 1, outcome, also: [outcome, outcome] });
    const [first] = event.type === "ended" ? (event.also ?? []) : [];
    assert.match(first?.status === "done" ? first.output : "", /^x{1000}\n… 3000 characters more …\nx{1000}$/);
  });
});

describe("a message whose hidden characters are shown", () => {
  it("keeps arguments that can be edited as they are, since they come back", () => {
    const card: Card = {
      step: 1,
      hash: "h",
      command: "c",
      preview: "details",
      text: "a\u202eb",
      rule: "",
      reason: "",
      sources: [],
      sensitive: false,
      args: { a: "a\u202eb" },
    };
    const shown = revealHiddenText({ type: "waiting", run: "r", card });
    const { args: _args, ...fixed } = card;
    const without = revealHiddenText({ type: "waiting", run: "r", card: fixed });
    const textOf = (message: PanelUpdate) =>
      message.type === "waiting" ? { text: message.card?.text, args: message.card?.args } : undefined;
    assert.deepEqual(
      {
        editable: textOf(shown),
        fixed: textOf(without),
        none: revealHiddenText({ type: "waiting", run: "r" }),
        notice: revealHiddenText({ type: "notice", kind: "info", text: "a\u202eb" }),
      },
      {
        editable: { text: "a⟨U+202E⟩b", args: { a: "a\u202eb" } },
        fixed: { text: "a⟨U+202E⟩b", args: undefined },
        none: { type: "waiting", run: "r" },
        notice: { type: "notice", kind: "info", text: "a⟨U+202E⟩b" },
      },
    );
  });
});

describe("a stored run as it was after a step", () => {
  it("can only be read, and has nothing of what happened later", async () => {
    const { events } = await recorded();
    const facts = (wanted: number) => {
      const [snapshot, ...pages] = listStepMessages("r", events, wanted);
      if (snapshot?.type !== "snapshot") return undefined;
      const { readOnly, running, continuous, speech, at } = snapshot;
      const steps = pages.flatMap((page) => (page.type === "page" ? page.steps.map(({ step }) => step) : []));
      const last = pages.at(-1);
      return {
        readOnly,
        running,
        continuous,
        speech,
        at,
        steps,
        waits: last?.type === "waiting" && last.card,
      };
    };
    const fixed = { readOnly: true, running: false, continuous: false, speech: false, waits: undefined };
    assert.deepEqual(
      { before: facts(-1), first: facts(1), last: facts(2), later: facts(7) },
      {
        before: { ...fixed, at: { step: 0, of: 2, changes: [] }, steps: [] },
        first: { ...fixed, at: { step: 1, of: 2, changes: [] }, steps: [1] },
        last: { ...fixed, at: { step: 2, of: 2, changes: [] }, steps: [1, 2] },
        later: { ...fixed, at: { step: 2, of: 2, changes: [] }, steps: [1, 2] },
      },
    );
  });
});

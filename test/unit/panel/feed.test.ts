import assert from "node:assert/strict";
import { NO_THOUGHTS } from "../../../src/core/reply/reply.ts";
import { eventForPanel, pagesForPanel, stateForPanel } from "../../../src/panel/feed.ts";
import type { AgentEvent } from "../../../src/schema/events.ts";
import { MAX_MESSAGE_CHARS } from "../../../src/schema/formats.ts";
import { says } from "../../support/fake-model.ts";
import { rehearse } from "../../support/rehearsal.ts";

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
      return { ...event, text: LONG, reply: REPLY };
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
      (event) => [event.type, size(eventForPanel(event)) < MAX_MESSAGE_CHARS] as const,
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

    const shown = eventForPanel({ ...ended, outcome: { status: "done", output: `begin${LONG}end` } });

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

    const pages = pagesForPanel("r", steps, false).filter((page) => page.type === "page");

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

    const shown = stateForPanel({ ...state, task: LONG, queued: [LONG, LONG] });

    assert.deepEqual(
      { recent: shown.recent, small: size(shown) < MAX_MESSAGE_CHARS },
      { recent: [], small: true },
    );
  });
});

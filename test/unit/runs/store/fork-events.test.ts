import assert from "node:assert/strict";
import { Run } from "../../../../src/core/events/run.ts";
import { rebuildStepPrompt } from "../../../../src/core/prompt/prompt.ts";
import {
  computeForkLimits,
  countEventsUpToStep,
  createForkEvents,
  findMessagePoint,
  isInstructionNeeded,
} from "../../../../src/runs/store/fork-events.ts";
import { Provenance } from "../../../../src/safety/provenance/provenance.ts";
import type { AgentEvent } from "../../../../src/schema/events.ts";
import { says } from "../../../support/fake-model.ts";
import { MemoryLog } from "../../../support/memory-log.ts";
import { rehearse } from "../../../support/rehearsal.ts";
import { sampleStart } from "../../../support/sample-run.ts";

/** A run of two notes that were read, and its end. */
async function parentEvents(): Promise<readonly AgentEvent[]> {
  const answers = [
    says("read_note", { title: "one" }),
    says("read_note", { title: "two" }),
    says("task_complete", { title: "Done." }),
  ];
  return (await rehearse({ answers })).log.events;
}

const CHILD = sampleStart({ id: "20260102_040000_scribe_0b2c", parent: sampleStart().id });
const AT = "2026-01-02T04:00:00.000Z";

describe("the events of a fork", () => {
  it("are its own start and the other run's past up to the step, paid for already", async () => {
    const events = await parentEvents();
    const forked = createForkEvents({ events, step: 1, foreign: false }, CHILD, AT);
    const { state } = Run.openStored(new MemoryLog(), forked);
    assert.deepEqual(
      {
        types: forked.map(({ type, seq }) => `${seq} ${type}`),
        id: state.id,
        usd: state.totals.usd,
        unpriced: state.totals.unpriced,
        steps: state.totals.steps,
      },
      {
        types: ["0 started", "1 asked", "2 replied", "3 decided", "4 began", "5 ended"],
        id: CHILD.id,
        usd: 0,
        unpriced: 0,
        steps: 1,
      },
    );
  });

  it("lead to the same prompt as the other run's, byte for byte", async () => {
    const events = await parentEvents();
    const [first] = events;
    assert.ok(first?.type === "started");
    const { seq: _seq, at: _at, ...started } = first;
    const forked = createForkEvents({ events, step: 2, foreign: false }, { ...started, id: CHILD.id }, AT);
    assert.deepEqual(rebuildStepPrompt(forked, 2)?.messages, rebuildStepPrompt(events, 2)?.messages);
  });

  it("start over when no step is taken over", async () => {
    const events = await parentEvents();
    assert.deepEqual(
      createForkEvents({ events, step: 0, foreign: false }, CHILD, AT).map(({ type }) => type),
      ["started"],
    );
  });

  it("quote what a run of another machine says as the words of others", async () => {
    const events = await parentEvents();
    const forked = createForkEvents({ events, step: 1, foreign: true }, CHILD, AT);
    const ended = forked.at(-1);
    assert.deepEqual(ended?.type === "ended" && ended.outcome.status === "done" && ended.outcome.source, {
      kind: "agent",
      name: `of another machine (${sampleStart().id})`,
    });
  });

  it("know of all that the other run received from others with its task and its past", async () => {
    const [first, ...past] = await parentEvents();
    assert.ok(first?.type === "started");
    const page = (name: string) => ({ kind: "web", name }) as const;
    const said = { type: "said", text: "More.", by: "agent", sources: [page("later")] } as const;
    const events = [{ ...first, sources: [page("first")] }, { ...said, seq: 1, at: AT }, ...past];
    const known = (step: number, foreign: boolean) => {
      const provenance = new Provenance();
      for (const event of createForkEvents({ events, step, foreign }, CHILD, AT)) provenance.apply(event);
      return provenance.sources.map(({ name }) => name);
    };
    assert.deepEqual(
      [known(0, false), known(1, false), known(0, true)],
      [
        ["first", "later"],
        ["first", "later"],
        ["first", `of another machine (${sampleStart().id})`, "later"],
      ],
    );
  });

  it("leave grants, pauses, changed limits and modes behind", async () => {
    const events = await parentEvents();
    const { run, log } = {
      run: Run.openStored(new MemoryLog(), events.slice(0, 6)),
      log: [...events.slice(0, 6)],
    };
    for (const body of [
      { type: "granted", count: 3 },
      { type: "changed", mode: "continuous", goals: ["Another"] },
      { type: "paused", reason: "Tea." },
    ] as const)
      log.push(await run.record(body));
    log.push({ ...events[5], seq: log.length } as AgentEvent);
    const forked = createForkEvents({ events: log, step: 1, foreign: false }, CHILD, AT);
    assert.deepEqual(
      forked.slice(6).map(({ seq: _seq, at: _at, ...body }) => body),
      [{ type: "changed", goals: ["Another"] }, (({ seq: _seq, at: _at, ...body }) => body)(log.at(-1) as AgentEvent)],
    );
  });

  it("count as many active minutes as the other run did, even if it was interrupted for a night", async () => {
    const events = await parentEvents();
    const begun = events.findIndex(({ type }) => type === "began");
    const night = events.slice(0, begun + 1).map((event) => ({ ...event, at: "2020-01-01T22:00:00.000Z" }));
    const { log, run } = await rehearse({
      answers: [says("task_complete", { title: "Done." })],
      events: night,
    });
    const forked = createForkEvents({ events: log.events, step: 1, foreign: false }, CHILD, log.events[0]?.at ?? AT);
    const { totals } = Run.openStored(new MemoryLog(), forked).state;
    assert.deepEqual(
      { isAsMuch: totals.activeMs <= run.state.totals.activeMs, isLessThanAMinute: totals.activeMs < 60_000 },
      { isAsMuch: true, isLessThanAMinute: true },
    );
  });

  it("cannot continue from a step that has not ended", async () => {
    const events = await parentEvents();
    assert.throws(() => countEventsUpToStep(events, 9), { message: /Step 9 hasn't ended/ });
  });

  it("need a word where the task was complete", async () => {
    const events = await parentEvents();
    assert.deepEqual(
      [1, 2, 3].map((step) => isInstructionNeeded(events, step)),
      [false, false, true],
    );
  });

  it("have limits that the past does not count against", () => {
    assert.deepEqual(
      computeForkLimits(
        { steps: 10, replies: 20, tokens: 5, minutes: 3, usd: 1 },
        { steps: 6, missed: 2, replies: 7, activeMs: 61_000 },
      ),
      { steps: 14, replies: 27, tokens: 5, minutes: 5, usd: 1 },
    );
  });
});

describe("an earlier message of the user, to be sent in other words", () => {
  const at = "2026-01-02T03:04:06.000Z";
  const say = (seq: number, text: string, by: "user" | "self" = "user") =>
    ({ seq, at, type: "said", text, by }) as const;

  const NONE = { attached: [], sources: [] };

  it("keeps the untrusted sources and the pictures of the messages that it joins", async () => {
    const events = await parentEvents();
    const end = countEventsUpToStep(events, 1);
    const [page, tool] = [
      { kind: "web", name: "https://a.b" },
      { kind: "tool", name: "t" },
    ] as const;
    const [one, other] = ["1", "2"].map((hash) => ({ hash, mime: "image/png", bytes: 1, width: 1, height: 1 }));
    const all = [
      ...events.slice(0, end),
      { ...say(100, "First."), sources: [page], attached: [one] },
      { ...say(101, "Second."), sources: [tool], attached: [other] },
    ] as unknown as readonly AgentEvent[];
    assert.deepEqual(findMessagePoint(all, 101), {
      step: 1,
      before: ["First."],
      attached: [one, other],
      sources: [page, tool],
    });
  });

  it("is said again after the last step before it, with the messages that came between", async () => {
    const events = await parentEvents();
    const end = countEventsUpToStep(events, 1);
    const all = [
      ...events.slice(0, end),
      say(100, "First."),
      say(101, "A doubt.", "self"),
      say(102, "Second."),
      ...events.slice(end),
      say(103, "Third."),
    ];
    const find = (seq: number): unknown => {
      try {
        return findMessagePoint(all, seq);
      } catch {
        return "none";
      }
    };
    assert.deepEqual([0, 100, 102, 103, 101, 999].map(find), [
      { step: 0, before: [], ...NONE },
      { step: 1, before: [], ...NONE },
      { step: 1, before: ["First."], ...NONE },
      { step: 3, before: [], ...NONE },
      "none",
      "none",
    ]);
  });

  it("isn't in the fork's past, even before the first step", async () => {
    const [started, ...events] = await parentEvents();
    assert.ok(started);
    const all = [
      started,
      say(1, "Hello."),
      say(2, "Old words."),
      ...events.map((event) => ({ ...event, seq: event.seq + 2 })),
    ];
    const forked = createForkEvents({ events: all, step: 0, foreign: false, until: 2 }, CHILD, AT);
    assert.deepEqual(
      forked.map((event) => (event.type === "said" ? event.text : event.type)),
      ["started", "Hello."],
    );
  });
});

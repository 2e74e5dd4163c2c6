import assert from "node:assert/strict";
import type { ApprovalRequest } from "../../../../src/core/ports/approver.ts";
import type { AgentEvent } from "../../../../src/schema/events.ts";
import { displayText } from "../../../../src/texts/display-text.ts";
import { type Answer, says } from "../../../support/fake-model.ts";
import { type FamilyRehearsal, type FamilyRehearsing, familyRehearsal } from "../../../support/family-rehearsal.ts";
import { deciding, ofType, outcomes } from "../../../support/rehearsal.ts";
import { NO_LIMITS } from "../../../support/sample-run.ts";

const FINISH = says("task_complete", { reason: "All is done." });

async function played(options: FamilyRehearsing): Promise<FamilyRehearsal> {
  const family = await familyRehearsal(options);
  family.live.resume();
  await family.live.end;
  await family.family.close();
  return family;
}

function told(events: readonly AgentEvent[]): string[] {
  return ofType(events, "child").map(({ name, what }) => `${name} ${what}`);
}

const never = (_request: unknown, { signal }: { readonly signal: AbortSignal }): Promise<never> =>
  new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));

describe("agents that work for a run", () => {
  it("stay paused when their user paused them, though the run waits for their answer", async () => {
    const paused = Promise.withResolvers<void>();
    const family = await familyRehearsal({
      parent: [
        says("start_agent", { name: "Reader", task: "Read.", background: true }),
        async () => {
          await paused.promise;
          return says("message_agent", { agent: 1 });
        },
        FINISH,
      ],
      agents: {
        Reader: [
          async () => {
            const [reader] = family.spawned;
            reader?.live.run.onEvent(({ type }) => type === "paused" && paused.resolve());
            reader?.live.pause();
            return says("do_nothing", { reason: "r" });
          },
          FINISH,
        ],
      },
    });
    let stayed: string | undefined;
    const looksAndGoesOn = async (): Promise<void> => {
      const [reader] = family.spawned;
      for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
      stayed = reader?.live.run.state.paused;
      reader?.live.resume();
    };
    family.live.run.onEvent((event) => {
      if (event.type === "began" && event.command === "message_agent") void looksAndGoesOn();
    });
    family.live.resume();
    await family.live.end;
    await family.family.close();
    assert.equal(stayed, "Paused by the user.");
  });

  it("are started, answer, receive messages, are listed and deleted, each in a run of its own", async () => {
    const { log, spawned } = await played({
      parent: [
        says("start_agent", { name: "Reader", task: "Say what a port is.", prompt: "Be brief." }),
        says("message_agent", { agent: 1, message: "And a berth?" }),
        says("list_agents"),
        says("delete_agent", { key: 1 }),
        says("list_agents"),
        FINISH,
      ],
      agents: {
        Reader: [
          says("task_complete", { reason: "A place for ships." }),
          says("task_complete", { reason: "A place for one ship." }),
        ],
      },
    });
    assert.deepEqual(
      {
        outcomes: outcomes(log.events),
        told: told(log.events),
        run: spawned[0]?.log.events.map(({ type }) => type).join(" "),
      },
      {
        outcomes: [
          "1 done: Agent 1 (Reader) answers:\nA place for ships. [object Object]",
          "2 done: Agent 1 (Reader) answers:\nA place for one ship. [object Object]",
          "3 done: Agents, of at most 3 at a time:\n1 Reader: Say what a port is. (has answered; 2 steps; 220 tokens, $0.0020)",
          "4 done: Agent 1 (Reader) is deleted.",
          "5 done: There are no agents.",
          "6 finished: All is done.",
        ],
        told: [
          "Reader started: Say what a port is.",
          "Reader finished (1 step, $0.0010).",
          "Reader finished (2 steps, $0.0020).",
          "Reader was deleted.",
        ],
        run: "started asked replied decided began ended over said resumed asked replied decided began ended over",
      },
    );
  });

  it("know the task, the prompt, their messages and nothing else, and are offered what they were lent", async () => {
    const { models, spawned } = await played({
      parent: [
        says("start_agent", { name: "A", task: "Look.", prompt: "The note is n.", commands: ["open_note"] }),
        says("start_agent", { name: "B", task: "Think." }),
        says("message_agent", { agent: 1, message: "Again." }),
        FINISH,
      ],
      agents: { A: [says("read_note", { title: "n" }), FINISH, FINISH], B: [FINISH] },
    });
    const messages = models.get("A")?.requests[2]?.messages ?? [];
    assert.deepEqual(
      {
        offered: spawned.map(({ log }) =>
          ofType(log.events, "started").flatMap(({ commands }) => commands.map(({ name }) => name)),
        ),
        knows: ["# Task\nLook.\n\nThe note is n.", "The agent that you work for says: Again.", "Tidy the notes"].map(
          (text) => messages.some(({ content }) => content.includes(text)),
        ),
      },
      { offered: [["read_note", "task_complete"], ["task_complete"]], knows: [true, true, false] },
    );
  });

  it("work beside each other and beside the run", async () => {
    const both = Promise.withResolvers<void>();
    let here = 0;
    const meet = async () => {
      if (++here === 2) both.resolve();
      await both.promise;
      return FINISH;
    };
    const { log } = await played({
      parent: [
        says("start_agent", { name: "A", task: "a", background: true }),
        says("start_agent", { name: "B", task: "b", background: true }),
        says("read_note", { title: "n" }),
        says("message_agent", { agent: 1 }),
        says("message_agent", { agent: 2 }),
        FINISH,
      ],
      agents: { A: [meet], B: [meet] },
    });
    assert.deepEqual(
      outcomes(log.events).map((line) => line.slice(0, 48)),
      [
        "1 done: Agent 1 (A) works in the background. Get",
        "2 done: Agent 2 (B) works in the background. Get",
        '3 done: The note "n" is empty.',
        "4 done: Agent 1 (A) answers:\nAll is done. [objec",
        "5 done: Agent 2 (B) answers:\nAll is done. [objec",
        "6 finished: All is done.",
      ].map((line) => line.slice(0, 48)),
    );
  });

  it("receive messages while they work", async () => {
    const told = Promise.withResolvers<void>();
    const { models } = await played({
      parent: [
        says("start_agent", { name: "A", task: "a", background: true }),
        async () => {
          told.resolve();
          return says("message_agent", { agent: 1, message: "One more thing." });
        },
        FINISH,
      ],
      agents: { A: [() => told.promise.then(() => FINISH), FINISH] },
    });
    assert.match(JSON.stringify(models.get("A")?.requests.at(-1)?.messages), /One more thing\./);
  });

  it("ask the user in their own name, with no grant of the run's", async () => {
    const asks = deciding({ allow: true }, { allow: false, feedback: "No." });
    const granted: { now(): void } = { now: () => undefined };
    const family = await familyRehearsal({
      parent: [
        async () => {
          granted.now();
          return says("start_agent", { name: "Writer", task: "w", commands: ["write_note"] });
        },
        FINISH,
      ],
      agents: {
        Writer: [says("write_note", { title: "a" }), says("write_note", { title: "b" }), FINISH],
      },
      asks,
    });
    granted.now = () => family.grants.grantNext(5);
    family.live.resume();
    await family.live.end;
    assert.deepEqual(
      {
        deeds: family.deeds,
        left: family.grants.left,
        why: asks.requests.map((request: ApprovalRequest) => request.why?.reason),
      },
      {
        deeds: ["write a"],
        left: 5,
        why: [
          'The agent "Writer", which works for the run, asks. It changes files.',
          'The agent "Writer", which works for the run, asks. It changes files.',
        ],
      },
    );
  });

  it("are under the run's plan-first mode", async () => {
    const { spawned } = await played({
      parent: [says("start_agent", { name: "W", task: "w", commands: ["write_note"] }), FINISH],
      agents: { W: [says("write_note", { title: "a" }), FINISH] },
      start: { mode: "plan" },
    });
    assert.match(outcomes(spawned[0]?.log.events ?? [])[0] ?? "", /The user wants a plan first/);
  });

  it("are in continuous mode while the run is, by a count of their own", async () => {
    const asks = deciding();
    const { deeds, family, spawned, ...run } = await familyRehearsal({
      parent: [
        says("start_agent", { name: "W", task: "w", commands: ["write_note"] }),
        async () => {
          run.grants.stopContinuous();
          return says("message_agent", { agent: 1, message: "More." });
        },
        FINISH,
      ],
      agents: {
        W: [says("write_note", { title: "a" }), FINISH, says("write_note", { title: "b" }), FINISH],
      },
      asks,
      continuous: 3,
    });
    run.live.resume();
    await run.live.end;
    assert.deepEqual(
      {
        deeds,
        asked: asks.requests.map(({ proposal }) => proposal.call.name),
        by: ofType(spawned[0]?.log.events ?? [], "decided").map(({ by }) => by),
      },
      {
        deeds: ["write a", "write b"],
        asked: ["write_note"],
        by: ["continuous", "rule", "user", "rule"],
      },
    );
  });

  it("know of what others wrote as soon as the run does, so that it cannot be slipped through them", async () => {
    const { spawned, log } = await played({
      parent: [says("fetch_note"), says("start_agent", { name: "W", task: "w" }), FINISH],
      agents: { W: [FINISH] },
    });
    assert.deepEqual(
      [spawned[0]?.provenance.sources, ofType(log.events, "ended")[1]?.outcome],
      [
        [{ kind: "web", name: "a.example" }],
        {
          status: "done",
          output: "Agent 1 (W) answers:\nAll is done.",
          summary: displayText("results.agentAnswered", { text: "All is done." }),
          source: { kind: "agent", name: "W" },
        },
      ],
    );
  });

  it("record in their logs what the run has passed on to them from others, so that a fork knows of it too", async () => {
    const { spawned } = await played({
      parent: [
        says("start_agent", { name: "Early", task: "e" }),
        says("fetch_note"),
        says("message_agent", { agent: 1, message: "More." }),
        says("message_agent", { agent: 1, message: "And more." }),
        says("start_agent", { name: "Late", task: "l" }),
        FINISH,
      ],
      agents: { Early: [FINISH, FINISH, FINISH], Late: [FINISH] },
    });
    const told = spawned.map(({ log }) =>
      [...ofType(log.events, "started"), ...ofType(log.events, "said")].map(({ sources }) =>
        sources?.map(({ name }) => name),
      ),
    );
    assert.deepEqual(told, [[undefined, ["a.example"], ["Early"]], [["a.example", "Early"]]]);
  });

  it("stop when the run stops, even while they think", async () => {
    const family = await familyRehearsal({
      parent: [
        says("start_agent", { name: "A", task: "a", background: true }),
        says("start_agent", { name: "B", task: "b" }),
      ],
      agents: { A: [never], B: [never] },
    });
    const begun = Promise.withResolvers<void>();
    family.live.run.onEvent((event) => event.type === "child" && event.name === "B" && begun.resolve());
    family.live.resume();
    await begun.promise;
    await family.live.stop();
    assert.deepEqual(
      [...family.spawned.map(({ log }) => log.events.at(-1)), family.log.events.at(-1)].map((event) =>
        event?.type === "over" ? event.end : event,
      ),
      [{ reason: "stopped" }, { reason: "stopped" }, { reason: "stopped" }],
    );
  });

  it("resume when the run does and messages them again, after both were stopped", async () => {
    const begun = Promise.withResolvers<void>();
    const begins: Answer = (request, completing) => {
      begun.resolve();
      return never(request, completing);
    };
    const family = await familyRehearsal({
      parent: [
        says("start_agent", { name: "A", task: "a" }),
        says("message_agent", { agent: 1, message: "Go on." }),
        FINISH,
      ],
      agents: { A: [begins, FINISH] },
    });
    family.live.resume();
    await begun.promise;
    await family.live.stop();
    family.live.resume();
    await family.live.end;
    assert.deepEqual(
      outcomes(family.log.events).map((line) => line.split(".")[0]),
      [
        "1 failed: The run was interrupted while this command ran",
        "2 done: Agent 1 (A) answers:\nAll is done",
        "3 finished: All is done",
      ],
    );
  });

  it("give back what they did not spend, and the run waits for that where it can do nothing without", async () => {
    const { log } = await played({
      parent: [
        says("start_agent", { name: "A", task: "a", budget_percent: 90, background: true }),
        says("message_agent", { agent: 1 }),
        FINISH,
      ],
      agents: { A: [FINISH] },
      start: { limits: { ...NO_LIMITS, tokens: 10_000 } },
    });
    assert.deepEqual(
      outcomes(log.events).map((line) => line.slice(0, 20)),
      ["1 done: Agent 1 (A) ", "2 done: Agent 1 (A) ", "3 finished: All is d"],
    );
  });

  it("are no more than the user allows, and are not started by agents", async () => {
    const { log } = await played({
      most: 1,
      parent: [
        says("start_agent", { name: "A", task: "a", commands: ["start_gpt_agent"] }),
        says("start_agent", { name: "A", task: "a", commands: ["raed_note"] }),
        says("start_agent", { name: "A", task: "a" }),
        says("start_agent", { name: "B", task: "b" }),
        says("delete_agent", { agent: 1 }),
        says("start_agent", { name: "B", task: "b" }),
        says("message_agent", { agent: 1, message: "m" }),
        FINISH,
      ],
      agents: { A: [says("start_agent", { name: "C", task: "c" }), FINISH], B: [FINISH] },
    });
    assert.deepEqual(
      outcomes(log.events).map((line) => line.split(". ")[0]),
      [
        '1 failed: "start_agent" cannot be given to an agent: agents start no others',
        '2 failed: There is no command "raed_note" to give to an agent',
        "3 done: Agent 1 (A) answers:\nAll is done",
        "4 failed: No more agents: the limit autogpt.agents.max (1) is reached",
        "5 done: Agent 1 (A) is deleted.",
        "6 done: Agent 2 (B) answers:\nAll is done",
        "7 failed: There is no agent 1",
        "8 finished: All is done.",
      ],
    );
  });
});

describe("an agent's answer", () => {
  it("is quoted as data, and is a stranger's word only when it has read one's", async () => {
    const { log, provenance } = await played({
      parent: [
        says("start_agent", { name: "Clean", task: "a" }),
        says("start_agent", { name: "Reader", task: "b", commands: ["fetch_note"] }),
        FINISH,
      ],
      agents: { Clean: [FINISH], Reader: [says("fetch_note"), FINISH] },
    });
    assert.deepEqual(
      {
        sources: ofType(log.events, "ended").map(({ outcome }) => "source" in outcome && outcome.source),
        untrusted: provenance.sources,
      },
      {
        sources: [{ kind: "agent", name: "Clean", isClean: true }, { kind: "agent", name: "Reader" }, false],
        untrusted: [{ kind: "agent", name: "Reader" }],
      },
    );
  });

  it("is missing when its share is spent or it goes round in circles, and the run learns why", async () => {
    const { log } = await played({
      parent: [says("start_agent", { name: "A", task: "a", commands: ["read_note"], budget_percent: 10 }), FINISH],
      agents: { A: [says("read_note", { title: "n" })] },
      start: { limits: { ...NO_LIMITS, steps: 21 } },
    });
    assert.match(
      outcomes(log.events)[0] ?? "",
      /^1 failed: Agent 1 \(A\) gave no answer: it has used up its share of the budget \(steps\)\./,
    );
  });
});

describe("a run that is resumed after its program was closed", () => {
  it("sees its agents as gone, says so, and gives their numbers to no other", async () => {
    const before = await played({
      parent: [says("start_agent", { name: "A", task: "a" }), says("list_agents"), FINISH],
      agents: { A: [FINISH] },
    });
    const { log } = await played({
      events: before.log.events,
      parent: [
        says("list_agents"),
        says("message_agent", { agent: 1, message: "m" }),
        says("start_agent", { name: "B", task: "b" }),
        FINISH,
      ],
      agents: { B: [FINISH] },
    });
    const after = log.events.slice(before.log.events.length);
    assert.deepEqual(
      { told: told(after), outcomes: outcomes(after).map((line) => line.slice(0, 60)) },
      {
        told: [
          "A is gone: its work ended when the program was closed.",
          "B started: b",
          "B finished (1 step, $0.0010).",
        ],
        outcomes: [
          "4 done: Agents, of at most 3 at a time:\n1 A: a (gone: the progr",
          "5 failed: Agent 1 (A) is gone: its work ended when the progr",
          "6 done: Agent 2 (B) answers:\nAll is done. [object Object]",
          "7 finished: All is done.",
        ].map((line) => line.slice(0, 60)),
      },
    );
  });
});

import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { createBinding, signDecision } from "../../../src/fleet/decision.ts";
import { createFleetKey, type FleetKey } from "../../../src/fleet/key.ts";
import { createMessageWriter } from "../../../src/fleet/message.ts";
import { openQuestion, sealQuestion } from "../../../src/fleet/question.ts";
import { AnswerDesk } from "../../../src/headless/fleet/answer-desk.ts";
import {
  addRequest,
  hasRequests,
  readServedRecord,
  writeServedRecord,
} from "../../../src/headless/fleet/served-runs.ts";
import type { LiveComposedRun } from "../../../src/runtime/composed-run.ts";
import type { FleetDecision } from "../../../src/schema/fleet/decisions.ts";
import type { AskedQuestion, ServedRecord } from "../../../src/schema/fleet/served.ts";
import { says } from "../../support/fake-model.ts";
import { onFaultyDisk } from "../../support/faulty-disk.ts";
import { ofType, outcomes, type Rehearsal, rehearsal } from "../../support/rehearsal.ts";
import { tempFolders } from "../../support/temp-folders.ts";

const RUN = "20260102_030405_remote_0a1b";
const ASK = says("ask_user", { title: "Which color?" });
const FINISH = says("task_complete", { reason: "Done." });
const BLUE = { kind: "said", text: "blue" } as const;

/** A machine that works on a run, and its user, who has the same key. */
class Machine {
  readonly data: string;
  readonly key: FleetKey;
  private readonly home: string;
  readonly main: Rehearsal;
  private desk: AnswerDesk | undefined;
  /** How often a question was found that nobody had answered. */
  waits = 0;

  constructor(folders: { readonly data: string; readonly home: string }, key: FleetKey, main: Rehearsal) {
    this.data = folders.data;
    this.home = folders.home;
    this.key = key;
    this.main = main;
  }

  async readRecord(): Promise<ServedRecord | undefined> {
    return readServedRecord(this.data, RUN);
  }

  /** The question that the record shows. */
  async readQuestion(): Promise<AskedQuestion | undefined> {
    const asked = (await this.readRecord())?.asked;
    return asked && openQuestion(this.key, RUN, asked);
  }

  /** Begins with the run. `asked`: what the attempt before has asked. */
  async begin({ attempt = 1, asked }: { readonly attempt?: number; readonly asked?: AskedQuestion } = {}) {
    const { data, key, home, main } = this;
    const facts = { version: 1, run: RUN, repository: "", startedAt: "", refused: [], handled: [] } as const;
    const record: ServedRecord = { ...facts, ...(asked ? { asked: sealQuestion(key, asked) } : {}) };
    await writeServedRecord(data, record);
    const handleQuestion = (): void => {
      this.waits += 1;
    };
    this.desk = new AnswerDesk({ data, key, attempt, record, handleQuestion });
    // The desk uses no other parts of a run.
    await this.desk.begin({ id: RUN, home, live: main.live, run: main.run } as LiveComposedRun);
    main.live.resume();
    return this.desk;
  }

  async decide(asked: Pick<AskedQuestion, "binding">, answer: FleetDecision["answer"] = BLUE, id = "r-1") {
    const { data, key } = this;
    const decision = await signDecision(asked.binding, answer, { data, key, nowMs: Date.now() });
    await addRequest(data, RUN, { type: "decide", id, decision });
  }

  async waitForQuestion(): Promise<AskedQuestion> {
    for (;;) {
      const question = await this.readQuestion();
      if (question) return question;
      await pause(2);
    }
  }

  /** Resolves once no request waits. Another one lets the machine look again. */
  async settle(): Promise<void> {
    await addRequest(this.data, RUN, { type: "tell", id: "r-1", message: "" });
    while (await hasRequests(this.data, RUN)) await pause(2);
  }

  async close(): Promise<void> {
    await this.main.live.suspend();
    await this.desk?.end();
  }
}

/** Resolves `tried` once something was written to a disk that is full. */
function watchDisk() {
  const { promise, resolve } = Promise.withResolvers<void>();
  const isFull = (): boolean => {
    resolve();
    return true;
  };
  return { tried: promise, isFull };
}

describe("a machine that asks for a run in another place", () => {
  const tempFolder = tempFolders();
  const machines: Machine[] = [];

  async function open(...answers: Parameters<typeof rehearsal>[0]["answers"]): Promise<Machine> {
    const data = await tempFolder();
    const main = await rehearsal({ answers });
    const machine = new Machine({ data, home: await tempFolder() }, await createFleetKey(data), main);
    machines.push(machine);
    return machine;
  }

  afterEach(async () => {
    for (const machine of machines.splice(0)) await machine.close();
  });

  /** The question of the attempt before, about the same. */
  const askBefore = (text: string): AskedQuestion => ({
    binding: createBinding(RUN, 1, { kind: "question", text }, { nowMs: Date.now() }),
    text,
  });

  it("takes an answer that didn't fit on its disk once there is room", async () => {
    const machine = await open(ASK, FINISH);
    await machine.begin();
    const question = await machine.waitForQuestion();
    const { tried, isFull } = watchDisk();
    const answer = async (): Promise<void> => {
      await machine.decide(question);
      await tried;
    };
    await onFaultyDisk("ENOSPC", /fleet\/decisions\/./, answer, isFull);
    await machine.settle();
    await machine.main.live.end;

    assert.deepEqual(
      { outcomes: outcomes(machine.main.log.events)[0], refused: (await machine.readRecord())?.refused },
      { outcomes: "1 done: The user answers: blue", refused: [] },
    );
  });

  it("carries out an answer once, and doesn't refuse it, if only its record didn't fit on its disk", async () => {
    const machine = await open(ASK, ASK, FINISH);
    await machine.begin();
    const question = await machine.waitForQuestion();
    const { tried, isFull } = watchDisk();
    const answer = async (): Promise<void> => {
      await machine.decide(question);
      await tried;
    };
    await onFaultyDisk("ENOSPC", /record\.json/, answer, isFull);
    await machine.settle();
    const { refused, handled } = (await machine.readRecord()) ?? {};

    assert.deepEqual(
      { outcomes: outcomes(machine.main.log.events), refused, handled, deeds: machine.main.deeds },
      { outcomes: ["1 done: The user answers: blue"], refused: [], handled: ["r-1"], deeds: ["ask Which color?"] },
    );
  });

  it("hears words once, even if it has no room to write that down", async () => {
    const machine = await open(ASK, ASK, FINISH);
    await machine.begin();
    await machine.waitForQuestion();
    const { tried, isFull } = watchDisk();
    const message = await createMessageWriter(machine)(RUN, { kind: "said", text: "blue" });
    const say = async (): Promise<void> => {
      await addRequest(machine.data, RUN, { type: "tell", id: "r-1", message });
      await tried;
    };
    await onFaultyDisk("ENOSPC", /heard\.json/, say, isFull);
    await addRequest(machine.data, RUN, { type: "tell", id: "r-2", message });
    await machine.settle();
    const { refused, handled } = (await machine.readRecord()) ?? {};

    assert.deepEqual(
      { deeds: machine.main.deeds, said: ofType(machine.main.log.events, "said"), refused, handled },
      { deeds: ["ask Which color?"], said: [], refused: [], handled: ["r-1", "r-2"] },
    );
  });

  it("shows no question once its agent has gone, even if there was no room for it before", async () => {
    const machine = await open(ASK, FINISH);
    const agent = await rehearsal({ answers: [ASK] });
    const desk = await machine.begin();
    await machine.decide(await machine.waitForQuestion());
    await machine.main.live.end;
    while (await machine.readQuestion()) await pause(2);
    const { tried, isFull } = watchDisk();
    desk.person.createApprover({ live: agent.live } as LiveComposedRun);
    const ask = async (): Promise<void> => {
      agent.live.resume();
      await tried;
      await agent.live.stop();
    };
    await onFaultyDisk("ENOSPC", /record\.json/, ask, isFull);
    await machine.settle();

    assert.equal(await machine.readQuestion(), undefined);
  });

  it("takes an answer to the attempt before at once, as soon as the same is asked again", async () => {
    const machine = await open(ASK, FINISH);
    const asked = askBefore("Which color?");
    await machine.decide(asked);
    await machine.begin({ attempt: 2, asked });
    await machine.main.live.end;

    assert.deepEqual(
      { outcomes: outcomes(machine.main.log.events)[0], waits: machine.waits },
      { outcomes: "1 done: The user answers: blue", waits: 0 },
    );
  });

  it("refuses an answer to the attempt before if it asks for something else by now, and asks", async () => {
    const machine = await open(ASK, FINISH);
    const asked = askBefore("Which size?");
    await machine.decide(asked);
    await machine.begin({ attempt: 2, asked });
    while (machine.waits === 0) await pause(2);

    assert.deepEqual(
      {
        text: (await machine.readQuestion())?.text,
        refused: (await machine.readRecord())?.refused.map(({ why }) => why),
        deeds: machine.main.deeds,
      },
      {
        text: "Which color?",
        refused: ["What was asked has changed since the answer. Look at the new question, then answer it."],
        deeds: [],
      },
    );
  });

  it("refuses an answer that came before anything was asked", async () => {
    const machine = await open(ASK, FINISH);
    await machine.decide(askBefore("Which color?"));
    await machine.begin();
    await machine.waitForQuestion();

    assert.deepEqual(
      (await machine.readRecord())?.refused.map(({ why }) => why),
      ["The question no longer waited when the answer came. If the run asks again, answer that."],
    );
  });
});

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { FleetClient } from "../../../../src/fleet/client/fleet-client.ts";
import type { FleetEvent } from "../../../../src/fleet/engine.ts";
import { createFleetKey, type FleetKey } from "../../../../src/fleet/key.ts";
import { sealQuestion } from "../../../../src/fleet/question.ts";
import { createFleetCodec } from "../../../../src/fleet/temporal/codec.ts";
import { sealLine } from "../../../../src/runs/log/log-seal.ts";
import { loadFleetMarks } from "../../../../src/runs/store/fleet-marks.ts";
import { FLEET_RUN } from "../../../support/fleet-machines.ts";
import { type LyingAnswers, LyingTemporal } from "../../../support/lying-temporal.ts";
import { sampleStart } from "../../../support/sample-run.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

const PROGRAM = fileURLToPath(new URL("../../../../src/fleet/client/client-program.ts", import.meta.url));
const OTHER_RUN = "20260102_030405_scribe_9z9z";
const [RUNNING, COMPLETED] = [1, 2];
/** Nearly as much as gRPC takes. */
const LONG = "x".repeat(3_000_000);

describe("a Temporal server that lies", function () {
  this.timeout(60_000);
  const tempFolder = tempFolders();
  const client = new FleetClient(PROGRAM);
  const servers: LyingTemporal[] = [];

  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
  });
  after(() => client.close());

  /** What the server has: values that it has got from machines of the fleet, and those that it makes itself. */
  async function openLoot(key: FleetKey, data: string) {
    const marks = await loadFleetMarks(data);
    assert.ok(marks);
    const { encode } = createFleetCodec(key);
    const plain = (value: unknown) => ({
      metadata: { encoding: Buffer.from("json/plain") },
      data: Buffer.from(JSON.stringify(value)),
    });
    const start = (run: string): string => {
      const event = {
        seq: 0,
        at: "2026-01-02T03:04:05Z",
        ...sampleStart({ id: run, machine: marks.computeMark(run) }),
      };
      return sealLine(JSON.stringify(event), "", marks.createSeal(run, 1));
    };
    const asked = (run: string) => {
      const binding = { run, attempt: 1, id: "1", hash: "0".repeat(64), expiresMs: 1 };
      return sealQuestion(key, { binding, text: "Send the key?" });
    };
    const beat = (more: object): string =>
      JSON.stringify({ stretch: 1, first: 0, stored: 0, steps: 0, lines: [], ...more });
    return { plain, start, asked, beat, encrypt: async (value: unknown) => (await encode([plain(value)]))[0] };
  }
  type Loot = Awaited<ReturnType<typeof openLoot>>;

  /** A window's client of a fleet whose server gives these answers. */
  async function openLied(createAnswers: (loot: Loot) => Promise<LyingAnswers> | LyingAnswers) {
    const data = await tempFolder();
    const loot = await openLoot(await createFleetKey(data), data);
    const server = await LyingTemporal.start(await createAnswers(loot));
    servers.push(server);
    return { engine: client.open({ name: server.place, folder: data, data, sender: "Ada" }), server };
  }

  /** A run as the server describes it, with this last sign of life. */
  function describeRun(payload: unknown, more: object = {}, status = RUNNING): object {
    const execution = { workflowId: FLEET_RUN, runId: "r" };
    return {
      workflowExecutionInfo: {
        execution,
        status,
        historyLength: 5,
        taskQueue: "q",
        type: { name: "workOnRun" },
        startTime: { seconds: 1 },
        ...more,
      },
      pendingActivities: [{ activityId: "1", state: 2, heartbeatDetails: { payloads: [payload] } }],
    };
  }

  /** The first events of a watched run, and why it can't be watched. */
  async function watch(createPayload: (loot: Loot) => unknown): Promise<readonly string[]> {
    const { engine } = await openLied(async (loot) => ({
      DescribeWorkflowExecution: describeRun(await createPayload(loot)),
      SignalWorkflowExecution: {},
    }));
    const seen: string[] = [];
    try {
      for await (const event of engine.watch(FLEET_RUN, "", AbortSignal.timeout(20_000))) {
        seen.push(nameEvent(event));
        return seen;
      }
      return [...seen, "ended"];
    } catch (error) {
      const why = error instanceof Error ? error.message : "";
      return [...seen, why.replace(/^127\.0\.0\.1:\d+/, "HOST").replace(/, so .*/, "")];
    }
  }

  function nameEvent(event: FleetEvent): string {
    if (event.type === "connection") return `lost: ${event.isLost ? event.why?.slice(0, 80) : ""}`;
    return event.type === "asks" ? `asks ${event.question?.text}` : event.type;
  }

  it("gets nothing shown that it has made, or that was written for another run", async () => {
    const foreign = createFleetCodec(await createFleetKey(await tempFolder()));
    const held = { held: "It works." };
    const found = {
      own: await watch(({ encrypt, beat, start }) =>
        encrypt(beat({ lines: [{ type: "stored", line: start(FLEET_RUN) }] })),
      ),
      plain: await watch(({ plain, beat }) => plain(beat(held))),
      long: await watch(({ plain }) => plain(LONG)),
      foreign: await watch(async ({ plain, beat }) => (await foreign.encode([plain(beat(held))]))[0]),
      otherRun: await watch(({ encrypt, beat, start }) =>
        encrypt(beat({ lines: [{ type: "stored", line: start(OTHER_RUN) }] })),
      ),
      question: await watch(({ encrypt, beat, asked }) => encrypt(beat({ asked: asked(OTHER_RUN) }))),
      prototype: await watch(({ encrypt, beat }) =>
        encrypt(beat(held).replace(/^{/, '{"__proto__":{"held":"polluted"},"constructor":{},')),
      ),
      escapes: await watch(({ encrypt, beat }) => encrypt(beat({ held: "It \u001b[2Kworks. \u202Etxt" }))),
    };

    assert.deepEqual(found, {
      own: ["stored"],
      plain: ["lost: A value of the fleet isn't encrypted with its key."],
      long: ["lost: A value of the fleet isn't encrypted with its key."],
      foreign: ["The run was sent with another fleet key than that of this machine"],
      otherRun: ["HOST sent a log that none of your machines has written"],
      question: ["The question that arrived wasn't asked by a machine with your fleet key"],
      prototype: ["lost: It works."],
      escapes: ["lost: It ⟨U+001B⟩[2Kworks. ⟨U+202E⟩txt"],
    });
  });

  it("can't have an answer sent to another run, or list a run by the name of another one", async () => {
    const order = (run: string) => JSON.stringify({ version: 1, run, repository: "/r", task: "Tidy.", startedAt: "" });
    const { engine, server } = await openLied(async ({ encrypt }) => {
      const beat = JSON.stringify({ stretch: 1, first: 0, stored: 0, steps: 0, lines: [] });
      const memo = { fields: { order: await encrypt(order(OTHER_RUN)) } };
      const answer = describeRun(await encrypt(beat), { memo }, COMPLETED);
      const { workflowExecutionInfo: info } = answer as { readonly workflowExecutionInfo: object };
      return {
        DescribeWorkflowExecution: answer,
        ListWorkflowExecutions: { executions: [info] },
        GetWorkflowExecutionHistory: { history: { events: [] } },
        SignalWithStartWorkflowExecution: { runId: "r" },
      };
    });
    const signal = AbortSignal.timeout(20_000);
    const said = await engine.say(FLEET_RUN, "Take blue.", signal).then(
      () => "sent",
      (error: Error) => error.message,
    );

    assert.deepEqual(
      {
        said,
        listed: await engine.list(signal),
        found: await engine.find(FLEET_RUN, signal),
        isSignaled: server.calls.includes("SignalWithStartWorkflowExecution"),
      },
      {
        said: `There's no run "${FLEET_RUN}" here. Look for its name in the list of runs.`,
        listed: [],
        found: undefined,
        isSignaled: false,
      },
    );
  });
});

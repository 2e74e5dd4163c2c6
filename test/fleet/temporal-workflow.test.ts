import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { WorkflowHandle } from "@temporalio/client";
import { historyToJSON } from "@temporalio/common/lib/proto-utils.js";
import { Worker } from "@temporalio/worker";
import type { RunMail } from "../../packages/worker/src/workflow.ts";
import { PlayedStretches, WORKFLOW_BUNDLE } from "../../packages/worker/test/played-stretches.ts";
import { skipIfLacking } from "../support/fleet-needs.ts";
import { buildWorker } from "../support/temporal-fleet.ts";
import { explainNoTemporal, startTemporalServer, type TemporalServer } from "../support/temporal-server.ts";

const HISTORIES = fileURLToPath(new URL("../fixtures/waiting-runs.json", import.meta.url));
/** With more events than that, the server suggests to begin another history. */
const LONG_HISTORY = 24;
const STRETCHES = 14;

describe("the workflow of a run", function () {
  this.timeout(120_000);
  let folder: string;
  let server: TemporalServer;
  let runs: PlayedStretches;

  before(async function () {
    skipIfLacking(this, explainNoTemporal());
    buildWorker();
    const settings = ["--dynamic-config-value", `limit.historyCount.suggestContinueAsNew=${LONG_HISTORY}`];
    folder = await mkdtemp(join(tmpdir(), "autogpt-workflow-"));
    server = await startTemporalServer(folder, settings);
    runs = await PlayedStretches.start(server);
  });
  after(async () => {
    await runs?.close();
    await server?.kill();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });

  const waitForStretch = async (run: string, number: number): Promise<void> => {
    while (runs.listSeen(run).at(-1)?.number !== number) await pause(20);
  };

  it("keeps its requests, its news, its watchers and its order when its history begins from the start", async () => {
    let mail: RunMail | undefined;
    const first = await runs.begin("long", 1, async ({ number }, handle) => {
      if (number === 2) await handle.signal("watch");
      // It takes the first request and waits for the next one.
      if (number === STRETCHES - 1) return { state: "waits", taken: 1 };
      if (number < STRETCHES) return {};
      mail = await handle.query<RunMail>("mail");
      return { state: "over", taken: 1 };
    });
    const { runId } = await first.describe();
    await waitForStretch("long", STRETCHES - 1);
    await runs.client.workflow.getHandle("long").signal("request", "second");
    await runs.client.workflow.getHandle("long").result();
    const last = await runs.client.workflow.getHandle("long").describe();

    assert.deepEqual(
      {
        isSame: last.runId === runId,
        seen: runs.listSeen("long"),
        mail,
        memo: last.memo,
        events: last.historyLength <= 40,
      },
      {
        isSame: false,
        seen: Array.from({ length: STRETCHES }, (_, at) => ({
          number: at + 1,
          ...(at > 0 ? { before: `news ${at}` } : {}),
        })),
        mail: { requests: ["second"], watches: 1 },
        memo: { order: "the order of long" },
        events: true,
      },
    );
  });

  it("ends when its workers are lost one after the other, and gets all its lives again after a good stretch", async () => {
    const lost = async (): Promise<never> => {
      throw new Error("The worker was lost.");
    };
    const good = await runs.begin("good", 2, async ({ number }) => {
      if (number === 6) return { state: "over", taken: 1 };
      return number === 3 ? {} : lost();
    });
    const bad = await runs.begin("bad", 2, lost);
    const ended = (handle: WorkflowHandle): Promise<string> =>
      handle.result().then(
        () => "completed",
        () => "failed",
      );

    assert.deepEqual(
      {
        good: await ended(good),
        bad: await ended(bad),
        stretches: [runs.listSeen("good").length, runs.listSeen("bad").length],
      },
      { good: "completed", bad: "failed", stretches: [6, 3] },
    );
  });

  if (process.env.GOLDEN === "update")
    it("has histories of runs that wait, each in another way", async () => {
      const handles: Readonly<Record<string, WorkflowHandle>> = {
        working: await runs.begin("working", 2, runs.stay),
        waiting: await runs.begin("waiting", 2, async () => ({ state: "waits", taken: 1 })),
        held: await runs.begin("held", 2, async () => ({ state: "held", taken: 1 })),
        lost: await runs.begin("lost", 2, async ({ number }) => {
          if (number === 1) throw new Error("The worker was lost.");
          return { state: "waits", taken: 1 };
        }),
        long: await runs.begin("waits long", 2, async ({ number }) =>
          number < STRETCHES ? {} : { state: "waits", taken: 1 },
        ),
      };
      await handles.waiting?.signal("watch");
      await waitForStretch("waits long", STRETCHES);
      await pause(2_000);
      const entries = Object.entries(handles).map(async ([name, { workflowId }]) => {
        const history = await runs.client.workflow.getHandle(workflowId).fetchHistory();
        return [name, JSON.stringify(JSON.parse(historyToJSON(history)))] as const;
      });
      const lines = (await Promise.all(entries)).map(([name, history]) => `${JSON.stringify(name)}: ${history}`);
      writeFileSync(HISTORIES, `{\n${lines.join(",\n")}\n}\n`);
      assert.equal(lines.length, 5);
    });
});

describe("a run that waits since an earlier version", function () {
  this.timeout(120_000);
  const histories: Readonly<Record<string, unknown>> = JSON.parse(readFileSync(HISTORIES, "utf8"));

  before(buildWorker);

  for (const [name, history] of Object.entries(histories))
    it(`is continued by today's workflow: ${name}`, async () => {
      const replayed = await Worker.runReplayHistory({ workflowBundle: WORKFLOW_BUNDLE }, history, name).then(
        () => "continued",
        (error: Error) => error.message,
      );
      assert.equal(replayed, "continued");
    });
});

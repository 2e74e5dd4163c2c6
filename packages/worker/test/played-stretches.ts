import { fileURLToPath } from "node:url";
import { Context } from "@temporalio/activity";
import { Client, Connection, type WorkflowHandle } from "@temporalio/client";
import { NativeConnection, Runtime, Worker } from "@temporalio/worker";
import { WORKFLOW } from "../../../src/fleet/temporal/connection.ts";
import type { TemporalServer } from "../../../test/support/temporal-server.ts";
import type { FinishedStretch, OrderedStretch } from "../src/workflow.ts";

/** The workflow of runs as it's shipped, once the worker is built. */
export const WORKFLOW_BUNDLE = {
  codePath: fileURLToPath(new URL("../../../dist-worker/workflow-bundle.js", import.meta.url)),
};
const QUEUE = "played";

/** How a stretch ends; one that throws is lost with its worker. */
type Play = (stretch: OrderedStretch, handle: WorkflowHandle) => Promise<Partial<FinishedStretch>>;

/** The shipped workflow on Temporal's real server. Only what workers do with stretches is played. */
export class PlayedStretches {
  readonly client: Client;
  private readonly runs = new Map<string, { readonly play: Play; readonly seen: OrderedStretch[] }>();
  private readonly stop: () => Promise<void>;
  private readonly closing = Promise.withResolvers<void>();

  private constructor(client: Client, stop: () => Promise<void>) {
    this.client = client;
    this.stop = stop;
  }

  static async start({ host: address }: TemporalServer): Promise<PlayedStretches> {
    const drop = (): void => undefined;
    const logger = { log: drop, trace: drop, debug: drop, info: drop, warn: drop, error: drop };
    Runtime.install({ shutdownSignals: [], logger });
    const [connection, native] = [await Connection.connect({ address }), await NativeConnection.connect({ address })];
    const played: PlayedStretches = new PlayedStretches(new Client({ connection }), async () => {
      worker.shutdown();
      await running;
      await native.close();
      await connection.close();
      await Runtime.instance().shutdown();
    });
    const worker = await Worker.create({
      connection: native,
      taskQueue: QUEUE,
      workflowBundle: WORKFLOW_BUNDLE,
      activities: { work: (stretch: OrderedStretch) => played.work(stretch) },
      shutdownForceTime: "1 second",
    });
    const running = worker.run();
    return played;
  }

  /** Starts the workflow of a run, with a request that is there already. */
  async begin(run: string, lives: number, play: Play): Promise<WorkflowHandle> {
    this.runs.set(run, { play, seen: [] });
    return this.client.workflow.signalWithStart(WORKFLOW, {
      ...{ workflowId: run, taskQueue: QUEUE, args: [{ lives }], memo: { order: `the order of ${run}` } },
      ...{ signal: "request", signalArgs: ["first"] },
    });
  }

  /** The stretches of a run that have begun. */
  listSeen(run: string): readonly OrderedStretch[] {
    return this.runs.get(run)?.seen ?? [];
  }

  /** A stretch that lasts until the end. */
  readonly stay: Play = async () => {
    await this.closing.promise;
    return {};
  };

  close(): Promise<void> {
    this.closing.resolve();
    return this.stop();
  }

  private async work(stretch: OrderedStretch): Promise<FinishedStretch> {
    const run = Context.current().info.workflowExecution?.workflowId ?? "";
    const known = this.runs.get(run);
    if (!known) throw new Error(`Nothing is played for ${run}.`);
    known.seen.push(stretch);
    const end = await known.play(stretch, this.client.workflow.getHandle(run));
    return { state: "left", taken: 0, beat: `news ${stretch.number}`, ...end };
  }
}

import { waitUntilAborted } from "../../core/base/async.ts";
import { formatQuantity } from "../../core/base/text.ts";
import { addUsage, NOTHING_SPENT, type Totals } from "../../core/budget/budget.ts";
import type { RunEnd, Source } from "../../core/commands/outcome.ts";
import type { Run } from "../../core/events/run.ts";
import type { RunState } from "../../core/events/run-state.ts";
import {
  type AgentRequest,
  type AgentState,
  type AgentSummary,
  describeEndReason,
} from "../../core/ports/sub-agents.ts";
import type { AgentEvent } from "../../schema/events.ts";
import type { SpawnedAgent } from "./spawn.ts";

export const STARTED = "started: ";
/** As older versions wrote it, too. */
const WAS_STARTED = /^start(?:ed|s): /;
export const DELETED = "was deleted.";
export const GONE = "is gone: its work ended when the program was closed.";

/** An agent of an earlier session, known only from the log of its parent. */
export interface OrphanedAgent {
  readonly summary: AgentSummary;
  readonly isDeleted: boolean;
  /** The log says that the agent is gone. */
  readonly isReported: boolean;
}

/** Reads from a run's log which agents worked for it before the program was closed, ordered by their numbers. */
export function findOrphanedAgents(events: readonly AgentEvent[]): readonly OrphanedAgent[] {
  const spent = new Map<string, Totals>();
  const last = new Map<string, { readonly name: string; readonly task: string; readonly what: string }>();
  for (const event of events) {
    if (event.type === "spent" && event.run !== undefined)
      spent.set(event.run, addUsage(spent.get(event.run) ?? NOTHING_SPENT, event));
    if (event.type !== "child") continue;
    const task = WAS_STARTED.test(event.what) ? event.what.replace(WAS_STARTED, "") : (last.get(event.run)?.task ?? "");
    last.set(event.run, { name: event.name, task, what: event.what });
  }
  return [...last].map(([run, { name, task, what }], index) => {
    const { input, output, usd, unpriced } = spent.get(run) ?? NOTHING_SPENT;
    return {
      summary: {
        id: index + 1,
        name,
        task,
        run,
        state: "interrupted",
        tokens: input + output,
        commands: [],
        ...(unpriced > 0 ? {} : { usd }),
      },
      isDeleted: what === DELETED,
      isReported: what === GONE,
    };
  });
}

/** An agent that works for a run: each time it gets a message, it works and answers. */
export class SubAgent {
  readonly id: number;
  readonly request: AgentRequest;
  readonly spawned: SpawnedAgent;
  private readonly ended: (end: RunEnd) => Promise<void>;
  private ending: Promise<RunEnd> | undefined;
  private isBusy = false;

  /** `ended` is called each time the agent has answered all its messages. */
  constructor(id: number, request: AgentRequest, spawned: SpawnedAgent, ended: (end: RunEnd) => Promise<void>) {
    this.id = id;
    this.request = request;
    this.spawned = spawned;
    this.ended = ended;
  }

  get run(): Run {
    return this.spawned.live.run;
  }

  get summary(): AgentSummary {
    const { name, task, commands } = this.request;
    const { id: run, totals } = this.run.state;
    const { steps, input, output, usd, unpriced } = totals;
    return {
      id: this.id,
      name,
      task,
      run,
      state: this.state,
      steps,
      tokens: input + output,
      commands,
      ...(unpriced > 0 ? {} : { usd }),
    };
  }

  get isWorking(): boolean {
    return this.spawned.live.running;
  }

  /** Starts the agent unless it is working. An agent that the user has paused stays paused. */
  go(): void {
    if (!this.isWorking) this.spawned.live.resume();
    this.watch();
  }

  /** Records a message with the untrusted sources it may come from, so that a resumed run knows them too, and starts the agent. */
  async send(message: string, sources: readonly Source[]): Promise<void> {
    const from = sources.length > 0 ? { sources } : {};
    await this.run.record({ type: "said", text: message, by: "agent", ...from });
    this.go();
  }

  /** Waits until the agent has answered all its messages. */
  async end(signal: AbortSignal): Promise<RunEnd> {
    signal.throwIfAborted();
    if (this.isWorking) this.watch();
    if (!this.ending) throw new Error("The agent has not been started.");
    return waitUntilAborted(this.ending, signal);
  }

  async stop(): Promise<void> {
    if (this.isWorking) await this.spawned.live.stop();
    await this.ending;
  }

  private get state(): AgentState {
    const { live } = this.spawned;
    const { paused, end } = this.run.state;
    if (live.running) return live.pending || paused !== undefined ? "waiting" : "working";
    return end?.reason === "finished" ? "answered" : "ended";
  }

  /** Follows the work from now on, whether it was started here or by the user. */
  private watch(): void {
    if (this.isBusy) return;
    this.isBusy = true;
    this.ending = this.waitForEnd();
  }

  /** Waits for the end. A message that arrives just as the agent finishes isn't lost: the agent resumes with it. */
  private async waitForEnd(): Promise<RunEnd> {
    const { live } = this.spawned;
    for (;;) {
      const end = await live.end;
      if (live.running) continue;
      if (end.reason === "finished" && this.run.state.queued.length > 0) {
        live.resume();
        continue;
      }
      this.isBusy = false;
      await this.ended(end);
      return end;
    }
  }
}

/** How a run ended, in a few words. */
export function summarizeRunEnd(end: RunEnd, { totals }: Pick<RunState, "totals">): string {
  const cost = totals.unpriced > 0 ? "" : `, $${totals.usd.toFixed(4)}`;
  return `${end.reason === "finished" ? "finished" : describeEndReason(end)} (${formatQuantity(totals.steps, "step")}${cost}).`;
}

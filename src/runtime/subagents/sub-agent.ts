import { untilAborted } from "../../core/base/async.ts";
import { addUsage, NOTHING_SPENT, type Totals } from "../../core/budget/budget.ts";
import type { RunEnd, Source } from "../../core/commands/outcome.ts";
import type { Run } from "../../core/events/run.ts";
import type { RunState } from "../../core/events/run-state.ts";
import {
  type AgentRequest,
  type AgentState,
  type AgentSummary,
  endReason,
} from "../../core/ports/sub-agents.ts";
import type { AgentEvent } from "../../schema/events.ts";
import type { SpawnedAgent } from "./spawn.ts";

export const STARTED = "starts: ";
export const DELETED = "was deleted.";
export const GONE = "is gone: its work ended when the program was closed.";

/** An agent of which only the log of its parent is left. */
export interface OrphanedAgent {
  readonly brief: AgentSummary;
  readonly isDeleted: boolean;
  /** The log says that it is gone. */
  readonly isTold: boolean;
}

/** The agents that worked for a run before the program was closed, in the order of their numbers. */
export function orphanedAgents(events: readonly AgentEvent[]): readonly OrphanedAgent[] {
  const spent = new Map<string, Totals>();
  const last = new Map<string, { readonly name: string; readonly task: string; readonly what: string }>();
  for (const event of events) {
    if (event.type === "spent" && event.run !== undefined)
      spent.set(event.run, addUsage(spent.get(event.run) ?? NOTHING_SPENT, event));
    if (event.type !== "child") continue;
    const task = event.what.startsWith(STARTED)
      ? event.what.slice(STARTED.length)
      : (last.get(event.run)?.task ?? "");
    last.set(event.run, { name: event.name, task, what: event.what });
  }
  return [...last].map(([run, { name, task, what }], index) => {
    const { input, output, usd, unpriced } = spent.get(run) ?? NOTHING_SPENT;
    return {
      brief: {
        ...{ id: index + 1, name, task, run, state: "interrupted", tokens: input + output, commands: [] },
        ...(unpriced > 0 ? {} : { usd }),
      },
      isDeleted: what === DELETED,
      isTold: what === GONE,
    };
  });
}

/** An agent at work for a run: it is told something, works, and answers, as often as it is told. */
export class SubAgent {
  readonly id: number;
  readonly wish: AgentRequest;
  readonly spawned: SpawnedAgent;
  private readonly ended: (end: RunEnd) => Promise<void>;
  private ending: Promise<RunEnd> | undefined;
  private isBusy = false;

  /** `ended` is called each time that it is done, with all that it was told. */
  constructor(id: number, wish: AgentRequest, spawned: SpawnedAgent, ended: (end: RunEnd) => Promise<void>) {
    this.id = id;
    this.wish = wish;
    this.spawned = spawned;
    this.ended = ended;
  }

  get run(): Run {
    return this.spawned.live.run;
  }

  get brief(): AgentSummary {
    const { name, task, commands } = this.wish;
    const { id: run, totals } = this.run.state;
    const { steps, input, output, usd, unpriced } = totals;
    return {
      ...{ id: this.id, name, task, run, state: this.state, steps, tokens: input + output, commands },
      ...(unpriced > 0 ? {} : { usd }),
    };
  }

  works(): boolean {
    return this.spawned.live.running;
  }

  /** Sets it to work, unless it does. Where the user has paused it, it stays so. */
  go(): void {
    if (!this.works()) this.spawned.live.resume();
    this.watch();
  }

  /** `sources`: what of others the message may come from. They are in its log, so that whoever goes on from there knows of them too. */
  async send(message: string, sources: readonly Source[]): Promise<void> {
    const from = sources.length > 0 ? { sources } : {};
    await this.run.record({ type: "said", text: message, by: "agent", ...from });
    this.go();
  }

  /** How it ended, once it has done all that it was told. */
  async end(signal: AbortSignal): Promise<RunEnd> {
    signal.throwIfAborted();
    if (this.works()) this.watch();
    if (!this.ending) throw new Error("It has not been set to work.");
    return untilAborted(this.ending, signal);
  }

  async stop(): Promise<void> {
    if (this.works()) await this.spawned.live.stop();
    await this.ending;
  }

  private get state(): AgentState {
    const { live } = this.spawned;
    const { paused, end } = this.run.state;
    if (live.running) return live.waiting || paused !== undefined ? "waiting" : "working";
    return end?.reason === "finished" ? "answered" : "ended";
  }

  /** Somebody else may have set it to work, too. */
  private watch(): void {
    if (this.isBusy) return;
    this.isBusy = true;
    this.ending = this.untilDone();
  }

  /** What it is told just as it finishes is not lost: it goes on with that. */
  private async untilDone(): Promise<RunEnd> {
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

/** How a run that ended can be told of in a few words. */
export function endSummary(end: RunEnd, { totals }: Pick<RunState, "totals">): string {
  const steps = `${totals.steps} ${totals.steps === 1 ? "step" : "steps"}`;
  const cost = totals.unpriced > 0 ? "" : `, $${totals.usd.toFixed(4)}`;
  return `${end.reason === "finished" ? "has answered" : endReason(end)} (${steps}${cost}).`;
}

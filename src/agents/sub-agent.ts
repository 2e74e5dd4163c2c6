import { type AgentInBrief, type AgentState, type AgentWish, whyEnded } from "../core/agents.ts";
import type { RunEnd, Source } from "../core/outcome.ts";
import type { Run } from "../core/run.ts";
import type { RunState } from "../core/run-state.ts";
import { untilAborted } from "../core/until-aborted.ts";
import type { Spawned } from "./spawning.ts";

/** An agent at work for a run: it is told something, works, and answers, as often as it is told. */
export class SubAgent {
  readonly id: number;
  readonly wish: AgentWish;
  readonly spawned: Spawned;
  private readonly ended: (end: RunEnd) => Promise<void>;
  private ending: Promise<RunEnd> | undefined;
  private isBusy = false;

  /** `ended` is called each time that it is done, with all that it was told. */
  constructor(id: number, wish: AgentWish, spawned: Spawned, ended: (end: RunEnd) => Promise<void>) {
    this.id = id;
    this.wish = wish;
    this.spawned = spawned;
    this.ended = ended;
  }

  get run(): Run {
    return this.spawned.live.run;
  }

  get brief(): AgentInBrief {
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
  async tell(message: string, sources: readonly Source[]): Promise<void> {
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
export function endInBrief(end: RunEnd, { totals }: Pick<RunState, "totals">): string {
  const steps = `${totals.steps} ${totals.steps === 1 ? "step" : "steps"}`;
  const cost = totals.unpriced > 0 ? "" : `, $${totals.usd.toFixed(4)}`;
  return `${end.reason === "finished" ? "has answered" : whyEnded(end)} (${steps}${cost}).`;
}

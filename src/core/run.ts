import type { AgentEvent, AgentEventBody } from "./event.ts";
import { History } from "./history.ts";
import type { RunLog } from "./ports.ts";
import { applyEvent, NO_RUN, type RunState } from "./run-state.ts";
import { Turns } from "./turns.ts";

export type StartedBody = Extract<AgentEventBody, { type: "started" }>;

/** A run as its events tell it, and the one way to add an event. */
export class Run {
  /** What it began with, as it stands in the log. */
  readonly head: StartedBody;
  readonly history = new History();
  private current: RunState = NO_RUN;
  private readonly log: RunLog;
  private readonly now: () => Date;
  private readonly listeners = new Set<(event: AgentEvent, state: RunState) => void>();
  private readonly turns = new Turns();

  private constructor(log: RunLog, head: StartedBody, now: () => Date) {
    this.log = log;
    this.head = head;
    this.now = now;
  }

  /** A new run; its first event is on its way to the log when this resolves. */
  static async start(log: RunLog, started: StartedBody, now: () => Date = () => new Date()): Promise<Run> {
    return Run.from(log, [await log.append({ seq: 0, at: now().toISOString(), ...started })], now);
  }

  /** A stored run, ready to be gone on with. Throws when the first event is not there. */
  static from(log: RunLog, events: readonly AgentEvent[], now: () => Date = () => new Date()): Run {
    const [first] = events;
    if (first?.type !== "started")
      throw new Error("The run's log does not begin with its start, so it cannot be opened.");
    const run = new Run(log, first, now);
    for (const event of events) run.apply(event);
    return run;
  }

  get state(): RunState {
    return this.current;
  }

  /** Writes an event and then lets it take effect, as it was written. Events are written one after the other, in the order of the calls. */
  record(body: AgentEventBody): Promise<AgentEvent> {
    return this.turns.take(async () => {
      const event = await this.log.append({
        seq: this.current.seq + 1,
        at: this.now().toISOString(),
        ...body,
      });
      this.apply(event);
      for (const listener of this.listeners) listener(event, this.current);
      return event;
    });
  }

  /** Resolves once all events so far are on the disk. */
  sync(): Promise<void> {
    return this.log.sync();
  }

  /** Waits for what is being written and lets go of the log. */
  async close(): Promise<void> {
    await this.turns.over;
    await this.log.close();
  }

  onEvent(listener: (event: AgentEvent, state: RunState) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  private apply(event: AgentEvent): void {
    this.current = applyEvent(this.current, event);
    this.history.apply(event);
  }
}

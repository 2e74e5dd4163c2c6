import type { AgentEvent, AgentEventBody } from "../../schema/events.ts";
import type { ModelNames } from "../../schema/run-values.ts";
import { Queue } from "../base/async.ts";
import { type Model, type Usage, wrapModel } from "../ports/model.ts";
import type { RunLog } from "../ports/storage.ts";
import { History } from "../prompt/history.ts";
import { applyEvent, NO_RUN, type RunState } from "./run-state.ts";

export type StartedBody = Extract<AgentEventBody, { type: "started" }>;

/** The state of a run, derived from its events, and the only way to add an event. */
export class Run {
  /** The first event, as written in the log. */
  readonly head: StartedBody;
  readonly history = new History();
  private current: RunState = NO_RUN;
  private readonly log: RunLog;
  private readonly now: () => Date;
  private readonly listeners = new Set<(event: AgentEvent, state: RunState) => void>();
  private readonly turns = new Queue();

  private constructor(log: RunLog, head: StartedBody, now: () => Date) {
    this.log = log;
    this.head = head;
    this.now = now;
  }

  /** Starts a new run. Its first event has been passed to the log when this resolves. */
  static async start(log: RunLog, started: StartedBody, now: () => Date = () => new Date()): Promise<Run> {
    return Run.from(log, [await log.append({ seq: 0, at: now().toISOString(), ...started })], now);
  }

  /** Opens a stored run, ready to be resumed. Throws if the first event is missing. */
  static from(log: RunLog, events: readonly AgentEvent[], now: () => Date = () => new Date()): Run {
    const [first] = events;
    if (first?.type !== "started")
      throw new Error("The run's log doesn't begin with its start, so it can't be opened.");
    const run = new Run(log, first, now);
    for (const event of events) run.apply(event);
    return run;
  }

  get state(): RunState {
    return this.current;
  }

  /** Writes an event, then applies it as it was written. Events are written one at a time, in the order of the calls. */
  record(body: AgentEventBody): Promise<AgentEvent> {
    return this.turns.add(async () => {
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

  /** The same for several events, which are written together. */
  recordAll(bodies: readonly AgentEventBody[]): Promise<void> {
    return this.turns.add(async () => {
      const at = this.now().toISOString();
      const first = this.current.seq + 1;
      const events = bodies.map((body, index): AgentEvent => ({ seq: first + index, at, ...body }));
      const { log } = this;
      const written = log.appendAll
        ? await log.appendAll(events)
        : await Promise.all(events.map((event) => log.append(event)));
      for (const event of written) {
        this.apply(event);
        for (const listener of this.listeners) listener(event, this.current);
      }
    });
  }

  /** Resolves once all events so far are on the disk. */
  sync(): Promise<void> {
    return this.log.sync();
  }

  /** Waits for pending writes, then closes the log. */
  async close(): Promise<void> {
    await this.turns.idle;
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

/** The two models of a run, which are often the same one. */
export interface ModelPair {
  readonly smart: Model;
  readonly fast: Model;
  /** Plans the steps, where another model than the smart one of the settings thinks about them. */
  readonly planner?: Model;
}

/** The names of the models for a run's first event. */
export function modelNames({ smart, fast }: ModelPair): ModelNames {
  return { smart: smart.name, fast: fast.name, contextWindow: smart.contextWindow };
}

/** Records which models the run continues with, if they changed. A smaller window that the run has learned is kept. */
export async function recordModels(run: Run, pair: ModelPair): Promise<void> {
  const before = run.state.model;
  const named = modelNames(pair);
  const isKnown = named.smart === before.smart && named.contextWindow === before.statedWindow;
  const { contextWindow, statedWindow } = before;
  const model = isKnown ? { ...named, contextWindow, ...(statedWindow ? { statedWindow } : {}) } : named;
  if (
    model.smart === before.smart &&
    model.fast === before.fast &&
    model.contextWindow === before.contextWindow
  )
    return;
  await run.record({ type: "changed", model });
}

/** Records that the model's window is smaller than stated. */
export async function recordWindow(run: Run, model: Model, contextWindow: number): Promise<void> {
  const { fast, statedWindow } = run.state.model;
  await run.record({
    type: "changed",
    model: { smart: model.name, fast, contextWindow, statedWindow: statedWindow ?? model.contextWindow },
  });
}

/** The model with the real window that its server revealed during the run. */
export function asLearned(model: Model, { smart, contextWindow, statedWindow }: ModelNames): Model {
  if (model.name !== smart || statedWindow === undefined || contextWindow >= model.contextWindow)
    return model;
  return wrapModel(() => model, { contextWindow });
}

/** The cost of a call to a model or a service. */
export interface CallCost {
  readonly model: string;
  readonly usage?: Usage | undefined;
  readonly costUsd?: number | undefined;
}

/** Creates the event for money that was spent outside the steps; `on` names the purpose for people. */
export function usageEvent(
  on: string,
  { model, usage, costUsd }: CallCost,
): Extract<AgentEventBody, { type: "spent" }> {
  return {
    type: "spent",
    on,
    model,
    ...(usage ? { usage } : {}),
    ...(costUsd === undefined ? {} : { costUsd }),
  };
}

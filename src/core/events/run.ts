import type { AgentEvent, AgentEventBody } from "../../schema/events.ts";
import type { ModelNames } from "../../schema/run-values.ts";
import { convertToStoredText, writeInEnglish } from "../../texts/display-text.ts";
import { Queue } from "../base/async.ts";
import { Emitter } from "../base/emitter.ts";
import { omitUndefined } from "../base/objects.ts";
import { type Model, type ModelReplaced, type Usage, wrapModel } from "../ports/model.ts";
import type { RunLog } from "../ports/storage.ts";
import { History } from "../prompt/history.ts";
import { isLean } from "../reply/formats.ts";
import { applyEvent, NO_RUN, type RunState } from "./run-state.ts";

export type StartedBody = Extract<AgentEventBody, { type: "started" }>;

/** Events that nothing waits for are written within this time. */
const SOON_MS = 5;

/** The state of a run, derived from its events, and the only way to add an event. */
export class Run {
  /** The first event, as written in the log. */
  readonly head: StartedBody;
  readonly history = new History();
  private current: RunState = NO_RUN;
  private readonly log: RunLog;
  private readonly now: () => Date;
  private readonly recorded = new Emitter<[event: AgentEvent, state: RunState]>();
  private readonly turns = new Queue();
  /** Events that are written with the next one. */
  private soon: readonly AgentEventBody[] = [];
  private later: ReturnType<typeof setTimeout> | undefined;

  private constructor(log: RunLog, head: StartedBody, now: () => Date) {
    this.log = log;
    this.head = head;
    this.now = now;
  }

  /** Starts a new run. Its first event has been passed to the log when this resolves. */
  static async start(log: RunLog, started: StartedBody, now: () => Date = () => new Date()): Promise<Run> {
    return Run.openStored(log, [await log.append({ seq: 0, at: now().toISOString(), ...started })], now);
  }

  /** Opens a stored run, ready to be resumed. Throws if the first event is missing. */
  static openStored(log: RunLog, events: readonly AgentEvent[], now: () => Date = () => new Date()): Run {
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
  async record(body: AgentEventBody): Promise<AgentEvent> {
    const written = await this.writeAll([body]);
    const [event] = written.slice(-1);
    if (!event) throw new Error("The log has lost an event.");
    return event;
  }

  /** The same for several events, which are written together. */
  async recordAll(bodies: readonly AgentEventBody[]): Promise<void> {
    await this.writeAll(bodies);
  }

  /**
   * Does the same for events that nothing waits for. The next events are written along with them, or else a separate write follows soon.
   */
  recordSoon(bodies: readonly AgentEventBody[]): void {
    this.soon = [...this.soon, ...bodies];
    this.later ??= setTimeout(() => void this.flush().catch(() => undefined), SOON_MS);
  }

  /** Writes the events that were deferred. */
  private async flush(): Promise<void> {
    if (this.soon.length > 0) await this.writeAll([]);
  }

  private writeAll(bodies: readonly AgentEventBody[]): Promise<readonly AgentEvent[]> {
    const all = [...this.soon, ...bodies];
    this.soon = [];
    clearTimeout(this.later);
    this.later = undefined;
    return this.turns.add(async () => {
      const at = this.now().toISOString();
      const first = this.current.seq + 1;
      const events = all.map((body, index): AgentEvent => ({ seq: first + index, at, ...body }));
      const written = await this.append(events);
      for (const event of written) this.follow(event);
      return written;
    });
  }

  private async append(events: readonly AgentEvent[]): Promise<readonly AgentEvent[]> {
    const { log } = this;
    return events.length > 1 && log.appendAll
      ? log.appendAll(events)
      : Promise.all(events.map((event) => log.append(event)));
  }

  /** Resolves once all events so far are on the disk. */
  async sync(): Promise<void> {
    await this.flush();
    await this.log.sync();
  }

  /** Waits for pending writes, then closes the log. */
  async close(): Promise<void> {
    await this.flush().catch(() => undefined);
    await this.turns.idle;
    await this.log.close();
  }

  onEvent(listener: (event: AgentEvent, state: RunState) => void): () => void {
    return this.recorded.subscribe(listener);
  }

  /** Applies an event that is in the log, which another process may have written. */
  follow(event: AgentEvent): void {
    this.apply(event);
    this.recorded.fire(event, this.current);
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
  /** Plans the steps if a model other than the settings' smart one thinks about them. */
  readonly planner?: Model;
}

/** The names of the models for a run's first event. */
export function getModelNames({ smart, fast }: ModelPair): ModelNames {
  return {
    smart: smart.name,
    fast: fast.name,
    contextWindow: smart.contextWindow,
    ...omitUndefined({ isLean: isLean(smart) || undefined }),
  };
}

/** Records which models the run continues with, if they changed. A smaller window that the run has learned is kept. */
export async function recordModels(run: Run, pair: ModelPair): Promise<void> {
  const before = run.state.model;
  const named = getModelNames(pair);
  const isKnown = named.smart === before.smart && named.contextWindow === before.statedWindow;
  const { contextWindow, statedWindow } = before;
  const model = isKnown ? { ...named, contextWindow, ...(statedWindow ? { statedWindow } : {}) } : named;
  if (
    model.smart === before.smart &&
    model.fast === before.fast &&
    model.contextWindow === before.contextWindow &&
    model.isLean === before.isLean
  )
    return;
  await run.record({ type: "changed", model });
}

/** Records that another model has taken over, and the cost of the last one's refusal. */
export async function recordReplacement(run: Run, model: Model, { text, refused }: ModelReplaced): Promise<void> {
  if (refused) await run.record(createUsageEvent("refused reply", refused));
  const names = getModelNames({ smart: model, fast: { ...model, name: run.state.model.fast } });
  await run.record({
    type: "changed",
    model: names,
    reason: writeInEnglish(text),
    ...convertToStoredText(text),
  });
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
export function applyLearnedWindow(model: Model, { smart, contextWindow, statedWindow }: ModelNames): Model {
  if (model.name !== smart || statedWindow === undefined || contextWindow >= model.contextWindow) return model;
  return wrapModel(() => model, { contextWindow });
}

/** The cost of a call to a model or a service. */
export interface CallCost {
  readonly model: string;
  readonly usage?: Usage | undefined;
  readonly costUsd?: number | undefined;
}

/** Creates the event for money that was spent outside the steps; `on` names the purpose for people. */
export function createUsageEvent(
  on: string,
  { model, usage, costUsd }: CallCost,
): Extract<AgentEventBody, { type: "spent" }> {
  return {
    type: "spent",
    on,
    model,
    ...omitUndefined({ usage, costUsd }),
  };
}

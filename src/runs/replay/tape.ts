import { isLoopPause } from "../../core/loop/loop-guard.ts";
import type { AgentEvent, EventType } from "../../schema/events.ts";

/** Whether events of a type are outside of steps, so that a replay inserts them where they were recorded. */
const IS_OUTSIDE_STEPS: Readonly<Record<EventType, boolean>> = {
  started: false,
  asked: false,
  replied: false,
  decided: false,
  began: false,
  ended: false,
  said: true,
  planned: true,
  recalled: true,
  compacted: false,
  granted: true,
  paused: true,
  resumed: true,
  changed: true,
  spent: true,
  undone: true,
  reviewed: true,
  hooked: true,
  child: true,
  over: false,
  lost: true,
  unknown: true,
};

/** A recorded run, replayed from its second event on. */
export class Tape {
  private readonly events: readonly AgentEvent[];
  private at = 1;

  constructor(events: readonly AgentEvent[]) {
    this.events = events;
  }

  /** The next event; undefined at the end. */
  get next(): AgentEvent | undefined {
    return this.events[this.at];
  }

  /** True if the next event is outside of steps. */
  get isBeside(): boolean {
    return this.next !== undefined && IS_OUTSIDE_STEPS[this.next.type];
  }

  /** The next event that is a stage of a step, or an end. */
  get nextStage(): AgentEvent | undefined {
    return this.events.slice(this.at, this.at + LOOK_AHEAD).find(({ type }) => !IS_OUTSIDE_STEPS[type]);
  }

  /** The next event of a type in a step, if there is one. */
  findNextEvent<T extends EventType>(type: T, step: number): Extract<AgentEvent, { type: T }> | undefined {
    for (const event of this.events.slice(this.at, this.at + LOOK_AHEAD)) {
      if ("step" in event && event.step > step) return undefined;
      if (isOfType(event, type)) return event;
    }
    return undefined;
  }

  /** The next request. */
  get nextAsked(): Extract<AgentEvent, { type: "asked" }> | undefined {
    return this.events.slice(this.at).find((event) => event.type === "asked");
  }

  /** The number of later changes to the arguments of a step's call. */
  countEdits(step: number): number {
    const ahead = this.events.slice(this.at, this.at + LOOK_AHEAD);
    return ahead.filter((event) => event.type === "decided" && event.step === step && event.args).length;
  }

  /** True if a user was present to help an agent that was going in circles. */
  get hasHelp(): boolean {
    return this.events.some(({ type, ...event }) => type === "paused" && isRound(event));
  }

  advance(): void {
    this.at += 1;
  }
}

function isRound(event: object): boolean {
  return "reason" in event && typeof event.reason === "string" && isLoopPause(event.reason);
}

/** The maximum number of events in a step. */
const LOOK_AHEAD = 1_000;

function isOfType<T extends EventType>(event: AgentEvent, type: T): event is Extract<AgentEvent, { type: T }> {
  return event.type === type;
}

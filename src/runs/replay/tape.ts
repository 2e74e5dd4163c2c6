import { isLoopPause } from "../../core/loop/loop-guard.ts";
import type { ReplyFormat } from "../../core/ports/model.ts";
import type { AgentEvent, EventType } from "../../schema/events.ts";

/** What happens beside the steps: it came from outside, so a replay puts it where it was. */
const BESIDE: ReadonlySet<EventType> = new Set<EventType>([
  "said",
  "planned",
  "recalled",
  "granted",
  "paused",
  "resumed",
  "changed",
  "spent",
  "undone",
  "child",
]);

/** A recorded run, played from its second event on. */
export class Tape {
  private readonly events: readonly AgentEvent[];
  private at = 1;

  constructor(events: readonly AgentEvent[]) {
    this.events = events;
  }

  /** The event that came next; undefined at the end. */
  get next(): AgentEvent | undefined {
    return this.events[this.at];
  }

  /** True when what came next did not come of a step. */
  get isBeside(): boolean {
    return this.next !== undefined && BESIDE.has(this.next.type);
  }

  /** The next event that is a stage of a step, or an end. */
  get nextStage(): AgentEvent | undefined {
    return this.events.slice(this.at, this.at + LOOK_AHEAD).find(({ type }) => !BESIDE.has(type));
  }

  /** The next event of a type, if the step it belongs to has one ahead. */
  ahead<T extends EventType>(type: T, step: number): Extract<AgentEvent, { type: T }> | undefined {
    for (const event of this.events.slice(this.at, this.at + LOOK_AHEAD)) {
      if ("step" in event && event.step > step) return undefined;
      if (isOf(event, type)) return event;
    }
    return undefined;
  }

  /** How the model is asked next. */
  get nextFormat(): ReplyFormat | undefined {
    const asked = this.events.slice(this.at).find((event) => event.type === "asked");
    return asked?.type === "asked" ? asked.format : undefined;
  }

  /** How often the arguments of a step's call are changed from here on. */
  editsAhead(step: number): number {
    const ahead = this.events.slice(this.at, this.at + LOOK_AHEAD);
    return ahead.filter((event) => event.type === "decided" && event.step === step && event.args).length;
  }

  /** Somebody was there to help an agent that went round in circles. */
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

/** No step has more events than this. */
const LOOK_AHEAD = 1_000;

function isOf<T extends EventType>(event: AgentEvent, type: T): event is Extract<AgentEvent, { type: T }> {
  return event.type === type;
}

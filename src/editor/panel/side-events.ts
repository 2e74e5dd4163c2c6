import type { StepView } from "../../core/events/run-state.ts";
import type { AgentEvent, EventType } from "../../schema/events.ts";

/** True for event types that are shown between the steps. */
const IS_SIDE_EVENT: Readonly<Record<EventType, boolean>> = {
  started: true,
  asked: false,
  replied: false,
  decided: false,
  began: false,
  ended: false,
  said: true,
  planned: false,
  recalled: false,
  compacted: true,
  granted: true,
  paused: true,
  resumed: true,
  changed: true,
  spent: false,
  undone: true,
  reviewed: true,
  hooked: false,
  child: true,
  over: true,
  unknown: true,
  lost: true,
};

/** True for an event between steps. A run's start is one only if it has notes from its repository, or pictures. */
function isBeside(event: AgentEvent): boolean {
  if (event.type === "started")
    return event.rules.length > 0 || [event.laterRules, event.skills, event.unread, event.attached].some(Boolean);
  return IS_SIDE_EVENT[event.type];
}

/** Number of side events shown with a page of steps. */
const MOST = 60;

/** Collects the latest events of a run that belong to no step, so that its log needn't be read for them. */
export class SideEvents {
  private last: readonly AgentEvent[] = [];

  /** Adds a run's next event, beginning with its first. */
  add(event: AgentEvent): void {
    if (isBeside(event)) this.last = [...this.last.slice(1 - MOST), event];
  }

  /** Events since the first of these steps. Includes earlier ones if that step starts the run, or if there are no steps. */
  listEventsSince([first]: readonly StepView[]): readonly AgentEvent[] {
    return first && first.step > 1 ? this.last.filter(({ at }) => at >= first.at) : this.last;
  }
}

/** Events of a stored run from the first of these steps to the next page. */
export function listSideEvents(events: readonly AgentEvent[], steps: readonly StepView[]): readonly AgentEvent[] {
  const [first] = steps;
  const last = steps.at(-1);
  if (!first || !last) return [];
  const asked = events.findIndex((event) => isStepStart(event) && event.step === first.step);
  const from = first.step === 1 ? 0 : asked;
  const isLast = !events.some((event) => event.type === "ended" && event.step > last.step);
  const next = events.findIndex((event) => isStepStart(event) && event.step > last.step);
  const between = events.slice(from, isLast ? events.length : next).filter(isBeside);
  return between.slice(-MOST);
}

function isStepStart(event: AgentEvent): event is Extract<AgentEvent, { type: "asked" | "replied" }> {
  return event.type === "asked" || (event.type === "replied" && event.of !== undefined);
}

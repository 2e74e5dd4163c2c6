import type { StepView } from "../core/events/run-state.ts";
import type { AgentEvent, EventType } from "../schema/events.ts";

/** Events shown between the steps: messages, pauses, changes. */
const BESIDE: ReadonlySet<EventType> = new Set<EventType>([
  "said",
  "paused",
  "resumed",
  "changed",
  "granted",
  "compacted",
  "undone",
  "child",
  "over",
]);

/** The start of a run is shown if the repository has instructions for the agent. */
function isBeside(event: AgentEvent): boolean {
  if (event.type === "started") return event.rules.length > 0 || event.unread !== undefined;
  return BESIDE.has(event.type);
}

/** Number of side events shown with a page of steps. */
const MOST = 60;

/** Collects the latest events of a run that belong to no step, so that its log needn't be read for them. */
export class SideEvents {
  private last: readonly AgentEvent[] = [];

  /** Adds the next event of the run, starting with the first one. */
  add(event: AgentEvent): void {
    if (isBeside(event)) this.last = [...this.last.slice(1 - MOST), event];
  }

  /** Events since the first of these steps; if that is the run's first step, or there is none, also the earlier ones. */
  from([first]: readonly StepView[]): readonly AgentEvent[] {
    return first && first.step > 1 ? this.last.filter(({ at }) => at >= first.at) : this.last;
  }
}

/** Events of a stored run from the first of these steps to the next page. */
export function sideEventsOf(
  events: readonly AgentEvent[],
  steps: readonly StepView[],
): readonly AgentEvent[] {
  const [first] = steps;
  const last = steps.at(-1);
  if (!first || !last) return [];
  const asked = events.findIndex((event) => event.type === "asked" && event.step === first.step);
  const from = first.step === 1 ? 0 : asked;
  const isLast = !events.some((event) => event.type === "ended" && event.step > last.step);
  const next = events.findIndex((event) => event.type === "asked" && event.step > last.step);
  const between = events.slice(from, isLast ? events.length : next).filter(isBeside);
  return between.slice(-MOST);
}

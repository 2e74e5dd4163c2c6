import type { StepView } from "../core/events/run-state.ts";
import type { AgentEvent, EventType } from "../schema/events.ts";

/** Events that are shown between the steps: words, pauses, changes. */
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

/** A run's start is shown if its repository had words for the agent. */
function isBeside(event: AgentEvent): boolean {
  if (event.type === "started") return event.rules.length > 0 || event.unread !== undefined;
  return BESIDE.has(event.type);
}

/** So many are shown with a page of steps. */
const MOST = 60;

/** The last events of a run that belong to no step, so that its log need not be read for them. */
export class SideEvents {
  private last: readonly AgentEvent[] = [];

  /** The next event of the run, from its first one on. */
  add(event: AgentEvent): void {
    if (isBeside(event)) this.last = [...this.last.slice(1 - MOST), event];
  }

  /** Those that happened from the first of these steps on; with the run's first step, or none, also what came before. */
  from([first]: readonly StepView[]): readonly AgentEvent[] {
    return first && first.step > 1 ? this.last.filter(({ at }) => at >= first.at) : this.last;
  }
}

/** The same of a stored run: from the first of these steps on, up to the next page. */
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

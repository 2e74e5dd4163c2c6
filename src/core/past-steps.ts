import type { AgentEvent } from "./event.ts";
import { applyEvent, NO_RUN, type StepView } from "./run-state.ts";

/** The last `count` steps that ended before step `before`, oldest first. */
export function pastSteps(events: readonly AgentEvent[], before: number, count: number): readonly StepView[] {
  let state = NO_RUN;
  let steps: StepView[] = [];
  for (const event of events) {
    const { open } = state;
    state = applyEvent(state, event);
    const last = state.recent.at(-1);
    if (event.type !== "ended" || open?.step !== event.step || !last) continue;
    if (last.step >= before) break;
    steps.push(last);
    if (steps.length > 2 * count) steps = steps.slice(-count);
  }
  return steps.slice(-count);
}

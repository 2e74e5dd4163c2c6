import type { AgentEvent } from "../core/event.ts";
import { pastSteps } from "../core/past-steps.ts";
import { applyEvent, NO_RUN } from "../core/run-state.ts";
import type { ToPanel } from "../protocol.ts";
import { endOfStep } from "../runs/fork-events.ts";
import { besideOf } from "./beside.ts";
import { pagesForPanel, stateForPanel } from "./panel-feed.ts";

/** A stored run as it stood after one of its steps, for the panel: the snapshot and its pages. Steps out of reach become the nearest. */
export function stepsThrough(run: string, events: readonly AgentEvent[], wanted: number): readonly ToPanel[] {
  const ended = [...new Set(events.flatMap((event) => (event.type === "ended" ? [event.step] : [])))];
  const step = Math.min(Math.max(wanted, 0), ended.at(-1) ?? 0);
  const past = events.slice(0, endOfStep(events, step));
  const state = past.reduce(applyEvent, NO_RUN);
  const all = pastSteps(past, Number.MAX_SAFE_INTEGER, PAGE_OF_WALK);
  return [
    {
      type: "snapshot",
      run,
      state: stateForPanel(state),
      readOnly: true,
      running: false,
      commands: [],
      withheld: [],
      ...{ continuous: false, grant: 0, speech: false },
      at: { step, of: ended.at(-1) ?? 0 },
    },
    ...pagesForPanel(run, all, (all[0]?.step ?? 1) > 1, besideOf(past, all)),
    { type: "waiting", run },
  ];
}

/** So many steps are shown before the one that is looked at. */
const PAGE_OF_WALK = 20;

import type { AgentInBrief } from "../core/agents.ts";
import { NOTHING_SPENT, spend, type Totals } from "../core/budget.ts";
import type { AgentEvent } from "../core/event.ts";

export const STARTED = "starts: ";
export const DELETED = "was deleted.";
export const GONE = "is gone: its work ended when the program was closed.";

/** An agent of which only the log of its parent is left. */
export interface LostAgent {
  readonly brief: AgentInBrief;
  readonly isDeleted: boolean;
  /** The log says that it is gone. */
  readonly isTold: boolean;
}

/** The agents that worked for a run before the program was closed, in the order of their numbers. */
export function lostAgents(events: readonly AgentEvent[]): readonly LostAgent[] {
  const spent = new Map<string, Totals>();
  const last = new Map<string, { readonly name: string; readonly task: string; readonly what: string }>();
  for (const event of events) {
    if (event.type === "spent" && event.run !== undefined)
      spent.set(event.run, spend(spent.get(event.run) ?? NOTHING_SPENT, event));
    if (event.type !== "child") continue;
    const task = event.what.startsWith(STARTED)
      ? event.what.slice(STARTED.length)
      : (last.get(event.run)?.task ?? "");
    last.set(event.run, { name: event.name, task, what: event.what });
  }
  return [...last].map(([run, { name, task, what }], index) => {
    const { input, output, usd, unpriced } = spent.get(run) ?? NOTHING_SPENT;
    return {
      brief: {
        ...{ id: index + 1, name, task, run, state: "interrupted", tokens: input + output, commands: [] },
        ...(unpriced > 0 ? {} : { usd }),
      },
      isDeleted: what === DELETED,
      isTold: what === GONE,
    };
  });
}

import type { AgentEventBody } from "./event.ts";
import type { Usage } from "./ports.ts";

/** What a call to a model or a service says of its cost. */
export interface Cost {
  readonly model: string;
  readonly usage?: Usage | undefined;
  readonly costUsd?: number | undefined;
}

/** Money spent beside the steps, as the run's log tells it; `on` is what for, for people. */
export function spent(
  on: string,
  { model, usage, costUsd }: Cost,
): Extract<AgentEventBody, { type: "spent" }> {
  return {
    ...{ type: "spent", on, model },
    ...(usage ? { usage } : {}),
    ...(costUsd === undefined ? {} : { costUsd }),
  };
}

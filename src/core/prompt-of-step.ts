import type { AgentEvent } from "./event.ts";
import { headFor } from "./head.ts";
import { History } from "./history.ts";
import type { ModelRequest } from "./ports.ts";
import { stepRequest } from "./prompt.ts";

/** The messages that were sent for a step, rebuilt from the events before it: those of the last time, if it was asked more than once. */
export function promptOfStep(events: readonly AgentEvent[], step: number): ModelRequest | undefined {
  const [started] = events;
  if (started?.type !== "started") return undefined;
  const history = new History();
  let request: ModelRequest | undefined;
  for (const event of events) {
    history.apply(event);
    if (event.type !== "asked" || event.step < step) continue;
    if (event.step > step) break;
    request = stepRequest(
      headFor(started, history.contextWindow),
      history.messages(event.format),
      event.tail,
      event.format,
    );
  }
  return request;
}

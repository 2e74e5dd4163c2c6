import type { AgentEvent } from "../../core/event.ts";
import { headFor } from "../../core/head.ts";
import { History } from "../../core/history.ts";
import type { Outcome } from "../../core/outcome.ts";
import type { ModelRequest } from "../../core/ports.ts";
import { stepRequest } from "../../core/prompt.ts";

type Replied = Extract<AgentEvent, { type: "replied" }>;
type Decided = Extract<AgentEvent, { type: "decided" }>;

/** A step with the very prompt it answered. */
export interface PromptedStep {
  readonly step: number;
  /** The messages between head and tail. */
  readonly history: ModelRequest["messages"];
  readonly request: ModelRequest;
  readonly replied: Replied;
  /** The last decision on it; absent when its call could not be made at all. */
  readonly decided?: Decided;
  readonly outcome: Outcome;
}

/** The steps that ended, each with its prompt, rebuilt in one pass. */
export function promptedSteps(events: readonly AgentEvent[]): readonly PromptedStep[] {
  const [started] = events;
  if (started?.type !== "started") return [];
  const steps: PromptedStep[] = [];
  const past = new History();
  let asked: Pick<PromptedStep, "history" | "request"> | undefined;
  let replied: Replied | undefined;
  let decided: Decided | undefined;
  for (const event of events) {
    past.apply(event);
    if (event.type === "asked") {
      const history = past.messages(event.format);
      asked = {
        history,
        request: stepRequest(headFor(started, past.contextWindow), history, event.tail, event.format),
      };
      replied = undefined;
      decided = undefined;
    }
    if (event.type === "replied") replied = event;
    if (event.type === "decided") decided = event;
    if (event.type === "ended" && asked && replied?.step === event.step)
      steps.push({
        step: event.step,
        ...asked,
        replied,
        outcome: event.outcome,
        ...(decided ? { decided } : {}),
      });
  }
  return steps;
}

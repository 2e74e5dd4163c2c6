import type { RunEnd } from "../../core/commands/outcome.ts";
import type { LiveComposedRun } from "../../runtime/composed-run.ts";
import type { AgentEvent } from "../../schema/events.ts";
import { convertToStoredText, displayText, writeInEnglish } from "../../texts/display-text.ts";

/** Attempts in a row without a reply or a step. Each of them may have paid for a request that no log knows. */
const MOST_FRUITLESS = 20;

/**
 * Returns a function for the end that a run has before it's worked on: one that its user hasn't continued since, or that of a run whose
 * workers are lost again and again. Whoever hands runs out could otherwise have them spend money without an end.
 */
export function followKnownEnd({ past, run }: LiveComposedRun, attempt: number): () => RunEnd | undefined {
  const at = past.findLastIndex(({ type }) => type === "over");
  const over = past[at];
  let goesOn = past.slice(at + 1).some(isContinuing);
  let isFruitless = attempt - findFruitfulAttempt(past) > MOST_FRUITLESS;
  run.onEvent((event) => {
    goesOn ||= isContinuing(event);
    if (isProgress(event)) isFruitless = false;
  });
  return () => {
    if (over?.type === "over" && !goesOn) return over.end;
    return isFruitless ? createFruitlessEnd() : undefined;
  };
}

/** Whether an event after the end of a run continues it. That a machine has claimed it isn't enough. */
function isContinuing(event: AgentEvent): boolean {
  switch (event.type) {
    case "said":
      return event.by === "user";
    case "changed":
      return event.limits !== undefined;
    case "resumed":
      return event.attempt === undefined;
    default:
      return event.type === "asked";
  }
}

/** The last attempt with a reply, a step or words of the user. */
function findFruitfulAttempt(past: readonly AgentEvent[]): number {
  const last = past.findLastIndex(isProgress);
  const claimed = past.slice(0, last + 1).findLast((event) => event.type === "resumed" && event.attempt !== undefined);
  return claimed?.type === "resumed" ? (claimed.attempt ?? 1) : 1;
}

function isProgress({ type }: AgentEvent): boolean {
  return type === "replied" || type === "ended" || type === "said" || type === "changed";
}

function createFruitlessEnd(): RunEnd {
  const why = displayText("fleet.fruitless", { attempts: MOST_FRUITLESS });
  return { reason: "failed", error: writeInEnglish(why), ...convertToStoredText(why) };
}

import { outcomeText } from "../core/outcome.ts";
import { planText } from "../core/plan.ts";
import type { RunState, StepView } from "../core/run-state.ts";

/** How much of the last messages a query is made of, in characters; the newest come first. */
const MAX_CHARS = 1_200;
const MAX_PART = 400;
/** With many messages the query may be longer, so that each can have a word in it. */
const CHARS_PER_MESSAGE = 130;

/** What the next step is about, as the last `messages` messages tell it; at the start of a run, its task. */
export function recallQuery(state: RunState, messages: number): string {
  const told = [
    ...state.queued.toReversed(),
    ...state.recent.toReversed().flatMap((step) => messagesOf(step).toReversed()),
  ].slice(0, messages);
  const parts = told.length > 0 ? told : [state.task, planText(state.plan)];
  let room = Math.max(MAX_CHARS, messages * CHARS_PER_MESSAGE);
  const query: string[] = [];
  for (const part of parts.map((text) => text.replace(/\s+/g, " ").trim())) {
    if (part === "" || room <= 0) continue;
    const piece = part.slice(0, Math.min(MAX_PART, room));
    query.push(piece);
    room -= piece.length;
  }
  return query.join("\n");
}

/** A step's two messages: what was thought and asked for, and what came of it. */
function messagesOf({ reply, outcome }: StepView): readonly string[] {
  const said =
    reply?.kind === "proposal"
      ? `${reply.thoughts.text} ${reply.call.name} ${JSON.stringify(reply.call.args)}`
      : "";
  return [said, outcome ? outcomeText(outcome) : ""];
}

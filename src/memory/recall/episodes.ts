import { type Outcome, outcomeText } from "../../core/commands/outcome.ts";
import type { RunState, StepView } from "../../core/events/run-state.ts";
import { checklistText } from "../../core/reply/plan.ts";
import type { Proposal } from "../../core/reply/reply.ts";
import type { NewMemory } from "../store/memory-item.ts";

const MAX_THOUGHT = 500;
const MAX_ARGS = 400;
const MAX_OUTCOME = 1_400;

/** The run an episode belongs to. */
export interface EpisodeContext {
  readonly run: string;
  /** The run's task, by which a person knows it again. */
  readonly task: string;
  /** What the user said while the step was going on. */
  readonly said?: readonly string[];
}

/**
 * A step that ended as one memory: what was thought, done and found, and what the user said to it. Undefined for steps
 * that nothing can be learnt from: unreadable replies, doing nothing, looking into the memory itself.
 */
export function episodeMemory(
  step: StepView,
  { run, task, said = [] }: EpisodeContext,
): NewMemory | undefined {
  const { reply, outcome, at } = step;
  if (reply?.kind !== "proposal" || !outcome || FORGETTABLE.has(reply.call.name)) return undefined;
  const text = [
    brief(reply.thoughts.text || reply.thoughts.speak, MAX_THOUGHT),
    `${reply.call.name} ${argsOf(reply)}`,
    outcomeLine(outcome),
    ...said.map((words) => `The user said: ${brief(words, MAX_THOUGHT)}`),
  ];
  return {
    kind: "episode",
    text: text.filter((line) => line !== "").join("\n"),
    source: `step ${step.step} of "${brief(task, 80)}"${origin(outcome)}`,
    run,
    step: step.step,
    at,
  };
}

const FORGETTABLE: ReadonlySet<string> = new Set([
  "do_nothing",
  "update_plan",
  "memory_add",
  "memory_search",
]);

function outcomeLine(outcome: Outcome): string {
  const text = brief(outcomeText(outcome), MAX_OUTCOME);
  switch (outcome.status) {
    case "done":
      return `It worked: ${text}`;
    case "failed":
      return `It failed: ${text}`;
    case "refused":
      return `The user refused it: ${text}`;
    case "finished":
      return `With that the task was complete: ${text}`;
  }
}

/** Where what was found came from, when it was not the workspace. */
function origin(outcome: Outcome): string {
  if (outcome.status !== "done" || !outcome.source) return "";
  return ` (from ${outcome.source.kind} ${brief(outcome.source.name, 120)})`;
}

function argsOf({ call }: Proposal): string {
  return brief(JSON.stringify(call.args), MAX_ARGS);
}

/** The head and the tail of a text that is too long. */
function brief(text: string, length: number): string {
  const whole = text.trim();
  if (whole.length <= length) return whole;
  const head = Math.floor(length * 0.7);
  return `${whole.slice(0, head)} […] ${whole.slice(whole.length - (length - head))}`;
}

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
  const parts = told.length > 0 ? told : [state.task, checklistText(state.plan)];
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

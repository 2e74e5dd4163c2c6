import { cutMiddle } from "../../core/base/text.ts";
import { findTraits } from "../../core/commands/command-traits.ts";
import { getOutcomeText, type Outcome } from "../../core/commands/outcome.ts";
import type { RunState, StepView } from "../../core/events/run-state.ts";
import { renderChecklistText } from "../../core/reply/plan.ts";
import type { Proposal } from "../../core/reply/reply.ts";
import type { NewMemory } from "../store/memory-item.ts";

const MAX_THOUGHT = 500;
const MAX_ARGS = 400;
/** A longer outcome is cut in its middle. */
export const MAX_OUTCOME = 1_400;

/** The run that an episode belongs to. */
export interface EpisodeContext {
  readonly run: string;
  /** The run's task, by which people recognize the run. */
  readonly task: string;
  /** The user's messages during the step. */
  readonly said?: readonly string[];
}

/**
 * Creates one memory of a finished step: thoughts, call, outcome and the user's messages. Undefined for steps without anything to learn:
 * unreadable replies, doing nothing, using the memory itself.
 */
export function createEpisodeMemory(step: StepView, { run, task, said = [] }: EpisodeContext): NewMemory | undefined {
  const { reply, outcome, at } = step;
  if (reply?.kind !== "proposal" || !outcome || findTraits(reply.call.name)?.isForgettable) return undefined;
  const text = [
    shortenMiddle(reply.thoughts.text || reply.thoughts.speak, MAX_THOUGHT),
    `${reply.call.name} ${formatCallArgs(reply)}`,
    describeStepOutcome(outcome),
    ...said.map((words) => `The user said: ${shortenMiddle(words, MAX_THOUGHT)}`),
  ];
  return {
    kind: "episode",
    text: text.filter((line) => line !== "").join("\n"),
    source: `step ${step.step} of "${shortenMiddle(task, 80)}"${describeOutcomeSource(outcome)}`,
    run,
    step: step.step,
    at,
  };
}

function describeStepOutcome(outcome: Outcome): string {
  const text = shortenMiddle(getOutcomeText(outcome), MAX_OUTCOME);
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

/** The origin of the outcome's text, if it isn't the workspace. */
function describeOutcomeSource(outcome: Outcome): string {
  if (outcome.status !== "done" || !outcome.source) return "";
  return ` (from ${outcome.source.kind} ${shortenMiddle(outcome.source.name, 120)})`;
}

function formatCallArgs({ call }: Proposal): string {
  return shortenMiddle(JSON.stringify(call.args), MAX_ARGS);
}

/** The text, or its beginning and end if it is too long. */
function shortenMiddle(text: string, maxChars: number): string {
  return cutMiddle(text.trim(), maxChars, " […] ", 0.7);
}

/** The length of a query in characters; the newest messages come first. */
const MAX_CHARS = 1_200;
const MAX_PART = 400;
/** With many messages, the query may be longer, so that each contributes a few words. */
const CHARS_PER_MESSAGE = 130;

/** The query for the next step, from the last `messages` messages, or from the task at the start of a run. */
export function recallQuery(state: RunState, messages: number): string {
  const last = [
    ...state.queued.toReversed(),
    ...state.recent.toReversed().flatMap((step) => listStepMessages(step).toReversed()),
  ].slice(0, messages);
  const parts = last.length > 0 ? last : [state.task, renderChecklistText(state.plan)];
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

/** A step's two messages: the thoughts with the call, and the outcome. */
function listStepMessages({ reply, outcome }: StepView): readonly string[] {
  const said =
    reply?.kind === "proposal" ? `${reply.thoughts.text} ${reply.call.name} ${JSON.stringify(reply.call.args)}` : "";
  return [said, outcome ? getOutcomeText(outcome) : ""];
}

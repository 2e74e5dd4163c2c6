import { displayText } from "../../texts/display-text.ts";
import { COMMAND, findTraits, isReading } from "../commands/command-traits.ts";
import {
  getOutcomeText,
  hasChangedFiles,
  hasChangedNothing,
  hasProgramFailed,
  type Outcome,
} from "../commands/outcome.ts";
import type { RunState, StepView } from "../events/run-state.ts";
import { listStepCalls } from "../reply/further-calls.ts";
import type { Call } from "../reply/reply.ts";

/** Names of commands and tools that only get something from elsewhere. */
const GETS = /^(?:memory|web|browse|get)_/;

/** True for a step after which the task may be done: it changed files, or did something else that didn't fail. */
export function hasEffect(step: StepView): boolean {
  return listStepCalls(step).some(({ call, outcome }) => {
    if (outcome.status !== "done" || hasProgramFailed(outcome) || hasChangedNothing(outcome)) return false;
    const isIdle = isReading(call) || findTraits(call.name)?.isIdle || GETS.test(call.name);
    return hasChangedFiles(outcome) || !isIdle;
  });
}

/** True for a run that only returned files unchanged and had no effect. */
function hasOnlyRepeated({ recent, totals }: RunState): boolean {
  const hasFailed = recent.some(({ outcome }) => outcome && hasProgramFailed(outcome));
  const isKnown = recent.length >= totals.steps && !hasFailed && !recent.some(hasEffect);
  return isKnown && recent.some(({ outcome }) => hasChangedNothing(outcome));
}

/** Corrects the end of a run in whole files, which mustn't claim changes if every file came back unchanged. */
export function correctEndClaim(state: RunState, outcome: Outcome): Outcome {
  if (outcome.status !== "finished" || !hasOnlyRepeated(state)) return outcome;
  return { ...outcome, summary: `${outcome.summary}\n\nNothing was changed: the files are as they were.` };
}

/** Words of a task that asks for more than an answer. */
const ASKS_FOR_EFFECT =
  /\b(?:add|append|build|change|clean|convert|copy|create|delete|fix|format|implement|install|insert|make|move|put|refactor|remove|rename|replace|save|sort|update|write)\b/i;

/**
 * The question to a run that ends without doing anything although its task asks for it; undefined for others. It's asked once, or, in whole
 * files, where any words are an end, as long as that form is kept.
 */
export function findDoubtAboutEnd(state: RunState, isInFiles = false): string | undefined {
  const { task, recent, totals, mode, worksFor } = state;
  if (
    mode === "plan" ||
    worksFor !== undefined ||
    !(ASKS_FOR_EFFECT.test(task) || (isInFiles && hasOnlyRepeated(state))) ||
    recent.length < totals.steps
  )
    return undefined;
  const wasAsked = recent.some(
    ({ reply, outcome }) =>
      reply?.kind === "proposal" && reply.call.name === COMMAND.finish && outcome?.status === "refused",
  );
  if ((wasAsked && !isInFiles) || recent.some(hasEffect)) return undefined;
  return `Nothing was changed in this run yet. If the task asks for a change, make it now${isInFiles ? "" : " with a command"}. If nothing is to be done, ${isInFiles ? "" : `call ${COMMAND.finish} again and `}say why.`;
}

/** Repetitions of a successful call after which the run is over. */
const MOST_REPEATS = 3;

/**
 * The outcome of a call that has just made the same change to files. It isn't run again, because it's done already. The third time, the run
 * ends with the work so far.
 */
export function findRepeatOutcome(steps: readonly StepView[], call: Call): Outcome | undefined {
  const last = steps.findLastIndex((step) => !isRepeat(step));
  const deed = steps[last];
  if (!deed || !isSameCall(deed, call) || deed.also || !hasChangedFiles(deed.outcome)) return undefined;
  const times = steps.length - last;
  const did = deed.outcome ? getFirstLine(getOutcomeText(deed.outcome)) : "";
  if (times >= MOST_REPEATS) return { status: "finished", summary: did };
  const next =
    times === 1
      ? `If all of the task is done, call ${COMMAND.finish}. Otherwise take another step.`
      : `Call ${COMMAND.finish} now, unless a part of the task is left.`;
  const twice = call.name === COMMAND.append ? " To add a text twice, give it twice in one call." : "";
  const output = `This is done already, and it wasn't done again. It was: ${did}${twice}\n${next}`;
  return { status: "done", output, summary: displayText("timeline.unchanged") };
}

/**
 * The end of a run in whole files whose last command failed, if no later reply would change that. The model hardly corrects itself, and
 * tries to undo correct work. The end names the failure.
 */
export function findEndAfterFailure(steps: readonly StepView[], call: Call): Outcome | undefined {
  const last = steps.findLastIndex(({ outcome }) => outcome && hasProgramFailed(outcome));
  const failed = steps[last];
  if (!failed || steps.slice(last + 1).some(hasEffect)) return undefined;
  const isEnd = call.name === COMMAND.finish;
  if (!isEnd && !isSameCall(failed, call)) return undefined;
  const { command_line: line = "The tests" } = failed.reply?.kind === "proposal" ? failed.reply.call.args : {};
  const code = failed.outcome?.status === "done" ? failed.outcome.exitCode : undefined;
  const what = `This failed: ${line}${typeof code === "number" ? ` (exit code ${code})` : ""}.`;
  const reason = isEnd && typeof call.args.reason === "string" ? `${call.args.reason}\n\n` : "";
  return { status: "finished", summary: `${reason}${what}` };
}

function isRepeat({ outcome }: StepView): boolean {
  return outcome?.status === "done" && outcome.output.startsWith("This is done already");
}

function isSameCall({ reply }: StepView, { name, args }: Call): boolean {
  return (
    reply?.kind === "proposal" && reply.call.name === name && JSON.stringify(reply.call.args) === JSON.stringify(args)
  );
}

function getFirstLine(text: string): string {
  return text.split("\n", 1)[0] ?? "";
}

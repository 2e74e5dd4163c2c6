import { type DisplayText, displayText, writeInEnglish } from "../../texts/display-text.ts";
import { omitUndefined } from "../base/objects.ts";
import { isPrepared, type PreparedCall, type Preview } from "../commands/command.ts";
import type { CommandSet } from "../commands/command-set.ts";
import { addOutcomeRemark, getOutcomeText, type Outcome, setOutcomeText } from "../commands/outcome.ts";
import type { Run } from "../events/run.ts";
import type { StepView } from "../events/run-state.ts";
import type { DecisionRecord } from "../ports/approver.ts";
import type { CallOpinion, StepHooks } from "../ports/step-hooks.ts";
import type { Call, Proposal } from "../reply/reply.ts";
import { judgeReadsAgain, type PrepareDependencies, prepareCalls } from "./prepare-calls.ts";
import {
  createRunContext,
  createStepOutcomes,
  type RunningDependencies,
  recordDecision,
  runApprovedCalls,
  runReadsAlone,
  type StepOutcomes,
} from "./run-calls.ts";

/** Dependencies of acting on a proposal. */
export interface ActDependencies extends PrepareDependencies, RunningDependencies {
  readonly commands: CommandSet;
  readonly hooks?: StepHooks;
}

/** Where a step's call comes from, if not from the model alone. */
interface Origin {
  /** The user approved exactly this call by changing its arguments. */
  readonly approved?: true;
  /** Others have changed its arguments, so they can't do so again. */
  readonly changed?: true;
}

/**
 * Gets a call approved and runs it, with the further reads of its reply. Undefined if the preview is outdated and has to be shown again.
 */
export async function decideAndAct(
  run: Run,
  step: number,
  proposal: Proposal,
  call: Call,
  parts: ActDependencies,
  signal: AbortSignal,
  origin: Origin = {},
): Promise<StepOutcomes | undefined> {
  const at = { step, signal };
  const calls = await prepareCalls(call, proposal, parts, at);
  const { prepared, preview, hash } = calls;
  if (!isPrepared(prepared)) return runReadsAlone(run, step, { ...calls, failed: prepared }, parts, signal);
  const { changedBy = [] } = proposal;
  const opinion = await parts.hooks?.check({ step, call, prepared, hash }, signal);
  if (opinion?.args && !opinion.deny && !origin.approved && !origin.changed) {
    const { by, args } = opinion.args;
    const changed: Proposal = { ...proposal, call: { ...call, args }, changedBy: [...changedBy, by] };
    const { call: next } = parts.commands.understand(changed.call);
    return decideAndAct(run, step, changed, next, parts, signal, { changed: true });
  }
  const shown = prepareShownCall(prepared, preview, changedBy, opinion);
  const { approved } = origin;
  const decided = opinion?.deny
    ? createPluginRefusal(opinion.deny)
    : await parts.approver.decide(
        { step, proposal: { ...proposal, call }, prepared: shown, hash, ...omitUndefined({ approved }) },
        signal,
      );
  if (decided === "again") return undefined;
  await recordDecision(run, step, hash, decided);
  const { decision } = decided;
  if (!decision.allow)
    return createStepOutcomes(
      { status: "refused", feedback: decision.feedback },
      calls.reads.map(() => NOT_APPROVED),
    );
  if (decision.args !== undefined) {
    const { args } = decision;
    const edited = { ...call, args };
    const changed = await decideAndAct(run, step, proposal, edited, parts, signal, { approved: true });
    return changed && { ...changed, outcome: addUsersChangeNote(args, changed.outcome) };
  }
  const reads = decided.by === "user" ? await judgeReadsAgain(calls.reads, parts, at) : calls.reads;
  const { hooks } = parts;
  const outcomes = await runApprovedCalls(run, step, { ...calls, prepared, decided, reads }, parts, signal);
  if (!outcomes || !hooks) return outcomes;
  const told = changedBy.length > 0 ? addOthersChangeNote(changedBy, call, outcomes.outcome) : outcomes.outcome;
  const heard = await hooks.reviewOutcome(step, call, told, signal);
  return { ...outcomes, outcome: opinion?.add.reduce(addOutcomeRemark, heard) ?? heard };
}

const NOT_APPROVED: Outcome = {
  status: "refused",
  feedback: "The first call of the reply wasn't approved, so the others weren't run either.",
};

/** Prepares the call as it's shown. If others have changed it or have doubts about it, the user decides. */
function prepareShownCall(
  prepared: PreparedCall,
  preview: Preview,
  changedBy: readonly string[],
  opinion: CallOpinion | undefined,
): PreparedCall {
  const reason = changedBy.length > 0 ? displayText("plugins.changed", { names: changedBy.join(", ") }) : opinion?.ask;
  const isUp = prepared.onlyByUser === undefined && reason !== undefined;
  if (preview === prepared.preview && !isUp) return prepared;
  return { ...prepared, preview, ...(isUp ? { onlyByUser: { rule: "plugin", reason } } : {}) };
}

function createPluginRefusal(reason: DisplayText): DecisionRecord {
  const sentence = writeInEnglish(reason);
  const feedback = `${sentence} Nothing was done, and asking again won't help. Try another approach.`;
  return {
    decision: { allow: false, feedback },
    by: "rule",
    rule: "plugin",
    reason: sentence,
    text: reason,
  };
}

function addOthersChangeNote(names: readonly string[], { name, args }: Call, outcome: Outcome): Outcome {
  const by = names.map((one) => JSON.stringify(one)).join(", ");
  return addNote(`The plugin ${by} put another call in place of yours: ${name} ${JSON.stringify(args)}.`, outcome);
}

/** The outcomes of an interrupted step. A question to the user is asked again; anything else isn't repeated, since it may be half done. */
export async function resolveInterruptedStep(
  run: Run,
  { step, began, reply }: StepView,
  parts: ActDependencies,
  signal: AbortSignal,
): Promise<StepOutcomes> {
  const also = reply?.kind === "proposal" ? (reply.also ?? []) : [];
  const interrupted = createStepOutcomes(
    INTERRUPTED,
    also.map(() => INTERRUPTED),
  );
  if (!began) return interrupted;
  const prepared = await parts.commands.prepare(began, { step, signal });
  if (!isPrepared(prepared) || !prepared.asksUser || prepared.effect !== "none") return interrupted;
  const outcome = await parts.commands.run(prepared, createRunContext(run, step, parts, signal));
  const proposed = reply?.kind === "proposal" ? parts.commands.understand(reply.call).call.args : began.args;
  return JSON.stringify(proposed) === JSON.stringify(began.args)
    ? { outcome }
    : { outcome: addUsersChangeNote(began.args, outcome) };
}

const INTERRUPTED: Outcome = {
  status: "failed",
  error:
    "The run was interrupted while this command ran. It may have done all, part or none of its work: look before you do it again.",
};

function addUsersChangeNote(args: object, outcome: Outcome): Outcome {
  return addNote(`The user changed your arguments to ${JSON.stringify(args)}.`, outcome);
}

function addNote(note: string, outcome: Outcome): Outcome {
  if (outcome.status !== "done" && outcome.status !== "failed") return outcome;
  const gap = outcome.status === "done" ? "\n" : " ";
  return setOutcomeText(outcome, `${note}${gap}${getOutcomeText(outcome)}`);
}

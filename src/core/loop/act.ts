import { type DisplayText, displayText, writeInEnglish } from "../../texts/display-text.ts";
import { isPrepared, type PreparedCall, type Preview, type RunContext } from "../commands/command.ts";
import type { CommandSet } from "../commands/command-set.ts";
import {
  addOutcomeRemark,
  getOutcomeText,
  type Outcome,
  type ShowPicture,
  setOutcomeText,
} from "../commands/outcome.ts";
import type { Run } from "../events/run.ts";
import type { StepView } from "../events/run-state.ts";
import type { Approver, DecisionRecord } from "../ports/approver.ts";
import type { CallOpinion, StepHooks } from "../ports/step-hooks.ts";
import type { Call, Proposal } from "../reply/reply.ts";
import {
  addReadsToPreview,
  areFresh,
  type FurtherRead,
  isReady,
  judgeReadsAgain,
  listRefusedReads,
  prepareReads,
  runReads,
} from "./further-reads.ts";

/** SHA-256 of what is shown of a call and of those that run beside it, in lower-case hexadecimal. */
export async function hashPreview(call: Call, preview: Preview, also: readonly Call[] = []): Promise<string> {
  const shown = also.length === 0 ? [call, preview] : [call, preview, also];
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(JSON.stringify(shown)));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Dependencies of acting on a proposal. */
export interface ActDependencies {
  readonly commands: CommandSet;
  readonly approver: Approver;
  readonly hooks?: StepHooks;
  reportOutput(step: number, chunk: string): void;
  readonly showPicture?: ShowPicture | undefined;
}

/** The outcome of a step's call, and those of the reply's further calls. */
export interface StepOutcomes {
  readonly outcome: Outcome;
  readonly also?: readonly Outcome[];
}

/** Where the call of a step comes from, if not from the model alone. */
interface Origin {
  /** The user approved exactly this call by changing its arguments. */
  readonly approved?: true;
  /** Others have changed its arguments, so they can't do so again. */
  readonly changed?: true;
}

/** Has a call approved and runs it, with the further reads of its reply. Undefined when the preview is outdated, so that it has to be shown again. */
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
  const prepared = await parts.commands.prepare(call, at);
  const checked = await prepareReads(proposal.also ?? [], parts, at);
  if (!isPrepared(prepared)) return readAlone(run, { step, call, failed: prepared }, checked, parts, signal);
  const preview = addReadsToPreview(prepared.preview, checked);
  const hash = await hashPreview(call, preview, listReadyCalls(checked));
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
        { step, proposal: { ...proposal, call }, prepared: shown, hash, ...(approved ? { approved } : {}) },
        signal,
      );
  if (decided === "again") return undefined;
  await recordDecision(run, step, hash, decided);
  const { decision } = decided;
  if (!decision.allow)
    return createStepOutcomes({ status: "refused", feedback: decision.feedback }, listRefusedReads(checked));
  if (decision.args !== undefined) {
    const { args } = decision;
    const edited = { ...call, args };
    const changed = await decideAndAct(run, step, proposal, edited, parts, signal, { approved: true });
    return changed && { ...changed, outcome: addUsersChangeNote(args, changed.outcome) };
  }
  const reads = decided.by === "user" ? await judgeReadsAgain(checked, parts, at) : checked;
  const { hooks } = parts;
  const outcomes = await runApprovedCall(run, step, { call, prepared, decided, reads }, parts, signal);
  if (!outcomes || !hooks) return outcomes;
  const told =
    changedBy.length > 0 ? addOthersChangeNote(changedBy, call, outcomes.outcome) : outcomes.outcome;
  const heard = await hooks.reviewOutcome(step, call, told, signal);
  return { ...outcomes, outcome: opinion?.add.reduce(addOutcomeRemark, heard) ?? heard };
}

async function recordDecision(
  run: Run,
  step: number,
  hash: string,
  { decision, harmlessIn: _harmless, ...why }: DecisionRecord,
): Promise<void> {
  const { feedback, args, accepted } = {
    feedback: undefined,
    args: undefined,
    accepted: undefined,
    ...decision,
  };
  await run.record({
    type: "decided",
    step,
    allow: decision.allow,
    hash,
    ...why,
    ...(feedback === undefined ? {} : { feedback }),
    ...(args === undefined ? {} : { args }),
    ...(accepted === undefined ? {} : { edited: true }),
  });
}

/** A call that was approved. */
interface ApprovedCall {
  readonly call: Call;
  readonly prepared: PreparedCall;
  readonly decided: DecisionRecord;
  readonly reads: readonly FurtherRead[];
}

/** Runs an approved call with the further reads. Undefined when a preview is outdated. */
async function runApprovedCall(
  run: Run,
  step: number,
  { call, prepared, decided, reads }: ApprovedCall,
  parts: ActDependencies,
  signal: AbortSignal,
): Promise<StepOutcomes | undefined> {
  if (!(await prepared.fresh()) || !(await areFresh(reads))) return undefined;
  await run.record({ type: "began", step, command: call.name, args: call.args });
  if (prepared.effect !== "none" && prepared.effect !== "read") await run.sync();
  const { decision, harmlessIn } = decided;
  const accepted = decision.allow ? decision.accepted : undefined;
  const context = createRunContext(run, step, parts, signal);
  const first = parts.commands.run(prepared, {
    ...context,
    ...(accepted === undefined ? {} : { accepted }),
    ...(harmlessIn === undefined ? {} : { harmlessIn }),
    ...(decided.by === "user" ? { approvedByUser: true } : {}),
  });
  const both = [first, runReads(reads, parts, context)] as const;
  await Promise.allSettled(both);
  const [outcome, also] = await Promise.all(both);
  return createStepOutcomes(outcome, also);
}

/** The call as it is shown. One that others have changed, or have doubts about, is up to the user. */
function prepareShownCall(
  prepared: PreparedCall,
  preview: Preview,
  changedBy: readonly string[],
  opinion: CallOpinion | undefined,
): PreparedCall {
  const reason =
    changedBy.length > 0 ? displayText("plugins.changed", { names: changedBy.join(", ") }) : opinion?.ask;
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
  return addNote(
    `The plugin ${by} put another call in place of yours: ${name} ${JSON.stringify(args)}.`,
    outcome,
  );
}

/** Runs the further reads of a reply whose first call can't be run. */
async function readAlone(
  run: Run,
  { step, call, failed }: { readonly step: number; readonly call: Call; readonly failed: Outcome },
  reads: readonly FurtherRead[],
  parts: ActDependencies,
  signal: AbortSignal,
): Promise<StepOutcomes | undefined> {
  const [ready] = reads.filter(isReady);
  if (ready) {
    const { by, rule, reason, text } = ready.allowed;
    const hash = await hashPreview(
      call,
      addReadsToPreview({ kind: "details", text: "" }, reads),
      listReadyCalls(reads),
    );
    const why = {
      by,
      reason,
      ...(text ? { text } : {}),
      ...(rule === undefined ? {} : { rule }),
    };
    await run.record({ type: "decided", step, allow: true, hash, ...why });
    if (!(await areFresh(reads))) return undefined;
    await run.record({ type: "began", step, command: call.name, args: call.args });
  }
  return createStepOutcomes(failed, await runReads(reads, parts, createRunContext(run, step, parts, signal)));
}

function listReadyCalls(reads: readonly FurtherRead[]): readonly Call[] {
  return reads.filter(isReady).map(({ call }) => call);
}

function createStepOutcomes(outcome: Outcome, also: readonly Outcome[]): StepOutcomes {
  return also.length === 0 ? { outcome } : { outcome, also };
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

function createRunContext(run: Run, step: number, parts: ActDependencies, signal: AbortSignal): RunContext {
  return {
    step,
    signal,
    output: (chunk) => parts.reportOutput(step, chunk),
    record: async (event) => void (await run.record(event)),
    showPicture: parts.showPicture,
  };
}

function addUsersChangeNote(args: object, outcome: Outcome): Outcome {
  return addNote(`The user changed your arguments to ${JSON.stringify(args)}.`, outcome);
}

function addNote(note: string, outcome: Outcome): Outcome {
  if (outcome.status !== "done" && outcome.status !== "failed") return outcome;
  const gap = outcome.status === "done" ? "\n" : " ";
  return setOutcomeText(outcome, `${note}${gap}${getOutcomeText(outcome)}`);
}

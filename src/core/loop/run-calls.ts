import { omitUndefined } from "../base/objects.ts";
import type { PreparedCall, RunContext } from "../commands/command.ts";
import type { CommandSet } from "../commands/command-set.ts";
import type { Outcome, ShowPicture } from "../commands/outcome.ts";
import type { Run } from "../events/run.ts";
import type { DecisionRecord } from "../ports/approver.ts";
import { type FurtherRead, isReady, type PreparedCalls } from "./prepare-calls.ts";

/** Dependencies of running the calls of a step. */
export interface RunningDependencies {
  readonly commands: Pick<CommandSet, "run">;
  reportOutput(step: number, chunk: string): void;
  readonly showPicture?: ShowPicture | undefined;
}

/** The outcome of a step's call, and those of the reply's further calls. */
export interface StepOutcomes {
  readonly outcome: Outcome;
  readonly also?: readonly Outcome[];
}

/** Calls that were approved. */
interface ApprovedCalls extends PreparedCalls {
  readonly prepared: PreparedCall;
  readonly decided: DecisionRecord;
}

/** Records the decision on a step. */
export async function recordDecision(
  run: Run,
  step: number,
  hash: string,
  { decision, harmlessIn: _harmless, ...why }: DecisionRecord,
): Promise<void> {
  const changes = decision.allow
    ? {
        ...omitUndefined({ args: decision.args }),
        ...(decision.accepted === undefined ? {} : { edited: true as const }),
      }
    : { feedback: decision.feedback };
  await run.record({ type: "decided", step, allow: decision.allow, hash, ...why, ...changes });
}

/** Runs an approved call with the further reads. Undefined if a preview is outdated. */
export async function runApprovedCalls(
  run: Run,
  step: number,
  { call, prepared, decided, reads }: ApprovedCalls,
  parts: RunningDependencies,
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
    ...omitUndefined({ accepted, harmlessIn, approvedByUser: decided.by === "user" || undefined }),
  });
  const both = [first, runReads(reads, parts, context)] as const;
  await Promise.allSettled(both);
  const [outcome, also] = await Promise.all(both);
  return createStepOutcomes(outcome, also);
}

/** Runs the further reads of a reply whose first call can't be run. */
export async function runReadsAlone(
  run: Run,
  step: number,
  { call, hash, reads, failed }: Omit<PreparedCalls, "prepared"> & { readonly failed: Outcome },
  parts: RunningDependencies,
  signal: AbortSignal,
): Promise<StepOutcomes | undefined> {
  const [ready] = reads.filter(isReady);
  if (ready) {
    await recordDecision(run, step, hash, ready.allowed);
    if (!(await areFresh(reads))) return undefined;
    await run.record({ type: "began", step, command: call.name, args: call.args });
  }
  return createStepOutcomes(failed, await runReads(reads, parts, createRunContext(run, step, parts, signal)));
}

/** True if the previews of all calls that would run are up to date. */
async function areFresh(reads: readonly FurtherRead[]): Promise<boolean> {
  const fresh = await Promise.all(reads.filter(isReady).map(({ prepared }) => prepared.fresh()));
  return fresh.every(Boolean);
}

/** Runs the ready reads together. A failed read doesn't affect the others; after an abort, all have ended when this throws. */
async function runReads(
  reads: readonly FurtherRead[],
  { commands }: Pick<RunningDependencies, "commands">,
  running: RunContext,
): Promise<readonly Outcome[]> {
  const quiet: RunContext = { ...running, output: () => undefined };
  const all = reads.map(async (read) => (isReady(read) ? commands.run(read.prepared, quiet) : read));
  await Promise.allSettled(all);
  return Promise.all(all);
}

/** The outcomes of a step, without an empty list. */
export function createStepOutcomes(outcome: Outcome, also: readonly Outcome[]): StepOutcomes {
  return also.length === 0 ? { outcome } : { outcome, also };
}

/** The context in which the commands of a step run. */
export function createRunContext(run: Run, step: number, parts: RunningDependencies, signal: AbortSignal): RunContext {
  return {
    step,
    signal,
    output: (chunk) => parts.reportOutput(step, chunk),
    record: async (event) => void (await run.record(event)),
    showPicture: parts.showPicture,
  };
}

import { isPrepared, type Preview, type RunContext } from "../commands/command.ts";
import type { CommandSet } from "../commands/command-set.ts";
import type { Outcome } from "../commands/outcome.ts";
import type { Run } from "../events/run.ts";
import type { StepView } from "../events/run-state.ts";
import type { Approver } from "../ports/approver.ts";
import type { Call, Proposal } from "../reply/reply.ts";

/** SHA-256 of what is shown of a call, in lower-case hexadecimal. */
export async function previewHash(call: Call, preview: Preview): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify([call, preview]));
  const digest = await crypto.subtle.digest("SHA-256", bytes);
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Dependencies of acting on a proposal. */
export interface ActDependencies {
  readonly commands: CommandSet;
  readonly approver: Approver;
  output(step: number, chunk: string): void;
}

/** Has a call approved and runs it. Undefined when the preview is outdated, so that the call has to be shown again. */
export async function decideAndAct(
  run: Run,
  step: number,
  proposal: Proposal,
  call: Call,
  parts: ActDependencies,
  signal: AbortSignal,
  approved = false,
): Promise<Outcome | undefined> {
  const prepared = await parts.commands.prepare(call, { step, signal });
  if (!isPrepared(prepared)) return prepared;
  const hash = await previewHash(call, prepared.preview);
  const decided = await parts.approver.decide(
    { step, proposal: { ...proposal, call }, prepared, hash, ...(approved ? { approved } : {}) },
    signal,
  );
  if (decided === "again") return undefined;
  const { decision, harmlessIn, ...why } = decided;
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
  if (!decision.allow) return { status: "refused", feedback: decision.feedback };
  if (args !== undefined) {
    const outcome = await decideAndAct(run, step, proposal, { ...call, args }, parts, signal, true);
    return outcome && withUsersChange(args, outcome);
  }
  if (!(await prepared.fresh())) return undefined;
  await run.record({ type: "began", step, command: call.name, args: call.args });
  if (prepared.effect !== "none" && prepared.effect !== "read") await run.sync();
  return parts.commands.run(prepared, {
    ...running(run, step, parts, signal),
    ...(accepted === undefined ? {} : { accepted }),
    ...(harmlessIn === undefined ? {} : { harmlessIn }),
  });
}

/** The outcome of an interrupted command. A question to the user is asked again; anything else isn't repeated, since it may be half done. */
export async function afterInterruption(
  run: Run,
  { step, began, reply }: StepView,
  parts: ActDependencies,
  signal: AbortSignal,
): Promise<Outcome> {
  if (!began) return INTERRUPTED;
  const prepared = await parts.commands.prepare(began, { step, signal });
  if (!isPrepared(prepared) || !prepared.asksUser || prepared.effect !== "none") return INTERRUPTED;
  const outcome = await parts.commands.run(prepared, running(run, step, parts, signal));
  const proposed = reply?.kind === "proposal" ? parts.commands.understand(reply.call).call.args : began.args;
  return JSON.stringify(proposed) === JSON.stringify(began.args)
    ? outcome
    : withUsersChange(began.args, outcome);
}

const INTERRUPTED: Outcome = {
  status: "failed",
  error:
    "The run was interrupted while this command ran. It may have done all, part or none of its work: look before you do it again.",
};

function running(run: Run, step: number, parts: ActDependencies, signal: AbortSignal): RunContext {
  return {
    step,
    signal,
    output: (chunk) => parts.output(step, chunk),
    record: async (event) => void (await run.record(event)),
  };
}

function withUsersChange(args: object, outcome: Outcome): Outcome {
  const note = `The user changed your arguments to ${JSON.stringify(args)}.`;
  if (outcome.status === "done") return { ...outcome, output: `${note}\n${outcome.output}` };
  return outcome.status === "failed" ? { ...outcome, error: `${note} ${outcome.error}` } : outcome;
}

import { writeInEnglish } from "../../texts/display-text.ts";
import { isPrepared, type PreparedCall, type Preview, type RunContext } from "../commands/command.ts";
import type { CommandSet } from "../commands/command-set.ts";
import type { Outcome } from "../commands/outcome.ts";
import type { Approver, DecisionRecord } from "../ports/approver.ts";
import type { StepHooks } from "../ports/step-hooks.ts";
import { type Call, NO_THOUGHTS } from "../reply/reply.ts";

/** A further call of a reply that may run beside the first, with the policy's decision that it needs no approval. */
interface ReadyRead {
  readonly call: Call;
  readonly prepared: PreparedCall;
  readonly allowed: DecisionRecord;
}

/** A further call of a reply: ready to run, or its outcome without having been run. */
export type FurtherRead = ReadyRead | Outcome;

/** Dependencies of running further reads. */
export interface FurtherReadDependencies {
  readonly commands: Pick<CommandSet, "prepare" | "run">;
  readonly approver: Approver;
  readonly hooks?: Pick<StepHooks, "check">;
}

const NEEDS_APPROVAL: Outcome = {
  status: "refused",
  feedback: "It needs approval of its own, so it can't run beside another call. Call it alone.",
};

const NOT_APPROVED: Outcome = {
  status: "refused",
  feedback: "The first call of the reply wasn't approved, so the others weren't run either.",
};

/** True for a further call that may run. */
export function isReady(read: FurtherRead): read is ReadyRead {
  return "prepared" in read;
}

/** Checks the further calls of a reply. Only one that reads, and that the policy allows without asking anyone, is ready. */
export async function prepareReads(
  calls: readonly Call[],
  parts: FurtherReadDependencies,
  at: { readonly step: number; readonly signal: AbortSignal },
): Promise<readonly FurtherRead[]> {
  const reads: FurtherRead[] = [];
  for (const [further, call] of calls.entries()) {
    const prepared = await parts.commands.prepare(call, { ...at, further });
    reads.push(isPrepared(prepared) ? await judgeRead(call, prepared, parts, at) : prepared);
  }
  return reads;
}

/** Judges ready reads once more, after the user took time to decide. */
export async function judgeReadsAgain(
  reads: readonly FurtherRead[],
  parts: FurtherReadDependencies,
  at: { readonly step: number; readonly signal: AbortSignal },
): Promise<readonly FurtherRead[]> {
  return Promise.all(
    reads.map((read) => (isReady(read) ? judgeRead(read.call, read.prepared, parts, at) : read)),
  );
}

async function judgeRead(
  call: Call,
  prepared: PreparedCall,
  { approver, hooks }: FurtherReadDependencies,
  { step, signal }: { readonly step: number; readonly signal: AbortSignal },
): Promise<FurtherRead> {
  const opinion = await hooks?.check({ step, call, prepared, hash: "" }, signal);
  if (opinion?.deny) return { status: "refused", feedback: writeInEnglish(opinion.deny) };
  if (opinion?.ask ?? opinion?.args) return NEEDS_APPROVAL;
  const proposal = { kind: "proposal", thoughts: NO_THOUGHTS, call } as const;
  const allowed = isOnlyReading(prepared)
    ? await approver.decideWithoutAsking?.({ step, proposal, prepared, hash: "" }, signal)
    : undefined;
  if (!allowed) return NEEDS_APPROVAL;
  const { decision } = allowed;
  return decision.allow ? { call, prepared, allowed } : { status: "refused", feedback: decision.feedback };
}

function isOnlyReading({ effect, touches, shell, hosts = [], asksUser, publishes }: PreparedCall): boolean {
  const isRead = effect === "read" || effect === "none";
  const isSilent = !shell && hosts.length === 0 && !asksUser && !publishes;
  return isRead && isSilent && touches.every(({ how }) => how === "read");
}

/** The preview of a call with those that run beside it, so that all of them are shown. */
export function addReadsToPreview(preview: Preview, reads: readonly FurtherRead[]): Preview {
  const texts = reads.flatMap((read) =>
    isReady(read) && read.prepared.preview.kind === "details" ? [`- ${read.prepared.preview.text}`] : [],
  );
  if (texts.length === 0 || preview.kind !== "details") return preview;
  return { kind: "details", text: `${preview.text}\n\nIn the same step:\n${texts.join("\n")}` };
}

/** True if the previews of all calls that would run are up to date. */
export async function areFresh(reads: readonly FurtherRead[]): Promise<boolean> {
  const fresh = await Promise.all(reads.filter(isReady).map(({ prepared }) => prepared.fresh()));
  return fresh.every(Boolean);
}

/** Runs the ready reads together. One that fails doesn't affect the others; after an abort, all have ended when this throws. */
export async function runReads(
  reads: readonly FurtherRead[],
  { commands }: Pick<FurtherReadDependencies, "commands">,
  running: RunContext,
): Promise<readonly Outcome[]> {
  const quiet: RunContext = { ...running, output: () => undefined };
  const all = reads.map(async (read) => (isReady(read) ? commands.run(read.prepared, quiet) : read));
  await Promise.allSettled(all);
  return Promise.all(all);
}

/** Outcomes of reads that weren't run because the first call wasn't. */
export function listRefusedReads(reads: readonly FurtherRead[]): readonly Outcome[] {
  return reads.map(() => NOT_APPROVED);
}

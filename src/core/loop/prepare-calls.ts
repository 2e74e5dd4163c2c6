import { writeInEnglish } from "../../texts/display-text.ts";
import { isPrepared, type PreparedCall, type Preview } from "../commands/command.ts";
import type { CommandSet } from "../commands/command-set.ts";
import type { Outcome } from "../commands/outcome.ts";
import type { Approver, DecisionRecord } from "../ports/approver.ts";
import type { StepHooks } from "../ports/step-hooks.ts";
import { type Call, NO_THOUGHTS, type Proposal } from "../reply/reply.ts";

/** A further call of a reply that may run beside the first, with the policy's decision that it needs no approval. */
interface ReadyRead {
  readonly call: Call;
  readonly prepared: PreparedCall;
  readonly allowed: DecisionRecord;
}

/** A further call of a reply: ready to run, or its outcome without having been run. */
export type FurtherRead = ReadyRead | Outcome;

/** The calls of a step, ready to be decided: its own, and the further reads of its reply. */
export interface PreparedCalls {
  readonly call: Call;
  /** The outcome where the call can't be run. */
  readonly prepared: PreparedCall | Outcome;
  readonly reads: readonly FurtherRead[];
  /** All that is shown of them. */
  readonly preview: Preview;
  /** SHA-256 of that. */
  readonly hash: string;
}

/** Dependencies of preparing the calls of a step. */
export interface PrepareDependencies {
  readonly commands: Pick<CommandSet, "prepare">;
  readonly approver: Approver;
  readonly hooks?: Pick<StepHooks, "check">;
}

const NEEDS_APPROVAL: Outcome = {
  status: "refused",
  feedback: "It needs approval of its own, so it can't run beside another call. Call it alone.",
};

/** Prepares the call of a step and the further reads of its reply, as they are shown together. */
export async function prepareCalls(
  call: Call,
  { also = [] }: Pick<Proposal, "also">,
  parts: PrepareDependencies,
  at: { readonly step: number; readonly signal: AbortSignal },
): Promise<PreparedCalls> {
  const prepared = await parts.commands.prepare(call, at);
  const reads = await prepareReads(also, parts, at);
  const own: Preview = isPrepared(prepared) ? prepared.preview : { kind: "details", text: "" };
  const preview = addReadsToPreview(own, reads);
  const ready = reads.filter(isReady).map((read) => read.call);
  return { call, prepared, reads, preview, hash: await hashPreview(call, preview, ready) };
}

/** SHA-256 of what the user sees of a call and of those that run beside it, in lowercase hexadecimal. */
export async function hashPreview(call: Call, preview: Preview, also: readonly Call[] = []): Promise<string> {
  const shown = also.length === 0 ? [call, preview] : [call, preview, also];
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(JSON.stringify(shown)));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** True for a further call that may run. */
export function isReady(read: FurtherRead): read is ReadyRead {
  return "prepared" in read;
}

/** Checks the further calls of a reply. Only one that reads, and that the policy allows without asking anyone, is ready. */
export async function prepareReads(
  calls: readonly Call[],
  parts: PrepareDependencies,
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
  parts: PrepareDependencies,
  at: { readonly step: number; readonly signal: AbortSignal },
): Promise<readonly FurtherRead[]> {
  return Promise.all(reads.map((read) => (isReady(read) ? judgeRead(read.call, read.prepared, parts, at) : read)));
}

async function judgeRead(
  call: Call,
  prepared: PreparedCall,
  { approver, hooks }: PrepareDependencies,
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
function addReadsToPreview(preview: Preview, reads: readonly FurtherRead[]): Preview {
  const texts = reads.flatMap((read) =>
    isReady(read) && read.prepared.preview.kind === "details" ? [`- ${read.prepared.preview.text}`] : [],
  );
  if (texts.length === 0 || preview.kind !== "details") return preview;
  return { kind: "details", text: `${preview.text}\n\nIn the same step:\n${texts.join("\n")}` };
}

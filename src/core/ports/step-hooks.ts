import type { DisplayText } from "../../texts/display-text.ts";
import type { PreparedCall } from "../commands/command.ts";
import type { Outcome } from "../commands/outcome.ts";
import type { Call, Proposal } from "../reply/reply.ts";

/** A call that is about to be decided. */
export interface CheckedCall {
  readonly step: number;
  readonly call: Call;
  readonly prepared: PreparedCall;
  /** SHA-256 of what is shown. */
  readonly hash: string;
}

/** Opinion of others about a call. Nothing in it can allow anything. */
export interface CallOpinion {
  /** Why it's refused. */
  readonly deny?: DisplayText;
  /** Why the user has to decide, whatever would allow it. */
  readonly ask?: DisplayText;
  /** Other arguments, and who wants them. */
  readonly args?: { readonly by: string; readonly args: Call["args"] };
  /** Words for the model, beside the outcome. */
  readonly add: readonly string[];
}

/** Others that see the stages of a step, such as plugins. They answer in a limited time and never throw, except when the run is stopped. */
export interface StepHooks {
  /** Notes for the end of the next prompt. */
  collectNotes(signal: AbortSignal): Promise<readonly string[]>;
  /** The proposal that counts, with the names of those who changed it. */
  reviewProposal(step: number, proposal: Proposal, signal: AbortSignal): Promise<Proposal>;
  check(checked: CheckedCall, signal: AbortSignal): Promise<CallOpinion>;
  /** The outcome that the model reads. */
  reviewOutcome(step: number, call: Call, outcome: Outcome, signal: AbortSignal): Promise<Outcome>;
  /** Why the run should go on although its task is complete; undefined if it shouldn't. */
  goOn(summary: string, signal: AbortSignal): Promise<string | undefined>;
  /** Texts to keep when the steps up to this one are summarized. */
  collectKeptTexts(through: number): Promise<readonly string[]>;
}

import type { DisplayText } from "../../texts/display-text.ts";
import type { PreparedCall } from "../commands/command.ts";
import type { Outcome } from "../commands/outcome.ts";
import type { Call, Proposal } from "../reply/reply.ts";

/** A call that is about to be decided. */
export interface CheckedCall {
  readonly step: number;
  readonly call: Call;
  readonly prepared: PreparedCall;
  /** SHA-256 of the call's preview. */
  readonly hash: string;
}

/** Opinion of others about a call. It can't allow anything. */
export interface CallOpinion {
  /** Why it's refused. */
  readonly deny?: DisplayText;
  /** Why the user has to decide, even if something would allow the call. */
  readonly ask?: DisplayText;
  /** Replacement arguments, and who requests them. */
  readonly args?: { readonly by: string; readonly args: Call["args"] };
  /** Text for the model, shown beside the outcome. */
  readonly add: readonly string[];
}

/** Participants in the stages of a step, such as plugins. They answer in a limited time and never throw, except when the run is stopped. */
export interface StepHooks {
  /** Collects notes for the end of the next prompt. */
  collectNotes(signal: AbortSignal): Promise<readonly string[]>;
  /** Returns the final proposal, with the names of those who changed it. */
  reviewProposal(step: number, proposal: Proposal, signal: AbortSignal): Promise<Proposal>;
  check(checked: CheckedCall, signal: AbortSignal): Promise<CallOpinion>;
  /** Returns the outcome that the model reads. */
  reviewOutcome(step: number, call: Call, outcome: Outcome, signal: AbortSignal): Promise<Outcome>;
  /** Why the run should continue although its task is complete; undefined if it shouldn't. */
  goOn(summary: string, signal: AbortSignal): Promise<string | undefined>;
  /** Texts to keep when the steps up to this one are summarized. */
  collectKeptTexts(through: number): Promise<readonly string[]>;
}

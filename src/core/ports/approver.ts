import type { DecisionSource } from "../../schema/run-values.ts";
import type { DisplayText } from "../../texts/display-text.ts";
import type { PreparedCall } from "../commands/command.ts";
import type { Source } from "../commands/outcome.ts";
import type { Proposal } from "../reply/reply.ts";

/** A decision on one proposal. `accepted` is the text of the proposed diff as the user left it; absent if unchanged. */
export type Decision =
  | { readonly allow: true; readonly args?: Readonly<Record<string, unknown>>; readonly accepted?: string }
  | { readonly allow: false; readonly feedback: string };

/** Why a policy asks, and the facts the user needs to decide. */
export interface ApprovalReason {
  /** Name of the rule that asks. */
  readonly rule: string;
  readonly reason: string;
  /** The reason for people; absent if it quotes text of others. */
  readonly text?: DisplayText;
  /** The call touches something that needs approval in every mode. */
  readonly sensitive: boolean;
  /** Sources of untrusted text in the context, which may have caused this call. */
  readonly sources: readonly Source[];
  /** The newest of them, for people, if they changed the decision and the user hasn't been warned in this run. */
  readonly influence?: DisplayText;
  /** The rule that "always allow" would save, for people; absent if no rule is possible. */
  readonly teaches?: string;
}

export interface ApprovalRequest {
  readonly step: number;
  readonly proposal: Proposal;
  readonly prepared: PreparedCall;
  /** SHA-256 of the preview. */
  readonly hash: string;
  /** Set by the policy that asks. */
  readonly why?: ApprovalReason;
  /** The user approved exactly this call by changing its arguments. */
  readonly approved?: boolean;
}

export interface DecisionRecord {
  readonly decision: Decision;
  readonly by: DecisionSource;
  readonly rule?: string;
  readonly reason: string;
  /** The reason for people. */
  readonly text?: DisplayText;
  /** Set for a read-only line that runs without approval: the real folders in which it calls git, which then starts no other program. */
  readonly harmlessIn?: readonly string[];
}

/** Approves or refuses a proposal. `again` asks for a new preview because the facts have changed. */
export interface Approver {
  decide(request: ApprovalRequest, signal: AbortSignal): Promise<DecisionRecord | "again">;
  /** Decides on a call without asking anyone or using up a grant; undefined if it needs either. */
  decideWithoutAsking?(request: ApprovalRequest, signal: AbortSignal): Promise<DecisionRecord | undefined>;
}

/** The person who can answer questions. */
export interface User {
  /** Returns the answer; undefined if no person is available. */
  ask(question: string, signal: AbortSignal): Promise<string | undefined>;
}

import type { DecisionSource } from "../../schema/run-values.ts";
import type { PreparedCall } from "../commands/command.ts";
import type { Source } from "../commands/outcome.ts";
import type { Proposal } from "../reply/reply.ts";

/** A decision on one proposal. `accepted` is the text that stood in a proposed diff; absent: as proposed. */
export type Decision =
  | { readonly allow: true; readonly args?: Readonly<Record<string, unknown>>; readonly accepted?: string }
  | { readonly allow: false; readonly feedback: string };

/** Why a policy asks, and what the user should know to decide. */
export interface ApprovalReason {
  /** The rule that asks, by name. */
  readonly rule: string;
  readonly reason: string;
  /** It touches what is asked about in every mode. */
  readonly sensitive: boolean;
  /** Untrusted text in the context, which may have talked the model into this. */
  readonly sources: readonly Source[];
  /** The rule that "always allow" would teach, for people; absent where none can be taught. */
  readonly teaches?: string;
}

export interface ApprovalRequest {
  readonly step: number;
  readonly proposal: Proposal;
  readonly prepared: PreparedCall;
  /** SHA-256 of what is shown. */
  readonly hash: string;
  /** Why it is asked, once a policy has said so. */
  readonly why?: ApprovalReason;
  /** The user has already approved exactly this, by changing the arguments. */
  readonly approved?: boolean;
}

export interface DecisionRecord {
  readonly decision: Decision;
  readonly by: DecisionSource;
  readonly rule?: string;
  readonly reason: string;
  /** Set for a line that runs unasked because it only reads: the real folders in which it calls git, which then starts no other program. */
  readonly harmlessIn?: readonly string[];
}

/** Says yes or no to a proposal. `again`: prepare it anew, what it was about has changed. */
export interface Approver {
  decide(request: ApprovalRequest, signal: AbortSignal): Promise<DecisionRecord | "again">;
}

/** The person at the other end. */
export interface User {
  /** The answer, or undefined when nobody is there to give one. */
  ask(question: string, signal: AbortSignal): Promise<string | undefined>;
}

import type { DecidedBy, Mode } from "../core/event.ts";
import type { Source } from "../core/outcome.ts";
import type { Platform } from "./paths.ts";
import type { Rule } from "./rules.ts";

/** What the policy makes of a proposal. */
export interface Verdict {
  readonly verdict: "allow" | "ask" | "refuse";
  /** The rule that decided, by name. */
  readonly rule: string;
  /** Why, as a sentence for the user. */
  readonly reason: string;
  /** It touches what is asked about in every mode. */
  readonly sensitive: boolean;
  /** Who allowed it. */
  readonly by: DecidedBy;
  /** The rule that "always allow" would teach, for people. */
  readonly teaches?: string;
}

/** All that a verdict depends on, beside the proposal. */
export interface PolicyContext {
  readonly mode: Mode;
  readonly grantLeft: number;
  readonly continuousLeft: number;
  /** The user's rules, in their order. */
  readonly rules: readonly Rule[];
  /** The workspace's deny patterns. */
  readonly deny: readonly Rule[];
  /** Command lines that are known to read only run without asking. */
  readonly readOnlyShell: boolean;
  /** Real paths of the workspace folders. */
  readonly folders: readonly string[];
  /** Hosts the user has allowed. */
  readonly hosts: readonly string[];
  /** Untrusted text that prompts of this run have held. */
  readonly untrusted: readonly Source[];
  readonly trustedWorkspace: boolean;
  readonly platform: Platform;
}

import type { Source } from "../../core/commands/outcome.ts";
import type { ApprovalRequest } from "../../core/ports/model.ts";
import type { DecisionSource, Mode } from "../../schema/events.ts";
import type { Platform } from "../paths/paths.ts";
import type { Rule } from "./rules.ts";
import type { ShellFacts } from "./shell-facts.ts";

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
  readonly by: DecisionSource;
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
  /** A file that another run has changed and is not finished with, and what that run is about. */
  readonly claimed?: { readonly path: string; readonly by: string };
  readonly platform: Platform;
  /** What is known of the command line; absent where nothing could read it. */
  readonly shell?: ShellFacts;
  /** The command line, when the user has taught that it may always run here, and what it runs is still the same. */
  readonly taught?: string;
  /** Changes that a sandboxed line made to files that steer programs, as a clause, until the user has seen them. */
  readonly tampered?: string;
  /** How command lines are confined: "confined" ones still ask, "trusted" ones run unasked as far as `docs/safety.md` says. */
  readonly sandbox?: "confined" | "trusted";
}

/** One thing to consider; the first that has something to say gives the verdict. */
export type Consideration = (request: ApprovalRequest, context: PolicyContext) => Verdict | undefined;

export function allows(by: DecisionSource, rule: string, reason: string): Verdict {
  return { verdict: "allow", rule, reason, sensitive: false, by };
}

/** `sensitive`: it is asked about in every mode, and ends a grant. */
export function asks(rule: string, reason: string, sensitive = false): Verdict {
  return { verdict: "ask", rule, reason, sensitive, by: "user" };
}

export function refuses(rule: string, reason: string): Verdict {
  return { verdict: "refuse", rule, reason, sensitive: false, by: "rule" };
}

import type { Source } from "../../core/commands/outcome.ts";
import type { ApprovalRequest } from "../../core/ports/approver.ts";
import type { DecisionSource, Mode } from "../../schema/run-values.ts";
import { type DisplayText, writeInEnglish } from "../../texts/display-text.ts";
import type { Platform } from "../paths/paths.ts";
import type { Rule } from "./rules.ts";
import type { ShellFacts } from "./shell-facts.ts";

/** One consideration's answer to a proposal. */
export interface Judgment {
  readonly verdict: "allow" | "ask" | "refuse";
  /** Stable ID of the rule that decided; a rule of the user includes its place in the settings. */
  readonly rule: string;
  /** A sentence for the user, which the model reads too when the call is refused. */
  readonly reason: string;
  /** The reason for people; absent if it quotes text of others. */
  readonly text?: DisplayText;
  /** The judgment asks in every mode, and ends a grant. */
  readonly sensitive: boolean;
  /** Who allowed it. */
  readonly by: DecisionSource;
  /** The rule that "always allow" would save, for people. */
  readonly teaches?: string;
}

/** The policy's answer to a proposal. */
export interface Verdict extends Judgment {
  /** Source file with the code that decided, from the repository's root. */
  readonly file: string;
}

/** An isolated run, as the policy sees it. */
export interface IsolatedContext {
  /** Names of the commands that work only in the copy, including all the programs that they start. */
  readonly commands: ReadonlySet<string>;
  /** The copied folders, and the folders that they're copies of. */
  readonly folders: readonly { readonly path: string; readonly origin: string }[];
  /** Real paths of the whole copy: these folders, and the repositories around them. */
  readonly places: readonly string[];
}

/** Everything that a verdict depends on besides the proposal. */
export interface PolicyContext {
  readonly mode: Mode;
  readonly grantLeft: number;
  readonly continuousLeft: number;
  /** The user's rules, in their order. */
  readonly rules: readonly Rule[];
  /** The workspace's deny patterns. */
  readonly deny: readonly Rule[];
  /** Command lines that are known to only read run without approval. */
  readonly readOnlyShell: boolean;
  /** Real paths of the workspace folders. */
  readonly folders: readonly string[];
  /** Hosts that the user has allowed. */
  readonly hosts: readonly string[];
  /** Untrusted text that this run's prompts have held. */
  readonly untrusted: readonly Source[];
  readonly trustedWorkspace: boolean;
  /** A file that another unfinished run has changed, and that run's task. */
  readonly claimed?: { readonly path: string; readonly by: string };
  readonly platform: Platform;
  /** Facts about the call's command line; absent if it has none. */
  readonly shell?: ShellFacts;
  /** Why commands that the call's code would start ask in every mode, as far as its text shows them. */
  readonly startedByCode?: DisplayText;
  /** Which approvals are older than the latest untrusted text, and facts that only matter after such text. */
  readonly afterText?: AfterText;
  /** The command line, if a saved rule lets it run here and the files it runs are unchanged. */
  readonly savedLine?: string;
  /** Changes that a sandboxed line made to files that steer programs, as a clause, until the user has seen them. */
  readonly tampered?: string;
  /** Unsaved files that agents changed in editors. */
  readonly unsaved?: readonly string[];
  /** How command lines are confined: "confined" ones still ask, "trusted" ones run without approval as far as `docs/safety.md` says. */
  readonly sandbox?: "confined" | "trusted";
  /** Set for a run that works in a sandboxed copy, whose folders are then `folders`. */
  readonly isolated?: IsolatedContext;
}

/** Paths that a run has changed and created. */
export interface OwnFiles {
  readonly changed: ReadonlySet<string>;
  readonly created: ReadonlySet<string>;
}

/** Facts about a call after a run has read text that others wrote. */
export interface AfterText {
  readonly outdated: { readonly grant: boolean; readonly continuous: boolean };
  /** A file that the call would delete or overwrite although the run didn't create it. */
  readonly loses?: string;
  /** An address that the text named and that the call contains. */
  readonly carries?: string;
  /** A program that the call would run and that the run has changed. */
  readonly runsOwn?: string;
}

/** One thing to consider; undefined when it doesn't decide. */
export type Consideration = (request: ApprovalRequest, context: PolicyContext) => Judgment | undefined;

export function createAllowJudgment(by: DecisionSource, rule: string, reason: Reason): Judgment {
  return { verdict: "allow", rule, ...splitReasonText(reason), sensitive: false, by };
}

/** A `sensitive` question is asked in every mode and ends a grant. */
export function createAskJudgment(rule: string, reason: Reason, sensitive = false): Judgment {
  return { verdict: "ask", rule, ...splitReasonText(reason), sensitive, by: "user" };
}

export function createRefuseJudgment(rule: string, reason: Reason): Judgment {
  return { verdict: "refuse", rule, ...splitReasonText(reason), sensitive: false, by: "rule" };
}

/** A reason as a text, or as a sentence that stays as it is. */
export type Reason = string | DisplayText;

function splitReasonText(reason: Reason): Pick<Judgment, "reason" | "text"> {
  return typeof reason === "string" ? { reason } : { reason: writeInEnglish(reason), text: reason };
}

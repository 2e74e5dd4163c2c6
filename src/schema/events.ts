import type { Limits } from "../core/budget/budget.ts";
import type { Outcome, RunEnd, Source } from "../core/commands/outcome.ts";
import type { CommandSpec, ReplyFormat, ToolCall, Usage } from "../core/ports/model.ts";
import type { Directives, Profile } from "../core/prompt/profile.ts";
import type { PlanItem } from "../core/reply/plan.ts";
import type { Reply } from "../core/reply/reply.ts";

/** The version of the event log's format that this program writes. */
export const LOG_VERSION = 1;

/** Which models a run uses. */
export interface ModelNames {
  readonly smart: string;
  readonly fast: string;
  /** Tokens of the smart model's window. */
  readonly contextWindow: number;
  /** The window it was stated to have, where its server turned out to have a smaller one. */
  readonly statedWindow?: number;
}

/** A memory as it was put into a prompt. */
export interface RecalledMemory {
  readonly text: string;
  readonly source: string;
  /** 0 to 1. */
  readonly score: number;
  /** Why it was recalled, in a few words for people. */
  readonly why?: string;
  /** Made on this machine from nothing but the user's words and workspace files. */
  readonly isClean?: true;
}

/** The changing end of a prompt: all of it that cannot be read from earlier events. */
export interface PromptTail {
  /** Local time, as the model reads it. */
  readonly time: string;
  /** What remains to be spent, as the model reads it; "" when there is nothing to say. */
  readonly budget: string;
  readonly plan: readonly PlanItem[];
  readonly recalled: readonly RecalledMemory[];
  /** Remarks of the loop guard, and what else the model should know just now. */
  readonly remarks: readonly string[];
  /** Goals that replace those of the head, after the user changed them. */
  readonly goals?: readonly string[];
}

/** `plan`: only reading commands run, until the user says that the plan may be carried out. */
export type Mode = "ask" | "continuous" | "plan";

/** A folder of the workspace by the name that paths begin with. */
export interface WorkspaceFolder {
  readonly name: string;
  readonly path: string;
}

/** Who took a decision. */
export type DecisionSource = "user" | "rule" | "grant" | "continuous";

/** Something that happened in a run, before it got its number and time. */
export type AgentEventBody =
  | {
      readonly type: "started";
      readonly schema: number;
      readonly id: string;
      readonly task: string;
      readonly profile: Profile;
      readonly directives: Directives;
      /** The repository's own notes, rules and prompt settings, quoted in the prompt as such. */
      readonly rules: readonly { readonly file: string; readonly text: string }[];
      /** Which of them were left out, and why, each as a sentence. */
      readonly unread?: readonly string[];
      readonly model: ModelNames;
      readonly limits: Limits;
      readonly mode: Mode;
      readonly commands: readonly CommandSpec[];
      readonly folder: string;
      /** All workspace folders, the run's own first; only where there are several. */
      readonly folders?: readonly WorkspaceFolder[];
      readonly os: string;
      /** An id of this machine and user, so that foreign runs can be told apart. */
      readonly machine: string;
      /** The run that it was forked from, or works for. */
      readonly parent?: string;
      /** It works for its parent, with a share of the parent's budget; absent for a fork. */
      readonly isAgent?: true;
      /** The untrusted sources that its task may come from; what it reads itself is named by later events. */
      readonly sources?: readonly Source[];
    }
  | { readonly type: "asked"; readonly step: number; readonly format: ReplyFormat; readonly tail: PromptTail }
  | {
      readonly type: "replied";
      readonly step: number;
      readonly format: ReplyFormat;
      readonly text: string;
      readonly calls: readonly ToolCall[];
      readonly finish: string;
      readonly reply: Reply;
      readonly model: string;
      readonly usage?: Usage;
      /** US dollars; absent when the model's price is not known. */
      readonly costUsd?: number;
    }
  | {
      readonly type: "decided";
      readonly step: number;
      readonly allow: boolean;
      readonly by: DecisionSource;
      /** The rule that decided, by name. */
      readonly rule?: string;
      readonly reason: string;
      /** SHA-256 of what was shown. */
      readonly hash: string;
      readonly feedback?: string;
      /** Arguments as the user changed them. */
      readonly args?: Readonly<Record<string, unknown>>;
      /** The user accepted another text than the one proposed. */
      readonly edited?: boolean;
    }
  | {
      readonly type: "began";
      readonly step: number;
      readonly command: string;
      readonly args: Readonly<Record<string, unknown>>;
    }
  | { readonly type: "ended"; readonly step: number; readonly outcome: Outcome }
  | {
      readonly type: "said";
      readonly text: string;
      /** `agent`: the one that it works for. */
      readonly by: "user" | "self" | "agent";
      /** The untrusted sources that an agent's words may come from, as far as they are new here. */
      readonly sources?: readonly Source[];
    }
  | { readonly type: "planned"; readonly items: readonly PlanItem[] }
  | { readonly type: "recalled"; readonly step: number; readonly memories: readonly RecalledMemory[] }
  | {
      readonly type: "compacted";
      /** Steps up to this one are told by the summary alone. */
      readonly through: number;
      readonly summary: string;
      /** The user's own words in those steps, as far as they still count. */
      readonly feedback?: readonly string[];
      /** What failed in those steps and was not mended since. */
      readonly problems?: readonly string[];
      /** The model that wrote the summary; absent: no model was needed. */
      readonly model?: string;
      readonly usage?: Usage;
      readonly costUsd?: number;
    }
  | { readonly type: "granted"; readonly count: number }
  | { readonly type: "paused"; readonly reason: string }
  | { readonly type: "resumed"; readonly reason: string }
  | {
      readonly type: "changed";
      readonly goals?: readonly string[];
      readonly limits?: Partial<Limits>;
      readonly model?: ModelNames;
      readonly mode?: Mode;
    }
  | {
      /** Money spent beside the steps: drafts, summaries, embeddings, criticism, agents that work for this one. */
      readonly type: "spent";
      /** The run of an agent, whose own log tells of the same money. */
      readonly run?: string;
      readonly on: string;
      readonly model: string;
      readonly usage?: Usage;
      readonly costUsd?: number;
    }
  | {
      readonly type: "undone";
      readonly step: number;
      readonly files: readonly string[];
      /** The undo itself was undone: the step's changes are there again. */
      readonly redone?: boolean;
    }
  | { readonly type: "child"; readonly run: string; readonly name: string; readonly what: string }
  | { readonly type: "over"; readonly end: RunEnd };

/** Something that happened in a run. `seq` counts from 0 without gaps; `at` is ISO 8601. */
export type AgentEvent = { readonly seq: number; readonly at: string } & AgentEventBody;

export type EventType = AgentEvent["type"];

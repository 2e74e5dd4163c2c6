import type { WithheldCommand } from "../core/commands/command-set.ts";
import type { PreviewShape } from "../core/commands/preview.ts";
import type { RunState, StepView } from "../core/events/run-state.ts";
import type { CommandSpec } from "../core/ports/model.ts";
import type { ModelSource } from "../core/ports/model-source.ts";
import type { Profile } from "../core/prompt/profile.ts";
import type { ThoughtDelta } from "../core/reply/thought-stream.ts";
import type { AgentEvent } from "./events.ts";

/** No message to the panel is larger than this, in characters of its JSON. */
export const MAX_MESSAGE_CHARS = 64 * 1024;

/** Texts in events and pages are cut in their middle to about this many characters; `showOutcome` opens an outcome whole. */
export const SHOWN_TEXT_CHARS = 4_000;

/** A proposal as the panel shows it. `hash` comes back with the decision, so that only what was shown can be decided. */
export interface Card {
  readonly step: number;
  readonly hash: string;
  readonly command: string;
  /** Everything the command would do, in full, control characters made visible. Cut only for a change, which has its diff. */
  readonly text: string;
  /** How and where a command line would run, below the text. */
  readonly caption?: string;
  /** The text goes on in `cardText` messages; nothing can be approved before the last of them is here. */
  readonly more?: boolean;
  /** The arguments, to be edited in the panel; absent when they are too large for that. */
  readonly args?: Readonly<Record<string, unknown>>;
  /** Set for a file change: the file's label; "Review" opens the diff. */
  readonly file?: string;
  readonly preview: PreviewShape;
  /** Why it is asked: the rule's name and its reason. */
  readonly rule: string;
  readonly reason: string;
  /** Untrusted sources that are in the context, for people. */
  readonly sources: readonly string[];
  /** The card warns, and an approval by key needs the panel's own button. */
  readonly sensitive: boolean;
  /** The file has unsaved edits: it can be saved and reviewed again, nothing else. */
  readonly unsaved?: boolean;
  /** All of it was shown already, on another page or in an editor. */
  readonly seen?: boolean;
  /** A rule that "always allow" would teach; absent where none can be. */
  readonly teaches?: string;
}

/** Files in which a repository speaks to the agent, and why others were left out, each as a sentence. */
export interface RepositoryNotes {
  readonly files: readonly string[];
  readonly unread: readonly string[];
}

/** What the start page offers. */
export interface Welcome {
  /** Why no run can start here, as a sentence. */
  readonly blocked?: string;
  /** The button that helps against that. */
  readonly unblock?: PanelAction;
  /** A key is stored for the configured source of models. */
  readonly hasKey: boolean;
  /** The state of the configured source of models; absent while it's unknown. */
  readonly source?: ModelSource;
  /** Models found, best first: VS Code's own, local servers, the configured provider's. */
  readonly models: readonly {
    readonly id: string;
    readonly label: string;
    readonly detail: string;
    readonly chosen: boolean;
  }[];
  /** Models are still being looked for. */
  readonly looking?: boolean;
  /** Files of the repository that the agent reads; absent where there are none. */
  readonly words?: RepositoryNotes;
  /** The stored profile that "continue as" would use. */
  readonly lastProfile?: Profile;
}

/** Money and tokens under one name. */
export interface UsageAmount {
  readonly name: string;
  readonly tokens: number;
  readonly usd: number;
  /** Calls without a known price. */
  readonly unpriced: number;
}

/** What runs have cost of late, and what is remembered in the run's folder. */
export interface UsageReport {
  /** Of the run on show, the largest first. */
  readonly models: readonly UsageAmount[];
  /** Of all runs within reach, the newest first. */
  readonly days: readonly UsageAmount[];
  readonly allModels: readonly UsageAmount[];
  /** Absent until the memory was used. */
  readonly memory?: {
    readonly count: number;
    readonly embedded: number;
    readonly embedder: string;
    readonly bytes: number;
    /** Another window writes it. */
    readonly reading: boolean;
    readonly notices: readonly string[];
  };
}

/** A background process as the panel shows it. */
export interface ShownProcess {
  readonly id: number;
  /** Cut when it is very long. */
  readonly commandLine: string;
  readonly state: "running" | "ended" | "stopped";
  readonly code?: number;
  /** It goes on when the run ends. */
  readonly kept: boolean;
}

/** From the extension to the panel. Messages about a run carry `run`; `seq` lets the panel see a gap and ask for a snapshot. */
export type PanelUpdate =
  /** The start page, in place of a run; sent again while it is shown and what it offers changes. */
  | { readonly type: "welcome"; readonly welcome: Welcome }
  | {
      readonly type: "drafted";
      readonly task: string;
      readonly profile: Profile;
      /** Why it is not a draft of the model's, as a sentence. */
      readonly notice?: string;
    }
  /** The run to show: its state without the past steps, which follow in `page` messages. */
  | {
      readonly type: "snapshot";
      readonly run: string;
      readonly state: RunState;
      readonly readOnly: boolean;
      /** Why it can only be read, as a sentence. */
      readonly why?: string;
      /** False while nobody works on a run that is not over, so that it can be continued; absent means true. */
      readonly running?: boolean;
      /** The commands offered to the model. */
      readonly commands?: readonly Pick<CommandSpec, "name" | "description">[];
      readonly withheld: readonly WithheldCommand[];
      readonly continuous: boolean;
      readonly grant: number;
      readonly speech: boolean;
      /** The run is stepped through: this is how it stood after `step` of `of`. */
      readonly at?: { readonly step: number; readonly of: number };
    }
  /** The files that a run has changed, for its end: `count` in all, and the names of the first of them. Folders, which end in "/", only where there is no file. */
  | {
      readonly type: "changes";
      readonly run: string;
      readonly files: readonly string[];
      readonly count: number;
    }
  /** What runs have cost, and what is remembered, beside the run on show. */
  | { readonly type: "account"; readonly run: string; readonly account: UsageReport }
  /**
   * Past steps, oldest first; `earlier` says that still earlier ones can be asked for. Steps that do not fit into one
   * message come in several, in order or the newest first, so that each joins what the panel has.
   */
  | {
      readonly type: "page";
      readonly run: string;
      readonly steps: readonly StepView[];
      readonly earlier: boolean;
      /** What else happened between these steps: what was said, pauses, compactions and the like. */
      readonly beside?: readonly AgentEvent[];
    }
  | { readonly type: "event"; readonly run: string; readonly event: AgentEvent }
  | {
      readonly type: "thought";
      readonly run: string;
      readonly step: number;
      readonly deltas: readonly ThoughtDelta[];
      /** What streamed of this step before is void: its reply begins anew. */
      readonly restarted?: boolean;
    }
  | { readonly type: "output"; readonly run: string; readonly step: number; readonly text: string }
  /** What the run waits for now: nothing where nothing is named. */
  | {
      readonly type: "waiting";
      readonly run: string;
      readonly card?: Card;
      readonly question?: string;
      /** What somebody must mend before it goes on, a full disk for example, as a sentence that says what to do. */
      readonly hindrance?: string;
      /** Somebody works on it; absent means as before. */
      readonly running?: boolean;
    }
  /** More of the waiting card's text. */
  | {
      readonly type: "cardText";
      readonly run: string;
      readonly hash: string;
      readonly text: string;
      readonly more: boolean;
    }
  /** All of the waiting proposal was shown elsewhere, in an editor or on another page: it can be approved. */
  | { readonly type: "seen"; readonly run: string; readonly hash: string }
  /** The run's background processes; sent again whenever one of them changes. */
  | { readonly type: "processes"; readonly run: string; readonly processes: readonly ShownProcess[] }
  | { readonly type: "grant"; readonly run: string; readonly grant: number; readonly continuous: boolean }
  /** A sentence in the live region and above the composer; "" takes it away. After an error what was asked for can be asked for again. */
  | {
      readonly type: "notice";
      readonly text: string;
      readonly kind: "info" | "error";
    }
  /** A key, server or model was set, so earlier messages about them are out of date. */
  | { readonly type: "setupChanged" }
  | { readonly type: "files"; readonly query: string; readonly files: readonly string[] }
  /** The picture that came of a step, as an address that holds it. */
  | { readonly type: "picture"; readonly run: string; readonly step: number; readonly data: string };

/** From the panel to the extension. */
export type PanelRequest =
  | { readonly type: "ready" }
  /** The panel missed something, or its page was loaded anew. */
  | { readonly type: "resync"; readonly run: string }
  /** The page has got the keyboard's focus, or lost it: VS Code itself does not know of a view's page. */
  | { readonly type: "focus"; readonly inside: boolean }
  /** `again`: only goals are drafted, for the last profile. */
  | { readonly type: "draft"; readonly task: string; readonly again?: boolean }
  | {
      readonly type: "start";
      readonly task: string;
      readonly profile: Profile;
      /** Only a plan is made at first; it is carried out once the user says so. */
      readonly planFirst?: boolean;
    }
  | { readonly type: "approve"; readonly step: number; readonly hash: string; readonly count: number }
  | { readonly type: "alwaysAllow"; readonly step: number; readonly hash: string }
  | { readonly type: "refuse"; readonly step: number; readonly hash: string; readonly feedback: string }
  | {
      readonly type: "editArguments";
      readonly step: number;
      readonly hash: string;
      readonly args: Readonly<Record<string, unknown>>;
    }
  | { readonly type: "criticise"; readonly step: number }
  /** The end of the card's whole text was in view. */
  | { readonly type: "seen"; readonly step: number; readonly hash: string }
  /** Everything the proposal would do, in an editor. */
  | { readonly type: "openWhole"; readonly step: number; readonly hash: string }
  | { readonly type: "review"; readonly step: number }
  | { readonly type: "saveAndReviewAgain"; readonly step: number }
  | { readonly type: "say"; readonly text: string }
  | { readonly type: "earlier"; readonly run: string; readonly before: number }
  /** Shows the page's run as it stood after a step; absent: as it is. */
  | { readonly type: "stepThrough"; readonly step?: number }
  /** The whole outcome, in an editor. */
  | { readonly type: "showOutcome"; readonly run: string; readonly step: number }
  | { readonly type: "showPicture"; readonly run: string; readonly step: number }
  | { readonly type: "findFiles"; readonly query: string }
  | { readonly type: "chooseModel"; readonly id: string }
  | { readonly type: "showPrompt"; readonly step: number }
  | { readonly type: "openFile"; readonly label: string }
  /** A link of a text that the model wrote. */
  | { readonly type: "openLink"; readonly address: string }
  /** Another run: an agent's, or the one that it works for. */
  | { readonly type: "openRun"; readonly run: string }
  | { readonly type: "stopProcess"; readonly id: number }
  | { readonly type: "keepProcess"; readonly id: number; readonly kept: boolean }
  /** Opens the settings at one of AutoGPT's. */
  | { readonly type: "openSetting"; readonly setting: string }
  | { readonly type: "act"; readonly action: PanelAction };

/** Palette actions that the panel offers as buttons. */
export type PanelAction =
  | "stop"
  | "pause"
  | "continue"
  | "toggleContinuous"
  /** The key for the configured source of models. */
  | "setApiKey"
  /** The key of a service that the user picks. */
  | "setServiceKey"
  | "selectModel"
  | "useServer"
  | "tryDemo"
  | "showPermissions"
  | "newRun"
  | "showOutput"
  | "raiseBudget"
  | "openSettings"
  | "manageTrust"
  | "openFolder"
  | "showLog"
  | "reviewChanges"
  | "commitChanges"
  | "undoRun"
  | "carryOut"
  | "changeRun";

import type { AttachedPicture, ReplyFormat, SentBack, SpentBudget, ToolCall, Usage } from "../../schema/run-values.ts";
import type { SettingValue } from "../../schema/settings.ts";
import { DisplayError, type Sentence } from "../../texts/display-text.ts";
import type { JsonSchema } from "../base/json.ts";

export type { CommandSpec, ReplyFormat, SentBack, ToolCall, Usage } from "../../schema/run-values.ts";

/** A picture of a message, with its content in base64 once it's about to be sent. */
export interface MessagePicture extends AttachedPicture {
  readonly data?: string;
  /** Why the picture is left out of the request: its service refused it, or there are too many newer ones. */
  readonly unsent?: "refused" | "surplus";
}

/** A message of the chat with the model. */
export type ChatMessage =
  | { readonly role: "system"; readonly content: string }
  | { readonly role: "user"; readonly content: string; readonly pictures?: readonly MessagePicture[] }
  | {
      readonly role: "assistant";
      readonly content: string;
      readonly calls?: readonly ToolCall[];
      readonly sentBack?: SentBack;
      /** The reasoning behind the calls, for servers that expect it back under another name. */
      readonly reasoning?: string;
    }
  | {
      readonly role: "tool";
      readonly callId: string;
      readonly content: string;
      readonly pictures?: readonly MessagePicture[];
    };

interface ToolSpec {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
}

export interface ModelRequest {
  readonly messages: readonly ChatMessage[];
  /** Offer these tools and ask for one call, or for several with `parallelCalls`. */
  readonly tools?: readonly ToolSpec[];
  /** Several calls may come in one reply. */
  readonly parallelCalls?: boolean;
  /** Ask for an object of this schema. */
  readonly schema?: { readonly name: string; readonly schema: JsonSchema };
  /** Asks for a brief reply, where the model supports that. */
  readonly isBrief?: boolean;
  /** The part that later requests also begin with. */
  readonly cached?: CachedPart;
  /** Texts before which the reply ends, if the server supports that. */
  readonly stop?: readonly string[];
  readonly maxReplyTokens?: number;
  /** 0 to 2; absent leaves it to the server. */
  readonly temperature?: number;
  /** How much the model reasons before it replies; absent: the user's setting. */
  readonly reasoningEffort?: ReasoningEffort;
}

/** The part of a request that a server can cache for the next ones. */
export interface CachedPart {
  /** The same for all requests of a run, and for no other run. */
  readonly key: string;
  /** Number of leading messages that later requests also begin with. */
  readonly messages: number;
  /** The next request may have to wait for a person. */
  readonly isAttended?: boolean;
  /** How long the server should keep the part; absent: its shortest time. */
  readonly minutes?: 5 | 60;
}

/** `auto` leaves the effort to the model. */
export type ReasoningEffort = SettingValue<"model.reasoningEffort">;

/** Finish reason of a reply that endlessly repeated itself or white space, until its stream was canceled. */
export const ENDLESS = "endless";

export interface Completion {
  readonly text: string;
  readonly calls: readonly ToolCall[];
  /** The model's own reasoning before the reply, as far as the server shows it. */
  readonly reasoning?: string;
  readonly sentBack?: SentBack;
  /** `stop`, `tool_calls`, `length`, `content_filter`, `ENDLESS`, ...; "" when the stream ended without any. */
  readonly finish: string;
  readonly model: string;
  readonly usage?: Usage;
  readonly costUsd?: number;
}

/** A piece of a streaming reply: reasoning before it, text, or a part of the first tool call. */
export type ModelDelta =
  | { readonly kind: "text" | "reasoning"; readonly text: string }
  | { readonly kind: "call"; readonly name: string; readonly text: string };

export interface CompletionOptions {
  readonly signal: AbortSignal;
  delta?(delta: ModelDelta): void;
  /** All deltas so far are void, because the reply broke off and is requested again. */
  restarted?(): void;
  /** Maximum time to wait when a server asks to wait; absent: no limit. */
  readonly patienceMs?: number | undefined;
  /** Shows a sentence to people: while nothing streams, for example during a retry, or for longer if it's a warning. */
  notice?(text: Sentence, kind?: "warning"): void;
  /** If another model takes over, throws `ModelReplaced`; otherwise that model gets the request as it is. */
  readonly replans?: true;
}

/** Abilities and habits of a model, as its name or its server reveals them. */
export interface ModelTraits {
  /** The model reasons on its own before it replies. */
  readonly reasons: boolean;
  /** The form in which it writes edits best: search and replace, unified diff, or the whole file. */
  readonly edits: "replace" | "diff" | "whole";
  /** Its server puts the schema of replies into the prompt. */
  readonly countsSchema?: boolean;
  /** Its server is on this machine or in a private network, so it may serve one request at a time. */
  readonly isLocal?: boolean;
}

/** Completes a chat. Throws `ModelError`; an abort throws the signal's reason. */
export interface Model {
  readonly name: string;
  /** Tokens of prompt and reply together. */
  readonly contextWindow: number;
  /** Billions of parameters according to its server, or else its name; undefined if neither states them. */
  readonly billions?: number | undefined;
  /** Formats that the model may accept, best first. */
  readonly formats: readonly ReplyFormat[];
  /** The format that is known to work for the model on its server, maybe from earlier runs; undefined if none is. */
  readonly learnedFormat?: ReplyFormat | undefined;
  /** Remembers for later runs the format that works for the model on its server; undefined forgets it. */
  learnFormat?(format: ReplyFormat | undefined): void;
  /** Absent if nothing is known. */
  readonly traits?: ModelTraits | undefined;
  /** Whether the model accepts pictures; undefined if that isn't stated. Absent: nothing is known. */
  seesPictures?(): Promise<boolean | undefined>;
  /** Cost of a call in US dollars; undefined if the price isn't known. */
  costOf?(usage: Usage): number | undefined;
  complete(request: ModelRequest, completing: CompletionOptions): Promise<Completion>;
}

/** Returns the same model with some members replaced. `model` is called at each use, so the model may change meanwhile. */
export function wrapModel(
  model: () => Model,
  changes: Partial<Pick<Model, "complete" | "costOf" | "contextWindow">>,
): Model {
  return {
    get name() {
      return model().name;
    },
    get contextWindow() {
      return changes.contextWindow ?? model().contextWindow;
    },
    get billions() {
      return model().billions;
    },
    get formats() {
      return model().formats;
    },
    get learnedFormat() {
      return model().learnedFormat;
    },
    learnFormat: (format) => model().learnFormat?.(format),
    get traits() {
      return model().traits;
    },
    seesPictures: async () => model().seesPictures?.(),
    costOf: changes.costOf ?? ((usage) => model().costOf?.(usage)),
    complete: changes.complete ?? ((request, completing) => model().complete(request, completing)),
  };
}

export type ModelTrouble =
  /** The server refused this reply format; another one may work. */
  | "format"
  /** The prompt doesn't fit. */
  | "context"
  /** The user must act: wrong or missing key, no quota, unknown model, dead server. */
  | "setup"
  /** It may work later: overload, rate limit or lost connection after all retries. */
  | "busy"
  /** Any other error of the server. */
  | "other";

/** Details that a server gave with its refusal. */
export interface TroubleDetails {
  /** Tokens of the model's real window. */
  readonly window?: number | undefined;
  /** Tokens of the refused prompt, as the server counted them. */
  readonly promptTokens?: number | undefined;
  /** The server gave no reason, so the reply format may be the cause. */
  readonly isUnexplained?: boolean | undefined;
  /** The prompt's length may be the cause, although the server didn't say so in known words. */
  readonly mayBeTooLong?: boolean | undefined;
  /** Milliseconds that the server asks to wait: too long to wait without asking the user. */
  readonly waitMs?: number | undefined;
}

/** A model couldn't answer; the text says what to do next. */
export class ModelError extends DisplayError {
  readonly trouble: ModelTrouble;
  readonly window: number | undefined;
  readonly promptTokens: number | undefined;
  readonly isUnexplained: boolean;
  readonly mayBeTooLong: boolean;
  readonly waitMs: number | undefined;
  constructor(trouble: ModelTrouble, text: Sentence, options: ErrorOptions & TroubleDetails = {}) {
    super(text, options);
    this.name = "ModelError";
    this.trouble = trouble;
    this.window = options.window;
    this.promptTokens = options.promptTokens;
    this.isUnexplained = options.isUnexplained ?? false;
    this.mayBeTooLong = options.mayBeTooLong ?? false;
    this.waitMs = options.waitMs;
  }
}

/** Another model has taken over, so the request must be made again. */
export class ModelReplaced extends ModelError {
  /** The reply in which the previous model refused; absent: it gave none. */
  readonly refused: Completion | undefined;
  constructor(text: Sentence, refused?: Completion) {
    super("busy", text);
    this.name = "ModelReplaced";
    this.refused = refused;
  }
}

/** The call could exceed a budget over all folders, so the run ends. */
export class BudgetSpent extends ModelError {
  readonly budget: SpentBudget;
  constructor(budget: SpentBudget, text: Sentence) {
    super("setup", text);
    this.name = "BudgetSpent";
    this.budget = budget;
  }
}

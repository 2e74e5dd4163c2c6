import type { AgentEvent, DecisionSource } from "../../schema/events.ts";
import type { JsonSchema, PreparedCall } from "../commands/command.ts";
import type { Source } from "../commands/outcome.ts";
import type { Proposal } from "../reply/reply.ts";

// ---- Model -----------------------------------------------------------------

/** How a model is asked for a reply: a tool call, an object of a given JSON schema, or plain text. */
export type ReplyFormat = "tools" | "jsonSchema" | "text";

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON as the model wrote it. */
  readonly arguments: string;
}

/** A message of the model's chat. */
export type ChatMessage =
  | { readonly role: "system" | "user"; readonly content: string }
  | { readonly role: "assistant"; readonly content: string; readonly calls?: readonly ToolCall[] }
  | { readonly role: "tool"; readonly callId: string; readonly content: string };

interface ToolSpec {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
}

export interface ModelRequest {
  readonly messages: readonly ChatMessage[];
  /** Offer these tools and ask for exactly one call. */
  readonly tools?: readonly ToolSpec[];
  /** Ask for an object of this schema. */
  readonly schema?: { readonly name: string; readonly schema: JsonSchema };
  readonly maxReplyTokens?: number;
  /** 0 to 2; absent leaves it to the server. */
  readonly temperature?: number;
}

/** Tokens of one call, as the server counted them. */
export interface Usage {
  /** The prompt's tokens, cached ones included. */
  readonly input: number;
  readonly output: number;
  readonly cached?: number;
  /** Price of a cached token relative to other input, more than 0 and at most 1; absent when unknown. */
  readonly cachedRatio?: number;
  readonly reasoning?: number;
}

export interface Completion {
  readonly text: string;
  readonly calls: readonly ToolCall[];
  /** `stop`, `tool_calls`, `length`, ...; "" when the stream ended without any. */
  readonly finish: string;
  readonly model: string;
  readonly usage?: Usage;
  readonly costUsd?: number;
}

/** A piece of a reply as it streams: text, or more of the first tool call. */
export type ModelDelta =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "call"; readonly name: string; readonly text: string };

export interface CompletionOptions {
  readonly signal: AbortSignal;
  delta?(delta: ModelDelta): void;
  /** All deltas so far are void: the reply broke off and is asked for again from its beginning. */
  restarted?(): void;
  /** A sentence for people while nothing streams yet: waiting for a retry, for a slow server. */
  notice?(text: string): void;
}

/** Something that completes a chat. Throws `ModelError`; an abort throws the signal's reason. */
export interface Model {
  readonly name: string;
  /** Tokens that prompt and reply may hold together. */
  readonly contextWindow: number;
  /** The formats it may accept, best first. */
  readonly formats: readonly ReplyFormat[];
  /** What a call of so many tokens costs in US dollars; undefined when nobody knows. */
  costOf?(usage: Usage): number | undefined;
  complete(request: ModelRequest, completing: CompletionOptions): Promise<Completion>;
}

export type ModelTrouble =
  /** The server refused this reply format; another may do. */
  | "format"
  /** The prompt does not fit. */
  | "context"
  /** Wrong or missing key, no quota, unknown model, dead server: the user must act. */
  | "setup"
  /** It may work later: overload, rate limit, lost connection, after all retries. */
  | "busy"
  /** Anything else the server said. */
  | "other";

/** Details that a server gave with its refusal. */
export interface TroubleDetails {
  /** Tokens of the model's real window. */
  readonly window?: number | undefined;
  /** Tokens of the refused prompt, as the server counted them. */
  readonly promptTokens?: number | undefined;
  /** The server gave no reason, so the reply format may be the reason. */
  readonly isUnexplained?: boolean | undefined;
}

/** A model that could not answer; `message` is a sentence that says what to do next. */
export class ModelError extends Error {
  readonly trouble: ModelTrouble;
  readonly window: number | undefined;
  readonly promptTokens: number | undefined;
  readonly isUnexplained: boolean;
  constructor(trouble: ModelTrouble, message: string, options: ErrorOptions & TroubleDetails = {}) {
    super(message, options);
    this.name = "ModelError";
    this.trouble = trouble;
    this.window = options.window;
    this.promptTokens = options.promptTokens;
    this.isUnexplained = options.isUnexplained ?? false;
  }
}

// ---- Approver --------------------------------------------------------------

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

// ---- User ------------------------------------------------------------------

/** The person at the other end. */
export interface User {
  /** The answer, or undefined when nobody is there to give one. */
  ask(question: string, signal: AbortSignal): Promise<string | undefined>;
}

// ---- RunLog ----------------------------------------------------------------

/** The log cannot be written; `message` says what to do. Nothing that was acknowledged before is lost. */
export class LogError extends Error {
  override readonly name = "LogError";
}

/** Where a run's events go. Throws `LogError`. */
export interface RunLog {
  /** Resolves once the operating system has the line, with the event as it stands there: secrets are left out. */
  append(event: AgentEvent): Promise<AgentEvent>;
  /** Resolves once the disk has every line so far. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

// ---- Workspace -------------------------------------------------------------

/** A text file with what must survive an edit. */
export interface TextFile {
  readonly text: string;
  /** IANA-like name, as iconv-lite knows it. */
  readonly encoding: string;
  readonly bom: boolean;
  /** Line end of most lines; `text` keeps the ends as they are on disk. */
  readonly eol: "\n" | "\r\n" | "\r";
}

/** A path of the workspace, resolved to where it really leads. */
export interface ResolvedPath {
  /** Real absolute path. */
  readonly path: string;
  /** The path for people and the model: relative to its folder, `/` as separator; with several folders the folder's name first. */
  readonly label: string;
  readonly kind: "file" | "folder" | "missing" | "other";
  readonly bytes: number;
  /** Changes whenever the content does. "" when missing. */
  readonly version: string;
  /** The label of the symbolic link that was named, when the path's last name is one. */
  readonly link?: string;
  /** The absolute paths of the links that were followed to get here, each with the names after it. */
  readonly via?: readonly string[];
  /** Git ignores it, so it need not be the workspace's own text. */
  readonly ignored?: boolean;
}

/** A file's content: its text, or why it has none. */
export type FileContent =
  | { readonly kind: "text"; readonly file: TextFile; readonly version: string }
  | { readonly kind: "binary"; readonly bytes: number; readonly version: string };

export interface SearchMatch {
  readonly label: string;
  /** From 1. */
  readonly line: number;
  readonly text: string;
}

/** Whether a path is for something that is there, or for something that may be made. */
export type PathUse = "existing" | "new";

/** Open files by name: the agent's view of the user's folders. Every method throws `WorkspaceError` with a sentence for the model. */
export interface Workspace {
  /**
   * Where a path leads; throws when that is outside the workspace. Of several folders the run's own comes first, and a path that
   * names no folder is always in it when it's for something new.
   */
  locate(path: string, use?: PathUse): Promise<ResolvedPath>;
  read(place: ResolvedPath): Promise<FileContent>;
  /** Replaces or creates the file atomically; throws `Stale` unless it is still at `place.version`. */
  write(place: ResolvedPath, file: TextFile): Promise<void>;
  createFolder(place: ResolvedPath): Promise<void>;
  /** Moves without overwriting. */
  move(from: ResolvedPath, to: ResolvedPath): Promise<void>;
  /** To the trash where there is one. Returns how it can be had back, as a sentence; "" for a folder, which was empty. */
  remove(place: ResolvedPath): Promise<string>;
  /** Labels below a folder, folders with a trailing `/`, ignored files left out; at most `limit`. */
  list(
    place: ResolvedPath,
    options: { glob?: string; limit: number; signal: AbortSignal },
  ): Promise<{ labels: string[]; more: boolean }>;
  /** Matching lines below a folder or in a file; `note` says in a sentence what was left out. */
  search(
    place: ResolvedPath,
    options: { pattern: string; regex: boolean; glob?: string; limit: number; signal: AbortSignal },
  ): Promise<{ matches: SearchMatch[]; more: boolean; note?: string }>;
}

/** A path or file that cannot be used; `message` says what to do instead. */
export class WorkspaceError extends Error {
  override readonly name: string = "WorkspaceError";
}

/** The file changed after it was looked at. */
export class StaleFileError extends WorkspaceError {
  override readonly name = "Stale";
}

// ---- Problems --------------------------------------------------------------

export interface Problem {
  readonly label: string;
  readonly line: number;
  readonly severity: "error" | "warning" | "info";
  readonly message: string;
  readonly source: string;
}

/** Problems of files that were changed. */
export interface FoundProblems {
  readonly problems: readonly Problem[];
  /** False where some of them may be older than the change. */
  readonly areNew: boolean;
}

/** Problems that came too late for the outcome of their change. */
export interface LateProblems extends FoundProblems {
  /** The agent has read them, so they are not reported again. */
  markRead(): void;
}

/** The problems that the editor's language services report. No change of a file waits for them. */
export interface Problems {
  /** Of one file or of all, once the services have looked; undefined when there is no language service here. */
  list(place?: ResolvedPath): Promise<readonly Problem[] | undefined>;
  /** A file may be changed soon: starts to find out which problems it has already. */
  expectChange(place: ResolvedPath): void;
  /** After a change: the problems that are found within a moment. */
  afterChange(place: ResolvedPath, signal: AbortSignal): Promise<FoundProblems>;
  /** Problems that were found later. */
  late(): LateProblems;
}

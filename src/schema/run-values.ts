import { Type } from "typebox";
import {
  Amount,
  AnyObject,
  Count,
  createEnumSchema,
  createTaggedSchema,
  DisplayTextSchema,
  ForPeople,
  OnlyTrue,
  type Shape,
  Text,
} from "./shape.ts";

/** How prompts become steps, the default first. */
export const STRATEGY_NAMES = ["autogpt", "react", "tasks"] as const;

export const StrategyNameSchema = createEnumSchema(...STRATEGY_NAMES);

/** `react`: Thought, Action and Observation as text. `tasks`: the smart model maintains a list of tasks, which the fast one carries out. */
export type StrategyName = Shape<typeof StrategyNameSchema>;

export const ProfileSchema = Type.Object({
  name: Text,
  role: Text,
  /** At most five. */
  goals: Type.Array(Text),
  /** US dollars. If it's 0 or absent, the user's own budget applies; otherwise the smaller of both. */
  budgetUsd: Type.Optional(Amount),
  /** Absent: the usual one. */
  strategy: Type.Optional(StrategyNameSchema),
  /** Names or categories of the only commands that it may use; absent: all. */
  commands: Type.Optional(Type.Array(Text)),
  /** The smart model, as settings name it; absent: that of the settings. */
  model: Type.Optional(Text),
});

/** Name, role, goals and budget of an agent, as in the classic `ai_settings`, and how it works. */
export type Profile = Shape<typeof ProfileSchema>;

/** Name of the demo's scripted model, which identifies its runs. */
export const DEMO_MODEL = "scripted";

export const ProfileNameSchema = Type.Object({ name: Text, role: Text });

export const DirectivesSchema = Type.Object({
  constraints: Type.Array(Text),
  resources: Type.Array(Text),
  bestPractices: Type.Array(Text),
});

/** The fixed parts of the prompt that a workspace may replace in `prompt_settings.yaml`. */
export type Directives = Shape<typeof DirectivesSchema>;

const LimitFields = {
  /** Steps whose call ran; the others count as replies only. */
  steps: Amount,
  tokens: Amount,
  /** Time spent thinking and acting; waiting for the user doesn't count. */
  minutes: Amount,
  usd: Amount,
};

export const LimitsSchema = Type.Object({
  ...LimitFields,
  /** All replies of the model in steps, also unreadable ones. */
  replies: Amount,
});

/** The most that a run may spend in total. 0 means no limit of that kind. */
export type Limits = Shape<typeof LimitsSchema>;

/** Limits in a run's first event; logs of 0.1.0 don't have `replies`. */
export const StartLimitsSchema = Type.Object({ ...LimitFields, replies: Type.Optional(Amount) });

/** Default limit on a run's replies. */
export const DEFAULT_MAX_REPLIES = 300;

/** Enough even if most of a step's replies are bad. */
const REPLIES_PER_STEP = 3;

/** The default limit on replies. It grows with the limit on steps, so that it doesn't end useful work. */
export function computeUsualReplies(maxSteps: number): number {
  return maxSteps === 0 ? 0 : Math.max(DEFAULT_MAX_REPLIES, REPLIES_PER_STEP * maxSteps);
}

const LimitNameSchema = createEnumSchema("steps", "replies", "tokens", "minutes", "usd");

export type LimitName = Shape<typeof LimitNameSchema>;

export const TotalsSchema = Type.Object({
  /** Number of the last step that ended. */
  steps: Count,
  /** Steps whose call never ran, because it was unreadable, invalid or refused. */
  missed: Count,
  /** Replies of the model in steps. */
  replies: Count,
  input: Amount,
  output: Amount,
  cached: Amount,
  /** Tokens that don't count against the limit, because cached input costs less than other input. */
  discounted: Amount,
  usd: Amount,
  /**
   * US dollars saved by the providers' caches; below 0 while writing to them has cost more. Absent if nothing was cached, or no price is
   * known.
   */
  savedUsd: Type.Optional(Type.Number()),
  /** Model calls without a known price; their tokens count, their dollars can't. */
  unpriced: Count,
  activeMs: Amount,
});

/** The amounts that a run has spent so far. */
export type Totals = Shape<typeof TotalsSchema>;

const UsageSchema = Type.Object({
  input: Amount,
  output: Amount,
  /** Input tokens that the provider had cached; part of `input`. */
  cached: Type.Optional(Amount),
  /** Input tokens that the provider wrote to its cache, at a separate price; part of `input`. */
  written: Type.Optional(Amount),
  /** The part of `written` that is cached for an hour. */
  writtenForHour: Type.Optional(Amount),
  /** Price of a cached input token relative to another one, 0 to 1; absent when it isn't known. */
  cachedRatio: Type.Optional(Amount),
  /** US dollars that the cache saved; below 0 where writing into it cost more. Absent when no price is known. */
  savedUsd: Type.Optional(Type.Number()),
  /** Output tokens spent on hidden reasoning; part of `output`. */
  reasoning: Type.Optional(Amount),
  /** The server counted no input, so it's our own estimate. */
  isEstimate: Type.Optional(Type.Boolean()),
});

/** Tokens of one model call. */
export type Usage = Shape<typeof UsageSchema>;

/** Fields of a model call's price. */
export const CostFields = {
  usage: Type.Optional(UsageSchema),
  /** US dollars; absent when the model's price isn't known. */
  costUsd: Type.Optional(Amount),
};

export const ModelNamesSchema = Type.Object({
  smart: Text,
  fast: Text,
  /** Tokens of the smart model's window. */
  contextWindow: Amount,
  /** The smart model is small and local: each token of a prompt takes time, and long prompts confuse it. */
  isLean: Type.Optional(OnlyTrue),
  /** The configured window, if the server's turned out to be smaller. */
  statedWindow: Type.Optional(Amount),
});

/** The models that a run uses. */
export type ModelNames = Shape<typeof ModelNamesSchema>;

export const ModeSchema = createEnumSchema("ask", "continuous", "plan", "isolated");

/** `plan`: only reading commands run until the user agrees to the plan. `isolated`: the run works in a sandboxed copy. */
export type Mode = Shape<typeof ModeSchema>;

/** Where an isolated run works. */
export const IsolationSchema = Type.Object({
  /** The folder that holds the copy. */
  home: Text,
  /** The engine of the sandbox, as it was at the start. */
  engine: Text,
  /** The copied folders, in the workspace's order: the location of each, and the folder that it copies. */
  folders: Type.Array(Type.Object({ name: Text, path: Text, origin: Text })),
  /** Hosts that its programs may reach; absent if none. */
  hosts: Type.Optional(Type.Array(Text)),
});

/** Result of a review: merged into the workspace, committed to a branch, discarded, or an accept that was undone. */
export const REVIEW_RESULTS = ["accepted", "branch", "discarded", "withdrawn"] as const;

export const ReviewResultSchema = createEnumSchema(...REVIEW_RESULTS);

/** Resources that a sandbox may limit. */
export const SANDBOX_LIMITS = ["memory", "processes", "disk", "time"] as const;

export const ReplyFormatSchema = createEnumSchema("tools", "jsonSchema", "text", "files");

/** The form in which a model should reply. */
export type ReplyFormat = Shape<typeof ReplyFormatSchema>;

export const ThoughtStyleSchema = createEnumSchema("full", "short");

/** How a model states its thoughts before a command: the five classic fields, or at most one short text. */
export type ThoughtStyle = Shape<typeof ThoughtStyleSchema>;

export const PlanItemSchema = Type.Object({
  text: Text,
  status: createEnumSchema("pending", "in_progress", "done", "dropped"),
});

/** One line of the agent's checklist. */
export type PlanItem = Shape<typeof PlanItemSchema>;

export const RecalledMemorySchema = Type.Object({
  text: Text,
  source: Text,
  /** 0 to 1. */
  score: Type.Number(),
  /** Why it was recalled, in English. */
  why: Type.Optional(Text),
  /** The same in a few words for people. */
  reason: Type.Optional(DisplayTextSchema),
  /** True if it was made on this machine only from the user's text and workspace files. */
  isClean: Type.Optional(OnlyTrue),
});

/** A memory as it was put into a prompt. */
export type RecalledMemory = Shape<typeof RecalledMemorySchema>;

export const SourceSchema = Type.Object({
  /** Logs of newer versions may contain other kinds, so any text is accepted. */
  kind: Type.Unsafe<"web" | "download" | "tool" | "ignored-file" | "memory" | "agent" | "picture" | "skill">({
    type: "string",
  }),
  /** An address, a tool's name or a path, for people. */
  name: Text,
  /** True if it contains no text from strangers: it's quoted, but doesn't count as untrusted. */
  isClean: Type.Optional(OnlyTrue),
});

/** Origin of a text that comes neither from the user nor from the workspace's own files. */
export type Source = Shape<typeof SourceSchema>;

export const PICTURE_TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp"] as const;

export const AttachedPictureSchema = Type.Object({
  /** The original name of its file, for display and for the model. */
  name: Text,
  /** File name among the run's pictures: the SHA-256 of its bytes, with an extension. */
  file: Text,
  mediaType: createEnumSchema(...PICTURE_TYPES),
  width: Count,
  height: Count,
  bytes: Count,
});

/** A picture that the user attached, or of an outcome. It's a file of the run; events only refer to it. */
export type AttachedPicture = Shape<typeof AttachedPictureSchema>;

export const ReadPageSchema = Type.Object({
  /** Address after redirects. */
  url: Text,
  /** "" if it has none. */
  title: Text,
  /** Passages that were found on the page word for word. */
  quotes: Type.Array(Text),
});

/** A web page that was read. */
export type ReadPage = Shape<typeof ReadPageSchema>;

const ChangedFileSchema = Type.Object({
  /** Its path for people. */
  file: Text,
  change: createEnumSchema("created", "changed", "deleted"),
  /** Lines, where the texts could be compared. */
  added: Type.Optional(Count),
  removed: Type.Optional(Count),
  /** The first changed line, from 1. */
  line: Type.Optional(Count),
});

/** A file that a command has changed, for people. */
export type ChangedFile = Shape<typeof ChangedFileSchema>;

const ShownTestSchema = Type.Object({
  /** Its name after those of its suites. */
  name: Text,
  /** The two values that it compared, or else the first line of its message. */
  expected: Type.Optional(Text),
  actual: Type.Optional(Text),
  message: Type.Optional(Text),
  /** Its file for people, and its line from 1. */
  file: Type.Optional(Text),
  line: Type.Optional(Count),
});

/** A test that failed, for people. */
export type ShownTest = Shape<typeof ShownTestSchema>;

/** The schema of a file with instructions for the agent. */
export const InstructionsSchema = Type.Object({
  file: Text,
  text: Text,
  /** Absent for those of the repository. */
  by: Type.Optional(createEnumSchema("user")),
});

/** A file that instructs the agent, quoted in prompts. */
export type Instructions = Shape<typeof InstructionsSchema>;

export const LaterInstructionsSchema = Type.Object({
  file: Text,
  /** The files to which they apply; absent if the model reads them when they are relevant to its work. */
  globs: Type.Optional(Type.Array(Text)),
  description: Type.Optional(Text),
});

/** Instructions that aren't in every prompt: they apply to some files, or are read when they help. */
export type LaterInstructions = Shape<typeof LaterInstructionsSchema>;

const Summary = { summary: Type.Optional(DisplayTextSchema) };

export const SkillSchema = Type.Object({
  name: Text,
  description: Text,
  /** Path of its `SKILL.md` below the workspace folder, or below the home folder, `~`. */
  file: Text,
  /** Absent for those of the repository. */
  by: Type.Optional(createEnumSchema("user")),
});

/** A folder with instructions for a kind of work, which the agent reads when it needs them. */
export type Skill = Shape<typeof SkillSchema>;

/** Pictures that the model sees with the outcome. Their files exist before the event. */
const Pictures = { pictures: Type.Optional(Type.Array(AttachedPictureSchema)) };

/** The instructions for the files that the command used, unless the model already has them. */
const Rules = { rules: Type.Optional(Type.Array(InstructionsSchema)) };

export const OutcomeSchema = createTaggedSchema("status", {
  done: {
    output: Text,
    ...Summary,
    /** The files that were changed. */
    files: Type.Optional(Type.Array(ChangedFileSchema)),
    source: Type.Optional(SourceSchema),
    ...Rules,
    ...Pictures,
    /** The web pages whose text was read. */
    pages: Type.Optional(Type.Array(ReadPageSchema)),
    /** A picture for the user alone: the label of its file, or its name among the run's pictures. */
    picture: Type.Optional(Text),
    /** The real paths of files that were changed in an editor and not on disk, because they had unsaved edits there. */
    inEditor: Type.Optional(Type.Array(Text)),
    /** The exit code of a program that failed; `null` when it was killed. */
    exitCode: Type.Optional(Type.Unsafe<number | null>({ type: ["integer", "null"] })),
    /** The tests that failed, as far as the program's output was understood. */
    failedTests: Type.Optional(Type.Array(ShownTestSchema)),
  },
  failed: {
    error: Text,
    ...Summary,
    source: Type.Optional(SourceSchema),
    ...Rules,
    ...Pictures,
    /** True if the call named no available command or had unsuitable arguments, so nothing ran. */
    isInvalid: Type.Optional(OnlyTrue),
  },
  refused: { feedback: Text },
  finished: { summary: Text },
});

/** The result of one command. The model reads `output`, `error` and `feedback` unchanged. */
export type Outcome = Shape<typeof OutcomeSchema>;

const SpentBudgetSchema = Type.Object({ per: createEnumSchema("day", "month"), usd: Amount });

/** A budget over all folders that is spent, or that the next call could exceed. */
export type SpentBudget = Shape<typeof SpentBudgetSchema>;

export const RunEndSchema = createTaggedSchema("reason", {
  finished: {
    summary: Text,
    /** The web pages that the run read, in the order of the first reading. */
    pages: Type.Optional(Type.Array(ReadPageSchema)),
  },
  exhausted: { limit: LimitNameSchema, budget: Type.Optional(SpentBudgetSchema) },
  stuck: { why: Text, ...ForPeople },
  failed: { error: Text, ...ForPeople },
  stopped: {},
  crashed: { error: Text, ...ForPeople },
});

/** Why a run is over. Runs that ended as `exhausted`, `stuck`, `failed` or `stopped` can be resumed. */
export type RunEnd = Shape<typeof RunEndSchema>;

const ThoughtsSchema = Type.Object({
  text: Text,
  reasoning: Text,
  /** A short bulleted list, as text. */
  plan: Text,
  criticism: Text,
  /** One line to say aloud to the user. */
  speak: Text,
});

/** The model's explicit thoughts. Every field is text; a field that the model left out is "". */
export type Thoughts = Shape<typeof ThoughtsSchema>;

export const CallSchema = Type.Object({ name: Text, args: AnyObject });

/** One use of a command, as requested by the model. */
export type Call = Shape<typeof CallSchema>;

export const ReplySchema = createTaggedSchema("kind", {
  proposal: {
    thoughts: ThoughtsSchema,
    call: CallSchema,
    /** Further calls of the same reply, which only read and run together with the first. */
    also: Type.Optional(Type.Array(CallSchema)),
    /** The calls after those, each in its own step, as long as the previous ones succeed. */
    next: Type.Optional(Type.Array(CallSchema)),
    /** Names of the remaining calls in the same reply, which are reported as not run. */
    ignored: Type.Optional(Type.Array(Text)),
    /** Arguments that the command doesn't take; they were left out of the call. */
    dropped: Type.Optional(Type.Array(Text)),
    /** The plugins that replaced the model's call. */
    changedBy: Type.Optional(Type.Array(Text)),
    /** How the reply differs from the described form, although its call is clear: sentence fragments for the model. */
    faults: Type.Optional(Type.Array(Text)),
  },
  unreadable: {
    /** One sentence for the model. */
    problem: Text,
    /** The reply ended before it was complete, so asking once more may help. */
    cutOff: Type.Optional(Type.Boolean()),
  },
});

/** The model's text after parsing. */
export type Reply = Shape<typeof ReplySchema>;

export const ToolCallSchema = Type.Object({
  id: Text,
  name: Text,
  /** JSON as the model wrote it. */
  arguments: Text,
  /** The provider's seal on the reasoning behind the call, which must be sent back with the call. */
  signature: Type.Optional(Text),
});

/** A call of a tool, as the provider returned it. */
export type ToolCall = Shape<typeof ToolCallSchema>;

export const SentBackSchema = Type.Object({
  reasoning_content: Type.Optional(Text),
  reasoning: Type.Optional(Text),
  thinking_blocks: Type.Optional(Type.Array(AnyObject)),
  reasoning_details: Type.Optional(Type.Array(AnyObject)),
  /** Items of a reply from OpenAI's Responses, in order: reasoning unchanged, calls and text by their IDs. */
  output: Type.Optional(Type.Array(AnyObject)),
  /** The model that produced it, if other models don't accept it. */
  from: Type.Optional(Text),
  /** Texts under the server's own field names. */
  others: Type.Optional(Type.Record(Type.String(), Text)),
});

/** Fields of a reply that its server needs in later requests, by their names in the API. */
export type SentBack = Shape<typeof SentBackSchema>;

export const CommandSpecSchema = Type.Object({
  name: Text,
  description: Text,
  /** JSON schema of an object. */
  parameters: AnyObject,
});

/** A command's description for the model. */
export type CommandSpec = Shape<typeof CommandSpecSchema>;

export const WorkspaceFolderSchema = Type.Object({ name: Text, path: Text });

/** A workspace folder, with the name at the beginning of its paths. */
export type WorkspaceFolder = Shape<typeof WorkspaceFolderSchema>;

export const DecisionSourceSchema = createEnumSchema("user", "rule", "grant", "continuous");

/** The user or the mechanism that made a decision. */
export type DecisionSource = Shape<typeof DecisionSourceSchema>;

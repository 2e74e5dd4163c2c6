import { Type } from "typebox";
import { HookCallFields } from "./plugin-values.ts";
import {
  AttachedPictureSchema,
  CommandSpecSchema,
  CostFields,
  DecisionSourceSchema,
  DirectivesSchema,
  InstructionsSchema,
  IsolationSchema,
  LaterInstructionsSchema,
  LimitsSchema,
  ModelNamesSchema,
  ModeSchema,
  OutcomeSchema,
  PlanItemSchema,
  ProfileNameSchema,
  ProfileSchema,
  RecalledMemorySchema,
  ReplyFormatSchema,
  ReplySchema,
  ReviewResultSchema,
  RunEndSchema,
  SentBackSchema,
  SkillSchema,
  SourceSchema,
  StartLimitsSchema,
  StrategyNameSchema,
  ThoughtStyleSchema,
  ToolCallSchema,
  WorkspaceFolderSchema,
} from "./run-values.ts";
import {
  Amount,
  AnyObject,
  Count,
  createEnumSchema,
  createTaggedSchema,
  ForPeople,
  OnlyTrue,
  type Shape,
  Text,
} from "./shape.ts";

const PromptTailSchema = Type.Object({
  /** Local time, as the model reads it; absent where the task doesn't need it and the day is that of the head. */
  time: Type.Optional(Text),
  /** The rest of the budget, as the model reads it; "" when there is nothing to say. */
  budget: Text,
  plan: Type.Array(PlanItemSchema),
  recalled: Type.Array(RecalledMemorySchema),
  /** Remarks of the loop guard and other notes for this step. */
  remarks: Type.Array(Text),
  /** The last step changed something, so the model is asked whether the task is done. Asked at every step, runs end too soon. */
  hasChanged: Type.Optional(OnlyTrue),
  /** The last step failed; said only in whole files. */
  hasFailed: Type.Optional(OnlyTrue),
  /** Goals that replace those of the head, after they were drafted or the user changed them. */
  goals: Type.Optional(Type.Array(Text)),
  /** Name and role that replace those of the head. */
  profile: Type.Optional(ProfileNameSchema),
});

/** The changing end of a prompt: everything in it that earlier events don't contain. */
export type PromptTail = Shape<typeof PromptTailSchema>;

const Step = { step: Count };
const Sources = Type.Array(SourceSchema);

/** Pictures that the user attached; absent if none. Their files exist before the event. */
const Attached = { attached: Type.Optional(Type.Array(AttachedPictureSchema)) };

/** One entry per event type, with its fields beside `seq`, `at` and `type`. */
const EVENTS = {
  started: {
    schema: Count,
    id: Text,
    task: Text,
    profile: ProfileSchema,
    directives: DirectivesSchema,
    /** The repository's own notes, rules and prompt settings, and those of the user, quoted in the prompt as such. */
    rules: Type.Array(InstructionsSchema),
    /** Those that aren't in every prompt; absent if there are none. */
    laterRules: Type.Optional(Type.Array(LaterInstructionsSchema)),
    /** The skills that are listed in prompts; absent if there are none. */
    skills: Type.Optional(Type.Array(SkillSchema)),
    /** Number of further skills, which a command lists. */
    moreSkills: Type.Optional(Count),
    /** Files that were left out, each as a sentence with the reason. */
    unread: Type.Optional(Type.Array(Text)),
    model: ModelNamesSchema,
    limits: StartLimitsSchema,
    mode: ModeSchema,
    /** How its prompts become steps; absent: the usual way. */
    strategy: Type.Optional(StrategyNameSchema),
    commands: Type.Array(CommandSpecSchema),
    folder: Text,
    /** All workspace folders, the run's own first; only where there are several. */
    folders: Type.Optional(Type.Array(WorkspaceFolderSchema)),
    /** Set for a run that works in a copy. `folder` and `folders` are the workspace's all the same. */
    isolated: Type.Optional(IsolationSchema),
    os: Text,
    /** The local day on which it began, as the model reads it. Without it, each prompt has the time. */
    day: Type.Optional(Text),
    /** The workspace as the run began: machine, git, problems, open files and a tree, quoted in the prompt as data. */
    picture: Type.Optional(Text),
    ...Attached,
    /** An id of this machine and user, which marks the runs of others. */
    machine: Text,
    /** The run that it was forked from, or works for. */
    parent: Type.Optional(Text),
    /** It works for its parent, with a share of the parent's budget; absent for a fork. */
    isAgent: Type.Optional(OnlyTrue),
    /** The untrusted sources that its task may come from; later events name those that it reads itself. */
    sources: Type.Optional(Sources),
  },
  asked: {
    ...Step,
    format: ReplyFormatSchema,
    /** Absent for the full thoughts. */
    thoughts: Type.Optional(ThoughtStyleSchema),
    tail: PromptTailSchema,
    /** Tokens of the prompt, as predicted. */
    tokens: Type.Optional(Amount),
  },
  replied: {
    ...Step,
    /** The step whose reply has this call among its next ones; absent where the model was asked. */
    of: Type.Optional(Count),
    format: ReplyFormatSchema,
    text: Text,
    calls: Type.Array(ToolCallSchema),
    /** The model's own reasoning before the reply. */
    reasoning: Type.Optional(Text),
    sentBack: Type.Optional(SentBackSchema),
    finish: Text,
    reply: ReplySchema,
    model: Text,
    ...CostFields,
  },
  decided: {
    ...Step,
    allow: Type.Boolean(),
    by: DecisionSourceSchema,
    /** Name of the rule that decided. */
    rule: Type.Optional(Text),
    reason: Text,
    ...ForPeople,
    /** SHA-256 of what was shown. */
    hash: Text,
    feedback: Type.Optional(Text),
    /** Arguments as the user changed them. */
    args: Type.Optional(AnyObject),
    /** The user accepted another text than the proposed one. */
    edited: Type.Optional(Type.Boolean()),
  },
  began: { ...Step, command: Text, args: AnyObject },
  ended: {
    ...Step,
    outcome: OutcomeSchema,
    /** Outcomes of the reply's further calls, in their order. */
    also: Type.Optional(Type.Array(OutcomeSchema)),
  },
  said: {
    text: Text,
    /** `agent`: the parent agent. */
    by: createEnumSchema("user", "self", "agent"),
    ...Attached,
    /** The untrusted sources that the words or pictures may come from, as far as they are new here. */
    sources: Type.Optional(Sources),
  },
  planned: {
    items: Type.Array(PlanItemSchema),
    /** The strategy's planner wrote it; else the agent. */
    byPlanner: Type.Optional(OnlyTrue),
  },
  recalled: { ...Step, memories: Type.Array(RecalledMemorySchema) },
  compacted: {
    /** The summary replaces all steps up to this one. Both are absent if outcomes were only trimmed. */
    through: Type.Optional(Count),
    summary: Type.Optional(Text),
    /** Shorter texts for the outcomes of later steps, from the next prompt on; `also`: of which further call, from 1. */
    trimmed: Type.Optional(Type.Array(Type.Object({ ...Step, text: Text, also: Type.Optional(Count) }))),
    /** The user's own words in those steps, as far as they still count. */
    feedback: Type.Optional(Type.Array(Text)),
    /** Failures in those steps that weren't fixed since. */
    problems: Type.Optional(Type.Array(Text)),
    /** The model that wrote the summary; absent when none was needed. */
    model: Type.Optional(Text),
    ...CostFields,
  },
  granted: { count: Amount },
  paused: { reason: Text, ...ForPeople },
  resumed: { reason: Text },
  changed: {
    goals: Type.Optional(Type.Array(Text)),
    /** Name and role, drafted during the first step or edited by the user. */
    profile: Type.Optional(ProfileNameSchema),
    limits: Type.Optional(Type.Partial(LimitsSchema)),
    model: Type.Optional(ModelNamesSchema),
    /** Why another model has taken over. */
    reason: Type.Optional(Text),
    ...ForPeople,
    mode: Type.Optional(ModeSchema),
    /** Commands that `find_tools` added to the offer, by name. */
    commands: Type.Optional(Type.Array(Text)),
  },
  /** Money spent outside the steps: drafts, summaries, embeddings, criticism, sub-agents. */
  spent: {
    on: Text,
    model: Text,
    /** The run of a sub-agent, whose own log records the same money. */
    run: Type.Optional(Text),
    ...CostFields,
  },
  undone: {
    ...Step,
    files: Type.Array(Text),
    /** The undo itself was undone: the step's changes are restored. */
    redone: Type.Optional(Type.Boolean()),
  },
  /** The user has decided on changes in the copy of an isolated run. */
  reviewed: {
    what: ReviewResultSchema,
    /** The files, by the run's names for them. */
    files: Type.Array(Text),
    /** Files that were left out because both the run and someone else changed them. */
    conflicts: Type.Optional(Type.Array(Text)),
    /** The branch with the changes. */
    branch: Type.Optional(Text),
  },
  /** A hook of a plugin was called. */
  hooked: { ...Step, ...HookCallFields },
  child: { run: Text, name: Text, what: Text },
  over: { end: RunEndSchema },
  /** Events are missing here, because the log is damaged. */
  lost: { events: Count },
};

/** `seq` counts from 0 without gaps; `at` is ISO 8601. */
const Numbered = { seq: Count, at: Text };

/** An event with its number and time, as a log stores it. */
export const LoggedEventSchema = createTaggedSchema("type", EVENTS, Numbered);

/** An event of a type that isn't in the list, as a newer version wrote it. */
export const NewerEventSchema = Type.Object({
  ...Numbered,
  type: Type.String({ pattern: `^(?!(?:${Object.keys(EVENTS).join("|")})$)` }),
});

/** An event as the panel gets it: also one of a type that only a newer version knows. */
export const AgentEventSchema = createTaggedSchema(
  "type",
  {
    ...EVENTS,
    /** It is kept and displayed, and changes nothing. */
    unknown: {
      /** The line as it was read. */
      original: AnyObject,
    },
  },
  Numbered,
);

/** Something that happened in a run, with its number and time. */
export type AgentEvent = Shape<typeof AgentEventSchema>;

type BodyOf<Event> = Event extends AgentEvent ? Omit<Event, "seq" | "at"> : never;

/** An event before it gets its number and time. */
export type AgentEventBody = BodyOf<AgentEvent>;

export type EventType = AgentEvent["type"];

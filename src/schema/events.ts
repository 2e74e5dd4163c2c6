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
  /** Local time for the model; absent if the task doesn't need it and the day is the head's. */
  time: Type.Optional(Text),
  /** The remaining budget in words for the model; "" if there is nothing to report. */
  budget: Text,
  plan: Type.Array(PlanItemSchema),
  recalled: Type.Array(RecalledMemorySchema),
  /** Remarks of the loop guard and other notes for this step. */
  remarks: Type.Array(Text),
  /** The last step changed something, so the model is asked whether the task is done. Asking at every step would end runs too soon. */
  hasChanged: Type.Optional(OnlyTrue),
  /** The last step failed; used only for replies in whole files. */
  hasFailed: Type.Optional(OnlyTrue),
  /** Goals that replace those of the head, after they were drafted or the user changed them. */
  goals: Type.Optional(Type.Array(Text)),
  /** Name and role that replace the head's. */
  profile: Type.Optional(ProfileNameSchema),
});

/** The changing end of a prompt: everything in it that earlier events don't contain. */
export type PromptTail = Shape<typeof PromptTailSchema>;

const Step = { step: Count };
const Sources = Type.Array(SourceSchema);

/** Pictures that the user attached; absent if none. Their files exist before the event. */
const Attached = { attached: Type.Optional(Type.Array(AttachedPictureSchema)) };

/** One entry per event type, with its fields other than `seq`, `at` and `type`. */
const EVENTS = {
  started: {
    schema: Count,
    id: Text,
    task: Text,
    profile: ProfileSchema,
    directives: DirectivesSchema,
    /** Notes, rules and prompt settings of the repository, and those of the user, quoted in the prompt as such. */
    rules: Type.Array(InstructionsSchema),
    /** Rules that aren't in every prompt; absent if there are none. */
    laterRules: Type.Optional(Type.Array(LaterInstructionsSchema)),
    /** The skills that are listed in prompts; absent if there are none. */
    skills: Type.Optional(Type.Array(SkillSchema)),
    /** Number of further skills, which a command lists. */
    moreSkills: Type.Optional(Count),
    /** The agents that it can start by name, from files that describe them; absent if there are none. */
    agents: Type.Optional(Type.Array(SkillSchema)),
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
    /** Set for a run that works in a copy. Even then, `folder` and `folders` are the workspace's. */
    isolated: Type.Optional(IsolationSchema),
    os: Text,
    /** The local day of its start, for the model. If absent, each prompt has the time. */
    day: Type.Optional(Text),
    /** The workspace as the run began: machine, git, problems, open files and a tree, quoted in the prompt as data. */
    picture: Type.Optional(Text),
    ...Attached,
    /** An id of this machine and user, which shows whether a run is someone else's. */
    machine: Text,
    /** The run from which it was forked, or for which it works. */
    parent: Type.Optional(Text),
    /** It works for its parent, with a share of the parent's budget; absent for a fork. */
    isAgent: Type.Optional(OnlyTrue),
    /** The untrusted sources of its task; later events name sources that the run reads itself. */
    sources: Type.Optional(Sources),
  },
  asked: {
    ...Step,
    format: ReplyFormatSchema,
    /** Absent for the full thoughts. */
    thoughts: Type.Optional(ThoughtStyleSchema),
    tail: PromptTailSchema,
    /** Predicted tokens of the prompt. */
    tokens: Type.Optional(Amount),
  },
  replied: {
    ...Step,
    /** The step whose reply includes this call in `next`; absent if the model was asked. */
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
    /** SHA-256 of the displayed proposal. */
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
    /** The untrusted sources of the text or pictures that are new here. */
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
    /** Shorter texts for outcomes of later steps, from the next prompt on; `also`: index of the additional call, from 1. */
    trimmed: Type.Optional(Type.Array(Type.Object({ ...Step, text: Text, also: Type.Optional(Count) }))),
    /** The user's own words in those steps that still apply. */
    feedback: Type.Optional(Type.Array(Text)),
    /** Failures in those steps that weren't fixed since. */
    problems: Type.Optional(Type.Array(Text)),
    /** The model that wrote the summary; absent when none was needed. */
    model: Type.Optional(Text),
    ...CostFields,
  },
  granted: { count: Amount },
  paused: { reason: Text, ...ForPeople },
  resumed: {
    reason: Text,
    /** The number of the attempt that begins here, if the run has moved to another machine. */
    attempt: Type.Optional(Count),
    /** Name of that machine for people. */
    machine: Type.Optional(Text),
  },
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
    /** The run's names for the files. */
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

/** An event with an unknown type, as written by a newer version. */
export const NewerEventSchema = Type.Object({
  ...Numbered,
  type: Type.String({ pattern: `^(?!(?:${Object.keys(EVENTS).join("|")})$)` }),
});

/** An event in the panel's form, including types that only a newer version knows. */
export const AgentEventSchema = createTaggedSchema(
  "type",
  {
    ...EVENTS,
    /** It's stored and displayed, but has no effect. */
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

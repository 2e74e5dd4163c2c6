import { Type } from "typebox";
import { HookCallFields } from "./plugin-values.ts";
import {
  CallSchema,
  CostFields,
  DecisionSourceSchema,
  IsolationSchema,
  LimitsSchema,
  ModelNamesSchema,
  ModeSchema,
  OutcomeSchema,
  PlanItemSchema,
  ProfileSchema,
  ReadPageSchema,
  RecalledMemorySchema,
  ReplySchema,
  ReviewResultSchema,
  RunEndSchema,
  StrategyNameSchema,
  TotalsSchema,
} from "./run-values.ts";
import { Amount, Count, createEnumSchema, DisplayTextSchema, ForPeople, OnlyTrue, type Shape, Text } from "./shape.ts";

export const StepViewSchema = Type.Object({
  step: Count,
  at: Text,
  stage: createEnumSchema("asked", "replied", "decided", "began", "ended"),
  recalled: Type.Array(RecalledMemorySchema),
  reply: Type.Optional(ReplySchema),
  /** The step whose reply includes this call in `next`. */
  of: Type.Optional(Count),
  /** The model's own reasoning before the reply. */
  reasoning: Type.Optional(Text),
  ...CostFields,
  decided: Type.Optional(
    Type.Object({
      allow: Type.Boolean(),
      by: DecisionSourceSchema,
      rule: Type.Optional(Text),
      reason: Text,
      ...ForPeople,
      edited: Type.Optional(Type.Boolean()),
    }),
  ),
  /** Calls of plugins in this step; absent if none. */
  hooks: Type.Optional(Type.Array(Type.Object(HookCallFields))),
  /** The running call, with the user's changes; absent once the step has ended. */
  began: Type.Optional(CallSchema),
  outcome: Type.Optional(OutcomeSchema),
  /** Outcomes of the reply's further calls, in their order. */
  also: Type.Optional(Type.Array(OutcomeSchema)),
});

/** One step, in its current stage. */
export type StepView = Shape<typeof StepViewSchema>;

export const RunStateSchema = Type.Object({
  /** `seq` of the last event applied; -1 before the first. */
  seq: Type.Integer({ minimum: -1 }),
  id: Text,
  task: Text,
  profile: ProfileSchema,
  model: ModelNamesSchema,
  limits: LimitsSchema,
  mode: ModeSchema,
  /** Absent: the usual one. */
  strategy: Type.Optional(StrategyNameSchema),
  folder: Text,
  /** Set for a run that works in a copy. */
  isolated: Type.Optional(IsolationSchema),
  /** The last review of an isolated run. */
  review: Type.Optional(
    Type.Object({
      what: ReviewResultSchema,
      at: Text,
      /** The number of files. */
      files: Count,
      /** The number of files that were left out. */
      conflicts: Count,
      branch: Type.Optional(Text),
      /** Steps were finished since. */
      isOutdated: Type.Optional(OnlyTrue),
    }),
  ),
  /** The run for which it works with a share of its budget, if any. */
  worksFor: Type.Optional(Text),
  startedAt: Text,
  totals: TotalsSchema,
  /** Tokens of the latest prompt, as counted by the server or, until then, as predicted. */
  promptTokens: Type.Optional(Amount),
  plan: Type.Array(PlanItemSchema),
  /** The latest status of the plan comes from `update_plan`. */
  planIsKept: Type.Optional(OnlyTrue),
  /** The step before which the planner last wrote the plan, and whether something has happened since that may change it. */
  planner: Type.Optional(Type.Object({ step: Count, isDue: Type.Optional(OnlyTrue) })),
  /** True if files were shown to a model that replies in whole files before its first request. */
  isOpened: Type.Optional(OnlyTrue),
  open: Type.Optional(StepViewSchema),
  /** The remaining calls of that step's reply, unless the user writes or the model is asked first. */
  next: Type.Optional(Type.Object({ of: Count, calls: Type.Array(CallSchema) })),
  /** The last finished steps, oldest first; at most `RECENT_STEPS`. */
  recent: Type.Array(StepViewSchema),
  /** A call ran that looked at the workspace or changed something. */
  hasWorked: Type.Optional(OnlyTrue),
  /** The web pages that were read so far; absent if none. */
  pages: Type.Optional(Type.Array(ReadPageSchema)),
  /** Calls of plugins since the last step, which belong to the next one. */
  hooks: Type.Optional(Type.Array(Type.Object(HookCallFields))),
  /** Messages that aren't in a prompt yet. */
  queued: Type.Array(Text),
  /** The loop guard counts steps from this one on, because the user has written since the earlier ones. */
  guardFrom: Count,
  /** Why it is paused. */
  paused: Type.Optional(Text),
  /** The same for people. */
  pausedText: Type.Optional(DisplayTextSchema),
  end: Type.Optional(RunEndSchema),
  /** Set while thinking or acting: the totals include busy time up to this time. */
  busySince: Type.Optional(Text),
});

/** A run as derived from its events: totals, the open step, a page of past steps. Its size doesn't grow with the run. */
export type RunState = Shape<typeof RunStateSchema>;

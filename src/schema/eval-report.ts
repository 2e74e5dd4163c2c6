import { Type } from "typebox";
import { StrategyNameSchema } from "./run-values.ts";
import { Amount, Count, createEnumSchema, OnlyTrue, type Shape, Text } from "./shape.ts";

/** The version of `results.json` that this program writes and reads. */
export const EVAL_REPORT_VERSION = 1;

const EvalResultSchema = Type.Object({
  task: Text,
  /** Which of the runs of the task it is, from 1. */
  run: Count,
  passed: Type.Boolean(),
  /** Why it didn't pass. */
  why: Type.Optional(Text),
  /** How the run ended, whether it passed or not. */
  end: createEnumSchema("finished", "exhausted", "stuck", "failed", "crashed", "timedOut"),
  /** The limit that an exhausted run has used up, or the words of another end. */
  endDetail: Type.Optional(Text),
  /** Steps whose call ran. */
  steps: Count,
  /** Replies of the main model to steps. */
  replies: Count,
  /** Replies that could not be read. */
  unreadable: Count,
  /** Calls of unknown commands, or with arguments that don't fit. */
  invalid: Count,
  /** Calls that the policy didn't allow. */
  refused: Count,
  /** Input tokens, cached ones among them. */
  input: Amount,
  cached: Amount,
  output: Amount,
  /** US dollars; absent where the price of a call isn't known. */
  usd: Type.Optional(Amount),
  seconds: Amount,
  /** Seconds until the first piece of the first reply; absent where none came. */
  firstTextSeconds: Type.Optional(Amount),
  /** The log, relative to the report. */
  log: Text,
  /** The run's folder, where it was kept. */
  folder: Type.Optional(Text),
});

/** One run of a task. */
export type EvalResult = Shape<typeof EvalResultSchema>;

export const EvalReportSchema = Type.Object({
  version: Type.Unsafe<number>({ const: EVAL_REPORT_VERSION }),
  suite: Text,
  model: Text,
  /** Origin of the server. */
  server: Text,
  /** The player instead of a model. */
  player: Type.Optional(Text),
  /** Absent: the usual one. */
  strategy: Type.Optional(StrategyNameSchema),
  /** Share of spoiled replies, 0 to 1. */
  spoil: Type.Optional(Amount),
  seed: Count,
  /** Runs of each task. */
  runs: Count,
  /** Settings that the measurement was started with. */
  settings: Type.Unsafe<Record<string, unknown>>({ type: "object" }),
  startedAt: Text,
  /** Seconds from the first start to the last end. */
  seconds: Amount,
  /** It was stopped before all runs were done. */
  isPartial: Type.Optional(OnlyTrue),
  /** Tasks that this machine can't run, each with the reason. */
  skipped: Type.Optional(Type.Array(Type.Object({ task: Text, why: Text }))),
  /** In the order of tasks and runs. */
  results: Type.Array(EvalResultSchema),
  /** The same runs by the model alone: one request with all files, and a reply with whole files. Absent if not requested. */
  alone: Type.Optional(Type.Array(EvalResultSchema)),
});

/** `results.json` of a measurement. */
export type EvalReport = Shape<typeof EvalReportSchema>;

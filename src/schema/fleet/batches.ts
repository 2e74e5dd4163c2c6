import { Type } from "typebox";
import { Amount, AnyObject, Count, createEnumSchema, createTaggedSchema, type Shape, Text } from "../shape.ts";

/** More attempts at one task are hard to compare. */
export const MOST_WAYS = 8;

export const BatchTaskSchema = Type.Object({
  task: Type.String({ pattern: "\\S" }),
  /** For people; absent: the number of the line. */
  name: Type.Optional(Type.String({ pattern: "^[^\\n]{1,80}$" })),
  /** A folder on this machine; absent: that of the command line. */
  repository: Type.Optional(Text),
  /** Attempts at the task. */
  ways: Type.Optional(Type.Integer({ minimum: 1, maximum: MOST_WAYS })),
  /** Their models, in turn. */
  models: Type.Optional(Type.Array(Type.String({ pattern: "." }), { minItems: 1, maxItems: MOST_WAYS })),
  settings: Type.Optional(AnyObject),
});

/** A task for many runs, as a line of a file has it. */
export type BatchTask = Shape<typeof BatchTaskSchema>;

const AttemptEndSchema = createEnumSchema(
  "finished",
  "stopped",
  "stuck",
  "crashed",
  /** The service of the model had trouble that may pass. */
  "provider",
  /** The model, the configuration or the disk of the machine. */
  "setup",
  /** A limit of the run itself. */
  "limit",
  "budget",
  /** The place can't continue it. */
  "lost",
);

/** Why an attempt is over. */
export type AttemptEnd = Shape<typeof AttemptEndSchema>;

const Facts = {
  steps: Count,
  usd: Amount,
  /** Calls of models whose price isn't known. */
  unpriced: Count,
  /** The time that it worked. */
  seconds: Count,
  /** Files that it changed, and the lines that its steps added and removed. */
  files: Count,
  added: Count,
  removed: Count,
  /** Failed tests of the last test run; absent if it has run none. */
  failedTests: Type.Optional(Count),
  /** Exit code of the command line that checked the result here. */
  check: Type.Optional(Count),
};

const FactsSchema = Type.Object(Facts);

/** Facts about an attempt, as the log of its run has them. */
export type AttemptFacts = Shape<typeof FactsSchema>;

/** Facts about a result that was brought here and checked: its changes as a whole. */
export type CheckFacts = Required<Pick<AttemptFacts, "check" | "files" | "added" | "removed">>;

export const BatchLineSchema = createTaggedSchema("type", {
  /** The first line. `tasks`: hash of all tasks with their ways. */
  batch: { version: Type.Literal(1), tasks: Text, place: Text, startedAt: Text },
  /** The attempt is about to be sent as this run, which may cost so much. */
  sending: { attempt: Text, run: Text, usd: Type.Optional(Amount) },
  /** The run may cost so much from now on. `held`: lines that its log had. */
  raising: { attempt: Text, usd: Amount, held: Count },
  /** The run is about to be continued after trouble. */
  retrying: { attempt: Text, held: Count },
  ended: { attempt: Text, end: AttemptEndSchema, why: Type.Optional(Text), ...Facts },
});

/** A line of the file with the state of a batch. Each is written before what it says is done. */
export type BatchLine = Shape<typeof BatchLineSchema>;

const AttemptRowSchema = Type.Object({
  /** The line of its task, and its number among the ways. */
  attempt: Text,
  name: Text,
  line: Count,
  way: Count,
  folder: Text,
  model: Type.Optional(Text),
  run: Type.Optional(Text),
  /** `short`: it waits for more of the budget. */
  state: createEnumSchema("pending", "unsent", "working", "waiting", "short", "ended"),
  end: Type.Optional(AttemptEndSchema),
  why: Type.Optional(Text),
  /** The question that waits, as text. */
  question: Type.Optional(Text),
  ...Facts,
});

/** An attempt in a report. */
export type AttemptRow = Shape<typeof AttemptRowSchema>;

const BatchReportSchema = Type.Object({
  version: Type.Literal(1),
  place: Text,
  startedAt: Text,
  updatedAt: Text,
  budgetUsd: Type.Optional(Amount),
  spentUsd: Amount,
  attempts: Type.Array(AttemptRowSchema),
});

/** A batch for programs. */
export type BatchReport = Shape<typeof BatchReportSchema>;

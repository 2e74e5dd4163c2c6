import { Type } from "typebox";
import { ReviewResultSchema, SANDBOX_LIMITS } from "./run-values.ts";
import { Amount, Count, createEnumSchema, OnlyTrue, SentenceSchema, type Shape, Text } from "./shape.ts";

/** Why a change must be accepted separately, and never together with others. */
const OwnReasonSchema = createEnumSchema(
  "refused",
  "conflict",
  "outside",
  "protected",
  "steers",
  "installs",
  "scripts",
  "runs",
  "git",
  "link",
  "executable",
  "mode",
  "name",
  "binary",
  "huge",
);

const ReviewRowSchema = Type.Object({
  /** The run's name for the file. */
  file: Text,
  kind: createEnumSchema("created", "edited", "deleted"),
  /** Lines that accepting it adds to the workspace as it is now, and removes from it. */
  added: Count,
  removed: Count,
  /** True if it was merged with the user's changes since the run began. */
  merged: Type.Optional(OnlyTrue),
  /** The user has edited the result in its diff. */
  edited: Type.Optional(OnlyTrue),
  /** How to resolve a conflict: by merging its lines, or with the run's whole version. Absent while the user's file blocks that. */
  settle: Type.Optional(createEnumSchema("merge", "replace")),
  /** Why it's a conflict, or why it can't be accepted, as a sentence. */
  why: Type.Optional(SentenceSchema),
  /** The lines of a manifest that name what is installed or started, at most the first. */
  lines: Type.Optional(Type.Array(Text)),
  /** How many more there are. */
  moreLines: Type.Optional(Count),
  /** Absent for a change that can be accepted together with others. */
  own: Type.Optional(Type.Array(OwnReasonSchema)),
});

/** A changed file in the review of an isolated run. */
export type ReviewRow = Shape<typeof ReviewRowSchema>;

export const ReviewPageSchema = Type.Object({
  /** Identifies the displayed review. A decision returns it, so that nothing else is accepted. */
  version: Text,
  /** Changes that need a separate decision come first. */
  rows: Type.Array(ReviewRowSchema),
  /** All changed files, also those without a row. */
  count: Count,
  /** Differences between the copy and the workspace that the user should know. */
  notes: Type.Array(SentenceSchema),
  /** The last command lines that the run has executed, with their exit codes. */
  lines: Type.Array(Type.Object({ line: Text, code: Type.Optional(Type.Number()) })),
  /** The number of all command lines. */
  lineCount: Count,
  /** The last accept can be undone. */
  undoable: Type.Optional(OnlyTrue),
});

/** The changes that an isolated run would make in the workspace. */
export type ReviewPage = Shape<typeof ReviewPageSchema>;

export const SandboxFactsSchema = Type.Object({
  /** The limits that hold on this system. */
  limits: Type.Array(createEnumSchema(...SANDBOX_LIMITS)),
});

/** The sandbox of an isolated run, for display in the panel. */
export type SandboxFacts = Shape<typeof SandboxFactsSchema>;

const WaySchema = Type.Object({
  /** Absent if it couldn't start. */
  run: Type.Optional(Text),
  /** The model or the instructions that distinguish it. */
  label: Text,
  state: createEnumSchema("waiting", "running", "checking", "done", "failed", "interrupted"),
  /** The first line of what it says that it did. */
  summary: Type.Optional(Text),
  /** Why it couldn't be started, checked or compared, or why it ended early. */
  problem: Type.Optional(SentenceSchema),
  /** The check's exit code, `null` when it was ended; absent before it has run. */
  check: Type.Optional(Type.Unsafe<number | null>({ type: ["integer", "null"] })),
  /** The end of what the check printed. */
  output: Type.Optional(Text),
  usd: Amount,
  unpriced: Count,
  steps: Count,
  minutes: Amount,
  /** Changes in its copy, once it has ended. */
  changes: Type.Optional(Type.Object({ files: Count, added: Count, removed: Count })),
  /** The last decision on its changes. */
  review: Type.Optional(ReviewResultSchema),
});

/** One of several isolated runs of the same task. */
export type ShownWay = Shape<typeof WaySchema>;

export const WaysPageSchema = Type.Object({
  task: Text,
  /** The command line that checks each result; absent if none was given. */
  check: Type.Optional(Text),
  ways: Type.Array(WaySchema),
});

/** A comparison of isolated runs of the same task. */
export type WaysPage = Shape<typeof WaysPageSchema>;

export const SEVERITIES = ["high", "medium", "low"] as const;

const FindingSchema = Type.Object({
  severity: createEnumSchema(...SEVERITIES),
  /** Relative to the repository's root, with slashes. */
  file: Text,
  /** The first and the last line that it's about, from 1. They exist in the changed file. */
  line: Count,
  endLine: Count,
  title: Text,
  reason: Text,
  suggestion: Type.Optional(Text),
});

/** A fault that a review of changes has found. */
export type Finding = Shape<typeof FindingSchema>;

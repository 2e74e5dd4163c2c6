import { Type } from "typebox";
import { SourceSchema } from "../run-values.ts";
import { AnyObject, Count, OnlyTrue, type Shape, Text } from "../shape.ts";

const CommitHash = Type.String({ pattern: "^(?:[0-9a-f]{40}|[0-9a-f]{64})$" });

export const FleetTaskSchema = Type.Object({
  version: Type.Literal(1),
  /** ID of the run. */
  run: Text,
  task: Text,
  /** Its pictures, each with its bytes in base64. */
  pictures: Type.Optional(Type.Array(Type.Object({ name: Text, data: Text }))),
  /** Untrusted sources that it comes from. */
  sources: Type.Optional(Type.Array(SourceSchema)),
  /** Address of the repository through which it travels, without a user; absent if there is none between its machines. */
  repository: Type.Optional(Text),
  /** The commit with the files that the run starts from. */
  base: CommitHash,
  /** The run's folder below the root of the repository, with slashes; empty for the root. */
  folder: Text,
  /** Name of that folder for people. */
  name: Text,
  /** Settings that the sender chose, such as the model and the limits, by their names. */
  settings: AnyObject,
  submittedBy: Text,
  /** ISO 8601. */
  submittedAt: Text,
});

/** A task for a run that may work on another machine. */
export type FleetTask = Shape<typeof FleetTaskSchema>;

export const SubmittedTaskSchema = Type.Object({
  version: Type.Literal(2),
  /** The task as JSON, exactly as it was signed. */
  task: Text,
  /** An SSH signature of it. */
  signature: Type.Optional(Text),
});

/** A task as it's carried. */
export type SubmittedTask = Shape<typeof SubmittedTaskSchema>;

const PartSchema = Type.Object({
  blob: CommitHash,
  /** Size of the blob, which is encrypted. */
  bytes: Count,
});

/** A blob of git with something of a run. */
export type CarriedPart = Shape<typeof PartSchema>;

/** A file that only grows: its length, and its parts in order. */
const GrowingFileSchema = Type.Object({ bytes: Count, parts: Type.Array(PartSchema) });

/** A file that only grows, as it is carried. */
export type GrowingFile = Shape<typeof GrowingFileSchema>;

export const CarriedStateSchema = Type.Object({
  version: Type.Literal(1),
  run: Text,
  attempt: Count,
  /** The tree with the files of the copy; absent until the run has one. */
  copy: Type.Optional(CommitHash),
  log: GrowingFileSchema,
  undo: GrowingFileSchema,
  /** Other files of the run's folder, by their names with slashes. */
  files: Type.Array(Type.Object({ name: Text, ...PartSchema.properties })),
  /** The folder of the copy where this was written. The journal of undo names its files. */
  copyHome: Text,
  /** Files of the copy that don't travel. */
  leftOut: Type.Array(Text),
});

/** Everything that a carried run consists of. It travels encrypted, so it vouches for the parts that it names. */
export type CarriedState = Shape<typeof CarriedStateSchema>;

export const CarriedRunSchema = Type.Object({
  version: Type.Literal(1),
  run: Text,
  /** The workspace folder of the run on this machine. */
  folder: Text,
  base: CommitHash,
  /** The last commit that this machine has read or written. */
  commit: CommitHash,
  /** Length of the log in that commit, in bytes. */
  logBytes: Count,
  /** The attempt in that commit. */
  attempt: Count,
  /** True if that attempt is this machine's, so that the run can continue here. */
  isClaimed: Type.Boolean(),
  /** It was removed from here. A server may list it for a while. */
  isRemoved: Type.Optional(OnlyTrue),
});

/** The facts that this machine knows about a carried run. */
export type CarriedRun = Shape<typeof CarriedRunSchema>;

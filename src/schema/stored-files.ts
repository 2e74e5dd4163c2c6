import { Type } from "typebox";
import { DIGESTS_VERSION } from "./formats.ts";
import { Count, ForPeople, OnlyTrue, oneOf, type Shape, Text, tagged } from "./shape.ts";

const FileStateSchema = tagged("kind", {
  missing: {},
  folder: {},
  /** `hash`: SHA-256 of the content; `mode`: permission bits. */
  file: { hash: Type.String({ pattern: "^[0-9a-f]{64}$" }), bytes: Count, mode: Count },
  /** A link, a device, or a file too large to be saved: it can't be restored. */
  other: { why: Text, ...ForPeople },
});

/** The content of a path at one moment, as far as undo has to know. */
export type FileState = Shape<typeof FileStateSchema>;

const TouchedFileSchema = Type.Object({
  path: Text,
  was: FileStateSchema,
  /** The changes that an undo reverted, or the undo that a redo reverted; absent for a step's own change. */
  of: Type.Optional(Type.Array(Count)),
});

/** One path of a change. */
export type TouchedFile = Shape<typeof TouchedFileSchema>;

export const JournalChangeSchema = Type.Object({
  id: Count,
  by: oneOf("step", "undo", "redo"),
  step: Count,
  files: Type.Array(TouchedFileSchema),
  /** It ran a program, whose changes aren't seen. */
  ran: Type.Optional(OnlyTrue),
  /** It records the changes that a program of the step was seen to make. */
  seen: Type.Optional(OnlyTrue),
});

/** A change of some files that was about to happen: by a step of the agent, by an undo, or by a redo. */
export type JournalChange = Shape<typeof JournalChangeSchema>;

export const SettledChangeSchema = Type.Object({
  id: Count,
  now: Type.Array(Type.Object({ path: Text, is: FileStateSchema })),
});

/** The state of a change's files after it. */
export type SettledChange = Shape<typeof SettledChangeSchema>;

/** State of a run as far as its log shows it: an `open` run continues elsewhere or was interrupted. */
export const StoredStateSchema = oneOf(
  "open",
  "paused",
  "finished",
  "exhausted",
  "stuck",
  "failed",
  "stopped",
  "crashed",
);

const RunDigestSchema = Type.Object({
  id: Text,
  task: Text,
  /** The agent's name. */
  name: Text,
  /** ISO 8601. */
  startedAt: Text,
  machine: Text,
  schema: Type.Number(),
  state: StoredStateSchema,
  steps: Type.Number(),
  usd: Type.Number(),
  unpriced: Type.Number(),
  parent: Type.Optional(Text),
  isAgent: Type.Optional(OnlyTrue),
  /** Number of events whose type this version doesn't know. */
  unknownEvents: Type.Optional(Count),
});

/** A run's entry in lists, as far as its log was read. */
export type RunDigest = Shape<typeof RunDigestSchema>;

const DigestAtSchema = Type.Object({
  inode: Type.Number(),
  size: Type.Number(),
  mtimeMs: Type.Number(),
  /** Bytes read: whole lines. */
  bytes: Type.Number(),
  /** Events read. */
  events: Type.Number(),
  /** The log isn't valid from here on. */
  damaged: Type.Boolean(),
  /** The version of the log's format, once its start was read. */
  schema: Type.Optional(Type.Number()),
  brief: Type.Optional(RunDigestSchema),
});

/** A run's entry with the position up to which its log was read. The stamp is of the file when it was read. */
export type DigestAt = Shape<typeof DigestAtSchema>;

export const StoredDigestsSchema = Type.Object({
  version: Type.Unsafe<number>({ const: DIGESTS_VERSION }),
  runs: Type.Unsafe<Record<string, DigestAt>>({ type: "object", additionalProperties: DigestAtSchema }),
});

/** The entries of a folder's runs, by their ids. */
export type StoredDigests = Shape<typeof StoredDigestsSchema>;

export const RunMetadataSchema = Type.Object({
  /** Shown in lists in place of the task. */
  title: Type.Optional(Text),
  /** Kept at the top, and never cleaned up. */
  pinned: Type.Optional(Type.Boolean()),
});

/** Title and pin that the user has put on a run. They are stored beside the log, which is never changed. */
export type RunMetadata = Shape<typeof RunMetadataSchema>;

export const SavedRuleSchema = Type.Object({
  /** The real folder. */
  folder: Text,
  /** Its words joined by one blank, commands by their operators in the line. */
  line: Text,
  /** The files that it ran when it was saved. Once one of them has changed, the rule is void. */
  files: Type.Array(Type.Object({ path: Text, hash: Type.Optional(Text) })),
  /** ISO 8601. */
  at: Text,
});

/** A command line that the user has always allowed in a folder. */
export type SavedRule = Shape<typeof SavedRuleSchema>;

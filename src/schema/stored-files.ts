import { Type } from "typebox";
import { CONSENTS_VERSION, DIGESTS_VERSION } from "./formats.ts";
import { REVIEW_RESULTS } from "./run-values.ts";
import {
  Amount,
  Count,
  createEnumSchema,
  createTaggedSchema,
  ForPeople,
  OnlyTrue,
  SentenceSchema,
  type Shape,
  Text,
} from "./shape.ts";

const FileStateSchema = createTaggedSchema("kind", {
  missing: {},
  folder: {},
  /** `hash`: SHA-256 of the content; `mode`: permission bits. */
  file: { hash: Type.String({ pattern: "^[0-9a-f]{64}$" }), bytes: Count, mode: Count },
  /** `to`: its target, unresolved. Only reviews of isolated runs store links. */
  link: { to: Text },
  /** A link, a device, or a file too large to save: undo can't restore it. */
  other: { why: Text, ...ForPeople },
});

/** A path's content at one moment, as far as undo needs it. */
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
  by: createEnumSchema("step", "undo", "redo"),
  step: Count,
  files: Type.Array(TouchedFileSchema),
  /** True if it ran a program, whose changes aren't tracked. */
  ran: Type.Optional(OnlyTrue),
  /** True if it records changes that a program of the step was observed to make. */
  seen: Type.Optional(OnlyTrue),
});

/** An imminent change of some files: by a step of the agent, by an undo, or by a redo. */
export type JournalChange = Shape<typeof JournalChangeSchema>;

export const SettledChangeSchema = Type.Object({
  id: Count,
  now: Type.Array(Type.Object({ path: Text, is: FileStateSchema })),
});

/** The state of a change's files after it. */
export type SettledChange = Shape<typeof SettledChangeSchema>;

const AcceptedPathSchema = Type.Object({
  path: Text,
  was: FileStateSchema,
  target: FileStateSchema,
  /** The run's name for the file; absent for a folder that is only created or removed with its files. */
  label: Type.Optional(Text),
  /** The accepted state in the copy. Later changes of the run are compared with it. */
  theirs: Type.Optional(FileStateSchema),
});

/** A path of the workspace that an accepted review changes. */
export type AcceptedPath = Shape<typeof AcceptedPathSchema>;

export const AcceptPlanSchema = Type.Object({
  /** The step in the journal of accepted changes. */
  step: Count,
  paths: Type.Array(AcceptedPathSchema),
  /** Files that were left out because of a conflict. */
  conflicts: Type.Array(Text),
});

/** Everything that is written when an isolated run's changes are accepted. */
export type AcceptPlan = Shape<typeof AcceptPlanSchema>;

/** State of a run according to its log: an `open` run is running elsewhere or was interrupted. */
export const StoredStateSchema = createEnumSchema(
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
  /** Result of its last review since its last step, for a run that works in a copy; `none` if there was none. */
  isolated: Type.Optional(createEnumSchema("none", ...REVIEW_RESULTS)),
  /** Number of events whose type this version doesn't know. */
  unknownEvents: Type.Optional(Count),
});

/** A run's entry in lists, from the part of its log read so far. */
export type RunDigest = Shape<typeof RunDigestSchema>;

const DigestAtSchema = Type.Object({
  inode: Type.Number(),
  size: Type.Number(),
  mtimeMs: Type.Number(),
  /** Bytes read, in whole lines. */
  bytes: Type.Number(),
  /** Events read. */
  events: Type.Number(),
  /** The log isn't valid from here on. */
  damaged: Type.Boolean(),
  /** Version of the log's format; absent until its start is read. */
  schema: Type.Optional(Type.Number()),
  brief: Type.Optional(RunDigestSchema),
});

/** A run's entry, and the position up to which its log was read. The stamp is the file's at that time. */
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

/** Title and pin that the user has set for a run. They are stored next to the log, which never changes. */
export type RunMetadata = Shape<typeof RunMetadataSchema>;

export const SavedRuleSchema = Type.Object({
  /** The folder's real path. */
  folder: Text,
  /** Words joined by single spaces, and commands joined by their operators in the line. */
  line: Text,
  /** The files that it ran when it was saved. If one of them changes, the rule becomes invalid. */
  files: Type.Array(Type.Object({ path: Text, hash: Type.Optional(Text) })),
  /** ISO 8601. */
  at: Text,
});

/** A command line that the user has always allowed in a folder. */
export type SavedRule = Shape<typeof SavedRuleSchema>;

/** Relative to the copy's folder, with slashes. */
const PlaceInCopy = Text;

export const CopyRecordSchema = Type.Object({
  version: Type.Literal(1),
  run: Text,
  folders: Type.Array(Type.Object({ name: Text, origin: Text, place: PlaceInCopy })),
  visible: Type.Array(PlaceInCopy),
  borrowed: Type.Array(Type.Object({ origin: Text, place: PlaceInCopy })),
  /** Folders that were originally borrowed. */
  owned: Type.Optional(Type.Array(PlaceInCopy)),
  objects: Type.Array(Text),
  notes: Type.Array(SentenceSchema),
  /** Workspace repositories whose objects contain copied files' contents; `excludes`: files with additional ignore rules. */
  repositories: Type.Array(Type.Object({ root: Text, gitFolder: Text, excludes: Type.Array(Text) })),
  /** Paths whose metadata changed after this time may have different content, in milliseconds since 1970. */
  madeMs: Amount,
});

/** The record of an isolated run's copy, stored in its folder. */
export type CopyRecord = Shape<typeof CopyRecordSchema>;

const CopiedPathSchema = Type.Object({
  name: Text,
  mode: Count,
  bytes: Count,
  /** Hash of the git object with its content. */
  blob: Type.Optional(Text),
  /** Name of the file that keeps its content. */
  kept: Type.Optional(Text),
  /** Target of a link in the workspace, and in the copy. */
  link: Type.Optional(Type.Object({ origin: Text, copy: Text })),
  /** True if its content may differ without a change of metadata. */
  suspect: Type.Optional(OnlyTrue),
});

/** A file or a link when the copy was made. */
export type CopiedPath = Shape<typeof CopiedPathSchema>;

export const CopiedPathsSchema = Type.Object({
  /** The folder with them. */
  place: PlaceInCopy,
  inode: Type.Number(),
  /** Index of the repository with their contents in the record. */
  repository: Type.Optional(Count),
  /** True if git ignores all of it, and doesn't show changes in it. */
  ignored: Type.Optional(OnlyTrue),
  paths: Type.Array(CopiedPathSchema),
});

/** The files of one folder when the copy was made. */
export type CopiedPaths = Shape<typeof CopiedPathsSchema>;

const PluginConsentSchema = Type.Object({
  /** The plugin: its kind, its id, and the workspace folder that it came with. */
  key: Text,
  /** SHA-256 of all its parts. */
  hash: Text,
  /** The text that the user saw, for displaying a later change as a comparison. */
  shown: Text,
  allowed: Type.Boolean(),
  /** The time of the answer, in milliseconds since 1970. */
  at: Type.Optional(Type.Number()),
});

/** The user's answer to whether a plugin may be used. */
export type PluginConsent = Shape<typeof PluginConsentSchema>;

export const StoredConsentsSchema = Type.Object({
  version: Type.Unsafe<number>({ const: CONSENTS_VERSION }),
  consents: Type.Array(PluginConsentSchema),
});

export const CostLineSchema = createTaggedSchema("type", {
  /** A call that is about to be made, and its maximum cost. `at`: milliseconds since 1970. */
  held: { id: Text, at: Amount, usd: Amount },
  /** The call is over: it cost nothing, or an earlier line has its cost. */
  freed: { ids: Type.Array(Text) },
  spent: { folder: Text, model: Text, tokens: Amount, usd: Amount, unpriced: Count },
});

/** A line of the file with the costs of one day over all folders. */
export type CostLine = Shape<typeof CostLineSchema>;

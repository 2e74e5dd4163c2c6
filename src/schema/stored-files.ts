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
  /** `to`: its target, as it's written. Only reviews of isolated runs keep links. */
  link: { to: Text },
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
  by: createEnumSchema("step", "undo", "redo"),
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

const AcceptedPathSchema = Type.Object({
  path: Text,
  was: FileStateSchema,
  target: FileStateSchema,
  /** The run's name for the file; absent for a folder that is only made or removed along with one. */
  label: Type.Optional(Text),
  /** The state in the copy that was accepted. Later changes of the run are compared with it. */
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

/** Everything that one acceptance of an isolated run's changes writes. */
export type AcceptPlan = Shape<typeof AcceptPlanSchema>;

/** State of a run as far as its log shows it: an `open` run continues elsewhere or was interrupted. */
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

/** Relative to the copy's folder, with slashes. */
const PlaceInCopy = Text;

export const CopyRecordSchema = Type.Object({
  version: Type.Literal(1),
  run: Text,
  folders: Type.Array(Type.Object({ name: Text, origin: Text, place: PlaceInCopy })),
  visible: Type.Array(PlaceInCopy),
  borrowed: Type.Array(Type.Object({ origin: Text, place: PlaceInCopy })),
  /** Folders that were borrowed at first. */
  owned: Type.Optional(Type.Array(PlaceInCopy)),
  objects: Type.Array(Text),
  notes: Type.Array(SentenceSchema),
  /** The repositories of the workspace whose objects hold contents of the copied files; `excludes`: files with more rules for ignored files. */
  repositories: Type.Array(Type.Object({ root: Text, gitFolder: Text, excludes: Type.Array(Text) })),
  /** Everything whose metadata changed since then may have another content, in milliseconds since 1970. */
  madeMs: Amount,
});

/** The copy of an isolated run, as its folder describes it. */
export type CopyRecord = Shape<typeof CopyRecordSchema>;

const CopiedPathSchema = Type.Object({
  name: Text,
  mode: Count,
  bytes: Count,
  /** Hash of the object that has its content. */
  blob: Type.Optional(Text),
  /** Name of the file that keeps its content. */
  kept: Type.Optional(Text),
  /** Target of a link in the workspace, and in the copy. */
  link: Type.Optional(Type.Object({ origin: Text, copy: Text })),
  /** Its content may differ although its metadata doesn't show it. */
  suspect: Type.Optional(OnlyTrue),
});

/** A file or a link when the copy was made. */
export type CopiedPath = Shape<typeof CopiedPathSchema>;

export const CopiedPathsSchema = Type.Object({
  /** The folder with them. */
  place: PlaceInCopy,
  inode: Type.Number(),
  /** Which of the record's repositories has their contents. */
  repository: Type.Optional(Count),
  /** Git ignores all of it, and shows no change in it. */
  ignored: Type.Optional(OnlyTrue),
  paths: Type.Array(CopiedPathSchema),
});

/** The files of one folder when the copy was made. */
export type CopiedPaths = Shape<typeof CopiedPathsSchema>;

const PluginConsentSchema = Type.Object({
  /** The plugin: its kind, its id, and the workspace folder that it came with. */
  key: Text,
  /** SHA-256 of all that it consists of. */
  hash: Text,
  /** The text that the user saw, so that a change can be shown as one. */
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

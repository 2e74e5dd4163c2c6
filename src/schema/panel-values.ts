import { Type } from "typebox";
import {
  Amount,
  AnyObject,
  Count,
  createEnumSchema,
  createTaggedSchema,
  DisplayTextSchema,
  OnlyTrue,
  SentenceSchema,
  type Shape,
  Text,
} from "./shape.ts";
import { StoredStateSchema } from "./stored-files.ts";

export const PanelActionSchema = createEnumSchema(
  "stop",
  "pause",
  "continue",
  "toggleContinuous",
  /** Restarts the task of the page's run in a sandboxed copy. */
  "startIsolated",
  /** Sets the key for the configured source of models. */
  "setApiKey",
  /** Sets the key of a service that the user picks. */
  "setServiceKey",
  "selectModel",
  "useServer",
  "openModels",
  "openTools",
  "importMcpServers",
  "signInToMcpServer",
  "shareMemory",
  "clearMemory",
  "chooseEmbedding",
  "tryDemo",
  "showPermissions",
  "showCosts",
  "newRun",
  "takeOver",
  "showOutput",
  "raiseBudget",
  "openSettings",
  "manageTrust",
  "openFolder",
  "showLog",
  "reviewChanges",
  "commitChanges",
  "createPullRequest",
  /** Commits the changes of an isolated run to a new branch, or discards them. */
  "openCopy",
  "keepAsBranch",
  "discardChanges",
  "undoRun",
  "redo",
  "carryOut",
  "changeRun",
  "compactNow",
  "exportRun",
  "forkRun",
  "openInEditor",
  /** Opens the whole run as a text document. */
  "openAsText",
  /** Shows the list of all runs. */
  "showRuns",
);

/** Palette actions that the panel offers as buttons. */
export type PanelAction = Shape<typeof PanelActionSchema>;

const RunActivitySchema = createEnumSchema(
  "thinking",
  "acting",
  "approval",
  "question",
  "disk",
  "paused",
  "interrupted",
  /** Another process works on it. */
  "elsewhere",
  "finished",
  "exhausted",
  "stuck",
  "failed",
  "stopped",
  "crashed",
);

/** The activity of a run, or how it ended, in one word. */
export type RunActivityName = Shape<typeof RunActivitySchema>;

export const OpenRunSchema = Type.Object({
  run: Text,
  /** The user's own name for it, or its task. */
  title: Text,
  state: RunActivitySchema,
  /** It can't continue without the user. */
  attention: Type.Boolean(),
});

/** A run that this window has open. */
export type OpenRun = Shape<typeof OpenRunSchema>;

const PreviewShapeSchema = createEnumSchema("change", "cutChange", "details");

/** How a proposal is displayed. VS Code truncates long lines in a diff, so a change with such a line is also shown as text. */
export type PreviewShape = Shape<typeof PreviewShapeSchema>;

export const ChangeFiguresSchema = Type.Object({
  /** Lines, as they would be written now. */
  added: Count,
  removed: Count,
  /** Changed parts of the file, as its diff shows them. */
  hunks: Count,
  /** Hunks of the proposal that the user dropped. */
  dropped: Count,
  /** True if the user changed the proposal, so that its original text wouldn't be written. */
  edited: Type.Boolean(),
});

/** The size of a proposed change with the user's edits. */
export type ChangeFigures = Shape<typeof ChangeFiguresSchema>;

export const CardSchema = Type.Object({
  step: Count,
  hash: Text,
  command: Text,
  /** Everything that the command would do, in full, with control characters visible. Cut only for a change, which has a diff. */
  text: Text,
  /** Set for a tool of others; then the text is about this call alone. */
  tool: Type.Optional(
    Type.Object({
      name: Text,
      owner: Text,
      /** The server or plugin, with its program and the hashes of its files, as the user has allowed it. */
      about: Text,
      /** The text is just the arguments. */
      hasOnlyArguments: Type.Boolean(),
    }),
  ),
  /** How and where a command line would run, below the text. */
  caption: Type.Optional(Text),
  /** A part of the caption that is worth a line only on the run's first card of this command. */
  explanation: Type.Optional(Text),
  /** Real path of the folder that it would run in; the caption has its name. */
  folder: Type.Optional(Text),
  /** The text continues in `cardText` messages; nothing can be approved before the last of them has arrived. */
  more: Type.Optional(Type.Boolean()),
  /** The arguments for editing in the panel; absent if they are too large for that. */
  args: Type.Optional(AnyObject),
  /** Set for a file change: the file's label; "Review" opens the diff. */
  file: Type.Optional(Text),
  /** The file doesn't exist yet. */
  isNew: Type.Optional(Type.Boolean()),
  preview: PreviewShapeSchema,
  /** Set for a file change. */
  figures: Type.Optional(ChangeFiguresSchema),
  /** Name of the rule that asks, with its reason. */
  rule: Text,
  /** Empty if the question says as much. */
  reason: Text,
  /** The words of the text that the reason is about. */
  marks: Type.Optional(Type.Array(Text)),
  /** The newest untrusted source in the context, once a run, where it led to the question; and the names of all. */
  influence: Type.Optional(Text),
  sources: Type.Array(Text),
  /** Another machine asks, so it can only be approved or rejected. */
  remote: Type.Optional(OnlyTrue),
  /** The card warns, and an approval by key needs the panel's own button. */
  sensitive: Type.Boolean(),
  /** The file has unsaved edits, so its change is made in the editor, not on disk. */
  unsaved: Type.Optional(Type.Boolean()),
  /** Files whose edits aren't saved, so that the program wouldn't see them. */
  unsavedFiles: Type.Optional(Type.Array(Text)),
  /** True if the user has already seen all of it, on another page or in an editor. */
  seen: Type.Optional(Type.Boolean()),
  /** The rule that "always allow" would save; absent if none can be saved. */
  teaches: Type.Optional(Text),
});

/** A proposal for display in the panel. The decision returns `hash`, so that it applies only to what was shown. */
export type Card = Shape<typeof CardSchema>;

const SourceStateSchema = createTaggedSchema("kind", {
  connected: { models: Count },
  /** It answers, but gives no list of models: it has none, or keeps it from this key. */
  unlisted: { status: Count },
  /** A key is needed, and none is stored. */
  noKey: {},
  /** The key contains invalid characters, so it can't be sent. */
  brokenKey: {},
  rejected: { status: Count, said: SentenceSchema },
  unreachable: {
    why: createEnumSchema("refused", "unknownHost", "certificate", "noHttps", "noHttp", "proxy", "lost"),
    /** The remote machine to which the address belongs, although the user is at another one. */
    remote: Type.Optional(Text),
  },
  silent: { seconds: Amount },
  failed: { status: Count, said: SentenceSchema },
  /** A redirect, which a key never follows. */
  moved: { to: Text },
  /** A web page, or nothing at this path. */
  noApi: {},
  badAddress: {},
  /** A setting that this provider needs is empty. */
  incomplete: { setting: Text },
  /** VS Code offers no language models. */
  noChatModels: {},
});

/** How a source of models answered, or why it couldn't be asked. `said` quotes it, without the key. */
export type SourceState = Shape<typeof SourceStateSchema>;

/** Why a connection can't be made. */
export type ConnectionProblem = Extract<SourceState, { readonly kind: "unreachable" }>["why"];

const ModelSourceSchema = Type.Object({
  /** A host or the name of a provider, for display. */
  name: Text,
  state: SourceStateSchema,
});

/** A place that models come from, and its state. */
export type ModelSource = Shape<typeof ModelSourceSchema>;

const ModelChoiceSchema = Type.Object({ label: Text, provider: Text });

const ShownProviderSchema = Type.Object({
  id: Text,
  label: Text,
  /** "" for the editor's own models. */
  address: Text,
  /** Absent while it's being asked. */
  source: Type.Optional(ModelSourceSchema),
  hasKey: Type.Boolean(),
  takesKey: Type.Boolean(),
  /** Settings hold its address, so it can be changed and removed. */
  editable: Type.Boolean(),
  /** True if it provides the main model. */
  main: Type.Boolean(),
});

/** A provider for display on the Models page. */
export type ShownProvider = Shape<typeof ShownProviderSchema>;

export const ModelsPageSchema = Type.Object({
  /** Absent while nothing is set up. */
  smart: Type.Optional(ModelChoiceSchema),
  /** Absent where it's the same as the main model. */
  fast: Type.Optional(ModelChoiceSchema),
  providers: Type.Array(ShownProviderSchema),
  /** Known servers that can be added. */
  presets: Type.Array(Type.Object({ id: Text, label: Text })),
  /** The providers are being asked. */
  looking: Type.Optional(Type.Boolean()),
});

/** The contents of the Models page. */
export type ModelsPage = Shape<typeof ModelsPageSchema>;

const RepositoryNotesSchema = Type.Object({
  files: Type.Array(Text),
  /** The user's own files, outside the workspace. */
  own: Type.Optional(Type.Array(Text)),
  /** Names of the skills that prompts list, and the number of the others. */
  skills: Type.Optional(Type.Array(Text)),
  moreSkills: Type.Optional(Count),
  unread: Type.Array(Text),
});

/** Files with a repository's instructions for the agent, and why others were skipped, each as a sentence. */
export type RepositoryNotes = Shape<typeof RepositoryNotesSchema>;

export const WelcomeSchema = Type.Object({
  /** Why no run can start here, as a sentence. */
  blocked: Type.Optional(Text),
  /** The button that resolves it. */
  unblock: Type.Optional(PanelActionSchema),
  /** A key is stored for the configured source of models. */
  hasKey: Type.Boolean(),
  /** The state of the configured source of models; absent while it's unknown. */
  source: Type.Optional(ModelSourceSchema),
  /** Models found, best first: VS Code's own, local servers, the configured provider's. */
  models: Type.Array(
    Type.Object({
      id: Text,
      label: Text,
      /** A display name, such as "OpenRouter". */
      provider: Type.Optional(Text),
      detail: Text,
      chosen: Type.Boolean(),
    }),
  ),
  /** The search for models is still running. */
  looking: Type.Optional(Type.Boolean()),
  /** Files of the repository that the agent reads; absent where there are none. */
  words: Type.Optional(RepositoryNotesSchema),
  /** The profile is reviewed before every run. */
  reviewProfile: Type.Optional(Type.Boolean()),
  /** Why isolated runs can't start here, or what they can reach. */
  isolation: Type.Optional(
    Type.Object({
      why: Type.Optional(SentenceSchema),
      hosts: Type.Array(Text),
      lent: Type.Array(Text),
    }),
  ),
  /** The last runs, the newest first. */
  lastRuns: Type.Optional(
    Type.Array(
      Type.Object({
        id: Text,
        task: Text,
        title: Text,
        state: StoredStateSchema,
        /** It is over, and its changes in the copy wait for a review. */
        toReview: Type.Optional(OnlyTrue),
      }),
    ),
  ),
  /** The agents that files describe; absent if there are none. */
  agents: Type.Optional(Type.Array(Type.Object({ name: Text, file: Text, description: Text }))),
  /** Commands of the repository. */
  templates: Type.Optional(Type.Array(Type.Object({ name: Text, file: Text, description: Text }))),
});

/** The contents of the start page. */
export type Welcome = Shape<typeof WelcomeSchema>;

const PermissionSchema = Type.Object({
  /** Names it in a request to revoke it. */
  id: Text,
  label: Text,
  detail: Type.Optional(Text),
  /** False if it can be changed only in its setting. */
  revocable: Type.Boolean(),
});

/** Something that is always allowed, or always refused. */
export type Permission = Shape<typeof PermissionSchema>;

export const PermissionGroupSchema = Type.Object({
  kind: createEnumSchema(
    "grants",
    "rules",
    "lines",
    "terminals",
    "denied",
    "hosts",
    "isolationHosts",
    "isolationFiles",
    "downloads",
    "keys",
  ),
  /** The setting that contains them; absent if there is none. */
  setting: Type.Optional(Text),
  permissions: Type.Array(PermissionSchema),
});

/** Permissions of one kind. */
export type PermissionGroup = Shape<typeof PermissionGroupSchema>;

const UsageAmountSchema = Type.Object({
  name: Text,
  tokens: Amount,
  usd: Amount,
  /** Calls without a known price. */
  unpriced: Count,
});

/** Money and tokens with a common name. */
export type UsageAmount = Shape<typeof UsageAmountSchema>;

const UsageAmounts = Type.Array(UsageAmountSchema);

export const UsageReportSchema = Type.Object({
  /** Usage of the displayed run, largest first. */
  models: UsageAmounts,
  /** Usage of all available runs, newest first. */
  days: UsageAmounts,
  allModels: UsageAmounts,
  /** Absent until the memory was used. */
  memory: Type.Optional(
    Type.Object({
      count: Count,
      embedded: Count,
      embedder: Text,
      bytes: Amount,
      /** Another window writes it. */
      reading: Type.Boolean(),
      /** Absent: it isn't shared. */
      shared: Type.Optional(SentenceSchema),
      notices: Type.Array(SentenceSchema),
    }),
  ),
});

/** The recent cost of runs, and the state of the memory in the run's folder. */
export type UsageReport = Shape<typeof UsageReportSchema>;

export const CostsPageSchema = Type.Object({
  /** The budgets over all folders, and what is spent of them; 0 dollars: no limit. */
  budgets: Type.Array(Type.Object({ per: createEnumSchema("day", "month"), usd: Amount, spent: Amount })),
  /** Of 30 days, newest first, such as "2026-11-29". */
  days: UsageAmounts,
  /** Of 30 days, largest first. */
  models: UsageAmounts,
  folders: UsageAmounts,
  /** Of a year, newest first, such as "2026-11". */
  months: UsageAmounts,
});

/** The costs over all folders. */
export type CostsPage = Shape<typeof CostsPageSchema>;

export const ChangedLinesSchema = Type.Object({ file: Text, added: Count, removed: Count });

/** The lines that a run's steps have added to a file and removed from it. */
export type ChangedLines = Shape<typeof ChangedLinesSchema>;

export const RunCheckSchema = Type.Object({ title: DisplayTextSchema, passed: Type.Boolean() });

/** A test or another check that a run made, with its last result. */
export type RunCheck = Shape<typeof RunCheckSchema>;

export const ShownProcessSchema = Type.Object({
  id: Count,
  /** Cut when it is very long. */
  commandLine: Text,
  state: createEnumSchema("running", "ended", "stopped"),
  code: Type.Optional(Type.Number()),
  /** It continues when the run ends. */
  kept: Type.Boolean(),
});

/** A background process for display in the panel. */
export type ShownProcess = Shape<typeof ShownProcessSchema>;

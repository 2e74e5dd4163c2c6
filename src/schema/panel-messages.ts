import { Type } from "typebox";
import { CARD_BUTTON_NAMES } from "./card-buttons.ts";
import { AgentEventSchema } from "./events.ts";
import {
  CardSchema,
  ChangedLinesSchema,
  ChangeFiguresSchema,
  CostsPageSchema,
  ModelsPageSchema,
  OpenRunSchema,
  PanelActionSchema,
  PermissionGroupSchema,
  RunCheckSchema,
  ShownProcessSchema,
  UsageReportSchema,
  WelcomeSchema,
} from "./panel-values.ts";
import { PLUGIN_STEPS, ToolsPageSchema } from "./plugin-values.ts";
import { ReviewPageSchema, SandboxFactsSchema, WaysPageSchema } from "./review-page.ts";
import { RunStateSchema, StepViewSchema } from "./run-state.ts";
import { ProfileSchema } from "./run-values.ts";
import { UnsentOfRunSchema } from "./saved-panel.ts";
import {
  Amount,
  AnyObject,
  Count,
  createEnumSchema,
  createTaggedSchema,
  OnlyTrue,
  SentenceSchema,
  type Shape,
  Text,
} from "./shape.ts";

const Run = { run: Text };
const Flag = Type.Boolean();

const GivenPictureSchema = Type.Object({
  /** The name of its file. */
  name: Text,
  /** Its bytes in base64. The receiver checks their type again. */
  data: Text,
});

/** Pictures from the composer. */
const Pictures = { pictures: Type.Optional(Type.Array(GivenPictureSchema)) };

const MentionContextSchema = createEnumSchema(
  "file",
  "folder",
  "selection",
  "problems",
  "git",
  "url",
  "terminal",
  "prompt",
  "issue",
);

const OwnCommandOfferSchema = Type.Object({
  name: Text,
  description: Text,
  /** The arguments that it takes, in its author's words. */
  hint: Text,
  file: Text,
});

/** A command of one's own, as the text box offers it. */
export type OwnCommandOffer = Shape<typeof OwnCommandOfferSchema>;

/** A kind of context that a mention adds to a task or message. */
export type MentionContext = Shape<typeof MentionContextSchema>;

/** Messages about a run contain `run`. From its events' `seq`, the panel detects a gap and requests a snapshot. */
export const PanelUpdateSchema = createTaggedSchema("type", {
  /** The start page, instead of a run; sent again whenever its contents change while it's displayed. */
  welcome: { welcome: WelcomeSchema },
  /** The Models page, in its own tab; sent again whenever a provider or a model changes. */
  models: { models: ModelsPageSchema },
  /** The page of tools and plugins; sent again whenever one of them changes. */
  tools: { tools: ToolsPageSchema },
  /** The What Is Allowed page; sent again whenever a permission changes. */
  permissions: { groups: Type.Array(PermissionGroupSchema) },
  drafted: {
    task: Text,
    profile: ProfileSchema,
    /** Why it isn't a draft by the model, as a sentence. */
    notice: Type.Optional(SentenceSchema),
    /** The name of the agent whose file it comes from. */
    agent: Type.Optional(Text),
  },
  /** The run to show: its state without the past steps, which follow in `page` messages. */
  snapshot: {
    ...Run,
    state: RunStateSchema,
    readOnly: Flag,
    /** Why it can only be read, as a sentence. */
    why: Type.Optional(Text),
    /** Another process works on it, and it can be taken over. */
    elsewhere: Type.Optional(OnlyTrue),
    /** The name of the other machine that it works on. */
    machine: Type.Optional(Text),
    /** False for an unfinished run that isn't running, so that it can be continued; absent means true. */
    running: Type.Optional(Flag),
    /** The commands offered to the model. */
    commands: Type.Optional(Type.Array(Type.Object({ name: Text, description: Text }))),
    withheld: Type.Array(Type.Object({ name: Text, why: SentenceSchema })),
    continuous: Flag,
    grant: Amount,
    /** True while the run's profile is being drafted during the first step; absent means no. */
    drafting: Type.Optional(Flag),
    speech: Flag,
    /** The sandbox of an isolated run. */
    sandbox: Type.Optional(SandboxFactsSchema),
    /** Set when stepping through the run: this is its state after `step` of `of`; `changes` are the steps that changed files. */
    at: Type.Optional(Type.Object({ step: Count, of: Count, changes: Type.Array(Count) })),
  },
  /** The runs that this window has open; sent again whenever one of them changes. */
  runs: { runs: Type.Array(OpenRunSchema) },
  /**
   * The files that a run has changed, for its end: `count` in total, and the first names. Folders, which end in "/", only if there are no
   * files.
   */
  changes: {
    ...Run,
    files: Type.Array(Text),
    count: Count,
    /** Some changes were undone and can be redone. */
    redoable: Type.Optional(Flag),
    lines: Type.Optional(Type.Array(ChangedLinesSchema)),
    checks: Type.Optional(Type.Array(RunCheckSchema)),
    /** The agents that the run's own agent suggests for what follows. */
    nextAgents: Type.Optional(Type.Array(Type.Object({ agent: Text, label: Text }))),
  },
  /** The changes in the copy of an isolated run, at its end and whenever the user asks; absent while they're compared. */
  review: { ...Run, review: Type.Optional(ReviewPageSchema) },
  /** The page that compares isolated runs of one task; sent again whenever one of them changes. */
  ways: { ways: WaysPageSchema },
  costs: { costs: CostsPageSchema },
  /** The cost of runs and the state of the memory, next to the displayed run. */
  account: { ...Run, account: UsageReportSchema },
  /**
   * Past steps, oldest first; `earlier`: even earlier steps can be requested. Many steps come in several messages, in order or newest
   * first, so that each message joins the panel's steps.
   */
  page: {
    ...Run,
    steps: Type.Array(StepViewSchema),
    earlier: Flag,
    /** Events between these steps: messages, pauses, compactions and the like. */
    sideEvents: Type.Optional(Type.Array(AgentEventSchema)),
  },
  event: { ...Run, event: AgentEventSchema },
  /** Text that was typed for the run in the window that handed it over. */
  unsent: { ...Run, unsent: UnsentOfRunSchema },
  thought: {
    ...Run,
    step: Count,
    deltas: Type.Array(
      Type.Object({
        /** `own`: the model's own reasoning before the reply. */
        field: createEnumSchema("own", "text", "reasoning", "plan", "criticism", "speak"),
        text: Text,
      }),
    ),
    /** The text streamed for this step is invalid, because its reply starts over. */
    restarted: Type.Optional(Flag),
    /** Number of the reply's characters so far that aren't thoughts: those of its command, such as a file's text. */
    written: Type.Optional(Count),
  },
  output: { ...Run, step: Count, text: Text },
  /** Why the run currently waits; if no field is set, it doesn't wait. */
  waiting: {
    ...Run,
    card: Type.Optional(CardSchema),
    question: Type.Optional(Text),
    /** A problem that the user must fix before the run continues, such as a full disk, as a sentence that says what to do. */
    blockedReason: Type.Optional(SentenceSchema),
    /** Why there's no connection to the machine that it works on, as a sentence. */
    lost: Type.Optional(SentenceSchema),
    /** True while the run is active; absent means unchanged. */
    running: Type.Optional(Flag),
  },
  /** More of the waiting card's text. */
  cardText: { ...Run, hash: Text, text: Text, more: Flag },
  /** The user edited the waiting change in its diff. */
  figures: { ...Run, hash: Text, figures: ChangeFiguresSchema },
  /** All of the waiting proposal was shown elsewhere, in an editor or on another page: it can be approved. */
  seen: { ...Run, hash: Text },
  /** Real paths of the files in the run's folders whose edits aren't saved; sent again whenever they change. */
  unsavedFiles: { ...Run, paths: Type.Array(Text) },
  /** The run's background processes; sent again whenever one of them changes. */
  processes: { ...Run, processes: Type.Array(ShownProcessSchema) },
  grant: { ...Run, grant: Amount, continuous: Flag, drafting: Type.Optional(Flag) },
  /**
   * A sentence in the live region and above the composer; "" removes it. After an error the request can be repeated. A warning
   * stays, beside others, until the user closes it. `sent`: the task in the text box is on its way, although no run can be shown yet.
   */
  notice: { text: SentenceSchema, kind: createEnumSchema("info", "error", "warning"), sent: Type.Optional(OnlyTrue) },
  /** A key, server or model was set, so earlier messages about them are out of date. */
  setupChanged: {},
  /**
   * A text for the text box, where it joins what is there: from a link, an editor's menu or an earlier run. `note` says where it comes
   * from, and `agent` names the agent that it's for.
   */
  offered: { text: Text, note: Type.Optional(SentenceSchema), agent: Type.Optional(Text) },
  /** The user wants to type. */
  focusInput: {},
  /** `terminals` are the labels of open terminals, for `shareTerminal`. */
  files: {
    query: Text,
    files: Type.Array(Text),
    terminals: Type.Optional(Type.Array(Text)),
    /** Kinds of context that start with the query. */
    contexts: Type.Optional(Type.Array(MentionContextSchema)),
    folders: Type.Optional(Type.Array(Text)),
    prompts: Type.Optional(Type.Array(Text)),
    issues: Type.Optional(Type.Array(Type.Object({ number: Count, title: Text }))),
    /** Resources of MCP servers, as they are mentioned. */
    resources: Type.Optional(Type.Array(Text)),
    /** The commands of one's own, for a query that asks for them. */
    commands: Type.Optional(Type.Array(OwnCommandOfferSchema)),
  },
  /** The picture of a step, as a data address. */
  picture: { ...Run, step: Count, data: Text },
  /** A picture that the user attached, as a data address. */
  attached: { ...Run, file: Text, data: Text },
  /** Whether the model takes pictures, as far as that is known. */
  sight: { model: Text, sees: Flag },
});

/** A message from the extension to the panel. */
export type PanelUpdate = Shape<typeof PanelUpdateSchema>;

const Decision = { step: Count, hash: Text };

export const PanelRequestSchema = createTaggedSchema("type", {
  ready: {},
  /** The panel missed something, or its page was reloaded. */
  resync: Run,
  /** The page has got the keyboard focus, or lost it: VS Code itself doesn't report a view's page. */
  focus: { inside: Flag },
  /** Drafts a profile to review. */
  draft: { task: Text, agent: Type.Optional(Text) },
  start: {
    task: Text,
    /** Absent if the run starts immediately, and its profile is drafted during the first step. */
    profile: Type.Optional(ProfileSchema),
    /** The run first makes only a plan, and carries it out once the user agrees. */
    planFirst: Type.Optional(Flag),
    /** The run works in a sandboxed copy. */
    isolated: Type.Optional(Flag),
    /** The task is sent to another machine, which the user chooses next. */
    elsewhere: Type.Optional(Flag),
    /** The name of the agent that does it; absent: the usual one. */
    agent: Type.Optional(Text),
    ...Pictures,
  },
  /** Suggests a task for the next agent of the page's run. */
  handOver: { agent: Text },
  /** Merges these changes of an isolated run into the workspace. */
  acceptChanges: {
    version: Text,
    files: Type.Array(Text),
    /** The side of conflicts that is taken whole. */
    side: Type.Optional(createEnumSchema("mine", "run")),
  },
  /** Opens the diff of a changed file in the copy; its right side can be edited. */
  showChange: { file: Text },
  /** Shows the review of one of the compared runs, or all its changes in one editor. */
  chooseWay: { ...Run, look: createEnumSchema("accept", "review", "changes") },
  /** The displayed run's profile with the user's edits; `keep`: also stores it for other runs. */
  changeProfile: { profile: ProfileSchema, keep: Type.Optional(Flag) },
  /** A button of the card, with the user's prior input: a number of commands, a reason, or other arguments. */
  cardButton: {
    ...Decision,
    button: createEnumSchema(...CARD_BUTTON_NAMES),
    count: Type.Optional(Count),
    feedback: Type.Optional(Text),
    args: Type.Optional(AnyObject),
  },
  /** The user has seen the end of the card's whole text. */
  seen: Decision,
  say: { text: Text, ...Pictures },
  /** An earlier message of the user in other words, by its event; 0: the task. Files go back to that moment, and another run continues from there. */
  editMessage: { seq: Count, text: Text, ...Pictures },
  /** Text that was typed for a run so far, for a window that takes the run over. */
  typed: { ...Run, unsent: UnsentOfRunSchema },
  /** Asks whether the model accepts pictures: the page run's model or the next run's. */
  askSight: {},
  earlier: { ...Run, before: Count },
  /** Shows the page's run as of a step; absent: as of now. */
  stepThrough: { step: Type.Optional(Count) },
  /** Opens the whole outcome in an editor. */
  showOutcome: { ...Run, step: Count },
  showPicture: { ...Run, step: Count },
  /** Requests pictures that the user attached, by file name. */
  showAttached: { ...Run, files: Type.Array(Text) },
  /** Opens one of them in an editor. */
  openAttached: { ...Run, file: Text },
  /** Saves a step's changes in editors, without modifying their text. */
  saveChanges: { ...Run, step: Count },
  /** `commands`: finds commands of one's own in place of files. */
  findFiles: { query: Text, commands: Type.Optional(OnlyTrue) },
  /** The user has chosen this terminal for a mention, so agents can read it from now on. */
  shareTerminal: { label: Text },
  chooseModel: { id: Text },
  /** For the Models page. */
  pickModel: { role: createEnumSchema("smart", "fast") },
  changeProvider: { id: Text, change: createEnumSchema("setKey", "removeKey", "editAddress", "remove") },
  /** The name of a preset, `server` or `azure`. */
  addProvider: { way: Text },
  /** Asks all providers for their state again. */
  checkProviders: {},
  /** For the page of tools and plugins. */
  changePlugin: { key: Text, step: createEnumSchema(...PLUGIN_STEPS) },
  /** Enters a secret that a server's entry names, or forgets it. */
  changeSecret: { key: Text, name: Text, change: createEnumSchema("set", "remove") },
  /** The id of a well-known server, `command`, `address` or `import`. */
  addServer: { way: Text },
  checkPlugins: {},
  showPrompt: { step: Count },
  /** The user has closed the warnings about a run. */
  closeWarnings: Run,
  /** `line` counts from 1. */
  openFile: { label: Text, line: Type.Optional(Count) },
  /** A link in a text by the model: a web address in its normalized spelling. */
  openLink: { address: Text },
  /** Another run: a sub-agent's, or the parent's. */
  openRun: Run,
  stopProcess: { id: Count },
  keepProcess: { id: Count, kept: Flag },
  /** Revokes a permission. */
  revoke: { id: Text },
  /** Opens the settings at an AutoGPT setting. */
  openSetting: { setting: Text },
  act: { action: PanelActionSchema },
});

/** A message from the panel to the extension. */
export type PanelRequest = Shape<typeof PanelRequestSchema>;

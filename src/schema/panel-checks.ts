import type { WithheldCommand } from "../core/commands/command-set.ts";
import type { ModelSource, SourceState } from "../core/ports/model-source.ts";
import { THOUGHT_FIELDS } from "../core/reply/reply.ts";
import type { ThoughtDelta } from "../core/reply/thought-stream.ts";
import type {
  Card,
  PanelAction,
  PanelRequest,
  PanelUpdate,
  RepositoryNotes,
  ShownProcess,
  UsageAmount,
  UsageReport,
  Welcome,
} from "./panel-messages.ts";
import { agentEvent, profile, runState, step } from "./panel-run-checks.ts";
import {
  amount,
  type Check,
  flag,
  listOf,
  objectOf,
  oneOf,
  optional,
  record,
  tagged,
  text,
  whole,
} from "./shape.ts";

const action: Check<PanelAction> = oneOf(
  "stop",
  "pause",
  "continue",
  "toggleContinuous",
  "setApiKey",
  "setServiceKey",
  "selectModel",
  "useServer",
  "tryDemo",
  "showPermissions",
  "newRun",
  "showOutput",
  "raiseBudget",
  "openSettings",
  "manageTrust",
  "openFolder",
  "showLog",
  "reviewChanges",
  "commitChanges",
  "undoRun",
  "carryOut",
  "changeRun",
);

const card = objectOf<Card>({
  step: whole,
  hash: text,
  command: text,
  text,
  caption: optional(text),
  more: optional(flag),
  args: optional(record),
  file: optional(text),
  preview: oneOf("change", "cutChange", "details"),
  rule: text,
  reason: text,
  sources: listOf(text),
  sensitive: flag,
  unsaved: optional(flag),
  seen: optional(flag),
  teaches: optional(text),
});

const amounts = listOf(objectOf<UsageAmount>({ name: text, tokens: amount, usd: amount, unpriced: whole }));
const account = objectOf<UsageReport>({
  models: amounts,
  days: amounts,
  allModels: amounts,
  memory: optional(
    objectOf<NonNullable<UsageReport["memory"]>>({
      count: whole,
      embedded: whole,
      embedder: text,
      bytes: amount,
      reading: flag,
      notices: listOf(text),
    }),
  ),
});
const sourceState = tagged<SourceState, "kind">("kind", {
  connected: { models: whole },
  unlisted: { status: whole },
  noKey: {},
  brokenKey: {},
  rejected: { status: whole, said: text },
  unreachable: {
    why: oneOf("refused", "unknownHost", "certificate", "noHttps", "noHttp", "proxy", "lost"),
  },
  silent: { seconds: amount },
  failed: { status: whole, said: text },
  moved: { to: text },
  noApi: {},
  badAddress: {},
  incomplete: { setting: text },
  noChatModels: {},
});
const welcome = objectOf<Welcome>({
  blocked: optional(text),
  unblock: optional(action),
  hasKey: flag,
  source: optional(objectOf<ModelSource>({ name: text, state: sourceState })),
  models: listOf(objectOf<Welcome["models"][number]>({ id: text, label: text, detail: text, chosen: flag })),
  looking: optional(flag),
  words: optional(objectOf<RepositoryNotes>({ files: listOf(text), unread: listOf(text) })),
  lastProfile: optional(profile),
});

const offered = listOf(objectOf<{ name: string; description: string }>({ name: text, description: text }));

const toPanel = tagged<PanelUpdate, "type">("type", {
  welcome: { welcome },
  drafted: { task: text, profile, notice: optional(text) },
  snapshot: {
    run: text,
    state: runState,
    readOnly: flag,
    why: optional(text),
    running: optional(flag),
    commands: optional(offered),
    withheld: listOf(objectOf<WithheldCommand>({ name: text, why: text })),
    continuous: flag,
    grant: amount,
    speech: flag,
    at: optional(objectOf<{ step: number; of: number }>({ step: whole, of: whole })),
  },
  account: { run: text, account },
  changes: { run: text, files: listOf(text), count: whole },
  page: { run: text, steps: listOf(step), earlier: flag, beside: optional(listOf(agentEvent)) },
  event: { run: text, event: agentEvent },
  thought: {
    run: text,
    step: whole,
    deltas: listOf(objectOf<ThoughtDelta>({ field: oneOf(...THOUGHT_FIELDS), text })),
    restarted: optional(flag),
  },
  output: { run: text, step: whole, text },
  waiting: {
    run: text,
    card: optional(card),
    question: optional(text),
    hindrance: optional(text),
    running: optional(flag),
  },
  cardText: { run: text, hash: text, text, more: flag },
  seen: { run: text, hash: text },
  processes: {
    run: text,
    processes: listOf(
      objectOf<ShownProcess>({
        id: whole,
        commandLine: text,
        state: oneOf("running", "ended", "stopped"),
        code: optional(amount),
        kept: flag,
      }),
    ),
  },
  grant: { run: text, grant: amount, continuous: flag },
  notice: { text, kind: oneOf("info", "error") },
  setupChanged: {},
  files: { query: text, files: listOf(text) },
  picture: { run: text, step: whole, data: text },
});

/** A web address in its normalized spelling; undefined for any other link. */
export function webAddress(link: string): string | undefined {
  const url = URL.parse(link);
  const isWeb = url?.protocol === "https:" || url?.protocol === "http:";
  return url && isWeb && url.username === "" && url.password === "" ? url.href : undefined;
}

const linkTarget: Check<string> = (value): value is string => text(value) && webAddress(value) === value;

const decides = { step: whole, hash: text };

const fromPanel = tagged<PanelRequest, "type">("type", {
  ready: {},
  resync: { run: text },
  focus: { inside: flag },
  draft: { task: text, again: optional(flag) },
  start: { task: text, profile, planFirst: optional(flag) },
  approve: { ...decides, count: whole },
  alwaysAllow: decides,
  refuse: { ...decides, feedback: text },
  editArguments: { ...decides, args: record },
  criticise: { step: whole },
  seen: decides,
  openWhole: decides,
  review: { step: whole },
  saveAndReviewAgain: { step: whole },
  say: { text },
  earlier: { run: text, before: whole },
  stepThrough: { step: optional(whole) },
  showOutcome: { run: text, step: whole },
  showPicture: { run: text, step: whole },
  findFiles: { query: text },
  chooseModel: { id: text },
  showPrompt: { step: whole },
  openFile: { label: text },
  openLink: { address: linkTarget },
  openRun: { run: text },
  stopProcess: { id: whole },
  keepProcess: { id: whole, kept: flag },
  openSetting: { setting: text },
  act: { action },
});

/** A message of the extension's; undefined for anything that has not exactly the form of one. */
export function readPanelUpdate(value: unknown): PanelUpdate | undefined {
  return toPanel(value) ? value : undefined;
}

/** A message of the panel's; undefined for anything that has not exactly the form of one. */
export function readPanelRequest(value: unknown): PanelRequest | undefined {
  return fromPanel(value) ? value : undefined;
}

import * as vscode from "vscode";
import { assertNever } from "../../core/base/errors.ts";
import { visible } from "../../core/base/text.ts";
import { isUriPath } from "../../core/base/uri-path.ts";
import { outcomeText } from "../../core/commands/outcome.ts";
import { pastSteps, RECENT_STEPS } from "../../core/events/run-state.ts";
import { absolutePath, diskPaths, rootAround, rootsOf, within } from "../../node/files/roots.ts";
import { mentionedTerminals } from "../../node/processes/shared-terminal.ts";
import type { FileIndexes } from "../../node/search/file-index.ts";
import { pagesForPanel } from "../../panel/feed.ts";
import type { HostedRun, HostedRuns } from "../../panel/hosted-runs.ts";
import type { IsolatedReviews } from "../../panel/isolated-reviews.ts";
import { contextsLike, foldersLike, mentionQuery } from "../../panel/mentions.ts";
import { sideEventsOf } from "../../panel/side-events.ts";
import type { PluginCatalog } from "../../plugins/catalog.ts";
import { resourcesLike } from "../../plugins/resource-mentions.ts";
import { pressCardButton, type UnsavedFiles } from "../../review/card-handlers.ts";
import type { PendingDecisions, PendingProposal } from "../../review/pending-decisions.ts";
import { readLog } from "../../runs/log/read-log.ts";
import { checkedPictures } from "../../runs/store/run-pictures.ts";
import { recordProfile } from "../../runtime/profile-draft.ts";
import { sayWithPictures } from "../../runtime/run-pictures.ts";
import type { Action } from "../../schema/actions.ts";
import type { MentionContext, PanelRequest, PanelUpdate } from "../../schema/panel-messages.ts";
import type { PanelAction } from "../../schema/panel-values.ts";
import { DisplayError, displayText, fail, type Sentence } from "../../texts/display-text.ts";
import { t } from "../../texts/language.ts";
import { virtualPaths, virtualRoots } from "../../virtual/places.ts";
import { openSetting } from "../host/notifications.ts";
import type { Starter } from "../host/starter.ts";
import type { DiffReview } from "../review/diff-review.ts";
import type { SharedTerminals } from "../terminal/shared-terminals.ts";
import type { OutputTerminal } from "../views/terminal.ts";
import type { TextDocuments } from "../views/text-documents.ts";
import { foldersNow, likelyFolder } from "../workspace/folders.ts";
import {
  availableContexts,
  placeOf,
  repositoryPrompts,
  withMentions,
} from "../workspace/mentioned-context.ts";
import { filesLike } from "../workspace/mentions.ts";
import { uriOf } from "../workspace/places.ts";
import { editorFiles } from "../workspace/virtual-files.ts";
import { outcomesOf, pictureOf } from "./outcomes.ts";
import { aboutPictures, decodedPictures } from "./picture-requests.ts";

/** Dependencies of the panel's requests. */
export interface PanelRequests {
  readonly runs: HostedRuns;
  readonly waits: PendingDecisions;
  readonly diff: DiffReview;
  readonly files: UnsavedFiles;
  readonly starter: Starter;
  readonly terminal: OutputTerminal;
  readonly documents: TextDocuments;
  readonly fileLists: FileIndexes;
  readonly userTerminals: SharedTerminals;
  readonly reviews: IsolatedReviews;
  readonly plugins: PluginCatalog;
  criticise(pending: PendingProposal): Promise<void>;
  act(action: Action, ...args: readonly unknown[]): Promise<void>;
  /** Drafts a profile for review. `tell` gets progress messages. */
  review(task: string, tell?: (text: Sentence) => void): Promise<void>;
  /** Cancels the current draft, if any. */
  cancelDraft(): void;
  raiseBudget(run: HostedRun | undefined): Promise<void>;
  /** Compacts the history of a run before its next step. `tell` gets progress and result as sentences. */
  compactNow(run: HostedRun, tell: (text: Sentence) => void): Promise<void>;
  chooseModel(id: string): Promise<void>;
}

type Reply = (message: PanelUpdate) => void;
type Receive = (message: PanelRequest, reply: Reply, run: HostedRun | undefined) => Promise<void>;

/** Requests that the host of a page handles itself. */
const OF_PAGE = [
  "ready",
  "resync",
  "focus",
  "stepThrough",
  "closeWarnings",
  "pickModel",
  "changeProvider",
  "addProvider",
  "checkProviders",
  "revoke",
  "chooseWay",
] as const;

function isOfPage(
  message: PanelRequest,
): message is Extract<PanelRequest, { readonly type: (typeof OF_PAGE)[number] }> {
  return OF_PAGE.some((type) => type === message.type);
}

/** Handles the requests of a page; `run` is the one that it shows. */
export function panelRequests(parts: PanelRequests): Receive {
  return async (message, reply, run) => {
    if (isOfPage(message)) return;
    switch (message.type) {
      case "draft":
        return draft(parts, message, reply);
      case "start":
        return start(parts, message, reply);
      case "changeProfile":
      case "say":
        return steer(parts, message, shown(run), reply);
      case "earlier":
        return sendEarlier(parts, message.run, message.before, reply);
      case "showOutcome":
        return showOutcome(parts, shown(run), message.step);
      case "askSight":
      case "showAttached":
      case "openAttached":
        return aboutPictures(parts, message, run, reply);
      case "showPicture":
        return showPicture(shown(run), message.step, reply);
      case "saveChanges":
        return saveChanges(parts, shown(run), message.step);
      case "findFiles":
        return offerMentions(parts, message.query, reply);
      case "shareTerminal":
        return shareTerminal(parts, message.label, reply);
      case "chooseModel":
        return parts.chooseModel(message.id);
      case "showPrompt":
        return parts.act("showPrompt", message.step, shown(run).id);
      case "stopProcess":
      case "keepProcess":
        return changeProcess(message, shown(run));
      case "openRun":
        return parts.act("openRun", message.run);
      case "openFile":
      case "openLink":
      case "openSetting":
        return open(parts, message, run);
      case "act":
        return act(parts, message.action, run, reply);
      case "cardButton":
        return pressCardButton(parts, shown(run), message);
      case "acceptChanges":
      case "showChange":
        return review(parts.reviews, message, shown(run), reply);
      case "seen":
        return seen(parts, message, shown(run));
      default:
        return assertNever(message);
    }
  };
}

async function start(
  { starter, plugins }: PanelRequests,
  { task, profile, planFirst, isolated, pictures }: Extract<PanelRequest, { readonly type: "start" }>,
  reply: Reply,
): Promise<void> {
  const request = {
    task: await withMentions(task, { plugins, tell: telling(reply) }),
    pictures: checkedPictures(decodedPictures(pictures)),
    ...(planFirst ? { mode: "plan" as const } : {}),
    ...(isolated ? { mode: "isolated" as const } : {}),
  };
  if (profile) return void (await starter.start({ ...request, profile }));
  await starter.demandPlace();
  await starter.demandModel();
  await starter.startTask(request);
}

/** Passes the user's words, or the profile as edited, to the run. */
async function steer(
  { starter, plugins }: PanelRequests,
  message: Extract<PanelRequest, { readonly type: "say" | "changeProfile" }>,
  run: HostedRun,
  reply: Reply,
): Promise<void> {
  if (message.type === "say") {
    const text = await withMentions(message.text, { plugins, tell: telling(reply) });
    return sayWithPictures(run, text, decodedPictures(message.pictures));
  }
  if (!run.live) throw new DisplayError(run.readOnly ?? displayText("actions.readOnly"));
  const { profile, keep } = message;
  await recordProfile(run.run, profile);
  if (keep) await starter.keepProfile(run.folder, profile);
}

/** Offers what a task can mention: kinds of context, terminals, folders, prompt files, resources and files. */
async function offerMentions(
  { userTerminals, fileLists, plugins }: PanelRequests,
  typed: string,
  reply: Reply,
): Promise<void> {
  const open = userTerminals.list().map(({ label }) => label);
  const { only, name } = mentionQuery(typed);
  const wants = (kind: MentionContext): boolean => only === undefined || only === kind;
  const contexts = only ? [] : contextsLike(typed, await availableContexts(open.length > 0));
  const found = wants("file") || wants("folder") ? await filesLike(name, fileLists) : [];
  const folders = wants("folder") && (only || name !== "") ? foldersLike(name, found) : [];
  const prompts = only === "prompt" ? await repositoryPrompts() : [];
  const terminals = mentionedTerminals(typed, open);
  const resources = await resourcesLike(typed, plugins, placeOf(likelyFolder()));
  reply({
    type: "files",
    query: typed,
    files: wants("file") ? [...found] : [],
    ...(terminals.length > 0 ? { terminals } : {}),
    ...(contexts.length > 0 ? { contexts } : {}),
    ...(folders.length > 0 ? { folders } : {}),
    ...(prompts.length > 0 ? { prompts: prompts.map((prompt) => prompt.name) } : {}),
    ...(resources.length > 0 ? { resources: [...resources] } : {}),
  });
}

function shareTerminal({ userTerminals }: PanelRequests, label: string, reply: Reply): void {
  userTerminals.share(label);
  const text = displayText("approval.terminalShared", { label: visible(label) });
  reply({ type: "notice", text, kind: "info" });
}

/** Records that the end of a card was in view, if its proposal is still pending. */
function seen(
  { waits }: PanelRequests,
  { step, hash }: Extract<PanelRequest, { readonly type: "seen" }>,
  run: HostedRun,
): void {
  const pending = waits.find(run, step, hash);
  if (pending) waits.saw(pending, "card");
}

async function draft(
  { starter, review, plugins }: PanelRequests,
  { task }: Extract<PanelRequest, { readonly type: "draft" }>,
  reply: Reply,
): Promise<void> {
  await starter.demandPlace();
  await starter.demandModel();
  const tell = telling(reply);
  await review(await withMentions(task, { plugins, tell }), tell);
}

function telling(reply: Reply): (text: Sentence) => void {
  return (text) => reply({ type: "notice", text, kind: "info" });
}

/** Buttons of the panel that are palette actions for the displayed run. */
const ACTIONS = {
  stop: "stopAgent",
  pause: "pauseAgent",
  continue: "continueAgent",
  toggleContinuous: "toggleContinuous",
  setServiceKey: "setApiKey",
  selectModel: "selectModel",
  openModels: "openModels",
  tryDemo: "tryDemo",
  showPermissions: "showPermissions",
  showLog: "showLog",
  reviewChanges: "reviewChanges",
  commitChanges: "commitChanges",
  undoRun: "undoRun",
  managePlugins: "managePlugins",
  importMcpServers: "importMcpServers",
  signInToMcpServer: "signInToMcpServer",
  shareMemory: "shareMemory",
  clearMemory: "clearMemory",
  chooseEmbedding: "chooseEmbedding",
  redo: "redo",
  carryOut: "carryOut",
  changeRun: "changeRun",
  exportRun: "exportRun",
  forkRun: "forkRun",
  openAsText: "openRunAsText",
} as const satisfies Partial<Record<PanelAction, Action>>;

function isPaletteAction(action: PanelAction): action is keyof typeof ACTIONS {
  return Object.hasOwn(ACTIONS, action);
}

async function act(
  parts: PanelRequests,
  action: PanelAction,
  run: HostedRun | undefined,
  reply: Reply,
): Promise<void> {
  if (action === "stop" && !run) return parts.cancelDraft();
  if (isPaletteAction(action)) return parts.act(ACTIONS[action], ...(run ? [run.id] : []));
  switch (action) {
    case "setApiKey":
      return parts.act("setApiKey", "panel");
    case "useServer":
      return parts.act("selectModel", "server");
    case "newRun":
      return newRun(parts, run);
    case "openInEditor":
      return parts.act("openPanelInEditor", { runId: shown(run).id });
    case "showRuns":
      return void (await vscode.commands.executeCommand("autogpt.runs.focus"));
    case "startIsolated":
      return parts.act("startIsolated", { task: shown(run).run.state.task });
    case "keepAsBranch":
      return parts.reviews.keepAsBranch(shown(run));
    case "discardChanges":
      return parts.reviews.discard(shown(run));
    case "raiseBudget":
      return parts.raiseBudget(run);
    case "compactNow":
      return parts.compactNow(shown(run), telling(reply));
    case "showOutput":
      return parts.terminal.show(shown(run).id);
    case "openFolder":
      return void (await vscode.commands.executeCommand("workbench.action.files.openFolder"));
    case "openSettings":
      return void (await vscode.commands.executeCommand(
        "workbench.action.openSettings",
        "@ext:autogpt-vscode.autogpt",
      ));
    case "manageTrust":
      return void (await vscode.commands.executeCommand("workbench.trust.manage"));
    default:
      return assertNever(action);
  }
}

async function review(
  reviews: IsolatedReviews,
  message: Extract<PanelRequest, { readonly type: "acceptChanges" | "showChange" }>,
  run: HostedRun,
  reply: Reply,
): Promise<void> {
  if (message.type === "acceptChanges") return reviews.accept(run, message.version, message.files);
  const text = await reviews.showChange(run, message.file);
  if (text !== undefined) reply({ type: "notice", kind: "info", text });
}

/** Shows the start page. A page that keeps its own run doesn't show it, so the side bar does. */
async function newRun({ runs }: PanelRequests, run: HostedRun | undefined): Promise<void> {
  const isElsewhere = run !== runs.shown;
  runs.show(undefined);
  if (isElsewhere) await vscode.commands.executeCommand("autogpt.panel.focus");
}

function shown(run: HostedRun | undefined): HostedRun {
  if (!run) fail("trouble.noRunOpen");
  return run;
}

async function sendEarlier(
  { runs }: PanelRequests,
  run: string,
  before: number,
  reply: Reply,
): Promise<void> {
  const hosted = runs.get(run);
  if (!hosted) return;
  const { events } = await readLog(hosted.home);
  const steps = pastSteps(events, before, RECENT_STEPS);
  const earlier = (steps[0]?.step ?? 1) > 1;
  for (const page of pagesForPanel(run, steps, earlier, sideEventsOf(events, steps)).toReversed())
    reply(page);
}

/** Opens the complete outcome of a step in an editor. */
async function showOutcome({ documents }: PanelRequests, run: HostedRun, step: number): Promise<void> {
  const outcomes = await outcomesOf(run, step);
  if (outcomes.length === 0) fail("trouble.noOutcome", { step });
  await documents.show(t("review.outcomeTitle", { step }), visible(outcomes.map(outcomeText).join("\n\n")));
}

async function changeProcess(
  message: Extract<PanelRequest, { readonly type: "stopProcess" | "keepProcess" }>,
  { processes }: HostedRun,
): Promise<void> {
  if (message.type === "stopProcess") await processes?.stop(message.id);
  else processes?.keep(message.id, message.kept);
}

async function showPicture(run: HostedRun, step: number, reply: Reply): Promise<void> {
  const picture = await pictureOf(run, step);
  if (!picture) fail("trouble.pictureGone");
  reply(picture);
}

/** Saves what a step changed in editors, exactly as it is there. */
async function saveChanges({ files }: PanelRequests, run: HostedRun, step: number): Promise<void> {
  const outcomes = await outcomesOf(run, step);
  const changed = outcomes.flatMap((outcome) => (outcome.status === "done" ? (outcome.inEditor ?? []) : []));
  for (const path of files.below(changed)) await files.saveAsIs(path);
}

/** Opens a link that the model wrote. VS Code shows the address and asks, unless the user trusts that site. */
async function openLink(address: string): Promise<void> {
  await vscode.env.openExternal(vscode.Uri.parse(address, true));
}

async function open(
  { reviews }: PanelRequests,
  message: Extract<PanelRequest, { readonly type: "openFile" | "openLink" | "openSetting" }>,
  run: HostedRun | undefined,
): Promise<void> {
  if (message.type === "openFile" && run?.isolation) await reviews.showFile(run, message.label, message.line);
  else if (message.type === "openFile") await openFile(message, run);
  else if (message.type === "openLink") await openLink(message.address);
  else await openSetting(message.setting);
}

/** Opens a file of the run, or of the folder that the next run would use. */
async function openFile(
  { label, line = 0 }: { readonly label: string; readonly line?: number },
  hosted?: HostedRun,
): Promise<void> {
  const folder = hosted?.folder ?? likelyFolder();
  const folders = folder === undefined ? [] : foldersNow(folder, hosted?.run.head.folders);
  const isVirtual = folder !== undefined && isUriPath(folder);
  const paths = isVirtual ? virtualPaths(editorFiles) : diskPaths;
  const roots = isVirtual ? await virtualRoots(folders, editorFiles) : await rootsOf(folders);
  const path = await absolutePath(label, roots, "existing", paths);
  const root = rootAround(path, roots, paths);
  const opened = folders.find(({ name }) => name === root?.name);
  if (!root || !opened) fail("trouble.notInWorkspace", { file: label });
  const uri = vscode.Uri.joinPath(uriOf(opened.path), within(path, root, paths));
  const at = line > 0 ? { selection: new vscode.Range(line - 1, 0, line - 1, 0) } : {};
  await vscode.window.showTextDocument(uri, { preview: true, ...at });
}

import * as vscode from "vscode";
import { assertNever } from "../../core/base/errors.ts";
import { removeMentionedTexts } from "../../core/base/mentioned-texts.ts";
import { escapeInvisible } from "../../core/base/text.ts";
import { isUriPath } from "../../core/base/uri-path.ts";
import { getOutcomeText } from "../../core/commands/outcome.ts";
import { listPastSteps, RECENT_STEPS } from "../../core/events/run-state.ts";
import { createHandOver, type OfferedText } from "../../editor/panel/draft-link.ts";
import { splitStepsForPanel } from "../../editor/panel/feed.ts";
import type { HostedRun, HostedRuns } from "../../editor/panel/hosted-runs.ts";
import type { IsolatedReviews } from "../../editor/panel/isolated-reviews.ts";
import {
  filterContexts,
  findCommandOffers,
  findFoldersByPath,
  listMentionedRuns,
  mentionQuery,
} from "../../editor/panel/mentions.ts";
import { listSideEvents } from "../../editor/panel/side-events.ts";
import { pressCardButton, type UnsavedFiles } from "../../editor/review/card-handlers.ts";
import type { PendingDecisions, PendingProposal } from "../../editor/review/pending-decisions.ts";
import { diskPaths, findRootAround, getPathInRoot, resolveAbsolutePath, resolveRoots } from "../../node/files/roots.ts";
import { findMentionedTerminals } from "../../node/processes/shared-terminal.ts";
import type { FileIndexes } from "../../node/search/file-index.ts";
import type { PluginCatalog } from "../../plugins/catalog.ts";
import { suggestResources } from "../../plugins/resource-mentions.ts";
import { readLog } from "../../runs/log/read-log.ts";
import { checkPictures } from "../../runs/store/run-pictures.ts";
import type { EditedMessage } from "../../runtime/fork-run.ts";
import { describeEarlierRun, listRunsSources } from "../../runtime/instructions/own-agents.ts";
import { recordProfile } from "../../runtime/profile-draft.ts";
import { sayWithPictures } from "../../runtime/run-pictures.ts";
import { createVirtualPaths, listVirtualRoots } from "../../runtime/virtual/places.ts";
import type { Action } from "../../schema/actions.ts";
import type { MentionContext, PanelRequest, PanelUpdate } from "../../schema/panel-messages.ts";
import type { PanelAction } from "../../schema/panel-values.ts";
import type { Source } from "../../schema/run-values.ts";
import { DisplayError, displayText, fail, type Sentence } from "../../texts/display-text.ts";
import { t } from "../../texts/language.ts";
import type { EditorIssues } from "../code-host/issues.ts";
import { QueuedRun } from "../fleet/fleet-runs.ts";
import type { SentTask } from "../fleet/send-task.ts";
import { openSetting } from "../host/notifications.ts";
import type { Starter } from "../host/starter.ts";
import type { DiffReview } from "../review/diff-review.ts";
import type { SharedTerminals } from "../terminal/shared-terminals.ts";
import type { OutputTerminal } from "../views/terminal.ts";
import type { TextDocuments } from "../views/text-documents.ts";
import { findLikelyFolder, listCurrentFolders, REMEDY_COMMANDS } from "../workspace/folders.ts";
import {
  createPluginPlace,
  findAvailableContexts,
  findTaskTitle,
  type MentionParts,
  quoteMentions,
} from "../workspace/mentioned-context.ts";
import { findMatchingFiles } from "../workspace/mentions.ts";
import type { ChosenStart, OwnWords } from "../workspace/own-words.ts";
import { convertPathToUri } from "../workspace/places.ts";
import { editorFiles } from "../workspace/virtual-files.ts";
import { loadStepOutcomes, loadStepPicture } from "./outcomes.ts";
import { decodePictures, handlePictureRequest } from "./picture-requests.ts";

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
  readonly issues: EditorIssues;
  criticise(pending: PendingProposal): Promise<void>;
  runAction(action: Action, ...args: readonly unknown[]): Promise<void>;
  readonly ownWords: OwnWords;
  /** Drafts a profile for review. `tell` gets progress messages. */
  review(task: string, tell?: (text: Sentence) => void, chosen?: ChosenStart): Promise<void>;
  /** Puts a task into the text box of a new run. */
  suggest(task: OfferedText): Promise<void>;
  /** Sends a task to another machine that the user picks, and shows its run. */
  sendTask(task: SentTask): Promise<string>;
  /** Cancels the current draft, if any. */
  cancelDraft(): void;
  raiseBudget(run: HostedRun | undefined): Promise<void>;
  /** Compacts the history of a run before its next step. `tell` gets progress and result as sentences. */
  compactNow(run: HostedRun, tell: (text: Sentence) => void): Promise<void>;
  chooseModel(id: string): Promise<void>;
  /** Sends an earlier message of a run again in other words. */
  editMessage(run: HostedRun, message: EditedMessage): Promise<void>;
}

type Reply = (message: PanelUpdate) => void;
type Receive = (message: PanelRequest, reply: Reply, run: HostedRun | undefined) => Promise<void>;

/** Requests that the host of a page handles itself. */
const OF_PAGE = [
  "ready",
  "resync",
  "focus",
  "stepThrough",
  "typed",
  "closeWarnings",
  "pickModel",
  "changeProvider",
  "addProvider",
  "checkProviders",
  "changePlugin",
  "changeSecret",
  "addServer",
  "checkPlugins",
  "revoke",
  "chooseWay",
] as const;

function isOfPage(
  message: PanelRequest,
): message is Extract<PanelRequest, { readonly type: (typeof OF_PAGE)[number] }> {
  return OF_PAGE.some((type) => type === message.type);
}

/** Handles the requests of a page that displays `run`. */
export function createRequestHandler(parts: PanelRequests): Receive {
  return async (message, reply, run) => {
    if (isOfPage(message)) return;
    switch (message.type) {
      case "draft":
        return draft(parts, message, reply);
      case "start":
        return start(parts, message, reply);
      case "handOver":
        return handOver(parts, message.agent, requireRun(run));
      case "editMessage":
      case "changeProfile":
      case "say":
        return steer(parts, message, requireRun(run), reply);
      case "earlier":
        return sendEarlier(parts, message.run, message.before, reply);
      case "showOutcome":
        return showOutcome(parts, requireRun(run), message.step);
      case "askSight":
      case "showAttached":
      case "openAttached":
        return handlePictureRequest(parts, message, run, reply);
      case "showPicture":
        return showPicture(requireRun(run), message.step, reply);
      case "saveChanges":
        return saveChanges(parts, requireRun(run), message.step);
      case "findFiles":
        return message.commands
          ? offerCommands(parts, message.query, reply)
          : offerMentions(parts, message.query, reply);
      case "shareTerminal":
        return shareTerminal(parts, message.label, reply);
      case "chooseModel":
        return parts.chooseModel(message.id);
      case "showPrompt":
        return parts.runAction("showPrompt", message.step, requireRun(run).id);
      case "stopProcess":
      case "keepProcess":
        return changeProcess(message, requireRun(run));
      case "openRun":
        return parts.runAction("openRun", message.run);
      case "openFile":
      case "openLink":
      case "openSetting":
        return open(parts, message, run);
      case "act":
        return runPanelAction(parts, message.action, run, reply);
      case "cardButton":
        return pressCardButton(parts, requireRun(run), message);
      case "acceptChanges":
      case "showChange":
        return review(parts.reviews, message, requireRun(run), reply);
      case "seen":
        return recordSeenCard(parts, message, requireRun(run));
      default:
        return assertNever(message);
    }
  };
}

async function start(
  parts: PanelRequests,
  { task, profile, planFirst, isolated, elsewhere, agent, pictures }: Extract<PanelRequest, { readonly type: "start" }>,
  reply: Reply,
): Promise<void> {
  const { starter, ownWords, runs } = parts;
  const typed = removeMentionedTexts(task);
  const sources = listRunSources(parts, typed);
  if (elsewhere) {
    await starter.demandPlace();
    const sent = {
      task: await quoteMentions(task, createMentionParts(parts, reply)),
      pictures: checkPictures(decodePictures(pictures)).map(({ picture, data }) => ({
        name: picture.name,
        data: Buffer.from(data).toString("base64"),
      })),
      ...(sources.length > 0 ? { sources } : {}),
    };
    try {
      return runs.show(await parts.sendTask(sent));
    } catch (error) {
      if (!(error instanceof QueuedRun)) throw error;
      return reply({ type: "notice", text: error.text, kind: "info", sent: true });
    }
  }
  const request = {
    task: await quoteMentions(task, createMentionParts(parts, reply)),
    own: (await ownWords.chooseStart(typed, agent))?.start,
    ...(sources.length > 0 ? { sources } : {}),
    pictures: checkPictures(decodePictures(pictures)),
    ...(planFirst ? { mode: "plan" as const } : {}),
    ...(isolated ? { mode: "isolated" as const } : {}),
  };
  if (!profile) {
    await starter.demandPlace();
    await starter.demandModel();
  }
  const { id } = await (profile ? starter.start({ ...request, profile }) : starter.startTask(request));
  const title = await findTaskTitle(request.task, ownWords);
  if (title !== undefined) await starter.nameRun(id, title);
}

/** Dependencies of quoting in a task, which may mention an earlier run. */
function createMentionParts({ plugins, issues, ownWords, runs }: PanelRequests, reply: Reply): MentionParts {
  return {
    plugins,
    issues,
    ownWords,
    readRun: async (id) => {
      const hosted = runs.get(id);
      const steps = (await hosted?.undo?.listUndoableSteps().catch(() => [])) ?? [];
      const files = steps.flatMap((step) => step.files.map(({ file }) => file));
      return hosted && describeEarlierRun(hosted.run.state, [...new Set(files)]);
    },
    tell: createInfoSender(reply),
  };
}

/** The untrusted sources of the runs that a task mentions. */
function listRunSources({ runs }: PanelRequests, typed: string): readonly Source[] {
  return listRunsSources(listMentionedRuns(typed), (id) => runs.get(id)?.provenance);
}

/** Suggests the task that the run's own agent has for the next agent. The user decides whether to send it. */
async function handOver({ ownWords, suggest }: PanelRequests, name: string, run: HostedRun): Promise<void> {
  const next = (await ownWords.findNextAgents(run.run)).find(({ agent }) => agent === name);
  await suggest(createHandOver(next, { run: run.id, agent: name }));
}

/** Passes the user's text or the edited profile to the run. */
async function steer(
  { starter, plugins, issues, ownWords, editMessage }: PanelRequests,
  message: Extract<PanelRequest, { readonly type: "say" | "editMessage" | "changeProfile" }>,
  run: HostedRun,
  reply: Reply,
): Promise<void> {
  if (message.type !== "changeProfile") {
    const text = await quoteMentions(message.text, { plugins, issues, ownWords, tell: createInfoSender(reply) });
    if (message.type === "editMessage")
      return editMessage(run, { ...message, text, pictures: checkPictures(decodePictures(message.pictures)) });
    return sayWithPictures(run, text, decodePictures(message.pictures));
  }
  if (!run.live) throw new DisplayError(run.readOnly ?? displayText("actions.readOnly"));
  const { profile, keep } = message;
  await recordProfile(run.run, profile);
  if (keep) await starter.keepProfile(run.folder, profile);
}

/** Offers the commands of one's own whose names contain the text. */
async function offerCommands({ ownWords }: PanelRequests, query: string, reply: Reply): Promise<void> {
  const commands = findCommandOffers(query, await ownWords.listCommands());
  reply({ type: "files", query, files: [], commands: [...commands] });
}

/** Offers completions for a mention: kinds of context, terminals, folders, prompt files, resources and files. */
async function offerMentions(
  { userTerminals, fileLists, plugins, issues, ownWords }: PanelRequests,
  typed: string,
  reply: Reply,
): Promise<void> {
  const open = userTerminals.list().map(({ label }) => label);
  const { only, name } = mentionQuery(typed);
  const isWanted = (kind: MentionContext): boolean => only === undefined || only === kind;
  const contexts = only ? [] : filterContexts(typed, await findAvailableContexts(open.length > 0, ownWords));
  const found = isWanted("file") || isWanted("folder") ? await findMatchingFiles(name, fileLists) : [];
  const folders = isWanted("folder") && (only || name !== "") ? findFoldersByPath(name, found) : [];
  const prompts = only === "prompt" ? await ownWords.listCommands() : [];
  const terminals = findMentionedTerminals(typed, open);
  const offered = only === "issue" ? await issues.suggest(name) : [];
  const resources = await suggestResources(typed, plugins, createPluginPlace(findLikelyFolder()));
  reply({
    type: "files",
    query: typed,
    files: isWanted("file") ? [...found] : [],
    ...(terminals.length > 0 ? { terminals } : {}),
    ...(contexts.length > 0 ? { contexts } : {}),
    ...(folders.length > 0 ? { folders } : {}),
    ...(prompts.length > 0 ? { prompts: prompts.map((prompt) => prompt.name) } : {}),
    ...(offered.length > 0 ? { issues: [...offered] } : {}),
    ...(resources.length > 0 ? { resources: [...resources] } : {}),
  });
}

function shareTerminal({ userTerminals }: PanelRequests, label: string, reply: Reply): void {
  userTerminals.share(label);
  const text = displayText("approval.terminalShared", { label: escapeInvisible(label) });
  reply({ type: "notice", text, kind: "info" });
}

/** Records that the user has seen the end of a card, if its proposal is still pending. */
function recordSeenCard(
  { waits }: PanelRequests,
  { step, hash }: Extract<PanelRequest, { readonly type: "seen" }>,
  run: HostedRun,
): void {
  const pending = waits.find(run, step, hash);
  if (pending) waits.markSeen(pending, "card");
}

async function draft(
  parts: PanelRequests,
  { task, agent }: Extract<PanelRequest, { readonly type: "draft" }>,
  reply: Reply,
): Promise<void> {
  const { starter, ownWords, review: reviewDraft } = parts;
  await starter.demandPlace();
  await starter.demandModel();
  const chosen = await ownWords.chooseStart(task, agent);
  const quoted = await quoteMentions(task, createMentionParts(parts, reply));
  await reviewDraft(quoted, createInfoSender(reply), chosen);
}

function createInfoSender(reply: Reply): (text: Sentence) => void {
  return (text) => reply({ type: "notice", text, kind: "info" });
}

/** Buttons of the panel that are palette actions for the displayed run. */
const ACTIONS = {
  stop: "stopAgent",
  pause: "pauseAgent",
  continue: "continueAgent",
  takeOver: "takeOverRun",
  toggleContinuous: "toggleContinuous",
  setServiceKey: "setApiKey",
  selectModel: "selectModel",
  openModels: "openModels",
  tryDemo: "tryDemo",
  showPermissions: "showPermissions",
  showCosts: "showCosts",
  openCopy: "openCopy",
  showLog: "showLog",
  reviewChanges: "reviewChanges",
  commitChanges: "commitChanges",
  createPullRequest: "createPullRequest",
  undoRun: "undoRun",
  openTools: "openTools",
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

async function runPanelAction(
  parts: PanelRequests,
  action: PanelAction,
  run: HostedRun | undefined,
  reply: Reply,
): Promise<void> {
  if (action === "stop" && !run) return parts.cancelDraft();
  if (isPaletteAction(action)) return parts.runAction(ACTIONS[action], ...(run ? [run.id] : []));
  switch (action) {
    case "setApiKey":
      return parts.runAction("setApiKey", "panel");
    case "useServer":
      await parts.runAction("selectModel", "server");
      // The keyboard was in the panel, and the inputs leave it nowhere.
      return void (await vscode.commands.executeCommand("autogpt.panel.focus"));
    case "newRun":
      return showStartPage(parts, run);
    case "openInEditor":
      return parts.runAction("openPanelInEditor", { runId: requireRun(run).id });
    case "showRuns":
      return void (await vscode.commands.executeCommand("autogpt.runs.focus"));
    case "startIsolated":
      return parts.runAction("startIsolated", { task: requireRun(run).run.state.task });
    case "keepAsBranch":
      return parts.reviews.keepAsBranch(requireRun(run));
    case "discardChanges":
      return parts.reviews.discard(requireRun(run));
    case "raiseBudget":
      return parts.raiseBudget(run);
    case "compactNow":
      return parts.compactNow(requireRun(run), createInfoSender(reply));
    case "showOutput":
      return parts.terminal.show(requireRun(run).id);
    case "openFolder":
    case "manageTrust":
      return void (await vscode.commands.executeCommand(REMEDY_COMMANDS[action]));
    case "openSettings":
      return void (await vscode.commands.executeCommand(
        "workbench.action.openSettings",
        "@ext:autogpt-vscode.autogpt",
      ));
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
  if (message.type === "acceptChanges") return reviews.accept(run, message.version, message.files, message.side);
  const text = await reviews.showChange(run, message.file);
  if (text !== undefined) reply({ type: "notice", kind: "info", text });
}

/** Shows the start page. A page bound to its own run can't show it, so the side bar does. */
async function showStartPage({ runs }: PanelRequests, run: HostedRun | undefined): Promise<void> {
  const isElsewhere = run !== runs.shown;
  runs.show(undefined);
  if (isElsewhere) await vscode.commands.executeCommand("autogpt.panel.focus");
}

function requireRun(run: HostedRun | undefined): HostedRun {
  if (!run) fail("trouble.noRunOpen");
  return run;
}

async function sendEarlier({ runs }: PanelRequests, run: string, before: number, reply: Reply): Promise<void> {
  const hosted = runs.get(run);
  if (!hosted) return;
  const { events } = await readLog(hosted.home);
  const steps = listPastSteps(events, before, RECENT_STEPS);
  const earlier = (steps[0]?.step ?? 1) > 1;
  for (const page of splitStepsForPanel(run, steps, earlier, listSideEvents(events, steps)).toReversed()) reply(page);
}

/** Opens the complete outcome of a step in an editor. */
async function showOutcome({ documents }: PanelRequests, run: HostedRun, step: number): Promise<void> {
  const outcomes = await loadStepOutcomes(run, step);
  if (outcomes.length === 0) fail("trouble.noOutcome", { step });
  await documents.show(t("review.outcomeTitle", { step }), escapeInvisible(outcomes.map(getOutcomeText).join("\n\n")));
}

async function changeProcess(
  message: Extract<PanelRequest, { readonly type: "stopProcess" | "keepProcess" }>,
  { processes }: HostedRun,
): Promise<void> {
  if (message.type === "stopProcess") await processes?.stop(message.id);
  else processes?.keep(message.id, message.kept);
}

async function showPicture(run: HostedRun, step: number, reply: Reply): Promise<void> {
  const picture = await loadStepPicture(run, step);
  if (!picture) fail("trouble.pictureGone");
  reply(picture);
}

/** Saves a step's changes in editors, without modifying their text. */
async function saveChanges({ files }: PanelRequests, run: HostedRun, step: number): Promise<void> {
  const outcomes = await loadStepOutcomes(run, step);
  const changed = outcomes.flatMap((outcome) => (outcome.status === "done" ? (outcome.inEditor ?? []) : []));
  for (const path of files.listUnsavedBelow(changed)) await files.saveAsIs(path);
}

/** Opens a link from the model's text. VS Code shows the address and asks, unless the user trusts that site. */
async function openLink(address: string): Promise<void> {
  await vscode.env.openExternal(vscode.Uri.parse(address, true));
}

async function open(
  { reviews }: PanelRequests,
  message: Extract<PanelRequest, { readonly type: "openFile" | "openLink" | "openSetting" }>,
  run: HostedRun | undefined,
): Promise<void> {
  if (message.type === "openFile" && run?.place) fail("fleet.filesThere", { machine: run.place.machine });
  else if (message.type === "openFile" && run?.isolation) await reviews.showFile(run, message.label, message.line);
  else if (message.type === "openFile") await openFile(message, run);
  else if (message.type === "openLink") await openLink(message.address);
  else await openSetting(message.setting);
}

/** Opens a file of the run, or of the folder that the next run would use. */
async function openFile(
  { label, line = 0 }: { readonly label: string; readonly line?: number },
  hosted?: HostedRun,
): Promise<void> {
  const folder = hosted?.folder ?? findLikelyFolder();
  const folders = folder === undefined ? [] : listCurrentFolders(folder, hosted?.run.head.folders);
  const isVirtual = folder !== undefined && isUriPath(folder);
  const paths = isVirtual ? createVirtualPaths(editorFiles) : diskPaths;
  const roots = isVirtual ? await listVirtualRoots(folders, editorFiles) : await resolveRoots(folders);
  const path = await resolveAbsolutePath(label, roots, "existing", paths);
  const root = findRootAround(path, roots, paths);
  const opened = folders.find(({ name }) => name === root?.name);
  if (!root || !opened) fail("trouble.notInWorkspace", { file: label });
  const uri = vscode.Uri.joinPath(convertPathToUri(opened.path), getPathInRoot(path, root, paths));
  const at = line > 0 ? { selection: new vscode.Range(line - 1, 0, line - 1, 0) } : {};
  await vscode.window.showTextDocument(uri, { preview: true, ...at });
}

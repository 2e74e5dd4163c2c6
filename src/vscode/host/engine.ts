import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as vscode from "vscode";
import { buildUsageReport } from "../../editor/panel/account.ts";
import { readDraftLink, readRunLink } from "../../editor/panel/draft-link.ts";
import type { HostedRun } from "../../editor/panel/hosted-runs.ts";
import { findSandboxFacts } from "../../editor/panel/isolated-reviews.ts";
import { findActionMilestone, findMilestone } from "../../editor/panel/milestones.ts";
import { createCard } from "../../editor/review/card.ts";
import { listUnsavedFiles } from "../../editor/review/card-handlers.ts";
import { computeChangeFigures, followFigures } from "../../editor/review/change-figures.ts";
import { offerDiffs } from "../../editor/review/offered-diffs.ts";
import { findPendingProposal } from "../../editor/review/pending-decisions.ts";
import { cleanUpSentRuns } from "../../fleet/forget-run.ts";
import { loadFleetKey } from "../../fleet/key.ts";
import { getUserFolder } from "../../node/app-files.ts";
import { readLog } from "../../runs/log/read-log.ts";
import type { Action } from "../../schema/actions.ts";
import { IN_ENGLISH } from "../../texts/display-text.ts";
import { setLanguage } from "../../texts/language.ts";
import { chooseLanguageTag, createTranslatedLanguage } from "../../texts/languages.ts";
import type { Language } from "../../texts/writer.ts";
import { createChangeActions } from "../actions/change.ts";
import { criticise, decideActions } from "../actions/decide.ts";
import { editMessage } from "../actions/edit-message.ts";
import { exportActions } from "../actions/export.ts";
import { finishActions } from "../actions/finish.ts";
import { createForkActions } from "../actions/fork.ts";
import { createHistoryActions } from "../actions/history.ts";
import { importMcpServers } from "../actions/import-servers.ts";
import { createMemoryActions } from "../actions/memory.ts";
import { openCopyInWindow } from "../actions/open-copy.ts";
import { createPullRequest } from "../actions/pull-request.ts";
import { repairChecks } from "../actions/repair-checks.ts";
import { answerReview } from "../actions/review-comments.ts";
import { searchActions } from "../actions/search.ts";
import { createSetupActions } from "../actions/setup.ts";
import { showActions } from "../actions/show.ts";
import { createSourceControlActions } from "../actions/source-control.ts";
import { startActions } from "../actions/start.ts";
import { steerActions } from "../actions/steer.ts";
import { createUndoActions } from "../actions/undo.ts";
import { createWaysTab, type WaysTab } from "../actions/ways.ts";
import { createChatParticipant } from "../chat/participant.ts";
import { createAgentTool } from "../chat/tool.ts";
import { completeRemoteCard, RemoteLiveRun } from "../fleet/remote-run.ts";
import { createCostsTab, followCosts } from "../models/costs-tab.ts";
import { createModelsTab } from "../models/models-tab.ts";
import { logEvents, reportProposalEdits, showOutput } from "../panel/event-readers.ts";
import { notifyUserOfDecisions } from "../panel/notifier.ts";
import { revealElsewhere } from "../panel/other-windows.ts";
import type { PageTab, PageTabOptions } from "../panel/page-tab.ts";
import { PanelHost } from "../panel/panel-host.ts";
import { createRequestHandler, type PanelRequests } from "../panel/panel-requests.ts";
import { buildWelcome } from "../panel/welcome.ts";
import { createPluginActions } from "../plugins/manage-plugins.ts";
import { createToolsTab, followTools } from "../plugins/tools-tab.ts";
import { loadTextBefore, watchReviewEditor } from "../review/before-documents.ts";
import { createPermissionsTab, followPermissions } from "../views/permissions.ts";
import { createStatusBar, syncContextKeys } from "../views/status-bar.ts";
import { watchOpenedCopy } from "../workspace/copy-window.ts";
import { listAllFolders } from "../workspace/folders.ts";
import { onUnsavedChange, unsavedFiles } from "../workspace/unsaved-files.ts";
import { makeParts, type Parts } from "./engine-parts.ts";
import { type AutoGptApi, createExportedApi } from "./exported-api.ts";
import { reportErrors } from "./notifications.ts";
import { readSettings } from "./settings.ts";

/** All of the extension except its registrations. `extension.ts` loads it on first use. */
export interface Engine {
  readonly api: AutoGptApi;
  readonly chat: ReturnType<typeof createChatParticipant>;
  readonly tool: vscode.LanguageModelTool<unknown>;
  runAction(action: Action, args: readonly unknown[]): Promise<void>;
  showPanelInView(view: vscode.WebviewView): void;
  readTextBefore(uri: vscode.Uri): Promise<string>;
  readResultText(uri: vscode.Uri): Promise<string>;
  /** Opens a link to this extension. */
  openLink(uri: vscode.Uri): Promise<void>;
  listTreeItems(item: vscode.TreeItem | undefined, changed: () => void): Promise<vscode.TreeItem[]>;
  lookForUnfinishedRuns(): Promise<void>;
  /** Stops the runs and waits until their logs are written. */
  close(): Promise<void>;
}

/** Creates the extension's parts. */
export function createEngine(
  context: vscode.ExtensionContext,
  tree: vscode.TreeView<vscode.TreeItem>,
  resultChanged: vscode.EventEmitter<vscode.Uri>,
): Engine {
  useLanguage(context);
  const parts = makeParts(context, resultChanged);
  const { channel, log, runs, diff, terminal, documents } = parts;
  const actions = makeActions(context, parts, () => pages);
  const runAction = (action: Action, args: readonly unknown[]): Promise<void> => {
    parts.milestones.reach(findActionMilestone(action));
    return reportErrors(log, () => actions.table[action](...args));
  };
  const pages: Pages = makePages(context, parts, actions, runAction);
  const { panel } = pages;
  parts.tree.isOnShow = tree.visible;
  const chat = createChatParticipant(parts);
  context.subscriptions.push(
    channel,
    runs,
    parts.memories,
    ...[diff, parts.reviews, terminal],
    parts.terminals,
    parts.userTerminals,
    documents,
    panel,
    parts.stored.watchHolders(),
    syncContextKeys(runs),
    watchReviewEditor(),
    createStatusBar(runs, tree, parts.board, parts.lists),
    tree.onDidChangeVisibility(({ visible }) => {
      parts.tree.isOnShow = visible;
      if (visible) void parts.lists.lookIfOld();
      panel.refreshStart();
    }),
    notifyUserOfDecisions({
      ...parts,
      panel,
      compared: parts.starter.compared,
      inChat: chat.inChat,
      createLink: (run) => `${vscode.env.uriScheme}://${context.extension.id}/run?id=${run}`,
    }),
    offerDiffs(runs, diff, {
      shouldOpenDiffs: () => readSettings().approval.openDiff,
      cover: () => panel.focused,
    }),
    reportProposalEdits(parts),
    showOutput(runs, terminal),
    logEvents(runs, log),
    runs.onEvent(({ event }) => parts.milestones.reach(findMilestone(event))),
    ...[pages.models, pages.ways],
    followPermissions(pages.permissions, runs),
    followCosts(pages.costs, runs),
    followTools(pages.tools, parts.onServerChange),
    watchSetupSettings(pages.announceSetupChange),
    watchLanguageSetting(context, () => {
      pages.reload();
      parts.tree.refresh();
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => panel.refresh()),
    vscode.workspace.onDidChangeWorkspaceFolders(() => panel.refresh()),
  );
  void watchOpenedCopy(parts.library.copies, context.subscriptions).catch(() => undefined);
  return {
    api: createExportedApi(parts),
    chat,
    tool: createAgentTool(parts),
    runAction,
    showPanelInView: (view) => panel.attachView(view),
    readTextBefore: (uri) => loadTextBefore(parts, uri),
    readResultText: (uri) => parts.reviews.loadText(uri),
    openLink: (uri) => reportErrors(log, () => openLink(panel, parts.board, uri)),
    listTreeItems: (item, changed) => parts.tree.listItems(item, changed),
    lookForUnfinishedRuns: () => reportErrors(log, () => cleanUpAfterStart(parts)),
    close: () => closeParts(parts),
  };
}

/** Opens a link to a run, or one with a draft. Neither can decide anything. */
async function openLink(panel: PanelHost, board: Parts["board"], uri: vscode.Uri): Promise<void> {
  const run = readRunLink(uri);
  if (run === undefined) await panel.offerText(readDraftLink(uri), "new");
  else if (!(await revealElsewhere(board, run))) await vscode.commands.executeCommand("autogpt.openRun", run);
}

async function closeParts(parts: Parts): Promise<void> {
  await parts.board.close().catch(() => undefined);
  await Promise.allSettled(parts.runs.all.map((hosted) => leave(hosted)));
  await parts.memories.close();
  await Promise.all([parts.tokens.close(), parts.codeIndexes.close()]);
  parts.fileLists.close();
  await parts.folderWatch.close();
}

/** Updates the language and calls back whenever the language setting changes. */
function watchLanguageSetting(context: vscode.ExtensionContext, changed: () => void): vscode.Disposable {
  return vscode.workspace.onDidChangeConfiguration((change) => {
    if (!change.affectsConfiguration("autogpt.language")) return;
    useLanguage(context);
    changed();
  });
}

/** Sets the language of everything the extension shows, from the setting or the editor's own. */
function useLanguage({ extensionPath }: vscode.ExtensionContext): void {
  const tag = chooseLanguageTag(readSettings().language, vscode.env.language);
  const language = tag === "en" ? undefined : loadTranslation(extensionPath, tag);
  setLanguage({ ...(language ?? IN_ENGLISH), app: vscode.env.appName });
}

/** Loads a translation. Undefined if the file is missing or damaged, so that English is used. */
function loadTranslation(extensionPath: string, tag: string): Language | undefined {
  try {
    return createTranslatedLanguage(tag, JSON.parse(readFileSync(join(extensionPath, "l10n", `${tag}.json`), "utf8")));
  } catch {
    return undefined;
  }
}

/** Sections of the settings that the start page shows. */
const SETUP = ["model", "azure", "isolation"];

/** Calls back once after such settings change, even if several change together. */
function watchSetupSettings(changed: () => void): vscode.Disposable {
  let soon: NodeJS.Timeout | undefined;
  return vscode.workspace.onDidChangeConfiguration((change) => {
    if (!SETUP.some((section) => change.affectsConfiguration(`autogpt.${section}`))) return;
    clearTimeout(soon);
    soon = setTimeout(changed, SETTLED_MS).unref();
  });
}

const SETTLED_MS = 200;

interface Actions {
  readonly table: Readonly<Record<Action, (...args: readonly unknown[]) => Promise<unknown>>>;
  readonly review: PanelRequests["review"];
  readonly cancelDraft: () => void;
  readonly raiseBudget: (run: HostedRun | undefined) => Promise<void>;
  readonly compactNow: PanelRequests["compactNow"];
  readonly chooseModel: (id: string) => Promise<void>;
  readonly editMessage: PanelRequests["editMessage"];
}

/** The pages that actions show and update. */
interface Pages {
  readonly panel: PanelHost;
  readonly models: PageTab;
  readonly permissions: PageTab;
  readonly costs: PageTab;
  readonly tools: PageTab;
  readonly ways: WaysTab;
  /** Announces that a key, a provider or a model was set. */
  announceSetupChange(): void;
  /** Redraws the pages in the current language. */
  reload(): void;
}

function makeActions(context: vscode.ExtensionContext, parts: Parts, pages: () => Pages): Actions {
  const getPanel = (): PanelHost => pages().panel;
  const showPanel = async (): Promise<void> => void (await vscode.commands.executeCommand("autogpt.panel.focus"));
  const { review, cancelDraft, ...start } = startActions({
    starter: parts.starter,
    showPanel,
    showDraft: (draft) => getPanel().offerDraft(draft),
    offerText: (offer) => getPanel().offerText(offer, "shown"),
  });
  const { raiseBudget, compactNow, ...steer } = steerActions(parts);
  const { chooseModel, ...setup } = createSetupActions({
    ...parts,
    notifySetupChanged: () => pages().announceSetupChange(),
    showModels: () => pages().models.show(),
    focusPanel: async () => {
      const { input } = vscode.window.tabGroups.activeTabGroup.activeTab ?? {};
      if (input instanceof vscode.TabInputWebview && input.viewType.includes("autogpt.")) return;
      await vscode.commands.executeCommand("autogpt.panel.focus");
    },
  });
  const decide = decideActions({
    ...parts,
    criticise,
  });
  const show = showActions({
    ...parts,
    storage: context.globalStorageUri,
    getPanel,
    showPermissions: () => pages().permissions.show(),
    showCosts: () => pages().costs.show(),
  });
  const ways = {
    tryWays: (given?: unknown) => pages().ways.begin(given),
    showWays: async () => pages().ways.show(),
  };
  const others = {
    ...createUndoActions(parts),
    ...exportActions({ ...parts, version: String(context.extension.packageJSON.version) }),
    ...createMemoryActions(parts),
    ...createPluginActions(parts, () => pages().tools.show()),
    ...searchActions(parts),
    ...createForkActions(parts),
    ...createChangeActions(parts),
    ...finishActions(parts),
    ...createSourceControlActions({ ...parts, showPanel }),
    ...createHistoryActions(parts),
    createPullRequest: (given?: unknown) => createPullRequest(parts, given),
    repairChecks: () => repairChecks(parts),
    answerReview: () => answerReview(parts),
    openCopy: (given?: unknown) => openCopyInWindow(parts, given),
    importMcpServers: (given?: unknown) => importMcpServers(context.globalStorageUri, given),
  };
  return {
    table: { ...start, ...steer, ...setup, ...decide, ...show, ...ways, ...others },
    review,
    cancelDraft,
    raiseBudget,
    compactNow,
    chooseModel,
    editMessage: async (hosted, message) => {
      const report = await editMessage(parts, hosted, message);
      void reportErrors(parts.log, report);
    },
  };
}

function makePages(context: vscode.ExtensionContext, parts: Parts, actions: Actions, act: Engine["runAction"]): Pages {
  const { extensionUri } = context;
  const receive = createRequestHandler({
    ...parts,
    ...actions,
    criticise,
    runAction: (action, ...args) => act(action, args),
    suggest: (task) => panel.offerText(task, "new"),
  });
  const announceSetupChange = (): void => {
    panel.announceSetupChange();
    models.refresh();
    permissions.refresh();
  };
  const handleOtherRequest: PageTabOptions["receive"] = (message, reply) => receive(message, reply, undefined);
  const panel = makePanel(context, parts, receive);
  const models = createModelsTab({
    ...parts,
    extensionUri,
    notifySetupChanged: announceSetupChange,
    handleOtherRequest,
  });
  const permissions = createPermissionsTab({ ...parts, extensionUri, handleOtherRequest });
  const costs = createCostsTab({ ...parts, extensionUri, handleOtherRequest });
  const tools = createToolsTab({ ...parts, extensionUri, handleOtherRequest });
  const ways = createWaysTab({ ...parts, extensionUri, state: context.workspaceState, handleOtherRequest });
  const reload = (): void => {
    for (const page of [panel, models, permissions, costs, tools, ways]) page.reload();
  };
  return { panel, models, permissions, costs, tools, ways, announceSetupChange, reload };
}

function makePanel(
  context: vscode.ExtensionContext,
  parts: Parts,
  receive: ReturnType<typeof createRequestHandler>,
): PanelHost {
  return new PanelHost({
    extensionUri: context.extensionUri,
    runs: parts.runs,
    waitUntilRestored: () => parts.stored.restoreOnce().catch(() => undefined),
    buildWelcome: async (options) => {
      const content = await buildWelcome(parts, options);
      if (content.models.some(({ chosen }) => chosen)) parts.milestones.reach("hasModel");
      const { lastRuns: _, ...withoutRuns } = content;
      return parts.tree.isOnShow ? withoutRuns : content;
    },
    findCard: (hosted) => {
      const waiting = findPendingProposal(hosted);
      if (!waiting) return undefined;
      const shown = createCard(waiting.request, {
        unsavedFiles: listUnsavedFiles(waiting, unsavedFiles).map((path) => vscode.workspace.asRelativePath(path)),
        seen: parts.waits.isSeen(waiting.request),
        figures: computeChangeFigures(waiting, parts.diff),
      });
      const { live } = hosted;
      return live instanceof RemoteLiveRun ? { ...shown, card: completeRemoteCard(shown.card, live) } : shown;
    },
    listUnsavedFiles: (hosted) => unsavedFiles.listUnsavedBelow(hosted.policy?.listFolders() ?? []),
    onUnsaved: onUnsavedChange,
    onSeen: (listener) => parts.waits.onSeen(listener),
    onFigures: (listener) => followFigures(parts, listener),
    findSandbox: findSandboxFacts,
    reviews: parts.reviews,
    hasSpeech: () => readSettings().speech.enabled,
    reportUsage: (hosted) => buildUsageReport(hosted, parts),
    onMemory: parts.memories.onChange,
    findNextAgents: (hosted) => parts.ownWords.findNextAgents(hosted.run),
    loadEvents: async (hosted) => (await readLog(hosted.home)).events,
    receive,
  });
}

async function cleanUpAfterStart(parts: Parts): Promise<void> {
  await cleanUp(parts);
  await parts.stored.offer();
  void followSentRuns(parts);
  await tidyCopies(parts);
}

/** Follows the runs that were sent to other machines from the open folders, so that their questions arrive here. */
async function followSentRuns({ fleet, lists, tree }: Parts): Promise<void> {
  if (!vscode.workspace.isTrusted) return;
  const follow = (): Promise<void> => {
    const folders = listAllFolders().map(({ path }) => path);
    return fleet.openAll(folders, new AbortController().signal);
  };
  fleet.onChange(() => tree.refresh());
  lists.onChange(() => {
    tree.refresh();
    void follow();
  });
  await follow();
  // Others are looked at only if this window doesn't follow all that is known to work.
  if (tree.isOnShow || fleet.all.some(({ isOver }) => !isOver)) await lists.lookIfOld();
}

/** Removes expired runs. */
async function cleanUp({ library, runs, log }: Parts): Promise<void> {
  const open = new Set(runs.all.map(({ id }) => id));
  const gone = await library.cleanUp(readSettings().run.retentionDays, open);
  if (gone.length > 0) log.info(`Moved to the trash (older than autogpt.run.retentionDays): ${gone.join(", ")}`);
  const data = getUserFolder();
  const key = await loadFleetKey(data);
  if (key) await cleanUpSentRuns(data, key, Date.now(), new AbortController().signal);
}

/** Completes interrupted accepts, and deletes the copies of runs that are gone. */
async function tidyCopies({ opener, library }: Parts): Promise<void> {
  if (!vscode.workspace.isTrusted) return;
  await opener.tidyCopies((id) => library.open(id), readSettings().isolation.quotaMb);
}

/** Suspends a run so that it can be resumed after a reload. */
async function leave(hosted: HostedRun): Promise<void> {
  await hosted.live?.suspend();
  await hosted.dispose();
}

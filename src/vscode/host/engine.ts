import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as vscode from "vscode";
import { accountOf } from "../../panel/account.ts";
import type { HostedRun } from "../../panel/hosted-runs.ts";
import { sandboxFacts } from "../../panel/isolated-reviews.ts";
import { milestoneOf, milestoneOfAction } from "../../panel/milestones.ts";
import { cardOf } from "../../review/card.ts";
import { unsavedFor } from "../../review/card-handlers.ts";
import { figuresOf, followFigures } from "../../review/change-figures.ts";
import { offerDiffs } from "../../review/offered-diffs.ts";
import { pendingProposal } from "../../review/pending-decisions.ts";
import { readLog } from "../../runs/log/read-log.ts";
import type { Action } from "../../schema/actions.ts";
import { IN_ENGLISH } from "../../texts/display-text.ts";
import { setLanguage } from "../../texts/language.ts";
import { languageTag, translatedLanguage } from "../../texts/languages.ts";
import type { Language } from "../../texts/writer.ts";
import { changeActions } from "../actions/change.ts";
import { criticise, decideActions } from "../actions/decide.ts";
import { exportActions } from "../actions/export.ts";
import { finishActions } from "../actions/finish.ts";
import { forkActions } from "../actions/fork.ts";
import { historyActions } from "../actions/history.ts";
import { importMcpServers } from "../actions/import-servers.ts";
import { memoryActions } from "../actions/memory.ts";
import { searchActions } from "../actions/search.ts";
import { setupActions } from "../actions/setup.ts";
import { showActions } from "../actions/show.ts";
import { startActions } from "../actions/start.ts";
import { steerActions } from "../actions/steer.ts";
import { undoActions } from "../actions/undo.ts";
import { type WaysTab, waysTab } from "../actions/ways.ts";
import { chatParticipant } from "../chat/participant.ts";
import { agentTool } from "../chat/tool.ts";
import { modelsTab } from "../models/models-tab.ts";
import { editNews, logEvents, showOutput } from "../panel/event-readers.ts";
import { notifier } from "../panel/notifier.ts";
import type { PageTab, PageTabOptions } from "../panel/page-tab.ts";
import { PanelHost } from "../panel/panel-host.ts";
import { type PanelRequests, panelRequests } from "../panel/panel-requests.ts";
import { welcome } from "../panel/welcome.ts";
import { pluginActions } from "../plugins/manage-plugins.ts";
import { textBefore } from "../review/before-documents.ts";
import { followPermissions, permissionsTab } from "../views/permissions.ts";
import { statusBar, syncContextKeys } from "../views/status-bar.ts";
import { onUnsavedChange, unsavedFiles } from "../workspace/unsaved-files.ts";
import { makeParts, type Parts } from "./engine-parts.ts";
import { type AutoGptApi, exportedApi } from "./exported-api.ts";
import { reportErrors } from "./notifications.ts";
import { readSettings } from "./settings.ts";

/** Everything but the registrations. `extension.ts` loads it on first use. */
export interface Engine {
  readonly api: AutoGptApi;
  readonly chat: ReturnType<typeof chatParticipant>;
  readonly tool: vscode.LanguageModelTool<unknown>;
  act(action: Action, args: readonly unknown[]): Promise<void>;
  showPanelIn(view: vscode.WebviewView): void;
  textBefore(uri: vscode.Uri): Promise<string>;
  textOfResult(uri: vscode.Uri): Promise<string>;
  treeItems(item: vscode.TreeItem | undefined, changed: () => void): Promise<vscode.TreeItem[]>;
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
  const act = (action: Action, args: readonly unknown[]): Promise<void> => {
    parts.milestones.reach(milestoneOfAction(action));
    return reportErrors(log, () => actions.table[action](...args));
  };
  const pages: Pages = makePages(context, parts, actions, act);
  const { panel } = pages;
  const chat = chatParticipant(parts);
  context.subscriptions.push(
    channel,
    runs,
    parts.memories,
    ...[diff, parts.reviews, terminal],
    parts.terminals,
    parts.userTerminals,
    documents,
    panel,
    syncContextKeys(runs),
    statusBar(runs, tree),
    notifier(runs, panel, parts.waits, { compared: parts.starter.compared, inChat: chat.inChat }),
    offerDiffs(runs, diff, { auto: () => readSettings().approval.openDiff, cover: () => panel.focused }),
    editNews(parts),
    showOutput(runs, terminal),
    logEvents(runs, log),
    runs.onEvent(({ event }) => parts.milestones.reach(milestoneOf(event))),
    ...[pages.models, pages.ways],
    followPermissions(pages.permissions, runs),
    onSetupChange(pages.setupChanged),
    onLanguageChange(context, pages.reload),
    vscode.workspace.onDidGrantWorkspaceTrust(() => panel.refresh()),
    vscode.workspace.onDidChangeWorkspaceFolders(() => panel.refresh()),
  );
  return {
    api: exportedApi(parts),
    chat,
    tool: agentTool(parts),
    act,
    showPanelIn: (view) => panel.attachView(view),
    textBefore: (uri) => textBefore(parts, uri),
    textOfResult: (uri) => parts.reviews.textOf(uri),
    treeItems: (item, changed) => parts.tree.items(item, changed),
    lookForUnfinishedRuns: () => reportErrors(log, () => afterStart(parts)),
    close: async () => {
      await Promise.allSettled(runs.all.map((hosted) => leave(hosted)));
      await parts.memories.close();
      await Promise.all([parts.tokens.close(), parts.codeIndexes.close()]);
      parts.fileLists.close();
      await parts.folderWatch.close();
    },
  };
}

/** Sets the language again and calls back when the setting names another one. */
function onLanguageChange(context: vscode.ExtensionContext, changed: () => void): vscode.Disposable {
  return vscode.workspace.onDidChangeConfiguration((change) => {
    if (!change.affectsConfiguration("autogpt.language")) return;
    useLanguage(context);
    changed();
  });
}

/** Sets the language of everything the extension shows, from the setting or the editor's own. */
function useLanguage({ extensionPath }: vscode.ExtensionContext): void {
  const tag = languageTag(readSettings().language, vscode.env.language);
  const language = tag === "en" ? undefined : translationIn(extensionPath, tag);
  setLanguage({ ...(language ?? IN_ENGLISH), app: vscode.env.appName });
}

/** Undefined where the file is missing or damaged, so that everything still works, in English. */
function translationIn(extensionPath: string, tag: string): Language | undefined {
  try {
    return translatedLanguage(
      tag,
      JSON.parse(readFileSync(join(extensionPath, "l10n", `${tag}.json`), "utf8")),
    );
  } catch {
    return undefined;
  }
}

/** Sections of the settings that the start page shows. */
const SETUP = ["model", "azure", "isolation"];

/** Calls back once after such settings were changed, even if several were. */
function onSetupChange(changed: () => void): vscode.Disposable {
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
}

/** The pages that actions show and inform. */
interface Pages {
  readonly panel: PanelHost;
  readonly models: PageTab;
  readonly permissions: PageTab;
  readonly ways: WaysTab;
  /** Announces that a key, a provider or a model was set. */
  setupChanged(): void;
  /** Draws them in the language that is now set. */
  reload(): void;
}

function makeActions(context: vscode.ExtensionContext, parts: Parts, pages: () => Pages): Actions {
  const panel = (): PanelHost => pages().panel;
  const { review, cancelDraft, ...start } = startActions({
    starter: parts.starter,
    showPanel: async () => void (await vscode.commands.executeCommand("autogpt.panel.focus")),
    drafted: (draft) => panel().offerDraft(draft),
  });
  const { raiseBudget, compactNow, ...steer } = steerActions(parts);
  const { chooseModel, ...setup } = setupActions({
    ...parts,
    changed: () => pages().setupChanged(),
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
    panel,
    showPermissions: () => pages().permissions.show(),
  });
  const ways = {
    tryWays: (given?: unknown) => pages().ways.begin(given),
    showWays: async () => pages().ways.show(),
  };
  const others = {
    ...undoActions(parts),
    ...exportActions({ ...parts, version: String(context.extension.packageJSON.version) }),
    ...memoryActions(parts),
    ...pluginActions(parts),
    ...searchActions(parts),
    ...forkActions(parts),
    ...changeActions(parts),
    ...finishActions(parts),
    ...historyActions(parts),
    importMcpServers: (given?: unknown) => importMcpServers(context.globalStorageUri, given),
  };
  return {
    table: { ...start, ...steer, ...setup, ...decide, ...show, ...ways, ...others },
    review,
    cancelDraft,
    raiseBudget,
    compactNow,
    chooseModel,
  };
}

function makePages(
  context: vscode.ExtensionContext,
  parts: Parts,
  actions: Actions,
  act: Engine["act"],
): Pages {
  const { extensionUri } = context;
  const receive = panelRequests({
    ...parts,
    ...actions,
    criticise,
    act: (action, ...args) => act(action, args),
  });
  const setupChanged = (): void => {
    panel.setupChanged();
    models.refresh();
    permissions.refresh();
  };
  const other: PageTabOptions["receive"] = (message, reply) => receive(message, reply, undefined);
  const panel = makePanel(context, parts, receive);
  const models = modelsTab({ ...parts, extensionUri, changed: setupChanged, other });
  const permissions = permissionsTab({ ...parts, extensionUri, other });
  const ways = waysTab({ ...parts, extensionUri, state: context.workspaceState, other });
  const reload = (): void => {
    for (const page of [panel, models, permissions, ways]) page.reload();
  };
  return { panel, models, permissions, ways, setupChanged, reload };
}

function makePanel(
  context: vscode.ExtensionContext,
  parts: Parts,
  receive: ReturnType<typeof panelRequests>,
): PanelHost {
  return new PanelHost({
    extensionUri: context.extensionUri,
    runs: parts.runs,
    restored: () => parts.stored.restored().catch(() => undefined),
    welcome: async (options) => {
      const content = await welcome(parts, options);
      if (content.models.some(({ chosen }) => chosen)) parts.milestones.reach("hasModel");
      return content;
    },
    card: (hosted) => {
      const waiting = pendingProposal(hosted);
      return (
        waiting &&
        cardOf(waiting.request, {
          unsavedFiles: unsavedFor(waiting, unsavedFiles).map((path) =>
            vscode.workspace.asRelativePath(path),
          ),
          seen: parts.waits.isSeen(waiting.request),
          figures: figuresOf(waiting, parts.diff),
        })
      );
    },
    unsavedFiles: (hosted) => unsavedFiles.below(hosted.policy?.folders() ?? []),
    onUnsaved: onUnsavedChange,
    onSeen: (listener) => parts.waits.onSeen(listener),
    onFigures: (listener) => followFigures(parts, listener),
    sandbox: sandboxFacts,
    reviews: parts.reviews,
    speech: () => readSettings().speech.enabled,
    account: (hosted) => accountOf(hosted, parts),
    onMemory: parts.memories.onChange,
    events: async (hosted) => (await readLog(hosted.home)).events,
    receive,
  });
}

async function afterStart(parts: Parts): Promise<void> {
  await cleanUp(parts);
  await parts.stored.offer();
  await tidyCopies(parts);
}

/** Removes expired runs. */
async function cleanUp({ library, runs, log }: Parts): Promise<void> {
  const open = new Set(runs.all.map(({ id }) => id));
  const gone = await library.cleanUp(readSettings().run.retentionDays, open);
  if (gone.length > 0)
    log.info(`Moved to the trash (older than autogpt.run.retentionDays): ${gone.join(", ")}`);
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

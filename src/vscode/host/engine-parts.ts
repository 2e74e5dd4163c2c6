import { join } from "node:path";
import * as vscode from "vscode";
import type { Command } from "../../core/commands/command.ts";
import { createUsageEvent } from "../../core/events/run.ts";
import { HostedRuns } from "../../editor/panel/hosted-runs.ts";
import { createLeveledLog } from "../../editor/panel/log.ts";
import { Milestones } from "../../editor/panel/milestones.ts";
import { QuestionPoster } from "../../editor/panel/question-post.ts";
import { isRunning } from "../../editor/panel/run-status.ts";
import { PendingDecisions } from "../../editor/review/pending-decisions.ts";
import { forgetPlace, readKnownPlaces } from "../../fleet/known-places.ts";
import type { PluginMemoryStores } from "../../memory/shared/plugin-log.ts";
import type { ModelResolver } from "../../models/model-resolver.ts";
import { TokenCounter } from "../../models/tokens/token-counter.ts";
import { getUserFolder } from "../../node/app-files.ts";
import { createPolicyDisk } from "../../node/policy-disk.ts";
import { FileIndexes } from "../../node/search/file-index.ts";
import { createRipgrepFinder, listEditorRipgrepPaths, listSearchRipgrepPaths } from "../../node/search/find-ripgrep.ts";
import { LineTerminals } from "../../node/terminal/line-terminals.ts";
import { NodeFolderWatch } from "../../node/watch/folder-watch.ts";
import type { PluginModels } from "../../plugins/plugin-models.ts";
import { makeSecrets } from "../../runs/log/secrets.ts";
import { SpendingReader } from "../../runs/store/spending.ts";
import { CodeIndexes } from "../../runtime/code-search/code-indexes.ts";
import type { EmbeddingCost } from "../../runtime/provider-embedding.ts";
import { createKeyRing, type KeyRing } from "../../runtime/services/key-ring.ts";
import { findAddressSetting } from "../../runtime/services/key-services.ts";
import { mayHoldSecrets } from "../../safety/paths/sensitive.ts";
import { SavedRules } from "../../safety/policy/saved-rules.ts";
import { EditorIssues } from "../code-host/issues.ts";
import { CodeSessions } from "../code-host/sessions.ts";
import { FleetRuns } from "../fleet/fleet-runs.ts";
import { PlaceLists } from "../fleet/place-lists.ts";
import { FleetPlaces } from "../fleet/places.ts";
import { type SentTask, sendTask } from "../fleet/send-task.ts";
import { createEditorModelResolver } from "../models/chat-models.ts";
import { offerProvider } from "../models/embedding-choice.ts";
import { Memories } from "../models/memories.ts";
import { TeamSharing } from "../models/team-sharing.ts";
import { createQuestionBoard } from "../panel/other-windows.ts";
import { createEditorPlugins } from "../plugins/editor-plugins.ts";
import { createDiffReview } from "../review/diff-review.ts";
import { EditorReviews } from "../review/isolated-reviews.ts";
import { editorTerminals } from "../terminal/editor-terminals.ts";
import { SharedTerminals } from "../terminal/shared-terminals.ts";
import { createSavedRuleStore } from "../views/permissions.ts";
import { RunsTree } from "../views/runs-tree.ts";
import { createOutputTerminal } from "../views/terminal.ts";
import { TextDocuments } from "../views/text-documents.ts";
import { findEditorEncoding } from "../workspace/encodings.ts";
import { chooseRunFolder, openFolders, readExcludeSettings } from "../workspace/folders.ts";
import { OwnWords } from "../workspace/own-words.ts";
import { unsavedFiles, watchSavesInEditor } from "../workspace/unsaved-files.ts";
import { createEditorHost } from "./editor-host.ts";
import { EditorTools } from "./editor-tools.ts";
import { showMessage } from "./notifications.ts";
import { RunLibrary } from "./run-library.ts";
import { createRunOpener } from "./run-opener.ts";
import { readSettings } from "./settings.ts";
import { Starter } from "./starter.ts";
import { StoredRuns } from "./stored-runs.ts";

/** Parts of the engine that know nothing of actions and pages. */
export type Parts = ReturnType<typeof makeParts>;

/** Creates the parts. */
export function makeParts(context: vscode.ExtensionContext, resultChanged: vscode.EventEmitter<vscode.Uri>) {
  const channel = vscode.window.createOutputChannel("AutoGPT", { log: true });
  const runs = new HostedRuns();
  const keys = createKeyRing(context.secrets, context.globalState, (address) =>
    findAddressSetting(readSettings(), address),
  );
  const findRunUser = (run: string) => runs.get(run)?.live?.requests.user;
  const codeSessions = new CodeSessions(keys);
  const tools = new EditorTools();
  const extraCommands = new Set<Command>();
  const plugins = { extraCommands, ...createEditorPlugins(context, channel, tools, keys, findRunUser) };
  const desk = createEditorModelResolver(keys, context.globalStorageUri.fsPath, () => plugins.pluginModels.list());
  const library = new RunLibrary(context.globalStorageUri.fsPath);
  const diff = createDiffReview(context.workspaceState);
  const terminals = new LineTerminals(editorTerminals);
  const terminal = createOutputTerminal({
    interrupt: (run) => void runs.get(run)?.live?.stop(),
    showLine: (run) => terminals.show(run),
  });
  const shells = { terminals, userTerminals: new SharedTerminals(tools), tools };
  const disk = createPolicyDisk();
  const savedRules = new SavedRules(createSavedRuleStore(context.globalState), disk);
  const workers = createWorkerParts(context, { desk, keys, runs, library, ...plugins });
  const host = { runs, library, keys, codeSessions, desk, ...workers, disk, savedRules, ...plugins, ...shells };
  const opener = createRunOpener(createEditorHost(host));
  const { fleet, lists, ...others } = createFleetParts(context, { runs, library, keys, dist: workers.dist });
  const stored = new StoredRuns(runs, library, opener, () => fleet.showAgain());
  return {
    channel,
    log: createLeveledLog(() => readSettings().log.level, channel),
    runs,
    ...workers,
    spending: new SpendingReader(),
    savedRules,
    keys,
    codeSessions,
    issues: new EditorIssues(codeSessions),
    desk,
    library,
    diff,
    reviews: new EditorReviews({ stored, diff, resultChanged }),
    terminal,
    ...shells,
    ...plugins,
    opener,
    stored,
    ...{ fleet, lists, ...others },
    documents: new TextDocuments(),
    files: unsavedFiles,
    starter: new Starter(desk, opener, runs, library),
    ownWords: new OwnWords(join(context.globalStorageUri.fsPath, "../../prompts")),
    waits: new PendingDecisions(runs, diff),
    board: createQuestionBoard(library, context.globalStorageUri.fsPath),
    poster: createPoster(keys, async () => [...(await plugins.mcpSecrets.loadAll()), ...codeSessions.listTokens()]),
    milestones: createMilestones(context),
    tree: new RunsTree(runs, library, { sent: fleet, lists }),
  };
}

/** The runs in other places. Nothing of it is started before the user has sent one. */
function createFleetParts(
  context: vscode.ExtensionContext,
  { runs, library, keys, dist }: { runs: HostedRuns; library: RunLibrary; keys: KeyRing; dist: string },
) {
  const state = context.globalState;
  const places = new FleetPlaces({ copies: library.copies, dist, keys });
  const createEngine = (place: string, folder: string) => places.open(place, folder);
  const fleet = new FleetRuns({
    runs,
    state,
    window: context.workspaceState,
    folder: join(context.globalStorageUri.fsPath, "fleet"),
    createEngine,
  });
  const lists = new PlaceLists({
    fleet,
    readPlaces: async () => (await readKnownPlaces(getUserFolder())).places,
    forgetPlace: (place) => forgetPlace(getUserFolder(), place),
    createEngine,
    isOpen: (run) => runs.get(run) !== undefined,
    isSeen: () => vscode.window.state.focused,
    getNow: () => performance.now(),
  });
  context.subscriptions.push(lists, new vscode.Disposable(() => places.close()));
  return {
    fleet,
    lists,
    takeUp: async (id: string) => {
      const listed = fleet.isRemoved(id) ? undefined : lists.find(id);
      return fleet.find(id) ?? (listed && fleet.adopt(listed, await chooseRunFolder()));
    },
    sendTask: (task: SentTask) => sendTask({ fleet, places, keys }, task).finally(() => lists.schedule()),
  };
}

/** Sends questions to the user's own address, without secrets. */
function createPoster(keys: KeyRing, listOthers: () => Promise<readonly string[]>): QuestionPoster {
  return new QuestionPoster({
    getSettings: () => readSettings().notify,
    findToken: (url) => keys.get(url),
    redact: async (text) => makeSecrets([...(await keys.listKeys()), ...(await listOthers())]).redact(text),
    report: (problem) => void showMessage("warning", problem),
    getNow: () => Date.now(),
  });
}

/**
 * VS Code ticks a step only when its key becomes true while the walkthrough is loaded, which is once it's first opened; a key that is true by
 * then never ticks. So the keys are true for a moment only, and again when an editor without a known input, such as the walkthrough, opens.
 */
function createMilestones({ globalState, subscriptions }: vscode.ExtensionContext): Milestones {
  const setKey = (milestone: string, value: boolean): void =>
    void vscode.commands.executeCommand("setContext", `autogpt.${milestone}`, value);
  const milestones: Milestones = new Milestones(
    (milestone) => {
      setKey(milestone, true);
      setKey(milestone, false);
      void globalState.update(MILESTONES, milestones.all);
    },
    globalState.get(MILESTONES, []),
  );
  subscriptions.push(
    vscode.window.tabGroups.onDidChangeTabs(({ opened, changed }) => {
      if (![...opened, ...changed].some(({ input }) => input === undefined)) return;
      milestones.announceAgain();
      // The steps of a walkthrough are loaded after its tab opens.
      setTimeout(() => milestones.announceAgain(), LOADING_MS);
    }),
  );
  return milestones;
}

const MILESTONES = "milestones";
const LOADING_MS = 1_500;

/** Parts that run outside the extension host or watch files: memories, the token counter, watchers, saves, file lists. */
function createWorkerParts(
  context: vscode.ExtensionContext,
  {
    desk,
    keys,
    runs,
    library,
    pluginModels,
    memoryStores,
  }: {
    desk: ModelResolver;
    keys: KeyRing;
    runs: HostedRuns;
    library: RunLibrary;
    pluginModels: PluginModels;
    memoryStores: PluginMemoryStores;
  },
) {
  const dist = join(context.extensionPath, "dist");
  const folderWatch = new NodeFolderWatch(join(dist, "watch-worker.cjs"));
  const ripgrep = createRipgrepFinder(
    [...listEditorRipgrepPaths(vscode.env.appRoot), ...listSearchRipgrepPaths(process.env.PATH)],
    () => openFolders().map(({ path }) => path),
  );
  const encoder = join(context.globalStorageUri.fsPath, "encoder");
  return {
    dist,
    encoder,
    tokens: new TokenCounter({ worker: join(dist, "token-worker.cjs") }),
    folderWatch,
    saves: watchSavesInEditor(context.subscriptions),
    fileLists: new FileIndexes({
      ripgrep,
      watch: folderWatch,
      leftOut: mayHoldSecrets,
      getExcludeSettings: readExcludeSettings,
      findEncoding: findEditorEncoding,
    }),
    codeIndexes: new CodeIndexes({
      worker: join(dist, "code-worker.cjs"),
      folder: join(context.globalStorageUri.fsPath, "code-indexes"),
      table: join(context.extensionPath, "media", "embedding-table.bin"),
      watch: folderWatch,
    }),
    memories: new Memories({
      desk,
      pluginModels,
      keys,
      dist,
      sharing: new TeamSharing(context.globalState, keys, memoryStores),
      getFallbackFolder: (folder) => library.getFallbackHome(folder),
      encoder,
      offerProvider: () => offerProvider({ desk, pluginModels, encoder }, context.globalState),
      reportEmbeddingCost: (folder, cost) => void chargeFor(runs, folder, cost).catch(() => undefined),
    }),
  };
}

/** Charges embeddings to the folder's running run, if any. That run reports it if its log can't be written. */
async function chargeFor(runs: HostedRuns, folder: string, { model, tokens, costUsd }: EmbeddingCost): Promise<void> {
  const hosted = runs.all.find((one) => one.folder === folder && isRunning(one));
  const usage = { input: tokens, output: 0 };
  await hosted?.run.record(createUsageEvent("embeddings", { model, usage, costUsd }));
}

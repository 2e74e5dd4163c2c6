import { join } from "node:path";
import * as vscode from "vscode";
import { CodeIndexes } from "../../code-search/code-indexes.ts";
import type { Command } from "../../core/commands/command.ts";
import { usageEvent } from "../../core/events/run.ts";
import type { PluginMemoryStores } from "../../memory/shared/plugin-log.ts";
import type { ModelResolver } from "../../models/model-resolver.ts";
import { TokenCounter } from "../../models/tokens/token-counter.ts";
import { policyDisk } from "../../node/policy-disk.ts";
import { FileIndexes } from "../../node/search/file-index.ts";
import { ripgrepFinder, ripgrepInEditor, ripgrepOnPath } from "../../node/search/find-ripgrep.ts";
import { LineTerminals } from "../../node/terminal/line-terminals.ts";
import { NodeFolderWatch } from "../../node/watch/folder-watch.ts";
import { HostedRuns } from "../../panel/hosted-runs.ts";
import { leveledLog } from "../../panel/log.ts";
import { Milestones } from "../../panel/milestones.ts";
import { isRunning } from "../../panel/run-status.ts";
import type { PluginModels } from "../../plugins/plugin-models.ts";
import { PendingDecisions } from "../../review/pending-decisions.ts";
import { SpendingReader } from "../../runs/store/spending.ts";
import type { EmbeddingCost } from "../../runtime/provider-embedding.ts";
import { mayHoldSecrets } from "../../safety/paths/sensitive.ts";
import { SavedRules } from "../../safety/policy/saved-rules.ts";
import { createKeyRing, type KeyRing } from "../../services/key-ring.ts";
import { addressSetting } from "../../services/key-services.ts";
import { editorModelResolver } from "../models/chat-models.ts";
import { offerProvider } from "../models/embedding-choice.ts";
import { Memories } from "../models/memories.ts";
import { TeamSharing } from "../models/team-sharing.ts";
import { editorPlugins } from "../plugins/editor-plugins.ts";
import { diffReview } from "../review/diff-review.ts";
import { EditorReviews } from "../review/isolated-reviews.ts";
import { editorTerminals } from "../terminal/editor-terminals.ts";
import { SharedTerminals } from "../terminal/shared-terminals.ts";
import { savedRuleStore } from "../views/permissions.ts";
import { RunsTree } from "../views/runs-tree.ts";
import { outputTerminal } from "../views/terminal.ts";
import { TextDocuments } from "../views/text-documents.ts";
import { encodingFor } from "../workspace/encodings.ts";
import { excludeSettings, openFolders } from "../workspace/folders.ts";
import { savesInEditor, unsavedFiles } from "../workspace/unsaved-files.ts";
import { editorHost } from "./editor-host.ts";
import { EditorTools } from "./editor-tools.ts";
import { RunLibrary } from "./run-library.ts";
import { runOpener } from "./run-opener.ts";
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
    addressSetting(readSettings(), address),
  );
  const userOf = (run: string) => runs.get(run)?.live?.user;
  const tools = new EditorTools();
  const extraCommands = new Set<Command>();
  const plugins = { extraCommands, ...editorPlugins(context, channel, tools, keys, userOf) };
  const desk = editorModelResolver(keys, context.globalStorageUri.fsPath, () => plugins.pluginModels.list());
  const library = new RunLibrary(context.globalStorageUri.fsPath);
  const diff = diffReview();
  const terminals = new LineTerminals(editorTerminals);
  const terminal = outputTerminal({
    interrupt: (run) => void runs.get(run)?.live?.stop(),
    showLine: (run) => terminals.show(run),
  });
  const shells = { terminals, userTerminals: new SharedTerminals(tools), tools };
  const disk = policyDisk();
  const savedRules = new SavedRules(savedRuleStore(context.globalState), disk);
  const workers = workerParts(context, { desk, keys, runs, library, ...plugins });
  const host = { runs, library, keys, desk, ...workers, disk, savedRules, ...plugins, ...shells };
  const opener = runOpener(editorHost(host));
  const stored = new StoredRuns(runs, library, opener);
  return {
    channel,
    log: leveledLog(() => readSettings().log.level, channel),
    runs,
    ...workers,
    spending: new SpendingReader(),
    savedRules,
    keys,
    desk,
    library,
    diff,
    reviews: new EditorReviews({ stored, diff, resultChanged }),
    terminal,
    ...shells,
    ...plugins,
    opener,
    stored,
    documents: new TextDocuments(),
    files: unsavedFiles,
    starter: new Starter(desk, opener, runs, library),
    waits: new PendingDecisions(runs, diff),
    milestones: new Milestones(
      (milestone) => void vscode.commands.executeCommand("setContext", `autogpt.${milestone}`, true),
    ),
    tree: new RunsTree(runs, library),
  };
}

/** Parts that work outside the extension host or follow files: memories, the token counter, watches, saves, the lists of files. */
function workerParts(
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
  const ripgrep = ripgrepFinder(
    [...ripgrepInEditor(vscode.env.appRoot), ...ripgrepOnPath(process.env.PATH)],
    () => openFolders().map(({ path }) => path),
  );
  const encoder = join(context.globalStorageUri.fsPath, "encoder");
  return {
    dist,
    encoder,
    tokens: new TokenCounter({ worker: join(dist, "token-worker.cjs") }),
    folderWatch,
    saves: savesInEditor(context.subscriptions),
    fileLists: new FileIndexes({
      ripgrep,
      watch: folderWatch,
      leftOut: mayHoldSecrets,
      excludes: excludeSettings,
      encoding: encodingFor,
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
      fallback: (folder) => library.fallbackFor(folder),
      encoder,
      offerProvider: () => offerProvider({ desk, pluginModels, encoder }, context.globalState),
      spent: (folder, cost) => void chargeFor(runs, folder, cost).catch(() => undefined),
    }),
  };
}

/** Charges embeddings to the running run of the folder, if any. A log that can't be written is reported by its run. */
async function chargeFor(
  runs: HostedRuns,
  folder: string,
  { model, tokens, costUsd }: EmbeddingCost,
): Promise<void> {
  const hosted = runs.all.find((one) => one.folder === folder && isRunning(one));
  const usage = { input: tokens, output: 0 };
  await hosted?.run.record(usageEvent("embeddings", { model, usage, costUsd }));
}

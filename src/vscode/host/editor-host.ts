import { join } from "node:path";
import * as vscode from "vscode";
import type { Command } from "../../core/commands/command.ts";
import type { Disk } from "../../core/ports/disk.ts";
import type { FolderWatch } from "../../core/ports/folder-watch.ts";
import type { HostedRuns } from "../../editor/panel/hosted-runs.ts";
import type { ModelResolver } from "../../models/model-resolver.ts";
import type { TokenCounter } from "../../models/tokens/token-counter.ts";
import { chooseShellProgram } from "../../node/processes/programs.ts";
import type { FileIndexes } from "../../node/search/file-index.ts";
import type { LineTerminals } from "../../node/terminal/line-terminals.ts";
import type { PluginCatalog } from "../../plugins/catalog.ts";
import { RunTraces } from "../../runs/traces/run-traces.ts";
import type { CodeIndexes } from "../../runtime/code-search/code-indexes.ts";
import type { Host, HostLog } from "../../runtime/host.ts";
import { createNodeIsolation } from "../../runtime/isolated/node-isolation.ts";
import type { KeyRing } from "../../runtime/services/key-ring.ts";
import { UnsavedChanges } from "../../runtime/unsaved-changes.ts";
import type { SavedRules } from "../../safety/policy/saved-rules.ts";
import { createShellLanguageLoader } from "../../safety/shell/load.ts";
import type { CodeSessions } from "../code-host/sessions.ts";
import type { Memories } from "../models/memories.ts";
import { getGrammarSource } from "../plugins/editor-plugins.ts";
import type { McpSecrets } from "../plugins/mcp-secrets.ts";
import { createEditorTasks } from "../tasks/editor-tasks.ts";
import { createTestExplorer } from "../tasks/test-explorer.ts";
import type { SharedTerminals } from "../terminal/shared-terminals.ts";
import { editorCells } from "../workspace/cell-runs.ts";
import { createEditorNotebooks, findUnsavedNotebook } from "../workspace/editor-notebooks.ts";
import { createEditorTrash, createEditorWorkspace, openFiles } from "../workspace/editor-workspace.ts";
import { isOpenFolder, listCurrentFolders } from "../workspace/folders.ts";
import { convertPathToUri } from "../workspace/places.ts";
import { createEditorProblems } from "../workspace/problems.ts";
import { findChosenInterpreter } from "../workspace/python-extension.ts";
import { createEditorSymbols } from "../workspace/symbols.ts";
import { type SavesInEditor, unsavedFiles } from "../workspace/unsaved-files.ts";
import { explainUndoProblem, unsavedTexts } from "../workspace/unsaved-texts.ts";
import { editorFiles } from "../workspace/virtual-files.ts";
import type { EditorTools } from "./editor-tools.ts";
import { showMessage } from "./notifications.ts";
import type { RunLibrary } from "./run-library.ts";
import { createHostedRun } from "./run-opener.ts";
import { readSettings } from "./settings.ts";

/** Dependencies of the editor as a host of runs. */
export interface EditorHostDependencies {
  readonly runs: HostedRuns;
  readonly library: RunLibrary;
  readonly keys: KeyRing;
  readonly desk: ModelResolver;
  readonly memories: Memories;
  readonly tokens: TokenCounter;
  readonly disk: Disk;
  readonly folderWatch: FolderWatch;
  readonly fileLists: FileIndexes;
  readonly codeIndexes: CodeIndexes;
  readonly savedRules: SavedRules;
  readonly userTerminals: SharedTerminals;
  readonly tools: EditorTools;
  /** Commands of other extensions. */
  readonly extraCommands: ReadonlySet<Command>;
  readonly plugins: PluginCatalog;
  readonly mcpSecrets: McpSecrets;
  readonly codeSessions: CodeSessions;
  /** Terminals for approved command lines. */
  readonly terminals: LineTerminals;
  readonly saves: SavesInEditor;
  /** The folder of the bundled programs. */
  readonly dist: string;
}

/** VS Code as a host of runs. */
export function createEditorHost(dependencies: EditorHostDependencies): Host {
  const { runs, keys, desk, tokens, userTerminals, extraCommands } = dependencies;
  const unsavedChanges = new UnsavedChanges((path) => unsavedFiles.listUnsavedBelow([path]).length > 0);
  return {
    kind: "editor",
    workspace: {
      isTrusted: () => vscode.workspace.isTrusted,
      listFolders: listCurrentFolders,
      isOpen: isOpenFolder,
      virtualFiles: editorFiles,
      guard: (base) => createEditorWorkspace(base, unsavedChanges),
      unsaved: unsavedTexts,
      unsavedChanges,
      createTrash: createEditorTrash,
      findUnsavedNotebook,
      explainUndoProblem: (path) => (findUnsavedNotebook(path) ? undefined : explainUndoProblem(path)),
      listSavedSince: dependencies.saves.findSavedSince,
    },
    processes: createProcesses(dependencies),
    isolation: createNodeIsolation(join(dependencies.dist, "copy-worker.cjs")),
    approver: {
      isPresent: true,
      isPatient: true,
      createApprover: ({ live }) => live.requests.approver,
      findUser: (requests) => requests.user,
      listRules: () => [],
    },
    getSettings: (folder) => readSettings(convertPathToUri(folder)),
    secrets: {
      listKeys: async () => [
        ...(await keys.listKeys()),
        ...(await dependencies.mcpSecrets.loadAll()),
        ...dependencies.codeSessions.listTokens(),
      ],
      keyFor: (address) => keys.get(address),
    },
    storage: createStorage(dependencies),
    models: {
      resolveModelPair: (folder, model) => desk.createModelPair(readSettings(convertPathToUri(folder)), model),
      countTokens: tokens.getCounter,
    },
    clock: { getNow: () => new Date() },
    log: createEditorLog(runs),
    traces: new RunTraces(async () => require("./otel.cjs") as typeof import("../../runs/traces/otel-sdk.ts")),
    agents: {
      addAgent: (agent) => runs.add(createHostedRun(agent)),
      releaseAgent: async ({ id }) => (runs.shown?.id === id ? undefined : runs.remove(id)),
    },
    handOver: (run, why) => {
      const hosted = runs.get(run);
      if (!hosted) return "";
      hosted.handedOver = why;
      return JSON.stringify(hosted.unsent ?? "");
    },
    listExtraCommands: () => [...extraCommands],
    plugins: dependencies.plugins,
    editor: {
      listOpenFiles: openFiles,
      createNotebooks: (base) => createEditorNotebooks(base, (path) => unsavedChanges.recordChange(path)),
      cells: editorCells,
      createProblems: createEditorProblems,
      createSymbols: createEditorSymbols,
      createTasks: createEditorTasks(),
      testExplorer: createTestExplorer(dependencies.tools),
      terminals: userTerminals,
    },
  };
}

function createStorage({ library, memories, savedRules }: EditorHostDependencies): Host["storage"] {
  return {
    getFallbackFolder: (folder) => library.getFallbackHome(folder),
    copies: library.copies,
    getMachineMark: (run) => library.getMachineMark(run),
    seal: (run) => library.seal(run),
    listRuns: () => library.list(),
    openMemory: (folder) => memories.open(folder),
    savedRules,
    costs: library.costs,
  };
}

function createProcesses({
  disk,
  folderWatch,
  fileLists,
  codeIndexes,
  dist,
  terminals,
}: EditorHostDependencies): Host["processes"] {
  return {
    disk,
    folderWatch,
    files: fileLists,
    codeIndexes,
    loadShellLanguage: createShellLanguageLoader(chooseShellProgram().name, getGrammarSource(dist)),
    documentWorker: join(dist, "document-worker.cjs"),
    pageWorker: join(dist, "page-worker.cjs"),
    findPythonInterpreter: findChosenInterpreter,
    terminals,
  };
}

function createEditorLog(runs: HostedRuns): HostLog {
  return {
    notice: (run, text, kind) => runs.notice(run, text, kind),
    reportDelta: (run, step, delta) => runs.reportDelta(run, step, delta),
    reportRestart: (run, step) => runs.reportRestart(run, step),
    reportOutput: (run, step, chunk) => runs.reportOutput(run, step, chunk),
    shouldWaitForDisk: (run) => runs.get(run)?.live?.stopped === false,
    reportDiskTrouble: (run, trouble) => {
      runs.get(run)?.live?.setBlocked(trouble);
      if (trouble !== undefined) void showMessage("warning", trouble);
    },
  };
}

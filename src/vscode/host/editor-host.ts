import { join } from "node:path";
import * as vscode from "vscode";
import type { CodeIndexes } from "../../code-search/code-indexes.ts";
import type { Command } from "../../core/commands/command.ts";
import type { Disk } from "../../core/ports/disk.ts";
import type { FolderWatch } from "../../core/ports/folder-watch.ts";
import type { ModelResolver } from "../../models/model-resolver.ts";
import type { TokenCounter } from "../../models/tokens/token-counter.ts";
import { shellProgram } from "../../node/processes/programs.ts";
import type { FileIndexes } from "../../node/search/file-index.ts";
import type { LineTerminals } from "../../node/terminal/line-terminals.ts";
import type { HostedRuns } from "../../panel/hosted-runs.ts";
import type { PluginCatalog } from "../../plugins/catalog.ts";
import type { Host, HostLog } from "../../runtime/host.ts";
import { nodeIsolation } from "../../runtime/isolated/node-isolation.ts";
import { UnsavedChanges } from "../../runtime/unsaved-changes.ts";
import type { SavedRules } from "../../safety/policy/saved-rules.ts";
import { shellLanguage } from "../../safety/shell/load.ts";
import type { KeyRing } from "../../services/key-ring.ts";
import type { Memories } from "../models/memories.ts";
import { grammarsIn } from "../plugins/editor-plugins.ts";
import type { McpSecrets } from "../plugins/mcp-secrets.ts";
import { editorTasks } from "../tasks/editor-tasks.ts";
import { testExplorer } from "../tasks/test-explorer.ts";
import type { SharedTerminals } from "../terminal/shared-terminals.ts";
import { editorCells } from "../workspace/cell-runs.ts";
import { editorNotebooks, unsavedNotebook } from "../workspace/editor-notebooks.ts";
import { editorTrash, editorWorkspace, openFiles } from "../workspace/editor-workspace.ts";
import { foldersNow, isOpenFolder } from "../workspace/folders.ts";
import { uriOf } from "../workspace/places.ts";
import { editorProblems } from "../workspace/problems.ts";
import { chosenInterpreter } from "../workspace/python-extension.ts";
import { editorSymbols } from "../workspace/symbols.ts";
import { type SavesInEditor, unsavedFiles } from "../workspace/unsaved-files.ts";
import { undoProblem, unsavedTexts } from "../workspace/unsaved-texts.ts";
import { editorFiles } from "../workspace/virtual-files.ts";
import type { EditorTools } from "./editor-tools.ts";
import { showMessage } from "./notifications.ts";
import type { RunLibrary } from "./run-library.ts";
import { hosted } from "./run-opener.ts";
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
  /** Terminals for approved command lines. */
  readonly terminals: LineTerminals;
  readonly saves: SavesInEditor;
  /** The folder of the bundled programs. */
  readonly dist: string;
}

/** VS Code as a host of runs. */
export function editorHost(dependencies: EditorHostDependencies): Host {
  const { runs, keys, desk, tokens, userTerminals, extraCommands } = dependencies;
  const unsavedChanges = new UnsavedChanges((path) => unsavedFiles.below([path]).length > 0);
  return {
    kind: "editor",
    workspace: {
      isTrusted: () => vscode.workspace.isTrusted,
      folders: foldersNow,
      isOpen: isOpenFolder,
      virtualFiles: editorFiles,
      guard: (base) => editorWorkspace(base, unsavedChanges),
      unsaved: unsavedTexts,
      unsavedChanges,
      trash: editorTrash,
      unsavedNotebook,
      undoProblem: (path) => (unsavedNotebook(path) ? undefined : undoProblem(path)),
      savedSince: dependencies.saves.since,
    },
    processes: processesOf(dependencies),
    isolation: nodeIsolation(join(dependencies.dist, "copy-worker.cjs")),
    approver: {
      isPresent: true,
      isPatient: true,
      approver: ({ live }) => live.approver,
      user: (live) => live.user,
      rules: () => [],
    },
    settings: (folder) => readSettings(uriOf(folder)),
    secrets: {
      all: async () => [...(await keys.all()), ...(await dependencies.mcpSecrets.all())],
      keyFor: (address) => keys.get(address),
    },
    storage: storageOf(dependencies),
    models: {
      pair: (folder, model) => desk.pair(readSettings(uriOf(folder)), model),
      countTokens: tokens.of,
    },
    clock: { now: () => new Date() },
    log: editorLog(runs),
    agents: {
      joined: (agent) => runs.add(hosted(agent)),
      left: async ({ id }) => (runs.shown?.id === id ? undefined : runs.remove(id)),
    },
    extraCommands: () => [...extraCommands],
    plugins: dependencies.plugins,
    editor: {
      openFiles,
      notebooks: (base) => editorNotebooks(base, (path) => unsavedChanges.made(path)),
      cells: editorCells,
      problems: editorProblems,
      symbols: editorSymbols,
      tasks: editorTasks(),
      testExplorer: testExplorer(dependencies.tools),
      terminals: userTerminals,
    },
  };
}

function storageOf({ library, memories, savedRules }: EditorHostDependencies): Host["storage"] {
  return {
    fallback: (folder) => library.fallbackFor(folder),
    copies: library.copies,
    machine: (run) => library.machine(run),
    seal: (run) => library.seal(run),
    runs: () => library.list(),
    memory: (folder) => memories.open(folder),
    savedRules,
  };
}

function processesOf({
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
    shellKnowledge: shellLanguage(shellProgram().name, grammarsIn(dist)),
    documentWorker: join(dist, "document-worker.cjs"),
    pageWorker: join(dist, "page-worker.cjs"),
    pythonInterpreter: chosenInterpreter,
    terminals,
  };
}

function editorLog(runs: HostedRuns): HostLog {
  return {
    notice: (run, text, kind) => runs.notice(run, text, kind),
    delta: (run, step, delta) => runs.delta(run, step, delta),
    restarted: (run, step) => runs.restarted(run, step),
    output: (run, step, chunk) => runs.output(run, step, chunk),
    waitsForDisk: (run) => runs.get(run)?.live?.stopped === false,
    diskTrouble: (run, trouble) => {
      runs.get(run)?.live?.setBlocked(trouble);
      if (trouble !== undefined) void showMessage("warning", trouble);
    },
  };
}

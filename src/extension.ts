import * as vscode from "vscode";
import type { Action } from "./schema/actions.ts";
import type { Engine } from "./vscode/host/engine.ts";
import type { AutoGptApi } from "./vscode/host/exported-api.ts";
import { BEFORE_SCHEME, RESULT_SCHEME } from "./vscode/review/proposal-uri.ts";

let loaded: Engine | undefined;

/** Older versions lack parts of the language that the other bundles use. */
const OLDEST_NODE = 22;

/**
 * Registers everything that the host can call. The first of these calls loads the engine, which is everything else. Returns undefined if
 * the host's Node is too old; then each action only reports that.
 */
export function activate(context: vscode.ExtensionContext): AutoGptApi | undefined {
  if (Number.parseInt(process.versions.node, 10) < OLDEST_NODE) {
    const { registerRefusal } = require("./old-node.cjs") as typeof import("./vscode/host/old-node.ts");
    registerRefusal(context, listContributedActions(context));
    return undefined;
  }
  const tree = registerTree(context, () => getEngine());
  const resultChanged = new vscode.EventEmitter<vscode.Uri>();
  const getEngine = (lookAfterMs = LOOK_AROUND_MS): Engine => {
    if (loaded) return loaded;
    loaded = (require("./engine.cjs") as typeof import("./vscode/host/engine.ts")).createEngine(
      context,
      tree,
      resultChanged,
    );
    if (vscode.workspace.workspaceFolders) setTimeout(() => void loaded?.lookForUnfinishedRuns(), lookAfterMs).unref();
    return loaded;
  };
  const fixTitle = getContributedFixTitle(context);
  context.subscriptions.push(
    resultChanged,
    ...listContributedActions(context).map((action) =>
      vscode.commands.registerCommand(`autogpt.${action}`, (...args: unknown[]) => getEngine().runAction(action, args)),
    ),
    vscode.window.registerWebviewViewProvider("autogpt.panel", {
      resolveWebviewView: (view) => getEngine().showPanelInView(view),
    }),
    // Here and not in the engine: a restored editor asks for its texts before anything else loads that.
    vscode.workspace.registerTextDocumentContentProvider(BEFORE_SCHEME, {
      provideTextDocumentContent: (uri) => getEngine().readTextBefore(uri),
    }),
    vscode.workspace.registerTextDocumentContentProvider(RESULT_SCHEME, {
      onDidChange: resultChanged.event,
      provideTextDocumentContent: (uri) => getEngine().readResultText(uri),
    }),
    vscode.languages.registerCodeActionsProvider(
      { scheme: "file" },
      { provideCodeActions: (document, range, found) => fixActions(fixTitle, document, range, found) },
      { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix] },
    ),
    vscode.window.registerUriHandler({ handleUri: (uri) => getEngine().openLink(uri) }),
    ...registerChat(context, () => getEngine()),
  );
  if (isCopyOpen(context)) getEngine();
  setTimeout(() => void hasRuns().then((have) => have && getEngine(0)), LOOK_AROUND_MS).unref();
  return {
    version: 2,
    onEvent: (listener, self, disposables) => getEngine().api.onEvent(listener, self, disposables),
    get startRun() {
      return getEngine().api.startRun;
    },
    runs: () => getEngine().api.runs(),
    openRun: (id) => getEngine().api.openRun(id),
    registerPlugin: (plugin) => getEngine().api.registerPlugin(plugin),
    registerModelProvider: (provider) => getEngine().api.registerModelProvider(provider),
    registerMemoryStore: (store) => getEngine().api.registerMemoryStore(store),
    registerCommand: (command) => getEngine().api.registerCommand(command),
  };
}

export async function deactivate(): Promise<void> {
  await loaded?.close();
  loaded = undefined;
}

/** Delay after the start, so that nothing in it waits for the runs. */
const LOOK_AROUND_MS = 1_500;

/** True if the window shows the copy of an isolated run, with which it closes. */
function isCopyOpen({ globalStorageUri }: vscode.ExtensionContext): boolean {
  const copies = `${vscode.Uri.joinPath(globalStorageUri, "copies").path}/`;
  return (vscode.workspace.workspaceFolders ?? []).some(({ uri }) => uri.path.startsWith(copies));
}

/** True if a folder of the workspace has runs. In other windows, the engine waits for the first request. */
async function hasRuns(): Promise<boolean> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const found = folders.map(({ uri }) => vscode.workspace.fs.stat(vscode.Uri.joinPath(uri, ".autogpt/runs")));
  return (await Promise.allSettled(found)).some(({ status }) => status === "fulfilled");
}

function registerTree(context: vscode.ExtensionContext, engine: () => Engine): vscode.TreeView<vscode.TreeItem> {
  const changed = new vscode.EventEmitter<vscode.TreeItem | undefined>();
  const provider: vscode.TreeDataProvider<vscode.TreeItem> = {
    onDidChangeTreeData: changed.event,
    getTreeItem: (item) => item,
    getChildren: (item) => engine().listTreeItems(item, () => changed.fire(undefined)),
  };
  const tree = vscode.window.createTreeView("autogpt.runs", { treeDataProvider: provider });
  context.subscriptions.push(changed, tree);
  return tree;
}

/** Registers the chat participant and the tool. Some editors based on VS Code have no chat. */
function registerChat({ extensionUri }: vscode.ExtensionContext, engine: () => Engine): vscode.Disposable[] {
  if (!vscode.chat || !vscode.lm) return [];
  const participant = vscode.chat.createChatParticipant("autogpt", (request, context, response, token) =>
    engine().chat.answer(request, context, response, token),
  );
  participant.iconPath = vscode.Uri.joinPath(extensionUri, "media/icon.png");
  participant.followupProvider = { provideFollowups: (result) => engine().chat.followUps(result) };
  const tool = vscode.lm.registerTool<unknown>("autogpt", {
    prepareInvocation: (options, token) => engine().tool.prepareInvocation?.(options, token),
    invoke: (options, token) => engine().tool.invoke(options, token),
  });
  return [participant, tool];
}

/** The palette actions in package.json, which is generated from the table of actions. */
function listContributedActions({ extension }: vscode.ExtensionContext): readonly Action[] {
  const commands: readonly { readonly command: string }[] = extension.packageJSON.contributes.commands;
  return commands.map(({ command }) => command.slice("autogpt.".length) as Action);
}

/** The light bulb's title in package.json, in the language of the host. */
function getContributedFixTitle({ extension }: vscode.ExtensionContext): string {
  const groups: readonly { readonly actions: readonly { readonly title: string }[] }[] =
    extension.packageJSON.contributes.codeActions;
  return groups[0]?.actions[0]?.title ?? "";
}

function fixActions(
  title: string,
  document: vscode.TextDocument,
  range: vscode.Range,
  found: vscode.CodeActionContext,
): vscode.CodeAction[] {
  const problems = found.diagnostics.length > 0 ? [...found.diagnostics] : listProblemsOnLines(document, range);
  if (problems.length === 0) return [];
  const action = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
  action.diagnostics = problems;
  action.command = {
    command: "autogpt.startFromSelection",
    title,
    arguments: [document.uri, range, problems],
  };
  return [action];
}

/** For a cursor next to a problem, where VS Code also shows the light bulb with its own fix. */
function listProblemsOnLines({ uri }: vscode.TextDocument, lines: vscode.Range): vscode.Diagnostic[] {
  return vscode.languages
    .getDiagnostics(uri)
    .filter(
      ({ range, severity }) =>
        severity !== vscode.DiagnosticSeverity.Hint &&
        range.start.line <= lines.end.line &&
        range.end.line >= lines.start.line,
    );
}

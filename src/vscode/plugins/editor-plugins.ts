import { homedir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";
import type { User } from "../../core/ports/approver.ts";
import { readFileBytes } from "../../disk/plain-file.ts";
import { PluginMemoryStores } from "../../memory/shared/plugin-log.ts";
import { chooseShellProgram } from "../../node/processes/programs.ts";
import type { PluginServices } from "../../plugins/call-context.ts";
import { PluginCatalog } from "../../plugins/catalog.ts";
import { Consents } from "../../plugins/consents.ts";
import { createEditorToolPlugins, type ToolOwner, type ToolPort } from "../../plugins/editor-tools.ts";
import { ExtensionPlugins, parseAnnouncedPlugins } from "../../plugins/extensions.ts";
import { askServerQuestion } from "../../plugins/mcp/elicitation.ts";
import { type FindSecret, fillPlaceholders, type McpServer } from "../../plugins/mcp/servers.ts";
import { SIGN_IN_MS, SignIn, type SignInHost, type SignInPage } from "../../plugins/mcp/sign-in.ts";
import { PluginModels } from "../../plugins/plugin-models.ts";
import { createPythonPluginSource } from "../../plugins/python/python-plugins.ts";
import { createPluginSources, type PluginParts } from "../../plugins/sources.ts";
import { makeSecrets } from "../../runs/log/secrets.ts";
import type { KeyRing } from "../../runtime/services/key-ring.ts";
import { createShellLanguageLoader, type GrammarSource } from "../../safety/shell/load.ts";
import { t, write } from "../../texts/language.ts";
import type { EditorTools } from "../host/editor-tools.ts";
import { showMessage } from "../host/notifications.ts";
import { readSettings } from "../host/settings.ts";
import { findChosenInterpreter } from "../workspace/python-extension.ts";
import { McpSecrets } from "./mcp-secrets.ts";

/** A window's plugins and related parts. */
interface EditorPlugins {
  readonly plugins: PluginCatalog;
  readonly extensionPlugins: ExtensionPlugins;
  readonly pluginModels: PluginModels;
  readonly memoryStores: PluginMemoryStores;
  readonly mcpSecrets: McpSecrets;
  /** Fires when an MCP server has started or ended. */
  readonly onServerChange: vscode.Event<void>;
}

const grammars = new Map<string, GrammarSource>();

/** Returns a folder's grammar source. Always the same function, so that each grammar is loaded once. */
export function getGrammarSource(dist: string): GrammarSource {
  const source = grammars.get(dist) ?? ((file) => readFileBytes(join(dist, file)));
  grammars.set(dist, source);
  return source;
}

function createMcpParts(
  secrets: McpSecrets,
  signIns: McpSignIns,
  userOf: (run: string) => User | undefined,
  reportStateChange: () => void,
): PluginParts["mcp"] {
  return {
    reportStateChange,
    isTrusted: () => vscode.workspace.isTrusted,
    loadClient: async () => require("./mcp.cjs") as typeof import("../../plugins/mcp/sdk-client.ts"),
    findSecret: async (kind, name, server) => (kind === "env" ? process.env[name] : secrets.find(server, name)),
    findSignIn: (server, url) => signIns.createStoredSignIn(server, url),
    signIn: (server, folder) => signIns.signIn(server, folder),
    elicitAnswer: ({ id }, run, request, signal) =>
      askServerQuestion(id, request, {
        ask: async (question) => userOf(run)?.ask(write(question), signal),
        tell: (text) => void showMessage("warning", text),
        open: async (url) => vscode.env.openExternal(vscode.Uri.parse(url, true)),
      }),
  };
}

/** The plugins that this window can use. */
export function createEditorPlugins(
  context: vscode.ExtensionContext,
  log: Pick<vscode.LogOutputChannel, "info">,
  tools: EditorTools,
  keys: Pick<KeyRing, "get" | "listKeys">,
  userOf: (run: string) => User | undefined,
): EditorPlugins {
  const storage = context.globalStorageUri.fsPath;
  const mcpSecrets = new McpSecrets(context);
  const serverChanges = new vscode.EventEmitter<void>();
  const services: PluginServices = {
    findKey: (address) => keys.get(address),
    log: (plugin, text) => log.info(`${plugin}: ${text}`),
  };
  const extensionPlugins = new ExtensionPlugins(listAnnouncedPlugins, services);
  const consents = new Consents(join(storage, "plugin-consents.json"));
  const parts: PluginParts = {
    consents,
    mcp: createMcpParts(mcpSecrets, new McpSignIns(context, mcpSecrets), userOf, () => serverChanges.fire()),
    userFolder: join(homedir(), ".autogpt", "plugins"),
    storage: join(storage, "plugin-copies"),
    named: [],
    classicBridge: join(context.extensionPath, "dist", "classic_bridge.py"),
    runner: join(context.extensionPath, "dist", "plugin-runner.mjs"),
    findPythonInterpreter: async (folder) => readSettings().python.interpreter || (await findChosenInterpreter(folder)),
    loadLanguage: createShellLanguageLoader(
      chooseShellProgram().name,
      getGrammarSource(join(context.extensionPath, "dist")),
    ),
    own: {
      ...services,
      storage,
      // Bundled from `packages/`; `src/headless.ts` checks their types.
      loadEmail: async () => require("./email.cjs"),
      loadOpenApi: async () => require("./openapi.cjs"),
    },
  };
  const all = [extensionPlugins, ...createPluginSources(parts), createEditorToolPlugins(createToolPort(tools))];
  const withModels = new PluginCatalog([extensionPlugins, createPythonPluginSource(parts)], consents, "editor");
  return {
    plugins: new PluginCatalog(all, consents, "editor"),
    extensionPlugins,
    mcpSecrets,
    onServerChange: serverChanges.event,
    memoryStores: new PluginMemoryStores(),
    pluginModels: new PluginModels(withModels, {
      getPlace: () => ({
        folder: join(storage, "plugin-models"),
        isTrusted: false,
        settings: readSettings(),
      }),
      createRedactor: async () => makeSecrets(await keys.listKeys()).redact,
    }),
  };
}

function createToolPort(tools: EditorTools): ToolPort {
  return {
    list: () => tools.list(),
    listOwners: () => vscode.extensions.all.flatMap(listToolOwners),
    invoke: async (name, args, signal) => extractToolText(await tools.invoke(name, args, signal)),
  };
}

/** The tools that an extension declares. The extension isn't activated for this. */
function listToolOwners({ id, packageJSON }: vscode.Extension<unknown>): readonly ToolOwner[] {
  const { displayName, isBuiltin, contributes } = packageJSON;
  const announced: readonly { readonly name?: unknown }[] = contributes?.languageModelTools ?? [];
  if (announced.length === 0) return [];
  const isBuiltIn = isBuiltin === true || /^(?:vscode|github)\./i.test(id);
  return [{ id, name: String(displayName ?? id), isBuiltIn, tools: announced.map(({ name }) => String(name)) }];
}

/** The texts of a result. Pictures and other data are only named. */
function extractToolText({ content }: vscode.LanguageModelToolResult): string {
  const texts = content.map((part) => {
    if (part instanceof vscode.LanguageModelTextPart) return part.value;
    if (part instanceof vscode.LanguageModelPromptTsxPart) return JSON.stringify(part.value);
    return "[data that isn't text]";
  });
  return texts.join("\n").trim();
}

/** The plugins that installed extensions declare. No extension is activated for this. */
function listAnnouncedPlugins() {
  return vscode.extensions.all.flatMap((extension) =>
    parseAnnouncedPlugins(extension.packageJSON, async () => extension.activate()),
  );
}

const SECRET_PREFIX = "autogpt.";
const LONGEST_ANSWER = 10_000_000;

/** Signs in to MCP servers. Tokens are kept only in VS Code's secret storage. */
class McpSignIns {
  private readonly secrets: vscode.SecretStorage;
  private readonly find: FindSecret;

  constructor({ secrets }: Pick<vscode.ExtensionContext, "secrets">, inputs: McpSecrets) {
    this.secrets = secrets;
    this.find = async (kind, name, server) => (kind === "env" ? process.env[name] : inputs.find(server, name));
  }

  /** Uses a run's stored tokens, and never opens a page. */
  createStoredSignIn(server: McpServer, url: string): SignIn {
    return new SignIn(server, url, this.createHost());
  }

  /** Lets the user sign in to a server. Throws a sentence. */
  async signIn(server: McpServer, folder: string): Promise<void> {
    const { url = "", headers = {} } = await fillPlaceholders(server, folder, this.find);
    const auth = new SignIn(server, url, { ...this.createHost(), open: openSignInPage, findBrowserAddress });
    const sdk: typeof import("../../plugins/mcp/sdk-client.ts") = require("./mcp.cjs");
    const options = {
      location: vscode.ProgressLocation.Notification,
      title: t("mcp.signingIn", { name: server.id }),
    };
    await vscode.window.withProgress(options, async () => {
      const connection = await sdk.connect({
        way: { kind: "address", url, headers, auth },
        prior: undefined,
        elicit: undefined,
        limitMs: SIGN_IN_MS,
        longest: LONGEST_ANSWER,
        handleToolsChange: () => undefined,
        handleEnd: () => undefined,
      });
      await connection.close();
    });
    void showMessage("info", t("mcp.signedIn", { name: server.id }));
  }

  private createHost(): SignInHost {
    return {
      read: async (key) => this.secrets.get(SECRET_PREFIX + key),
      write: async (key, value) => this.secrets.store(SECRET_PREFIX + key, value),
    };
  }
}

/** In a remote or web window, the browser is on another machine, to which VS Code forwards the port. */
async function findBrowserAddress(address: string): Promise<string> {
  return (await vscode.env.asExternalUri(vscode.Uri.parse(address, true))).toString(true);
}

/** Opens the page after showing the user its address, and whether that has changed since the last time. */
async function openSignInPage({ server, url, issuer, before }: SignInPage): Promise<boolean> {
  const page = { server, host: new URL(url).host, issuer };
  const question = t("mcp.signInQuestion", page);
  const warning = before === undefined ? "" : t("mcp.signInMoved", { before, issuer });
  const button = t("mcp.signInButton");
  const options = { modal: true, detail: warning };
  const show = before === undefined ? vscode.window.showInformationMessage : vscode.window.showWarningMessage;
  if ((await show(question, options, button)) !== button) return false;
  return vscode.env.openExternal(vscode.Uri.parse(url, true));
}

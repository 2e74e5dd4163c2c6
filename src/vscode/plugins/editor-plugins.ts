import { homedir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";
import type { User } from "../../core/ports/approver.ts";
import { PluginMemoryStores } from "../../memory/shared/plugin-log.ts";
import { shellProgram } from "../../node/processes/programs.ts";
import { fileBytes } from "../../plain-file.ts";
import type { PluginServices } from "../../plugins/call-context.ts";
import { PluginCatalog } from "../../plugins/catalog.ts";
import { Consents } from "../../plugins/consents.ts";
import { editorToolPlugins, type ToolOwner, type ToolPort } from "../../plugins/editor-tools.ts";
import { announcedIn, ExtensionPlugins } from "../../plugins/extensions.ts";
import { elicited } from "../../plugins/mcp/elicitation.ts";
import { PluginModels } from "../../plugins/plugin-models.ts";
import { pythonPlugins } from "../../plugins/python/python-plugins.ts";
import { type PluginParts, pluginSources } from "../../plugins/sources.ts";
import { makeSecrets } from "../../runs/log/secrets.ts";
import { type GrammarSource, shellLanguage } from "../../safety/shell/load.ts";
import type { KeyRing } from "../../services/key-ring.ts";
import { write } from "../../texts/language.ts";
import type { EditorTools } from "../host/editor-tools.ts";
import { showMessage } from "../host/notifications.ts";
import { readSettings } from "../host/settings.ts";
import { chosenInterpreter } from "../workspace/python-extension.ts";
import { McpSecrets } from "./mcp-secrets.ts";
import { McpSignIns } from "./mcp-sign-in.ts";

/** The plugins of a window, and what belongs to them. */
interface EditorPlugins {
  readonly plugins: PluginCatalog;
  readonly extensionPlugins: ExtensionPlugins;
  readonly pluginModels: PluginModels;
  readonly memoryStores: PluginMemoryStores;
  readonly mcpSecrets: McpSecrets;
}

const grammars = new Map<string, GrammarSource>();

/** The grammars in a folder, always by the same function, so that each is loaded once. */
export function grammarsIn(dist: string): GrammarSource {
  const source = grammars.get(dist) ?? ((file) => fileBytes(join(dist, file)));
  grammars.set(dist, source);
  return source;
}

/** The plugins within reach of this window. */
export function editorPlugins(
  context: vscode.ExtensionContext,
  log: Pick<vscode.LogOutputChannel, "info">,
  tools: EditorTools,
  keys: Pick<KeyRing, "get" | "all">,
  userOf: (run: string) => User | undefined,
): EditorPlugins {
  const storage = context.globalStorageUri.fsPath;
  const mcpSecrets = new McpSecrets(context);
  const services: PluginServices = {
    keyFor: (address) => keys.get(address),
    log: (plugin, text) => log.info(`${plugin}: ${text}`),
  };
  const extensionPlugins = new ExtensionPlugins(announced, services);
  const mcpSignIns = new McpSignIns(context, mcpSecrets);
  const consents = new Consents(join(storage, "plugin-consents.json"));
  const parts: PluginParts = {
    consents,
    mcp: {
      client: async () => require("./mcp.cjs") as typeof import("../../plugins/mcp/sdk-client.ts"),
      findSecret: async (kind, name, server) =>
        kind === "env" ? process.env[name] : mcpSecrets.find(server, name),
      auth: (server, url) => mcpSignIns.stored(server, url),
      signIn: (server, folder) => mcpSignIns.signIn(server, folder),
      elicit: ({ id }, run, request, signal) =>
        elicited(id, request, {
          ask: async (question) => userOf(run)?.ask(write(question), signal),
          tell: (text) => void showMessage("warning", text),
          open: async (url) => vscode.env.openExternal(vscode.Uri.parse(url, true)),
        }),
    },
    userFolder: join(homedir(), ".autogpt", "plugins"),
    storage: join(storage, "plugin-copies"),
    named: [],
    classicBridge: join(context.extensionPath, "dist", "classic_bridge.py"),
    runner: join(context.extensionPath, "dist", "plugin-runner.mjs"),
    pythonInterpreter: async (folder) =>
      readSettings().python.interpreter || (await chosenInterpreter(folder)),
    language: shellLanguage(shellProgram().name, grammarsIn(join(context.extensionPath, "dist"))),
    own: {
      ...services,
      storage,
      loadEmail: async () =>
        require("./email.cjs") as typeof import("../../plugins/own/email/email-plugin.ts"),
      loadOpenApi: async () =>
        require("./openapi.cjs") as typeof import("../../plugins/own/openapi/openapi-plugin.ts"),
    },
  };
  const all = [extensionPlugins, ...pluginSources(parts), editorToolPlugins(toolPort(tools))];
  const withModels = new PluginCatalog([extensionPlugins, pythonPlugins(parts)], consents, "editor");
  return {
    plugins: new PluginCatalog(all, consents, "editor"),
    extensionPlugins,
    mcpSecrets,
    memoryStores: new PluginMemoryStores(),
    pluginModels: new PluginModels(withModels, {
      place: () => ({ folder: join(storage, "plugin-models"), isTrusted: false, settings: readSettings() }),
      redaction: async () => makeSecrets(await keys.all()).redact,
    }),
  };
}

function toolPort(tools: EditorTools): ToolPort {
  return {
    list: () => tools.list(),
    owners: () => vscode.extensions.all.flatMap(toolOwner),
    invoke: async (name, args, signal) => toolText(await tools.invoke(name, args, signal)),
  };
}

/** The tools that an extension announces; it isn't activated for it. */
function toolOwner({ id, packageJSON }: vscode.Extension<unknown>): readonly ToolOwner[] {
  const { displayName, isBuiltin, contributes } = packageJSON;
  const announced: readonly { readonly name?: unknown }[] = contributes?.languageModelTools ?? [];
  if (announced.length === 0) return [];
  const isBuiltIn = isBuiltin === true || /^(?:vscode|github)\./i.test(id);
  return [
    { id, name: String(displayName ?? id), isBuiltIn, tools: announced.map(({ name }) => String(name)) },
  ];
}

/** The texts of a result. Pictures and other data are only named. */
function toolText({ content }: vscode.LanguageModelToolResult): string {
  const texts = content.map((part) => {
    if (part instanceof vscode.LanguageModelTextPart) return part.value;
    if (part instanceof vscode.LanguageModelPromptTsxPart) return JSON.stringify(part.value);
    return "[data that isn't text]";
  });
  return texts.join("\n").trim();
}

/** The plugins that installed extensions announce; no extension is activated for it. */
function announced() {
  return vscode.extensions.all.flatMap((extension) =>
    announcedIn(extension.packageJSON, async () => extension.activate()),
  );
}

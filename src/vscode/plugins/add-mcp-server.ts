import { dirname } from "node:path";
import * as vscode from "vscode";
import { isObject, type Json } from "../../core/base/json.ts";
import { escapeForApproval, escapeInvisible } from "../../core/base/text.ts";
import { getPluginKey, type PluginCatalog } from "../../plugins/catalog.ts";
import {
  addServerToWorkspace,
  createAddressEntry,
  type NewServer,
  parseTypedCommand,
  prepareNewServer,
  suggestServerName,
} from "../../plugins/mcp/add-server.ts";
import { KNOWN_SERVERS } from "../../plugins/mcp/known-servers.ts";
import { checkServerAddress, WORKSPACE_FILE } from "../../plugins/mcp/servers.ts";
import type { FoundPlugin, PluginOrigin, PluginPlace } from "../../plugins/plugin.ts";
import { makeSecrets } from "../../runs/log/secrets.ts";
import { shareFolder } from "../../runs/store/run-folder.ts";
import type { McpServerValues } from "../../schema/mcp-values.ts";
import { t, write } from "../../texts/language.ts";
import { readSettings } from "../host/settings.ts";

/** The plugins that a server is added to. */
interface AddServerParts {
  readonly plugins: PluginCatalog;
}

/**
 * Adds an MCP server: a well-known one by its id, or one by a command or an address. What holds this door: no file gets a secret, the
 * user sees everything that would run, and nothing starts without the user's consent to exactly that.
 */
export async function addMcpServer(parts: AddServerParts, way: string, place: PluginPlace): Promise<void> {
  if (way === "import") return void (await vscode.commands.executeCommand("autogpt.importMcpServers"));
  const known = KNOWN_SERVERS.find(({ id }) => id === way);
  const values = known?.values ?? (await askForValues(way));
  if (!values) return;
  const taken = (await parts.plugins.list(place))
    .filter(({ plugin }) => plugin.kind === "mcp")
    .map(({ plugin }) => plugin.id);
  const id = await askForName(values, taken, known?.id ?? suggestServerName(values));
  const from = id === undefined ? undefined : await askForPlace(id, place);
  if (id === undefined || from === undefined) return;
  const server = prepare(id, values, from, taken);
  if (!("shown" in server)) {
    void vscode.window.showErrorMessage(server.problem);
    return;
  }
  const answer = await confirm(server, from);
  if (answer === undefined) return;
  await writeServer(server, from, place.folder);
  if (answer === "allow") await allowIfSame(parts, server, place);
}

function prepare(
  id: string,
  values: McpServerValues,
  from: PluginOrigin,
  taken: readonly string[],
): NewServer | { readonly problem: string } {
  const prepared = prepareNewServer(id, values, { from, taken, redact: makeSecrets([]).redact });
  return typeof prepared === "object" && "shown" in prepared ? prepared : { problem: write(prepared) };
}

async function askForValues(way: string): Promise<McpServerValues | undefined> {
  if (way === "command") {
    const line = await vscode.window.showInputBox({
      title: t("mcp.addCommand"),
      prompt: t("mcp.addCommandPrompt"),
      placeHolder: "npx -y @modelcontextprotocol/server-filesystem ${workspaceFolder}",
      ignoreFocusOut: true,
      validateInput: (text) => (text === "" || parseTypedCommand(text) ? undefined : t("mcp.addCommandWrong")),
    });
    return line === undefined ? undefined : parseTypedCommand(line);
  }
  if (way !== "address") return undefined;
  const url = await vscode.window.showInputBox({
    title: t("mcp.addAddress"),
    prompt: t("mcp.addAddressPrompt"),
    placeHolder: "https://example.com/mcp",
    ignoreFocusOut: true,
    validateInput: (text) => {
      const problem = text === "" ? undefined : checkServerAddress(text, text);
      return problem && write(problem);
    },
  });
  return url ? askForHeader(url) : undefined;
}

/** Asks for a header with a token. The token itself is asked for when the server starts, and never written. */
async function askForHeader(url: string): Promise<McpServerValues | undefined> {
  const header = await vscode.window.showInputBox({
    title: t("mcp.addHeader"),
    prompt: t("mcp.addHeaderPrompt"),
    ignoreFocusOut: true,
    validateInput: (text) => (/^[\w-]*$/.test(text) ? undefined : t("mcp.addHeaderWrong")),
  });
  return header === undefined ? undefined : createAddressEntry(url, header);
}

async function askForName(
  values: McpServerValues,
  taken: readonly string[],
  value: string,
): Promise<string | undefined> {
  return vscode.window.showInputBox({
    title: t("mcp.addName"),
    prompt: t("mcp.addNamePrompt"),
    value,
    ignoreFocusOut: true,
    validateInput: (id) => {
      const server = prepare(id, values, "user", taken);
      return "shown" in server ? undefined : server.problem;
    },
  });
}

/** Asks where the server is kept; only a trusted workspace is offered beside the user's settings. */
async function askForPlace(name: string, { isTrusted }: PluginPlace): Promise<PluginOrigin | undefined> {
  if (!isTrusted) return "user";
  const rows = [
    { label: t("mcp.addToUser"), detail: t("mcp.addToUserDetail"), from: "user" },
    {
      label: t("mcp.addToWorkspace"),
      detail: t("mcp.addToWorkspaceDetail", { file: WORKSPACE_FILE.join("/") }),
      from: "workspace",
    },
  ] as const;
  return (await vscode.window.showQuickPick(rows, { title: t("mcp.addPlace", { name }), ignoreFocusOut: true }))?.from;
}

/** Shows all of the entry. Only one of the user's own can be allowed here: a workspace's consent also covers the files it starts. */
async function confirm({ id, shown, inputs }: NewServer, from: PluginOrigin): Promise<"add" | "allow" | undefined> {
  const secrets = inputs.length === 0 ? [] : ["", t("mcp.addInputs", { names: inputs.join(", ") })];
  const detail = [shown, ...secrets].map(escapeForApproval).join("\n");
  const [add, allow] = [t("mcp.addButton"), t("mcp.addAndAllowButton")];
  const buttons = from === "user" ? [allow, add] : [add];
  const question = t("mcp.addQuestion", { name: escapeInvisible(id) });
  const answer = await vscode.window.showInformationMessage(question, { modal: true, detail }, ...buttons);
  return answer === undefined ? undefined : answer === allow ? "allow" : "add";
}

async function writeServer(server: NewServer, from: PluginOrigin, folder: string): Promise<void> {
  if (from === "user") return changeServers((servers) => ({ ...servers, [server.id]: server.values }));
  await shareFolder(dirname(await addServerToWorkspace(folder, server)));
}

/** Allows the added server if its entry is just what the dialog has shown, and starts it. */
async function allowIfSame({ plugins }: AddServerParts, { id, shown }: NewServer, place: PluginPlace): Promise<void> {
  const now = { ...place, settings: readSettings() };
  const listed = await plugins.list(now);
  const found = listed.find(({ plugin }) => plugin.kind === "mcp" && plugin.from === "user" && plugin.id === id);
  if (found?.state !== "new" || found.plugin.consent?.shown !== shown) return;
  await plugins.answer(found.plugin, place.folder, true);
  startAllowedServer(plugins, found.plugin, now);
}

/** Starts a server that the user has just allowed. The page shows why it failed. */
export function startAllowedServer(plugins: PluginCatalog, plugin: FoundPlugin, place: PluginPlace): void {
  void plugins.start(place, getPluginKey(plugin)).catch(() => undefined);
}

/** Changes the servers in the user's own settings. Entries that can't be read stay as they are. */
export async function changeServers(change: (servers: Json) => Json): Promise<void> {
  const settings = vscode.workspace.getConfiguration("autogpt");
  const now = settings.inspect("mcp.servers")?.globalValue;
  await settings.update("mcp.servers", change(isObject(now) ? now : {}), vscode.ConfigurationTarget.Global);
}

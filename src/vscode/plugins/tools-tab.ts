import * as vscode from "vscode";
import type { ListedPlugin } from "../../plugins/catalog.ts";
import { createToolsPage } from "../../plugins/tools-page.ts";
import type { PanelRequest, PanelUpdate } from "../../schema/panel-messages.ts";
import { t } from "../../texts/language.ts";
import { PageTab } from "../panel/page-tab.ts";
import { addMcpServer } from "./add-mcp-server.ts";
import { findSecretAddress, getManagedPlace, type ManagePluginsParts, takePluginStep } from "./manage-plugins.ts";
import type { McpSecrets, SecretOwner } from "./mcp-secrets.ts";

/** Dependencies of the page of tools and plugins. */
export interface ToolsTabDependencies extends ManagePluginsParts {
  readonly extensionUri: vscode.Uri;
  readonly mcpSecrets: McpSecrets;
  readonly onServerChange: vscode.Event<void>;
  /** Handles requests that aren't about plugins. */
  handleOtherRequest(message: PanelRequest, reply: (message: PanelUpdate) => void): Promise<void>;
}

/** The page of tools and plugins in an editor tab. Showing it starts nothing. */
export function createToolsTab(parts: ToolsTabDependencies): PageTab {
  const { plugins, mcpSecrets } = parts;
  const tab: PageTab = new PageTab({
    extensionUri: parts.extensionUri,
    viewType: "autogpt.tools",
    getTitle: () => t("plugins.page"),
    sendContent: async (send) => {
      const place = getManagedPlace();
      const tools = await createToolsPage(await plugins.list(place), {
        settings: place.settings,
        canTakeSecret: (listed) => findSecretAddress(listed, place) !== undefined,
        hasSecret: (listed, name) => mcpSecrets.has(getSecretOwner(listed), name),
      });
      send({ type: "tools", tools });
    },
    receive: async (message, reply) => {
      const place = getManagedPlace();
      switch (message.type) {
        case "changePlugin": {
          const found = await plugins.find(place, message.key);
          if (found) await takePluginStep(parts, message.step, found, place);
          return tab.refresh();
        }
        case "changeSecret": {
          const found = await plugins.find(place, message.key);
          if (found) await changeSecret(mcpSecrets, found, message);
          return tab.refresh();
        }
        case "addServer":
          await addMcpServer(parts, message.way, place);
          return tab.refresh();
        case "checkPlugins":
          return tab.refresh();
        default:
          return parts.handleOtherRequest(message, reply);
      }
    },
  });
  return tab;
}

/** Refreshes the page when servers, settings or the workspace's file change, and closes it on disposal. */
export function followTools(tab: PageTab, onServerChange: vscode.Event<void>): vscode.Disposable {
  return vscode.Disposable.from(
    tab,
    onServerChange(() => tab.refresh()),
    vscode.workspace.onDidSaveTextDocument(({ uri }) => {
      if (uri.path.includes("/.autogpt/")) tab.refresh();
    }),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("autogpt")) tab.refresh();
    }),
  );
}

/** Changes a secret that the server's entry names; any other name is ignored. */
async function changeSecret(
  secrets: McpSecrets,
  listed: ListedPlugin,
  { name, change }: Extract<PanelRequest, { readonly type: "changeSecret" }>,
): Promise<void> {
  if (!listed.plugin.server?.inputs.includes(name)) return;
  const owner = getSecretOwner(listed);
  if (change === "remove") await secrets.remove(owner, name);
  else await secrets.ask(owner, name);
}

function getSecretOwner({ plugin }: ListedPlugin): SecretOwner {
  return { id: plugin.id, from: plugin.from, hash: plugin.consent?.hash ?? "" };
}

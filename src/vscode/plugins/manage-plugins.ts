import * as vscode from "vscode";
import { assertNever } from "../../core/base/errors.ts";
import { escapeForApproval, escapeInvisible } from "../../core/base/text.ts";
import { parseSecretAddress } from "../../plugins/call-context.ts";
import type { ListedPlugin, PluginCatalog } from "../../plugins/catalog.ts";
import { listOwnSecrets } from "../../plugins/own/own-settings.ts";
import type { PluginPlace, PluginPrompt } from "../../plugins/plugin.ts";
import { getPluginSetting, listPluginFacts, renderPluginDocument } from "../../plugins/plugin-list.ts";
import type { PluginStep } from "../../schema/plugin-values.ts";
import { fail } from "../../texts/display-text.ts";
import { t, write } from "../../texts/language.ts";
import { showMessage, showProgress, showSettings } from "../host/notifications.ts";
import type { Starter } from "../host/starter.ts";
import type { TextDocuments } from "../views/text-documents.ts";
import { openFolders } from "../workspace/folders.ts";
import { createPluginPlace } from "../workspace/mentioned-context.ts";
import { changeServers, startAllowedServer } from "./add-mcp-server.ts";

/** Dependencies of the list of plugins. */
export interface ManagePluginsParts {
  readonly plugins: PluginCatalog;
  readonly documents: TextDocuments;
  readonly starter: Starter;
  readonly channel: Pick<vscode.LogOutputChannel, "show">;
}

/** Actions about plugins. */
export function createPluginActions(parts: ManagePluginsParts, showTools: () => void) {
  return {
    openTools: async () => showTools(),
    managePlugins: async () => showTools(),
    signInToMcpServer: () => signInToServer(parts),
  };
}

/** The folder whose plugins are managed. */
export function getManagedPlace(): PluginPlace {
  return createPluginPlace(openFolders()[0]?.path);
}

/** Where the password or key of one of our own plugins is stored. */
export function findSecretAddress({ plugin }: ListedPlugin, { settings }: PluginPlace): string | undefined {
  const secrets = plugin.kind === "own" ? listOwnSecrets(settings.plugins.config) : [];
  return secrets.find(({ address }) => parseSecretAddress(address)?.plugin === plugin.id.toLowerCase())?.address;
}

/** Lets the user pick a server with an address and sign in to it. */
async function signInToServer({ plugins }: ManagePluginsParts): Promise<void> {
  const listed = await plugins.list(getManagedPlace());
  // A workspace's server isn't contacted before it's allowed.
  const servers = listed.filter(
    ({ plugin, state }) => plugin.account && (state === "on" || (plugin.from === "user" && state !== "broken")),
  );
  if (servers.length === 0) fail("mcp.signInNone");
  const rows = servers.map(({ plugin }) => ({
    label: escapeInvisible(plugin.name),
    description: plugin.description,
    plugin,
  }));
  const picked = await vscode.window.showQuickPick(rows, { title: t("mcp.signInTitle") });
  await picked?.plugin.account?.signIn();
}

/** Carries out a step that the user has chosen for a plugin. */
export async function takePluginStep(
  parts: ManagePluginsParts,
  step: PluginStep,
  listed: ListedPlugin,
  place: PluginPlace,
): Promise<void> {
  const { plugins, documents, channel } = parts;
  const { plugin } = listed;
  switch (step) {
    case "allow":
      return allow(parts, listed, place);
    case "deny":
      await plugins.answer(plugin, place.folder, false);
      return plugin.server?.stop();
    case "forget":
      await plugins.forget(plugin, place.folder);
      return plugin.server?.stop();
    case "start":
      return startAllowedServer(plugins, plugin, place);
    case "remove":
      return removeServer(plugin);
    case "prompt":
      return startWithPrompt(parts, listed);
    case "look":
      await documents.show(formatDocumentTitle(listed), escapeForApproval(renderPluginDocument(listed, write)), {
        preserveFocus: false,
      });
      return;
    case "compare":
      return compare(documents, listed);
    case "configure":
      return showSettings(getPluginSetting(listed));
    case "open":
      if (plugin.file !== undefined) await vscode.window.showTextDocument(vscode.Uri.file(plugin.file));
      return;
    case "secret":
      await vscode.commands.executeCommand("autogpt.setApiKey", findSecretAddress(listed, place));
      return;
    case "signIn":
      return plugin.account?.signIn();
    case "signOut":
      await plugin.account?.signOut();
      void showMessage("info", t("mcp.signedOut", { name: escapeInvisible(plugin.name) }));
      return;
    case "log":
      return channel.show(true);
    default:
      return assertNever(step);
  }
}

/** Allows a plugin as the dialog has shown it. A server then starts, so that its tools are known. */
async function allow(parts: ManagePluginsParts, listed: ListedPlugin, place: PluginPlace): Promise<void> {
  if (!(await confirmPlugin(listed))) return;
  await parts.plugins.answer(listed.plugin, place.folder, true);
  if (listed.plugin.server) startAllowedServer(parts.plugins, listed.plugin, place);
}

/** Removes a server from the user's settings after confirmation. */
async function removeServer({ id, from, server }: ListedPlugin["plugin"]): Promise<void> {
  const button = t("plugins.removeButton");
  const question = t("plugins.removeQuestion", { name: escapeInvisible(id) });
  if (from !== "user" || (await vscode.window.showWarningMessage(question, { modal: true }, button)) !== button) return;
  await server?.stop();
  await changeServers(({ [id]: _removed, ...rest }) => rest);
}

/** Shows everything that the user would allow, as far as it fits into a dialog, and asks. */
async function confirmPlugin(listed: ListedPlugin): Promise<boolean> {
  const { plugin } = listed;
  if (!plugin.consent) return true;
  const allow = t("plugins.allowButton");
  const facts = [...listPluginFacts(listed).map(write), "", plugin.consent.shown].map(escapeForApproval).join("\n");
  const isLong = facts.length > MAX_DETAIL;
  const detail = isLong ? `${facts.slice(0, MAX_DETAIL)}…\n\n${t("plugins.longConsent")}` : facts;
  const question = t("plugins.askAllow", { name: escapeInvisible(plugin.name) });
  const answer = await vscode.window.showWarningMessage(question, { modal: true, detail }, allow);
  return answer === allow;
}

/** Longer dialogs get unwieldy in VS Code. */
const MAX_DETAIL = 3_000;

/** Compares the version that the user agreed to with the current one. */
async function compare(documents: TextDocuments, listed: ListedPlugin): Promise<void> {
  const { name } = listed.plugin;
  const before = documents.add(t("plugins.beforeTitle", { name }), escapeForApproval(listed.before ?? ""));
  const now = documents.add(formatDocumentTitle(listed), escapeForApproval(listed.plugin.consent?.shown ?? ""));
  await vscode.commands.executeCommand("vscode.diff", before, now, t("plugins.compareTitle", { name }));
}

function formatDocumentTitle({ plugin }: ListedPlugin): string {
  return t("plugins.documentTitle", { name: escapeInvisible(plugin.name).replaceAll("/", " ") });
}

/** Lets the user pick and fill in a server's template, shows the resulting task, and starts the agent with it. */
async function startWithPrompt({ starter }: ManagePluginsParts, { plugin }: ListedPlugin): Promise<void> {
  const { prompts } = plugin;
  if (!prompts) return;
  const name = escapeInvisible(plugin.name);
  await starter.demandStart();
  const found = await showProgress(t("plugins.promptLoading", { name }), (signal) => prompts.list(signal));
  if (found.length === 0) {
    void vscode.window.showInformationMessage(t("plugins.noPrompts", { name }));
    return;
  }
  const rows = found.map((prompt) => ({
    label: escapeInvisible(prompt.name),
    detail: prompt.description,
    prompt,
  }));
  const picked = await vscode.window.showQuickPick(rows, { title: t("plugins.promptTitle", { name }) });
  const args = picked && (await askForArguments(picked.prompt));
  if (!picked || !args) return;
  const task = await showProgress(t("plugins.promptLoading", { name }), (signal) =>
    prompts.fetchText(picked.prompt.name, args, signal),
  );
  const start = t("plugins.promptButton");
  const question = t("plugins.promptQuestion", { name });
  const answer = await vscode.window.showWarningMessage(
    question,
    { modal: true, detail: escapeForApproval(task) },
    start,
  );
  if (answer !== start) return;
  const source = { kind: "tool", name: plugin.name } as const;
  await starter.startTask({ task, mode: "ask", sources: [source] });
  await vscode.commands.executeCommand("autogpt.panel.focus");
}

/** Asks for a template's arguments; undefined if the user cancels one. */
async function askForArguments(prompt: PluginPrompt): Promise<Readonly<Record<string, string>> | undefined> {
  const values: Record<string, string> = {};
  for (const { name, description, isRequired } of prompt.arguments) {
    const value = await vscode.window.showInputBox({
      title: escapeInvisible(name),
      prompt: description,
      ignoreFocusOut: true,
    });
    if (value === undefined || (isRequired && value === "")) return undefined;
    if (value !== "") values[name] = value;
  }
  return values;
}

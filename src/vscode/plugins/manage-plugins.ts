import * as vscode from "vscode";
import { assertNever } from "../../core/base/errors.ts";
import { omitUndefined } from "../../core/base/objects.ts";
import { escapeForApproval, escapeInvisible } from "../../core/base/text.ts";
import { findMentionedActions, getActionLabel, type NamedAction } from "../../core/ports/model-source.ts";
import { formatDisplayLine } from "../../editor/panel/notification-text.ts";
import { parseSecretAddress } from "../../plugins/call-context.ts";
import type { ListedPlugin, PluginCatalog } from "../../plugins/catalog.ts";
import { listOwnSecrets } from "../../plugins/own/own-settings.ts";
import type { PluginPlace, PluginPrompt } from "../../plugins/plugin.ts";
import {
  describePluginState,
  getPluginSetting,
  groupPlugins,
  listPluginFacts,
  listPluginSteps,
  type PluginStep,
  renderPluginDocument,
} from "../../plugins/plugin-list.ts";
import { displayText, fail } from "../../texts/display-text.ts";
import { t, write } from "../../texts/language.ts";
import { carryOutNamed, showMessage, showProgress, showSettings } from "../host/notifications.ts";
import type { Starter } from "../host/starter.ts";
import type { TextDocuments } from "../views/text-documents.ts";
import { openFolders } from "../workspace/folders.ts";
import { createPluginPlace } from "../workspace/mentioned-context.ts";

/** Dependencies of the list of plugins. */
export interface ManagePluginsParts {
  readonly plugins: PluginCatalog;
  readonly documents: TextDocuments;
  readonly starter: Starter;
  readonly channel: Pick<vscode.LogOutputChannel, "show">;
}

/** Actions about plugins. */
export function createPluginActions(parts: ManagePluginsParts) {
  return {
    managePlugins: () => managePlugins(parts),
    signInToMcpServer: () => signInToServer(parts),
  };
}

/** Lists all plugins until the user closes the list. */
async function managePlugins(parts: ManagePluginsParts): Promise<void> {
  for (;;) {
    const place = createPluginPlace(openFolders()[0]?.path);
    const listed = await parts.plugins.list(place);
    if (listed.length === 0) {
      void showMessage("info", displayText("plugins.none"));
      return;
    }
    const picked = await vscode.window.showQuickPick(buildPluginRows(listed), {
      title: t("plugins.listTitle"),
      placeHolder: t("plugins.listHint"),
      matchOnDescription: true,
      matchOnDetail: true,
    });
    if (!picked?.listed || !(await decide(parts, picked.listed, place))) return;
  }
}

interface PluginRow extends vscode.QuickPickItem {
  readonly listed?: ListedPlugin;
}

function buildPluginRows(listed: readonly ListedPlugin[]): readonly PluginRow[] {
  return groupPlugins(listed).flatMap((group): readonly PluginRow[] => [
    { label: write(group.title), kind: vscode.QuickPickItemKind.Separator },
    ...group.listed.map(createPluginItem),
  ]);
}

function createPluginItem(listed: ListedPlugin) {
  const { plugin } = listed;
  return {
    label: escapeInvisible(plugin.name),
    description: write(describePluginState(listed)),
    detail: [plugin.description, ...listPluginFacts(listed).map(write)]
      .filter((text) => text !== "")
      .map(escapeInvisible)
      .join(" · "),
    listed,
  };
}

/** Asks what to do with a plugin. False if the list can close. */
async function decide(parts: ManagePluginsParts, listed: ListedPlugin, place: PluginPlace): Promise<boolean> {
  const { plugin } = listed;
  const isSignedIn = await plugin.account?.hasSignIn();
  const secret = findSecretAddress(listed, place);
  const facts = { ...omitUndefined({ isSignedIn }), takesSecret: secret !== undefined };
  const remedies = findMentionedActions(listed.problem ?? "").map((named) => ({
    label: write(getActionLabel(named)),
    ...(named.kind === "setting" ? { description: named.setting } : {}),
    named,
  }));
  const steps = listPluginSteps(listed, facts)
    .filter((step) => step !== "configure" || !remedies.some(({ named }) => named.kind === "setting"))
    .map((step) => ({ label: t(`plugins.step.${step}`), step }));
  const picked = await vscode.window.showQuickPick<StepRow>([...remedies, ...steps], {
    title: t("plugins.stepTitle", { name: escapeInvisible(plugin.name), state: describePluginState(listed) }),
    placeHolder: formatDisplayLine(write(listed.problem ?? plugin.isolation)),
  });
  if (!picked) return true;
  if (picked.named) await carryOutNamed(picked.named);
  return picked.step === undefined ? false : carryOut(parts, picked.step, listed, place);
}

interface StepRow extends vscode.QuickPickItem {
  readonly step?: PluginStep;
  readonly named?: NamedAction;
}

/** Where the password or key of one of our own plugins is stored. */
function findSecretAddress({ plugin }: ListedPlugin, { settings }: PluginPlace): string | undefined {
  const secrets = plugin.kind === "own" ? listOwnSecrets(settings.plugins.config) : [];
  return secrets.find(({ address }) => parseSecretAddress(address)?.plugin === plugin.id.toLowerCase())?.address;
}

/** Lets the user pick a server with an address and sign in to it. */
async function signInToServer({ plugins }: ManagePluginsParts): Promise<void> {
  const listed = await plugins.list(createPluginPlace(openFolders()[0]?.path));
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

async function carryOut(
  parts: ManagePluginsParts,
  step: PluginStep,
  listed: ListedPlugin,
  place: PluginPlace,
): Promise<boolean> {
  const { plugins, documents, channel } = parts;
  const { plugin } = listed;
  switch (step) {
    case "allow":
      if (await confirmPlugin(listed)) await plugins.answer(plugin, place.folder, true);
      return true;
    case "deny":
      await plugins.answer(plugin, place.folder, false);
      return true;
    case "forget":
      await plugins.forget(plugin, place.folder);
      return true;
    case "prompt":
      await startWithPrompt(parts, listed);
      return false;
    case "look":
      await documents.show(formatDocumentTitle(listed), escapeForApproval(renderPluginDocument(listed, write)), {
        preserveFocus: false,
      });
      return false;
    case "compare":
      await compare(documents, listed);
      return false;
    case "configure":
      await showSettings(getPluginSetting(listed));
      return false;
    case "open":
      if (plugin.file !== undefined) await vscode.window.showTextDocument(vscode.Uri.file(plugin.file));
      return false;
    case "secret":
      await vscode.commands.executeCommand("autogpt.setApiKey", findSecretAddress(listed, place));
      return false;
    case "signIn":
      await plugin.account?.signIn();
      return true;
    case "signOut":
      await plugin.account?.signOut();
      void showMessage("info", t("mcp.signedOut", { name: escapeInvisible(plugin.name) }));
      return true;
    case "log":
      channel.show(true);
      return false;
    default:
      return assertNever(step);
  }
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

import { setTimeout as wait } from "node:timers/promises";
import * as vscode from "vscode";
import { assertNever } from "../../core/base/errors.ts";
import { findMentionedActions, getActionLabel, type NamedAction } from "../../core/ports/model-source.ts";
import type { Log } from "../../editor/panel/log.ts";
import { formatDisplayLine } from "../../editor/panel/notification-text.ts";
import { SETTINGS } from "../../schema/settings.ts";
import { getErrorText, type Sentence } from "../../texts/display-text.ts";
import { t, write } from "../../texts/language.ts";
import { readSettings } from "./settings.ts";

/** Runs an action and shows its error once, as a sentence. Canceling isn't an error. */
export async function reportErrors(log: Log, act: () => Promise<unknown>): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (error instanceof vscode.CancellationError) return;
    log.error(error instanceof Error ? error : String(error));
    showError(error);
  }
}

/** Shows the error of a background task, with a button for each action that it names. Cancellation isn't an error. */
export function showError(error: unknown): void {
  if (!(error instanceof vscode.CancellationError)) void showMessage("error", getErrorText(error));
}

type Kind = "info" | "warning" | "error";

/** Shows a message with a button for each action that it names, and runs the chosen one. Returns the button's text. */
export async function showMessage(
  kind: Kind,
  message: Sentence,
  ...buttons: readonly string[]
): Promise<string | undefined> {
  const named = findMentionedActions(message);
  const labels = named.map((one) => write(getActionLabel(one)));
  const picked = await getMessageFunction(kind)(formatDisplayLine(write(message)), ...labels, ...buttons);
  const chosen = named.find((_one, index) => labels[index] === picked);
  if (chosen) await carryOutNamed(chosen);
  return picked;
}

function getMessageFunction(kind: Kind): (message: string, ...buttons: string[]) => Thenable<string | undefined> {
  switch (kind) {
    case "info":
      return vscode.window.showInformationMessage;
    case "warning":
      return vscode.window.showWarningMessage;
    case "error":
      return vscode.window.showErrorMessage;
  }
}

/** Runs an action that a message names. */
async function carryOutNamed(named: NamedAction): Promise<void> {
  if (named.kind === "setting") return openSetting(named.setting);
  switch (named.action) {
    case "setApiKey":
      return void (await vscode.commands.executeCommand("autogpt.setApiKey", "model"));
    case "openTools":
    case "importMcpServers":
    case "signInToMcpServer":
    case "shareMemory":
    case "clearMemory":
    case "chooseEmbedding":
      return void (await vscode.commands.executeCommand(`autogpt.${named.action}`));
    case "selectModel":
      return void (await vscode.commands.executeCommand("autogpt.selectModel"));
    case "useServer":
      return void (await vscode.commands.executeCommand("autogpt.selectModel", "server"));
    default:
      return assertNever(named.action);
  }
}

/** Opens one of AutoGPT's settings, or asks for its entries if it's a list of isolated runs. */
export async function openSetting(setting: string): Promise<void> {
  if (!/^autogpt(\.\w+)+$/.test(setting)) return;
  const { hosts, lend } = readSettings().isolation;
  if (setting === "autogpt.isolation.hosts")
    return editList(setting, hosts, {
      title: t("isolation.hostsTitle"),
      prompt: t("isolation.hostsPrompt"),
      placeHolder: "registries, example.com",
    });
  if (setting === "autogpt.isolation.lend")
    return editList(setting, lend, {
      title: t("isolation.lendTitle"),
      prompt: t("isolation.lendPrompt"),
      placeHolder: ".env.test, config/*.key",
    });
  await showSettings(setting);
}

/** Shows settings on the page where they can be changed. In a remote window, machine settings have their own page. */
export async function showSettings(query: string): Promise<void> {
  const isOfMachine =
    vscode.env.remoteName !== undefined &&
    Object.entries(SETTINGS).some(([name, { scope }]) => scope === "machine" && `autogpt.${name}`.startsWith(query));
  const page = isOfMachine ? "openRemoteSettings" : "openSettings";
  await vscode.commands.executeCommand(`workbench.action.${page}`, { query });
}

/** Asks for the entries of a list in the settings. */
async function editList(setting: string, entries: readonly string[], texts: vscode.InputBoxOptions): Promise<void> {
  const value = entries.join(", ");
  const answer = await vscode.window.showInputBox({ ...texts, value, ignoreFocusOut: true });
  if (answer === undefined) return;
  // A comma in braces is part of a pattern.
  const chosen = answer.split(/,(?![^{]*\})/).map((entry) => entry.trim());
  const list = [...new Set(chosen.filter((entry) => entry !== ""))];
  await vscode.workspace.getConfiguration().update(setting, list, vscode.ConfigurationTarget.Global);
}

/** A notification for less time than that, in ms, only flickers. */
const QUICK_MS = 500;

/**
 * Shows a progress notification while an action runs, unless it's over soon: VS Code shows only two new notifications in 0.8 seconds, so a
 * result that comes right after such ones wouldn't be seen. The signal aborts when the user cancels.
 */
export async function showProgress<T>(
  title: string,
  act: (signal: AbortSignal, report: (text: Sentence) => void) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  let last: Sentence | undefined;
  let report = (text: Sentence): void => {
    last = text;
  };
  const result = act(controller.signal, (text) => report(text));
  const over = result.then(
    () => true,
    () => true,
  );
  if (await Promise.race([over, wait(QUICK_MS, false)])) return result;
  const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
  return vscode.window.withProgress(options, async (progress, token) => {
    const subscription = token.onCancellationRequested(() => controller.abort(new vscode.CancellationError()));
    report = (text) => progress.report({ message: formatDisplayLine(write(text)) });
    if (last) report(last);
    try {
      return await result;
    } finally {
      subscription.dispose();
    }
  });
}

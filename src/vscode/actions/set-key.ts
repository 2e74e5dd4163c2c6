import * as vscode from "vscode";
import { formatDisplayLine } from "../../editor/panel/notification-text.ts";
import { checkKey, createKeyAnswer, type KeyAnswer, type KeyCheck } from "../../models/catalog/check-key.ts";
import { isSendable } from "../../models/http/endpoint.ts";
import { getKeyOrigin, type KeyRing } from "../../runtime/services/key-ring.ts";
import { createKeyToCheck, type KeyService } from "../../runtime/services/key-services.ts";
import { t, write } from "../../texts/language.ts";
import { showMessage, showProgress } from "../host/notifications.ts";
import { readSettings } from "../host/settings.ts";

/** Dependencies of entering a key. */
interface KeyEntry {
  readonly keys: KeyRing;
  /** Called after a key was stored. */
  notifySetupChanged(): void;
}

/** Asks for a service's key, checks it with that service, and reports the result. Undefined when no key was entered. */
export async function enterKey(entry: KeyEntry, service: KeyService): Promise<KeyCheck["verdict"] | undefined> {
  const key = await askForKey(service);
  return key === undefined ? undefined : takeKey(entry, service, key);
}

/** Checks a key with its service and reports the result. Stores the key, unless it's rejected and there is another one. */
export async function takeKey(entry: KeyEntry, service: KeyService, key: string): Promise<KeyCheck["verdict"]> {
  const { keys, notifySetupChanged: changed } = entry;
  const { address } = service;
  const hasOther = (await keys.get(address)) !== undefined;
  const check = await showProgress(t("models.checkingKey", { origin: getKeyOrigin(address) }), (signal) =>
    checkKey(createKeyToCheck(service, key, readSettings()), signal).catch((error: unknown) => {
      if (signal.aborted) return undefined;
      throw error;
    }),
  );
  const answer = createKeyAnswer(check, hasOther);
  const save = async (): Promise<void> => {
    await keys.set(address, key);
    changed();
  };
  if (answer.saves) await save();
  const actions: Readonly<Record<string, () => Promise<unknown>>> = {
    [t("models.changeKeyButton")]: () => enterKey(entry, service),
    [t("actions.selectModelButton")]: async () => vscode.commands.executeCommand("autogpt.selectModel"),
    [t("models.saveAnywayButton")]: save,
  };
  const text = formatDisplayLine(write(answer.text));
  void showMessage(answer.kind, text, ...listButtons(check, answer)).then(
    (picked) => picked !== undefined && actions[picked]?.(),
  );
  return check?.verdict ?? "unknown";
}

function listButtons(check: KeyCheck | undefined, answer: KeyAnswer): readonly string[] {
  const change = t("models.changeKeyButton");
  switch (check?.verdict) {
    case "rejected":
      return answer.saves ? [change] : [change, t("models.saveAnywayButton")];
    case "accepted":
      return check.state?.kind === "connected" ? [t("actions.selectModelButton")] : [];
    case "unknown":
    case undefined:
      return answer.kind === "warning" ? [change] : [];
  }
}

/** Asks for a key; undefined when none was entered. */
export async function askForKey({ label, address, what, service }: KeyService): Promise<string | undefined> {
  const origin = getKeyOrigin(address);
  const isOneWord = service === "openai" || service === "azure";
  const key = await vscode.window.showInputBox({
    title: t("models.keyTitle", { name: label }),
    prompt: what === undefined ? t("models.keyPrompt", { origin }) : t("models.otherKeyPrompt", { what }),
    password: true,
    ignoreFocusOut: true,
    validateInput: (text) => {
      if (text.trim() === "") return t("models.keyMissing");
      return isOneWord && !isSendable(text.trim()) ? t("models.keyWithSpaces") : undefined;
    },
  });
  return key?.trim();
}

import * as vscode from "vscode";
import { checkKey, type KeyAnswer, type KeyCheck, keyAnswer } from "../../models/catalog/check-key.ts";
import { isSendable } from "../../models/http/endpoint.ts";
import { displayLine } from "../../panel/notification-text.ts";
import { type KeyRing, keyOrigin } from "../../services/key-ring.ts";
import { checkedKey, type KeyService } from "../../services/key-services.ts";
import { t, write } from "../../texts/language.ts";
import { showMessage, withProgress } from "../host/notifications.ts";
import { readSettings } from "../host/settings.ts";

/** Dependencies of entering a key. */
interface KeyEntry {
  readonly keys: KeyRing;
  /** Called after a key was stored. */
  changed(): void;
}

/** Asks for a service's key, checks it with that service, and reports the result. Undefined when no key was entered. */
export async function enterKey(
  entry: KeyEntry,
  service: KeyService,
): Promise<KeyCheck["verdict"] | undefined> {
  const key = await askForKey(service);
  return key === undefined ? undefined : takeKey(entry, service, key);
}

/** Checks an entered key with its service, stores it unless it's rejected in favor of another, and reports the result. */
export async function takeKey(
  entry: KeyEntry,
  service: KeyService,
  key: string,
): Promise<KeyCheck["verdict"]> {
  const { keys, changed } = entry;
  const { address } = service;
  const hasOther = (await keys.get(address)) !== undefined;
  const check = await withProgress(t("models.checkingKey", { origin: keyOrigin(address) }), (signal) =>
    checkKey(checkedKey(service, key, readSettings()), signal).catch((error: unknown) => {
      if (signal.aborted) return undefined;
      throw error;
    }),
  );
  const answer = keyAnswer(check, hasOther);
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
  const text = displayLine(write(answer.text));
  void showMessage(answer.kind, text, ...buttonsFor(check, answer)).then(
    (picked) => picked !== undefined && actions[picked]?.(),
  );
  return check?.verdict ?? "unknown";
}

function buttonsFor(check: KeyCheck | undefined, answer: KeyAnswer): readonly string[] {
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
  const origin = keyOrigin(address);
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

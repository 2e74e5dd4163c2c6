import * as vscode from "vscode";
import { checkKey, type KeyAnswer, type KeyCheck, keyAnswer } from "../../models/catalog/check-key.ts";
import { isSendable } from "../../models/http/endpoint.ts";
import { type KeyRing, keyOrigin } from "../../services/key-ring.ts";
import { checkedKey, type KeyService } from "../../services/key-services.ts";
import { showMessage, withProgress } from "../host/notifications.ts";
import { readSettings } from "../host/settings.ts";

/** Dependencies of entering a key. */
interface KeyEntry {
  readonly keys: KeyRing;
  /** Called after a key was stored. */
  changed(): void;
}

const CHANGE = "Change Key…";
const SAVE = "Save Anyway";
const SELECT = "Select Model…";

/** Asks for a service's key, checks it with that service, and reports the result. Undefined when no key was entered. */
export async function enterKey(
  entry: KeyEntry,
  service: KeyService,
): Promise<KeyCheck["verdict"] | undefined> {
  const key = await askForKey(service);
  if (key === undefined) return undefined;
  const { keys, changed } = entry;
  const { address } = service;
  const hasOther = (await keys.get(address)) !== undefined;
  const check = await withProgress(`AutoGPT: checking the key with ${keyOrigin(address)}`, (signal) =>
    checkKey(checkedKey(service, key, readSettings()), signal).catch((error: unknown) => {
      if (signal.aborted) return undefined;
      throw error;
    }),
  );
  const answer = keyAnswer(check, hasOther);
  if (answer.saves) {
    await keys.set(address, key);
    changed();
  }
  void showMessage(answer.kind, answer.text, ...buttonsFor(check, answer)).then(async (picked) => {
    if (picked === CHANGE) await enterKey(entry, service);
    if (picked === SELECT) await vscode.commands.executeCommand("autogpt.selectModel");
    if (picked !== SAVE) return;
    await keys.set(address, key);
    changed();
  });
  return check?.verdict ?? "unknown";
}

function buttonsFor(check: KeyCheck | undefined, answer: KeyAnswer): readonly string[] {
  switch (check?.verdict) {
    case "rejected":
      return answer.saves ? [CHANGE] : [CHANGE, SAVE];
    case "accepted":
      return check.state?.kind === "connected" ? [SELECT] : [];
    case "unknown":
    case undefined:
      return answer.kind === "warning" ? [CHANGE] : [];
  }
}

async function askForKey({ address, what, service }: KeyService): Promise<string | undefined> {
  const origin = keyOrigin(address);
  const isOneWord = service === "openai" || service === "azure";
  const key = await vscode.window.showInputBox({
    title: "Set API Key",
    prompt: `${what ?? `The key for ${origin}.`} It is stored in VS Code's secret storage and only ever sent there.`,
    password: true,
    ignoreFocusOut: true,
    validateInput: (text) => {
      if (text.trim() === "") return "Paste the key, or press Escape to cancel.";
      return isOneWord && !isSendable(text.trim())
        ? "A key has no spaces or quotes. Paste the key alone."
        : undefined;
    },
  });
  return key?.trim();
}

import * as vscode from "vscode";
import { isLocal } from "../../models/base-url.ts";
import { listModels } from "../../models/list-models.ts";
import { type KeyRing, originOf } from "../keys.ts";
import type { ModelDesk } from "../model-desk.ts";
import { plain, withProgress } from "../say.ts";
import { readSettings } from "../settings.ts";
import { type KeyService, keyServices } from "./key-services.ts";

/** What setting up needs. */
export interface SettingUp {
  readonly keys: KeyRing;
  readonly desk: ModelDesk;
  /** Called after a key or a model was changed. */
  changed(): void;
}

/** A model on offer, and the settings that choose it. */
export interface Offer {
  readonly id: string;
  readonly label: string;
  readonly detail: string;
  readonly chosen: boolean;
  readonly settings: Readonly<Record<string, string>>;
}

/** Actions on keys and models. */
export function setupActions(setting: SettingUp) {
  return {
    setApiKey: () => setApiKey(setting),
    clearApiKey: () => clearApiKey(setting),
    selectModel: () => selectModel(setting),
    chooseModel: (id: string) => chooseModel(setting, id),
  };
}

async function setApiKey(setting: SettingUp): Promise<void> {
  const { keys, changed } = setting;
  const service = await askForService(setting);
  if (!service) return;
  const { address, what } = service;
  const origin = originOf(address);
  const key = await vscode.window.showInputBox({
    title: "Set API Key",
    prompt: `${what ?? `The key for ${origin}.`} It is kept in VS Code's secret storage and only ever sent there.`,
    password: true,
    ignoreFocusOut: true,
    validateInput: (text) =>
      text.trim() === "" ? "Paste the key, or press Escape to leave things as they are." : undefined,
  });
  if (key === undefined) return;
  await keys.set(address, key.trim());
  changed();
  void vscode.window.showInformationMessage(`The key for ${origin} is stored.`);
}

async function clearApiKey({ keys, changed }: SettingUp): Promise<void> {
  const origins = keys.origins();
  if (origins.length === 0) {
    void vscode.window.showInformationMessage("No API key is stored.");
    return;
  }
  const placeHolder = "Whose key shall be forgotten?";
  const origin = await vscode.window.showQuickPick([...origins], { title: "Clear API Key", placeHolder });
  if (origin === undefined) return;
  await keys.clear(origin);
  changed();
  void vscode.window.showInformationMessage(`The key for ${origin} is forgotten.`);
}

async function selectModel({ desk, keys, changed }: SettingUp): Promise<void> {
  const offers = await withProgress("AutoGPT: looking for models", (signal) =>
    modelOffers(desk, keys, signal),
  );
  if (offers.length === 0) throw new Error(NO_MODELS);
  const title = "Select Model";
  const items = offers.map((offer) => ({
    label: `${offer.chosen ? "$(check) " : ""}${plain(offer.label)}`,
    description: plain(offer.detail),
    offer,
  }));
  const smart = await vscode.window.showQuickPick(items, {
    title,
    placeHolder: "The model that thinks",
    matchOnDescription: true,
  });
  if (!smart) return;
  const same = { label: "The same: one model for everything", description: "", offer: smart.offer };
  const others = items.filter(({ offer }) => sameService(offer, smart.offer));
  const fast = await vscode.window.showQuickPick([same, ...others], {
    title,
    placeHolder: "The model for drafts and criticism",
  });
  if (!fast) return;
  await choose({ ...smart.offer.settings, "model.fast": fast.offer.settings["model.smart"] ?? "" });
  changed();
  void vscode.window.showInformationMessage(`New runs think with ${plain(smart.offer.label)}.`);
}

const NO_MODELS =
  "No model was found. Set an API key first, start a local server (Ollama or LM Studio), or sign in to VS Code's own models.";

function sameService(one: Offer, other: Offer): boolean {
  return ["model.provider", "model.baseUrl"].every((name) => one.settings[name] === other.settings[name]);
}

async function chooseModel({ desk, keys, changed }: SettingUp, id: string): Promise<void> {
  const offer = (await modelOffers(desk, keys)).find((candidate) => candidate.id === id);
  if (!offer) throw new Error("That model is no longer there. Choose another one.");
  await choose({ ...offer.settings, "model.fast": "" });
  changed();
}

async function choose(chosen: Readonly<Record<string, string>>): Promise<void> {
  const settings = vscode.workspace.getConfiguration("autogpt");
  for (const [name, value] of Object.entries(chosen)) {
    await settings.update(name, value, vscode.ConfigurationTarget.Global);
  }
}

/** Before there is any key, it is that of the model that is wanted; later on there is a choice. */
async function askForService({ keys }: SettingUp): Promise<KeyService | undefined> {
  const services = keyServices(readSettings(), keys.origins().length > 0);
  const [only] = services;
  if (services.length === 1) return only;
  return vscode.window.showQuickPick(services, { title: "Set API Key", placeHolder: "For which service?" });
}

/** Every model within reach, the ones in use first. A source that does not answer is left out. */
export async function modelOffers(
  desk: ModelDesk,
  keys: KeyRing,
  signal?: AbortSignal,
): Promise<readonly Offer[]> {
  const settings = readSettings();
  const { model } = settings;
  const [origin, own, local, remote] = await Promise.all([
    desk.origin(settings).catch(() => undefined),
    vscode.lm.selectChatModels(),
    desk.localServers(),
    remoteModels(model.baseUrl, keys, signal),
  ]);
  const chosen = (kind: string, id: string, index: number): boolean =>
    origin?.kind === kind && (model.smart === id || (model.smart === "" && index === 0));
  const offers: Offer[] = [
    ...own.map((chat, index) => ({
      id: `vscode:${chat.id}`,
      label: chat.name,
      detail: `VS Code, ${chat.vendor} · ${tokens(chat.maxInputTokens)}`,
      chosen: chosen("vscode", chat.id, index),
      settings: { "model.provider": "vscode", "model.smart": chat.id },
    })),
    ...local.flatMap((server) =>
      server.models.map((found, index) => ({
        id: `${server.baseUrl}:${found.name}`,
        label: found.name,
        detail: `${server.name} on this machine${found.contextWindow ? ` · ${tokens(found.contextWindow)}` : ""} · free`,
        chosen:
          chosen("local", found.name, index) ||
          (origin?.kind === "openai" && origin.baseUrl === server.baseUrl && model.smart === found.name),
        settings: { "model.provider": "openai", "model.baseUrl": server.baseUrl, "model.smart": found.name },
      })),
    ),
    ...(local.some((server) => server.baseUrl === model.baseUrl) ? [] : remote).map((found) => ({
      id: `${model.baseUrl}:${found.name}`,
      label: found.name,
      detail: [
        new URL(model.baseUrl).host,
        found.contextWindow ? tokens(found.contextWindow) : "",
        priceText(found.price),
      ]
        .filter((part) => part !== "")
        .join(" · "),
      chosen: origin?.kind === "openai" && model.smart === found.name,
      settings: { "model.provider": "openai", "model.baseUrl": model.baseUrl, "model.smart": found.name },
    })),
  ];
  return offers.toSorted((a, b) => Number(b.chosen) - Number(a.chosen));
}

/** Of a server that was set up: with its key, or without one where none may be needed. */
async function remoteModels(baseUrl: string, keys: KeyRing, signal: AbortSignal | undefined) {
  const key = (await keys.get(baseUrl).catch(() => undefined)) ?? (isLocal(baseUrl) ? "" : undefined);
  if (key === undefined) return [];
  return listModels(
    { baseUrl, apiKey: key, prices: readSettings().model.prices, timeoutSeconds: LIST_SECONDS },
    signal ?? AbortSignal.timeout(LIST_SECONDS * 1000),
  ).catch(() => []);
}

/** The start page does not wait longer than this for a server's list. */
const LIST_SECONDS = 4;

function tokens(count: number): string {
  return `${Math.round(count / 1000)}k tokens`;
}

function priceText(price: { readonly input: number; readonly output: number } | undefined): string {
  return price ? `$${price.input} / $${price.output} per million tokens` : "";
}

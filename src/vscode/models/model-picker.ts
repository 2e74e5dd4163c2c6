import * as vscode from "vscode";
import { sourceMessage } from "../../models/catalog/ask-source.ts";
import { type FoundModels, type ModelOffer, offersOf } from "../../models/catalog/model-offers.ts";
import type { ModelResolver } from "../../models/model-resolver.ts";
import { isProviderSetting } from "../../models/providers.ts";
import { displayLine } from "../../panel/notification-text.ts";
import type { Settings } from "../../schema/settings.ts";
import { withProgress } from "../host/notifications.ts";
import { readSettings } from "../host/settings.ts";
import { chatModels } from "./chat-models.ts";

/** Dependencies of picking a model. */
export interface ModelPickerDependencies {
  readonly desk: ModelResolver;
}

/** Lets the user pick a model for one run; the settings stay as they are. Undefined when none was picked. */
export async function pickModel(
  { desk }: ModelPickerDependencies,
  title: string,
): Promise<{ readonly label: string; readonly model: Partial<Settings["model"]> } | undefined> {
  const found = await withProgress("AutoGPT: looking for models", (signal) => findModels(desk, signal));
  const offers = offersIn(found);
  if (offers.length === 0)
    throw new Error(
      found.source
        ? sourceMessage(found.source)
        : 'No model was found. Set one up with "AutoGPT: Select Model…", then try again.',
    );
  const items = offers.map((offer) => ({
    label: displayLine(offer.label),
    description: displayLine(offer.detail),
    offer,
  }));
  const picked = await vscode.window.showQuickPick(items, { title, placeHolder: "Which model?" });
  return picked && { label: picked.label, model: settingsOf(picked.offer) };
}

/** Looks for models in VS Code, in servers on this machine, and in the configured server. */
export async function findModels(desk: ModelResolver, signal: AbortSignal): Promise<FoundModels> {
  const settings = readSettings();
  const answer = desk.askServer(settings, signal);
  const [origin, chat, local, asked, source] = await Promise.all([
    desk.origin(settings).catch(() => undefined),
    chatModels(),
    desk.localServers(),
    answer,
    desk.source(settings, signal, answer),
  ]);
  return {
    ...(origin ? { origin } : {}),
    chat,
    local,
    asked,
    ...(source ? { source } : {}),
  };
}

/** The available models, the one in use first. */
export function offersIn(found: FoundModels): readonly ModelOffer[] {
  return offersOf(found, readSettings());
}

/** The model settings of an offer. */
function settingsOf({ settings }: ModelOffer): Partial<Settings["model"]> {
  const { "model.provider": provider, "model.baseUrl": baseUrl, "model.smart": smart } = settings;
  return {
    ...(isProviderSetting(provider) ? { provider } : {}),
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(smart === undefined ? {} : { smart }),
    fast: "",
  };
}

import * as vscode from "vscode";
import { sourceMessage } from "../../models/catalog/ask-source.ts";
import { type FoundModels, type ModelOffer, offersOf } from "../../models/catalog/model-offers.ts";
import { displayLine } from "../../panel/notification-text.ts";
import type { Settings } from "../../schema/settings.ts";
import { withProgress } from "../host/notifications.ts";
import { readSettings } from "../host/settings.ts";
import { chatModels, type ModelResolver } from "./model-resolver.ts";

/** Dependencies of choosing a model. */
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

/** Looks for models everywhere: VS Code's own, servers on this machine, the configured server. */
export async function findModels(desk: ModelResolver, signal: AbortSignal): Promise<FoundModels> {
  const settings = readSettings();
  const isServer = settings.model.provider === "auto" || settings.model.provider === "openai";
  const [origin, chat, local, asked, other] = await Promise.all([
    desk.origin(settings).catch(() => undefined),
    chatModels(),
    desk.localServers(),
    desk.askServer(settings, signal),
    isServer ? undefined : desk.source(settings, signal),
  ]);
  const source = isServer ? { name: asked.name, state: asked.state } : other;
  return {
    ...(origin ? { origin: originSummary(origin) } : {}),
    ...{ chat, local, asked },
    ...(source ? { source } : {}),
  };
}

/** The models that were found, the one in use first. */
export function offersIn(found: FoundModels): readonly ModelOffer[] {
  return offersOf(found, readSettings());
}

type Origin = NonNullable<Awaited<ReturnType<ModelResolver["origin"]>>>;

function originSummary(origin: Origin): NonNullable<FoundModels["origin"]> {
  switch (origin.kind) {
    case "openai":
      return { kind: "openai", baseUrl: origin.baseUrl };
    case "local":
      return { kind: "local", baseUrl: origin.server.baseUrl };
    case "azure":
    case "vscode":
      return { kind: origin.kind };
  }
}

/** The model settings of an offer. */
export function settingsOf({ settings }: ModelOffer): Partial<Settings["model"]> {
  const { "model.provider": provider, "model.baseUrl": baseUrl, "model.smart": smart } = settings;
  return {
    ...(isProvider(provider) ? { provider } : {}),
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(smart === undefined ? {} : { smart }),
    fast: "",
  };
}

function isProvider(text: string | undefined): text is Settings["model"]["provider"] {
  return text === "auto" || text === "openai" || text === "azure" || text === "vscode";
}

import * as vscode from "vscode";
import { modelOffers, type Offer } from "./actions/setup.ts";
import type { KeyRing } from "./keys.ts";
import type { ModelDesk } from "./model-desk.ts";
import { plain, withProgress } from "./say.ts";
import type { Provider, Settings } from "./settings.ts";

/** What choosing a model needs. */
export interface Choosing {
  readonly desk: ModelDesk;
  readonly keys: KeyRing;
}

/** Lets the user pick a model for one run; the settings stay as they are. Undefined when none was picked. */
export async function pickModel(
  { desk, keys }: Choosing,
  title: string,
): Promise<{ readonly label: string; readonly model: Partial<Settings["model"]> } | undefined> {
  const offers = await withProgress("AutoGPT: looking for models", (signal) =>
    modelOffers(desk, keys, signal),
  );
  if (offers.length === 0)
    throw new Error("No model was found. Set an API key, or start a local server, then try again.");
  const items = offers.map((offer) => ({
    label: plain(offer.label),
    description: plain(offer.detail),
    offer,
  }));
  const picked = await vscode.window.showQuickPick(items, { title, placeHolder: "Which model?" });
  return picked && { label: picked.label, model: settingsOf(picked.offer) };
}

/** What of the model's settings an offer stands for. */
function settingsOf({ settings }: Offer): Partial<Settings["model"]> {
  const { "model.provider": provider, "model.baseUrl": baseUrl, "model.smart": smart } = settings;
  return {
    ...(isProvider(provider) ? { provider } : {}),
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(smart === undefined ? {} : { smart }),
    fast: "",
  };
}

function isProvider(text: string | undefined): text is Provider {
  return text === "auto" || text === "openai" || text === "azure" || text === "vscode";
}

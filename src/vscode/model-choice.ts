import * as vscode from "vscode";
import { sourceMessage } from "../models/ask-source.ts";
import { lookForModels, offersIn, settingsOf } from "./look-for-models.ts";
import type { ModelDesk } from "./model-desk.ts";
import { plain, withProgress } from "./say.ts";
import type { Settings } from "./settings.ts";

/** Dependencies of choosing a model. */
export interface Choosing {
  readonly desk: ModelDesk;
}

/** Lets the user pick a model for one run; the settings stay as they are. Undefined when none was picked. */
export async function pickModel(
  { desk }: Choosing,
  title: string,
): Promise<{ readonly label: string; readonly model: Partial<Settings["model"]> } | undefined> {
  const found = await withProgress("AutoGPT: looking for models", (signal) => lookForModels(desk, signal));
  const offers = offersIn(found);
  if (offers.length === 0)
    throw new Error(
      found.source
        ? sourceMessage(found.source)
        : 'No model was found. Set one up with "AutoGPT: Select Model…", then try again.',
    );
  const items = offers.map((offer) => ({
    label: plain(offer.label),
    description: plain(offer.detail),
    offer,
  }));
  const picked = await vscode.window.showQuickPick(items, { title, placeHolder: "Which model?" });
  return picked && { label: picked.label, model: settingsOf(picked.offer) };
}

import * as vscode from "vscode";
import { sourceMessage } from "../../models/catalog/ask-source.ts";
import type { Settings } from "../../schema/settings.ts";
import { oneLine, withProgress } from "../host/notifications.ts";
import { findModels, offersIn, settingsOf } from "./found-models.ts";
import type { ModelResolver } from "./model-resolver.ts";

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
    label: oneLine(offer.label),
    description: oneLine(offer.detail),
    offer,
  }));
  const picked = await vscode.window.showQuickPick(items, { title, placeHolder: "Which model?" });
  return picked && { label: picked.label, model: settingsOf(picked.offer) };
}

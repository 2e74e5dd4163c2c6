import * as vscode from "vscode";
import { describeModelSource, isKeyRequired } from "../../core/ports/model-source.ts";
import { formatDisplayLine } from "../../editor/panel/notification-text.ts";
import { describeSource } from "../../models/catalog/ask-source.ts";
import { createChosenSettings, listModelOffers, type ModelOffer } from "../../models/catalog/model-offers.ts";
import { type FoundModels, reportProviders } from "../../models/catalog/provider-reports.ts";
import type { ModelResolver } from "../../models/model-resolver.ts";
import { listModelServices } from "../../runtime/services/key-services.ts";
import type { Settings } from "../../schema/settings.ts";
import { DisplayError, fail } from "../../texts/display-text.ts";
import { t, write } from "../../texts/language.ts";
import { enterKey } from "../actions/set-key.ts";
import { showMessage, showProgress } from "../host/notifications.ts";
import { readSettings } from "../host/settings.ts";
import { pickProvider } from "./add-provider.ts";
import { type ModelSetup, writeSettings } from "./model-setup.ts";

/** Dependencies of picking a model. */
export interface ModelPickerDependencies {
  readonly desk: ModelResolver;
}

/** Lets the user pick a model for one run; the settings stay as they are. Undefined when none was picked. */
export async function pickModel(
  { desk }: ModelPickerDependencies,
  title: string,
): Promise<{ readonly label: string; readonly model: Partial<Settings["model"]> } | undefined> {
  const options = { title, placeHolder: t("models.whichModel"), matchOnDescription: true };
  const picked = await vscode.window.showQuickPick<Row>(buildOfferRows(await listOfferedModels(desk)), options);
  return picked?.offer && { label: picked.label, model: { smart: picked.offer.id, fast: "" } };
}

/** Lets the user pick several models. */
export async function pickModels(
  { desk }: ModelPickerDependencies,
  title: string,
  placeHolder: string,
): Promise<readonly { readonly label: string; readonly model: Partial<Settings["model"]> }[] | undefined> {
  const picked = await vscode.window.showQuickPick<Row>(buildOfferRows(await listOfferedModels(desk)), {
    title,
    placeHolder,
    matchOnDescription: true,
    canPickMany: true,
    ignoreFocusOut: true,
  });
  return picked?.flatMap(({ offer }) => (offer ? [{ label: offer.label, model: { smart: offer.id, fast: "" } }] : []));
}

/** The models that can be picked. Throws a sentence where there are none. */
async function listOfferedModels(desk: ModelResolver): Promise<readonly ModelOffer[]> {
  const found = await lookForModels(desk);
  const offers = listModelOffers(found);
  if (offers.length > 0) return offers;
  throw found.source ? new DisplayError(describeSource(found.source)) : fail("models.nothingFound");
}

/** Asks all providers for their state and models. */
export function findModels(desk: ModelResolver, signal: AbortSignal): Promise<FoundModels> {
  return reportProviders(desk, readSettings(), signal);
}

function lookForModels(desk: ModelResolver): Promise<FoundModels> {
  return showProgress(t("models.looking"), (signal) => findModels(desk, signal));
}

interface Row extends vscode.QuickPickItem {
  readonly offer?: ModelOffer;
  readonly run?: () => Promise<void>;
}

/** Rows for models, grouped by provider. */
function buildOfferRows(offers: readonly ModelOffer[]): readonly Row[] {
  const groups = Map.groupBy(offers, ({ provider }) => provider);
  return [...groups].flatMap(([label, ofProvider]) => [
    { label, kind: vscode.QuickPickItemKind.Separator },
    ...ofProvider.map((offer) => ({
      label: `${offer.chosen ? "$(check) " : ""}${formatDisplayLine(offer.label)}`,
      description: formatDisplayLine([offer.provider, ...offer.facts.map(write)].join(" · ")),
      offer,
    })),
  ]);
}

/** Lets the user pick the main and the fast model, or one of them. Without any model, asks where models should come from. */
export async function selectModel(setup: ModelSetup, role?: "smart" | "fast"): Promise<void> {
  const found = await lookForModels(setup.desk);
  if (listModelOffers(found).length === 0) return pickProvider(setup, found);
  const first = await pickOffer(setup, found, role ?? "smart");
  if (first?.run) return first.run();
  if (!first?.offer) return;
  if (role) return useModel(setup, role, first.offer);
  const fast = await pickOffer(setup, found, "fast", first.offer);
  if (fast?.run) return fast.run();
  if (!fast?.offer) return;
  await writeSettings({
    "model.smart": first.offer.id,
    "model.fast": fast.offer.id === first.offer.id ? "" : fast.offer.id,
  });
  confirm(setup, first.offer);
}

/** Sets the main or the fast model of new runs, and confirms that. */
export async function useModel(setup: ModelSetup, role: "smart" | "fast", offer: ModelOffer): Promise<void> {
  const { model } = readSettings();
  await writeSettings(createChosenSettings(role, offer.id, model));
  confirm(setup, offer, role);
}

function confirm(
  { notifySetupChanged: changed }: ModelSetup,
  { label }: ModelOffer,
  role: "smart" | "fast" = "smart",
): void {
  changed();
  const model = formatDisplayLine(label);
  void showMessage("info", role === "smart" ? t("models.newRunsUse", { model }) : t("models.fastIs", { model }));
}

async function pickOffer(
  setup: ModelSetup,
  found: FoundModels,
  role: "smart" | "fast",
  smart?: ModelOffer,
): Promise<Row | undefined> {
  const main = smart ?? listModelOffers(found).find(({ chosen }) => chosen);
  const same = role === "fast" && main ? [{ label: t("models.sameAsMain"), offer: main }] : [];
  const offers = listModelOffers(found, role).filter(({ id }) => same.length === 0 || id !== main?.id);
  const rows: readonly Row[] = [...same, ...buildOfferRows(offers), ...buildSetupRows(setup, found)];
  return vscode.window.showQuickPick(rows, {
    title: t("models.selectModel"),
    placeHolder: role === "smart" ? t("models.mainModel") : t("models.fastModel"),
    matchOnDescription: true,
    // A page that was focused before takes the focus back between two lists.
    ignoreFocusOut: true,
  });
}

/** Rows for adding more models, below the existing ones. */
function buildSetupRows(setup: ModelSetup, found: FoundModels): readonly Row[] {
  const { source } = found;
  const [service] = listModelServices(readSettings());
  return [
    { label: t("models.otherWays"), kind: vscode.QuickPickItemKind.Separator },
    ...(source && isKeyRequired(source)
      ? [
          {
            label: t("actions.setApiKeyButton"),
            description: formatDisplayLine(write(describeModelSource(source))),
            run: async () => void (await enterKey(setup, service)),
          },
        ]
      : []),
    { label: t("models.addProviderButton"), run: () => pickProvider(setup, found) },
    { label: t("actions.openModelsButton"), run: openPage },
  ];
}

async function openPage(): Promise<void> {
  await vscode.commands.executeCommand("autogpt.openModels");
}

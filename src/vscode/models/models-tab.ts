import * as vscode from "vscode";
import { assertNever } from "../../core/base/errors.ts";
import { createModelsPage, createUnansweredPage } from "../../models/catalog/models-page.ts";
import type { FoundModels, ProviderReport } from "../../models/catalog/provider-reports.ts";
import { normalizeBaseUrl } from "../../models/http/endpoint.ts";
import { findNamedProvider, type NamedProvider } from "../../models/named-providers.ts";
import { changeAddress, removeProvider } from "../../models/provider-settings.ts";
import { getKeyOrigin } from "../../runtime/services/key-ring.ts";
import { createNamedService } from "../../runtime/services/key-services.ts";
import type { PanelRequest, PanelUpdate } from "../../schema/panel-messages.ts";
import { fail } from "../../texts/display-text.ts";
import { t } from "../../texts/language.ts";
import { enterKey } from "../actions/set-key.ts";
import { readSettings } from "../host/settings.ts";
import { PageTab } from "../panel/page-tab.ts";
import { addProvider, askForAddress, chooseProviderModel, isProviderWay } from "./add-provider.ts";
import { findModels, selectModel } from "./model-picker.ts";
import { type ModelSetup, writeSettings } from "./model-setup.ts";

/** Dependencies of the Models page. */
export interface ModelsTabDependencies extends ModelSetup {
  readonly extensionUri: vscode.Uri;
  /** Handles requests that aren't about models, such as those of a notice's buttons. */
  handleOtherRequest(message: PanelRequest, reply: (message: PanelUpdate) => void): Promise<void>;
}

/** The Models page in an editor tab. */
export function createModelsTab(parts: ModelsTabDependencies): PageTab {
  let answered: readonly ProviderReport[] = [];
  let used: FoundModels["inUse"];
  const tab: PageTab = new PageTab({
    extensionUri: parts.extensionUri,
    viewType: "autogpt.models",
    getTitle: () => t("models.page"),
    sendContent: async (send) => {
      const settings = readSettings();
      const asked = findModels(parts.desk, new AbortController().signal);
      send({ type: "models", models: createUnansweredPage(settings, answered, used) });
      // Known sooner than the states of all providers.
      used = await parts.desk.findModelsInUse(settings);
      send({ type: "models", models: createUnansweredPage(settings, answered, used) });
      const found = await asked;
      ({ providers: answered, inUse: used } = found);
      send({ type: "models", models: createModelsPage(found, settings) });
    },
    receive: async (message, reply) => {
      switch (message.type) {
        case "pickModel":
          return selectModel(parts, message.role);
        case "addProvider":
          return isProviderWay(message.way) ? addProvider(parts, message.way) : undefined;
        case "changeProvider":
          answered = answered.filter(({ provider }) => provider.id !== message.id);
          return changeProvider(parts, message);
        case "checkProviders":
          parts.desk.forgetLocalServers();
          return tab.refresh();
        default:
          return parts.handleOtherRequest(message, reply);
      }
    },
  });
  return tab;
}

async function changeProvider(
  setup: ModelSetup,
  { id, change }: Extract<PanelRequest, { readonly type: "changeProvider" }>,
): Promise<void> {
  const provider = findNamedProvider(id, readSettings()) ?? fail("models.providerGone");
  switch (change) {
    case "setKey":
      return setKey(setup, provider);
    case "removeKey":
      return removeKey(setup, provider);
    case "editAddress":
      return editAddress(setup, provider);
    case "remove":
      return remove(setup, provider);
    default:
      return assertNever(change);
  }
}

/** Sets a key. If it's valid and there is no model yet, also sets a model. */
async function setKey(setup: ModelSetup, provider: NamedProvider): Promise<void> {
  const verdict = await enterKey(setup, createNamedService(provider));
  if (verdict !== "accepted" || provider.kind !== "openai") return;
  if (!(await setup.desk.findModelsInUse(readSettings()))) await chooseProviderModel(setup, provider);
}

async function removeKey({ keys, notifySetupChanged: changed }: ModelSetup, { address }: NamedProvider): Promise<void> {
  await keys.clear(getKeyOrigin(address));
  changed();
}

async function editAddress({ notifySetupChanged: changed }: ModelSetup, provider: NamedProvider): Promise<void> {
  const { label, address } = provider;
  const entered = await askForAddress(t("models.editAddress", { provider: label }), address);
  if (entered === undefined || normalizeBaseUrl(entered) === address) return;
  await writeSettings(changeAddress(provider, entered, readSettings()));
  changed();
}

async function remove(setup: ModelSetup, provider: NamedProvider): Promise<void> {
  const yes = t("models.removeConfirmButton");
  const answer = await vscode.window.showWarningMessage(
    t("models.removeQuestion", { provider: provider.label }),
    { modal: true, detail: t("models.removeDetail") },
    yes,
  );
  if (answer !== yes) return;
  const origin = URL.parse(provider.address)?.origin;
  if (origin !== undefined) await setup.keys.clear(origin);
  await writeSettings(removeProvider(provider, readSettings()));
  setup.notifySetupChanged();
}

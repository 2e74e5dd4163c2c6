import * as vscode from "vscode";
import { describeModelSource, formatSourceLabel, isKeyRequired } from "../../core/ports/model-source.ts";
import { formatDisplayLine } from "../../editor/panel/notification-text.ts";
import { askSource, type SourceAnswer } from "../../models/catalog/ask-source.ts";
import {
  addApiVersion,
  createModelOffer,
  findAddressProblem,
  type ModelOffer,
} from "../../models/catalog/model-offers.ts";
import { type FoundModels, findUsualModels, isReplaceable } from "../../models/catalog/provider-reports.ts";
import { normalizeBaseUrl } from "../../models/http/endpoint.ts";
import { findNamedProvider, formatModelReference, type NamedProvider } from "../../models/named-providers.ts";
import { getPreset, isPresetName, type PresetName } from "../../models/presets.ts";
import {
  type AddedProvider,
  addAzure,
  addPreset,
  addServer,
  listMissingPresets,
} from "../../models/provider-settings.ts";
import { createNamedService, listModelServices } from "../../runtime/services/key-services.ts";
import { t, write } from "../../texts/language.ts";
import { enterKey } from "../actions/set-key.ts";
import { showMessage, showProgress } from "../host/notifications.ts";
import { readSettings } from "../host/settings.ts";
import { EDITOR_STEPS, listChatModels } from "./chat-models.ts";
import { type ModelSetup, writeSettings } from "./model-setup.ts";

/** A source of models: a preset, another server, or another kind of provider. */
type ProviderWay = PresetName | "server" | "azure" | "vscode";

/** Asks where models should come from, and opens that choice. */
export async function pickProvider(
  setup: ModelSetup,
  { source, providers }: Pick<FoundModels, "source" | "providers">,
): Promise<void> {
  const there = providers.filter(({ models }) => models.length > 0).map(({ provider }) => provider);
  const createMenuRow = (label: string, description: string, go: () => Promise<unknown>) => ({
    label,
    description,
    go,
  });
  const presets = listMissingPresets(there).map((name) => {
    const { label, address } = getPreset(name);
    return createMenuRow(label, URL.parse(address)?.host ?? address, () => addProvider(setup, name));
  });
  const [service] = listModelServices(readSettings());
  const picked = await vscode.window.showQuickPick(
    [
      ...(source && isKeyRequired(source)
        ? [
            createMenuRow(t("actions.setApiKeyButton"), write(describeModelSource(source)), () =>
              enterKey(setup, service),
            ),
          ]
        : []),
      ...presets,
      createMenuRow(t("models.otherServer"), t("models.otherServerDetail"), () => addProvider(setup, "server")),
      createMenuRow(t("models.azure"), t("models.azureDetail"), () => addProvider(setup, "azure")),
      createMenuRow(t("models.editorModels"), "", () => addProvider(setup, "vscode")),
      createMenuRow(t("actions.tryDemoButton"), t("models.demoDetail"), async () => {
        await vscode.commands.executeCommand("autogpt.tryDemo");
      }),
    ],
    {
      title: t("models.selectModel"),
      placeHolder: formatDisplayLine(
        source && there.length === 0
          ? t("models.whereFromAfter", { trouble: describeModelSource(source) })
          : t("models.whereFrom"),
      ),
      matchOnDescription: true,
      ignoreFocusOut: true,
    },
  );
  await picked?.go();
}

/** Adds a provider: asks for its settings, checks it, and sets one of its models for new runs if they have none. */
export async function addProvider(setup: ModelSetup, way: ProviderWay): Promise<void> {
  switch (way) {
    case "server":
      return useServer(setup);
    case "azure":
      return useAzure(setup);
    case "vscode":
      return useChatModels();
    case "ollama":
    case "lmstudio":
      return useLocal(setup, way);
    case "litellm":
    case "vllm": {
      const address = await askForAddress(getPreset(way).label, getPreset(way).address);
      if (address !== undefined) await connect(setup, (at) => addPreset(way, at, readSettings()), address);
      return;
    }
    default:
      return connect(setup, (at) => addPreset(way, at, readSettings()), getPreset(way).address);
  }
}

/** Asks for an address; undefined when none was entered. */
export async function askForAddress(title: string, value: string): Promise<string | undefined> {
  return vscode.window.showInputBox({
    title,
    prompt: t("models.addressPrompt"),
    placeHolder: t("models.addressExample"),
    value,
    ignoreFocusOut: true,
    validateInput: (text) => {
      const problem = findAddressProblem(text);
      return problem && write(problem);
    },
  });
}

/** Asks for another server's address, then connects to it. */
export async function useServer(setup: ModelSetup): Promise<void> {
  const entered = await askForAddress(t("models.useServer"), "");
  if (entered === undefined) return;
  await connect(setup, (address) => addServer(address, readSettings()), normalizeBaseUrl(entered));
}

/** Connects to a server, and asks for a key if it needs one. Changes no settings before that. */
async function connect(setup: ModelSetup, add: (address: string) => AddedProvider, address: string): Promise<void> {
  let asked = await ask(setup, address);
  const { provider, changes } = add(asked.address);
  if (isKeyRequired(asked)) {
    const verdict = await enterKey(setup, createNamedService(provider));
    if (verdict === undefined) return;
    if (verdict !== "rejected") asked = await ask(setup, asked.address);
  }
  await writeSettings(changes);
  setup.notifySetupChanged();
  if (!isKeyRequired(asked)) await chooseFrom(setup, provider, asked);
}

/** Sets a provider's usual model for new runs, or lets the user pick one. */
async function chooseFrom(setup: ModelSetup, provider: NamedProvider, asked: SourceAnswer): Promise<void> {
  const { state, models } = asked;
  const usual = findUsualModels({ provider, state, models, hasKey: true });
  const settings = readSettings();
  const before = await setup.desk.findModelsInUse(settings);
  if (before && !isReplaceable(before.smart, provider, settings)) return offerModels(setup, provider, asked);
  if (usual) return useModels(setup, provider, usual);
  const picked = models.length === 0 ? await askForName(provider, asked) : await pickListed(provider, asked);
  if (picked) await useModels(setup, provider, { smart: picked, fast: picked });
}

/** Chooses a model of a provider that was added before. */
export async function chooseProviderModel(setup: ModelSetup, provider: NamedProvider): Promise<void> {
  await chooseFrom(setup, provider, await ask(setup, provider.address));
}

async function useModels(
  { notifySetupChanged: changed }: ModelSetup,
  provider: NamedProvider,
  { smart, fast }: { readonly smart: string; readonly fast: string },
): Promise<void> {
  await writeSettings({
    "model.smart": formatModelReference(smart, provider),
    "model.fast": fast === smart ? "" : formatModelReference(fast, provider),
  });
  changed();
  offerOthers(t("models.newRunsUse", { model: formatDisplayLine(smart) }));
}

/** Reports that the provider's models can be selected, too, when another model is already in use; or that it has to be asked again. */
function offerModels(setup: ModelSetup, provider: NamedProvider, { name, state }: SourceAnswer): void {
  const isSilent = state.kind === "unreachable" || state.kind === "silent";
  const text = isSilent
    ? t("models.addedSilent", { provider: name })
    : t("models.added", { provider: provider.label, state: formatSourceLabel({ name, state }) });
  if (!isSilent && state.kind !== "failed") {
    offerOthers(text);
    return;
  }
  const [again, show] = [t("models.tryAgainButton"), t("models.showModelsButton")];
  void showMessage("warning", text, again, show).then(async (picked) => {
    if (picked === again) await chooseProviderModel(setup, provider);
    if (picked === show) await vscode.commands.executeCommand("autogpt.openModels");
  });
}

function offerOthers(text: string): void {
  const select = t("actions.selectModelButton");
  void showMessage("info", text, select).then(async (picked) => {
    if (picked === select) await vscode.commands.executeCommand("autogpt.selectModel");
  });
}

/** Asks a server for its models. If the address has no API, also tries it with a version. */
async function ask({ keys }: ModelSetup, baseUrl: string): Promise<SourceAnswer> {
  return showProgress(t("models.connecting", { address: baseUrl }), async (signal) => {
    const askAddress = async (address: string): Promise<SourceAnswer> =>
      askSource(
        {
          baseUrl: address,
          apiKey: (await keys.get(address)) ?? "",
          prices: readSettings().model.prices,
          timeoutSeconds: CONNECT_SECONDS,
          steps: EDITOR_STEPS,
        },
        signal,
      );
    const asked = await askAddress(baseUrl);
    const other = addApiVersion(asked.address);
    if (other === undefined || !["noApi", "unlisted"].includes(asked.state.kind)) return asked;
    const versioned = await askAddress(other);
    return ["connected", "noKey", "rejected"].includes(versioned.state.kind) ? versioned : asked;
  });
}

const CONNECT_SECONDS = 15;

async function pickListed(provider: NamedProvider, { models }: SourceAnswer): Promise<string | undefined> {
  const createModelRow = (offer: ModelOffer, name: string) => ({
    label: formatDisplayLine(offer.label),
    description: formatDisplayLine(offer.facts.map(write).join(" · ")),
    name,
  });
  const rows = models.map((model) => createModelRow(createModelOffer(model, provider), model.name));
  const picked = await vscode.window.showQuickPick(rows, {
    title: provider.label,
    placeHolder: t("models.mainModel"),
    matchOnDescription: true,
    ignoreFocusOut: true,
  });
  return picked?.name;
}

async function askForName(provider: NamedProvider, asked: SourceAnswer): Promise<string | undefined> {
  const name = await vscode.window.showInputBox({
    title: provider.label,
    prompt: formatDisplayLine(t("models.namePrompt", { trouble: describeModelSource(asked) })),
    ignoreFocusOut: true,
    validateInput: (text) => (text.trim() === "" ? t("models.nameMissing") : undefined),
  });
  return name?.trim();
}

async function useLocal(setup: ModelSetup, way: "ollama" | "lmstudio"): Promise<void> {
  const { desk } = setup;
  const { label, address } = getPreset(way);
  desk.forgetLocalServers();
  const found = (await desk.listLocalServers()).find(({ baseUrl }) => baseUrl === address);
  const provider = findNamedProvider(way, readSettings());
  if (found && provider) {
    const state = { kind: "connected", models: found.models.length } as const;
    setup.notifySetupChanged();
    return chooseFrom(setup, provider, { address, name: label, state, models: found.models });
  }
  const again = t("models.tryAgainButton");
  const other = t("models.otherAddressButton");
  const picked = await showMessage("info", t("models.notRunning", { name: label }), again, other);
  if (picked === again) await useLocal(setup, way);
  if (picked !== other) return;
  const entered = await askForAddress(label, address);
  if (entered !== undefined)
    await connect(setup, (at) => addPreset(way, at, readSettings()), normalizeBaseUrl(entered));
}

async function useAzure(setup: ModelSetup): Promise<void> {
  const entered = await vscode.window.showInputBox({
    title: t("models.azureFirst"),
    prompt: t("models.endpointPrompt"),
    placeHolder: "https://NAME.openai.azure.com",
    value: readSettings().azure.endpoint,
    ignoreFocusOut: true,
    validateInput: (text) => {
      const problem = findAddressProblem(text);
      return problem && write(problem);
    },
  });
  if (entered === undefined) return;
  const deployment = await vscode.window.showInputBox({
    title: t("models.azureSecond"),
    prompt: t("models.deploymentPrompt"),
    value: readSettings().azure.smartDeployment,
    ignoreFocusOut: true,
    validateInput: (text) => (text.trim() === "" ? t("models.deploymentMissing") : undefined),
  });
  if (deployment === undefined) return;
  const given = { endpoint: normalizeBaseUrl(entered), deployment: deployment.trim() };
  const { provider, changes } = addAzure(given, readSettings());
  await writeSettings(changes);
  setup.notifySetupChanged();
  const verdict = await enterKey(setup, createNamedService(provider));
  if (verdict === "rejected" || verdict === undefined) return;
  await useModels(setup, provider, { smart: given.deployment, fast: given.deployment });
}

async function useChatModels(): Promise<void> {
  const models = await listChatModels();
  if (models.length > 0) return void (await vscode.commands.executeCommand("autogpt.selectModel"));
  const find = t("models.findExtensionsButton");
  const picked = await showMessage("info", t("models.noEditorModels"), find);
  if (picked === find) await vscode.commands.executeCommand("workbench.extensions.search", "GitHub Copilot Chat");
}

/** True for the name of a source of models. */
export function isProviderWay(name: string): name is ProviderWay {
  return name === "server" || name === "azure" || name === "vscode" || isPresetName(name);
}

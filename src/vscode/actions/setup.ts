import * as vscode from "vscode";
import { needsKey, sourceSentence } from "../../core/ports/model-source.ts";
import { askSource, type SourceAnswer } from "../../models/catalog/ask-source.ts";
import {
  addressProblem,
  type ModelOffer,
  type ModelWay,
  serverOffer,
  waysOf,
  withVersion,
} from "../../models/catalog/model-offers.ts";
import { isOpenAi, plainBaseUrl } from "../../models/http/endpoint.ts";
import type { ModelResolver } from "../../models/model-resolver.ts";
import { displayLine } from "../../panel/notification-text.ts";
import type { KeyRing } from "../../services/key-ring.ts";
import {
  azureService,
  type KeyService,
  keyServices,
  modelService,
  OPENAI,
  openAiService,
} from "../../services/key-services.ts";
import { showMessage, withProgress } from "../host/notifications.ts";
import type { RunLibrary } from "../host/run-library.ts";
import { readSettings } from "../host/settings.ts";
import { chatModels } from "../models/chat-models.ts";
import { findModels, offersIn } from "../models/model-picker.ts";
import { importClassicSettings } from "./import-classic.ts";
import { enterKey } from "./set-key.ts";

/** Dependencies of the setup actions. */
export interface SetupDependencies {
  readonly keys: KeyRing;
  readonly desk: ModelResolver;
  readonly library: RunLibrary;
  /** Called after a key or a model was changed. */
  changed(): void;
}

/** Actions on keys and models. */
export function setupActions(setting: SetupDependencies) {
  return {
    /** With "model" for the server that the models come from; otherwise asks for which service. */
    setApiKey: async (given?: unknown): Promise<void> => {
      const service = given === "model" ? modelService(readSettings()) : await askForService(setting);
      if (service) await enterKey(setting, service);
    },
    clearApiKey: () => clearApiKey(setting),
    /** With "server" asks for another server's address at once. */
    selectModel: (given?: unknown) => (given === "server" ? useServer(setting) : selectModel(setting)),
    importClassicSettings: (given?: unknown) => importClassicSettings(setting, given),
    chooseModel: (id: string) => chooseModel(setting, id),
  };
}

async function clearApiKey({ keys, changed }: SetupDependencies): Promise<void> {
  const origins = keys.origins();
  if (origins.length === 0) {
    void showMessage("info", "No API key is stored.");
    return;
  }
  const placeHolder = "Remove which key?";
  const origin = await vscode.window.showQuickPick([...origins], { title: "Clear API Key", placeHolder });
  if (origin === undefined) return;
  await keys.clear(origin);
  changed();
  void showMessage("info", `API key for ${origin} removed.`);
}

const TITLE = "Select Model";

async function selectModel(setting: SetupDependencies): Promise<void> {
  const { desk, keys } = setting;
  const found = await withProgress("AutoGPT: looking for models", (signal) => findModels(desk, signal));
  const key = await keys.get(modelService(readSettings()).address).catch(() => undefined);
  const offers = offersIn(found);
  const ways = waysOf(found, key !== undefined).map(({ label, detail, id }) => ({
    label,
    description: detail,
    way: id,
  }));
  const other = { label: "Other ways", kind: vscode.QuickPickItemKind.Separator };
  const picked = await vscode.window.showQuickPick<Row>(
    offers.length === 0 ? ways : [...offers.map(rowOf), other, ...ways],
    {
      title: TITLE,
      placeHolder: offers.length === 0 ? emptyHint(found.source) : "Main model",
      matchOnDescription: true,
      ignoreFocusOut: offers.length === 0,
    },
  );
  if (picked?.way) await goWay(setting, picked.way);
  else if (picked?.offer) await chooseBoth(setting, picked.offer, offers);
}

interface Row extends vscode.QuickPickItem {
  readonly offer?: ModelOffer;
  readonly way?: ModelWay["id"];
}

function rowOf(offer: ModelOffer): Row {
  return {
    label: `${offer.chosen ? "$(check) " : ""}${displayLine(offer.label)}`,
    description: displayLine(offer.detail),
    offer,
  };
}

function emptyHint(source: Parameters<typeof sourceSentence>[0] | undefined): string {
  return displayLine(`${source ? `${sourceSentence(source)} ` : ""}Where should models come from?`);
}

/** Asks for the fast model of the same service, then chooses both. */
async function chooseBoth(
  setting: SetupDependencies,
  smart: ModelOffer,
  offers: readonly ModelOffer[],
): Promise<void> {
  const others = offers.filter((offer) => offer.id !== smart.id && sameService(offer, smart));
  const fast = await vscode.window.showQuickPick<Row>(
    [{ label: "Same as main", offer: smart }, ...others.map(rowOf)],
    { title: TITLE, placeHolder: "Fast model (drafts, reviews)" },
  );
  if (fast?.offer) await chooseModels(setting, smart, fast.offer);
}

/** Sets the models of new runs and confirms that. */
async function chooseModels(
  { changed }: SetupDependencies,
  smart: ModelOffer,
  fast: ModelOffer,
): Promise<void> {
  const isSame = fast.id === smart.id;
  await choose({ ...smart.settings, "model.fast": isSame ? "" : (fast.settings["model.smart"] ?? "") });
  changed();
  void showMessage("info", `New runs use ${displayLine(smart.label)}.`);
}

function sameService(one: ModelOffer, other: ModelOffer): boolean {
  return ["model.provider", "model.baseUrl"].every((name) => one.settings[name] === other.settings[name]);
}

async function goWay(setting: SetupDependencies, way: ModelWay["id"]): Promise<void> {
  switch (way) {
    case "key":
      return void (await enterKey(setting, modelService(readSettings())));
    case "openai":
      return connect(setting, OPENAI, openAiService("OpenAI", OPENAI));
    case "server":
      return useServer(setting);
    case "local":
      return useLocal(setting);
    case "azure":
      return useAzure(setting);
    case "vscode":
      return useChatModels(setting);
    case "demo":
      return void (await vscode.commands.executeCommand("autogpt.tryDemo"));
  }
}

async function useServer(setting: SetupDependencies): Promise<void> {
  const { baseUrl } = readSettings().model;
  const entered = await vscode.window.showInputBox({
    title: "Use Another Server",
    prompt: "The address of an OpenAI-compatible server. Its key, if it needs one, is asked for next.",
    placeHolder: "https://openrouter.ai/api/v1 or localhost:8000/v1",
    value: isOpenAi(baseUrl) ? "" : baseUrl,
    ignoreFocusOut: true,
    validateInput: addressProblem,
  });
  if (entered === undefined) return;
  const address = plainBaseUrl(entered);
  await connect(setting, address, openAiService("The server", address));
}

/** Connects to a server, asks for its key where it needs one, and lets the user pick a model. Nothing is set before that. */
async function connect(setting: SetupDependencies, baseUrl: string, service: KeyService): Promise<void> {
  let asked = await ask(setting, baseUrl);
  if (needsKey(asked)) {
    const verdict = await enterKey(setting, { ...service, address: asked.address });
    if (verdict === undefined) return;
    if (verdict === "rejected") return useWithoutModel(setting, asked.address);
    asked = await ask(setting, asked.address);
  }
  const named = asked.models.length === 0 ? await askForName(asked) : await pickListed(asked);
  if (!named) return;
  const offers = asked.models.map((model) => serverOffer(model, asked.address));
  return offers.length > 1 ? chooseBoth(setting, named, offers) : chooseModels(setting, named, named);
}

/** Sets a server although its key is wrong: the start page then shows its state and how to change the key. */
async function useWithoutModel({ changed }: SetupDependencies, baseUrl: string): Promise<void> {
  await choose({
    "model.provider": "openai",
    "model.baseUrl": baseUrl,
    "model.smart": "",
    "model.fast": "",
  });
  changed();
}

/** Asks a server for its models; where an address has no API, the same address with a version is tried, too. */
async function ask({ keys }: SetupDependencies, baseUrl: string): Promise<SourceAnswer> {
  return withProgress(`AutoGPT: connecting to ${baseUrl}`, async (signal) => {
    const at = async (address: string): Promise<SourceAnswer> =>
      askSource(
        {
          baseUrl: address,
          apiKey: (await keys.get(address)) ?? "",
          prices: readSettings().model.prices,
          timeoutSeconds: CONNECT_SECONDS,
        },
        signal,
      );
    const asked = await at(baseUrl);
    const other = withVersion(asked.address);
    if (other === undefined || !["noApi", "unlisted"].includes(asked.state.kind)) return asked;
    const versioned = await at(other);
    return ["connected", "noKey", "rejected"].includes(versioned.state.kind) ? versioned : asked;
  });
}

const CONNECT_SECONDS = 15;

async function pickListed({ models, address }: SourceAnswer): Promise<ModelOffer | undefined> {
  const rows = models.map((model) => rowOf(serverOffer(model, address)));
  const picked = await vscode.window.showQuickPick(rows, {
    title: TITLE,
    placeHolder: "Main model",
    matchOnDescription: true,
    ignoreFocusOut: true,
  });
  return picked?.offer;
}

async function askForName(asked: SourceAnswer): Promise<ModelOffer | undefined> {
  const name = await vscode.window.showInputBox({
    title: TITLE,
    prompt: `${displayLine(sourceSentence(asked))} To use it anyway, enter a model's name.`,
    ignoreFocusOut: true,
    validateInput: (text) =>
      text.trim() === "" ? "Enter the name of a model, or press Escape to cancel." : undefined,
  });
  return name === undefined ? undefined : serverOffer({ name: name.trim() }, asked.address);
}

async function useLocal(setting: SetupDependencies): Promise<void> {
  const { desk } = setting;
  desk.forgetLocalServers();
  if ((await desk.localServers()).length > 0) return selectModel(setting);
  const again = "Try Again";
  const other = "Use Another Server…";
  const picked = await showMessage(
    "info",
    "Neither Ollama nor LM Studio is running on this machine with a model. Start one, then try again.",
    again,
    other,
  );
  if (picked === again) await useLocal(setting);
  if (picked === other) await useServer(setting);
}

async function useAzure(setting: SetupDependencies): Promise<void> {
  const { azure } = readSettings();
  const endpoint = await vscode.window.showInputBox({
    title: "Azure OpenAI (1 of 2)",
    prompt: "The endpoint of your resource.",
    placeHolder: "https://NAME.openai.azure.com",
    value: azure.endpoint,
    ignoreFocusOut: true,
    validateInput: addressProblem,
  });
  if (endpoint === undefined) return;
  const deployment = await vscode.window.showInputBox({
    title: "Azure OpenAI (2 of 2)",
    prompt: "The name of the deployment that serves the main model.",
    value: azure.smartDeployment,
    ignoreFocusOut: true,
    validateInput: (text) => (text.trim() === "" ? "Enter the name of a deployment." : undefined),
  });
  if (deployment === undefined) return;
  await choose({
    "model.provider": "azure",
    "azure.endpoint": plainBaseUrl(endpoint),
    "azure.smartDeployment": deployment.trim(),
  });
  setting.changed();
  await enterKey(setting, azureService(plainBaseUrl(endpoint)));
}

async function useChatModels(setting: SetupDependencies): Promise<void> {
  const models = await chatModels();
  if (models.length > 0) return selectModel(setting);
  const find = "Find Extensions";
  const picked = await showMessage(
    "info",
    "VS Code has no language models yet. Sign in to GitHub Copilot, or install another provider.",
    find,
  );
  if (picked === find)
    await vscode.commands.executeCommand("workbench.extensions.search", "GitHub Copilot Chat");
}

async function chooseModel({ desk, changed }: SetupDependencies, id: string): Promise<void> {
  const found = await findModels(desk, new AbortController().signal);
  const offer = offersIn(found).find((candidate) => candidate.id === id);
  if (!offer)
    throw new Error('That model is no longer available. Choose another one with "AutoGPT: Select Model…".');
  await choose({ ...offer.settings, "model.fast": "" });
  changed();
}

async function choose(chosen: Readonly<Record<string, string>>): Promise<void> {
  const settings = vscode.workspace.getConfiguration("autogpt");
  for (const [name, value] of Object.entries(chosen)) {
    await settings.update(name, value, vscode.ConfigurationTarget.Global);
  }
}

/** Asks which service a key is for. There is no choice while only the model needs one. */
async function askForService({ keys }: SetupDependencies): Promise<KeyService | undefined> {
  const services = keyServices(readSettings(), keys.origins().length > 0);
  const [only] = services;
  if (services.length === 1) return only;
  return vscode.window.showQuickPick(services, { title: "Set API Key", placeHolder: "For which service?" });
}

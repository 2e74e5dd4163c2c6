import * as vscode from "vscode";
import type { ModelPair } from "../../core/events/run.ts";
import { type Model, ModelError } from "../../core/ports/model.ts";
import type { ModelSource, SourceState } from "../../core/ports/model-source.ts";
import {
  askSource,
  hostAndPort,
  problemBefore,
  type SourceAnswer,
  sourceMessage,
} from "../../models/catalog/ask-source.ts";
import { checkKey } from "../../models/catalog/check-key.ts";
import type { LocalServer } from "../../models/catalog/local-servers.ts";
import { ModelCatalog } from "../../models/catalog/model-catalog.ts";
import { Lessons } from "../../models/chat/lessons.ts";
import { isLocal, isOpenAi } from "../../models/http/endpoint.ts";
import { OPENAI_MODELS } from "../../models/providers/openai.ts";
import { createModel } from "../../models/providers.ts";
import { reconnecting } from "../../models/reconnecting-model.ts";
import type { Settings, SettingValue } from "../../schema/settings.ts";
import type { KeyRing } from "../../services/key-ring.ts";
import { readSettings } from "../host/settings.ts";
import { lmModel } from "./lm-model.ts";

/** Where a run's models come from. */
export type ModelOrigin =
  | { readonly kind: "openai"; readonly baseUrl: string; readonly key: string }
  | { readonly kind: "azure"; readonly endpoint: string; readonly key: string }
  | { readonly kind: "vscode"; readonly models: readonly vscode.LanguageModelChat[] }
  | { readonly kind: "local"; readonly server: LocalServer };

/** The longest wait for a source's state. */
const STATE_SECONDS = 4;

/** Finds models and makes them. It sends a key only to the origin that it was stored for. */
export class ModelResolver {
  private readonly keys: KeyRing;
  private readonly lessons = new Lessons();
  private readonly catalog = new ModelCatalog();

  constructor(keys: KeyRing) {
    this.keys = keys;
  }

  /** What `model.provider` leads to now; undefined when nothing is set up. */
  async origin(settings: Settings): Promise<ModelOrigin | undefined> {
    const { provider } = settings.model;
    const order: readonly SettingValue<"model.provider">[] =
      provider === "auto" ? ["openai", "vscode"] : [provider];
    for (const candidate of order) {
      const origin = await this.originOf(candidate, settings);
      if (origin) return origin;
    }
    if (provider !== "auto") return undefined;
    const [server] = (await this.localServers()).filter((found) => found.models.length > 0);
    return server && { kind: "local", server };
  }

  /** The models for a run; after trouble with them they become those that are set up by then. Throws a sentence when nothing is set up. */
  async pair(settings: Settings): Promise<ModelPair> {
    const { smart, fast } = await this.make(settings);
    const thinks = reconnecting(smart, async () => (await this.make(readSettings())).smart);
    if (fast === smart) return { smart: thinks, fast: thinks };
    return { smart: thinks, fast: reconnecting(fast, async () => (await this.make(readSettings())).fast) };
  }

  /** Throws a sentence when nothing is set up; no model is loaded for that. */
  async demand(settings: Settings): Promise<void> {
    await this.make(settings, "guessed");
  }

  private async make(settings: Settings, window: "asked" | "guessed" = "asked"): Promise<ModelPair> {
    const origin = await this.origin(settings);
    if (!origin) throw await this.missing(settings);
    const { model } = settings;
    switch (origin.kind) {
      case "vscode":
        return vscodePair(origin.models, settings);
      case "local": {
        const [first] = origin.server.models;
        const name = model.smart || first?.name || "";
        const names = { smart: name, fast: model.fast || name };
        return this.served(settings, { baseUrl: origin.server.baseUrl, key: "" }, names, window);
      }
      case "azure": {
        const smart = settings.azure.smartDeployment;
        if (smart === "") throw await this.missing(settings);
        const make = (deployment: string): Model =>
          createModel({
            ...options(settings, origin.endpoint, origin.key, deployment),
            lessons: this.lessons,
            provider: "azure",
            azure: { endpoint: origin.endpoint, apiVersion: settings.azure.apiVersion, deployment },
          });
        return pairOf(make, smart, settings.azure.fastDeployment || smart);
      }
      case "openai": {
        const own = isOpenAi(origin.baseUrl);
        const smart = model.smart || (own ? OPENAI_MODELS.smart : "");
        if (smart === "") throw await this.missing(settings);
        const fast = model.fast || (own && model.smart === "" ? OPENAI_MODELS.fast : smart);
        return this.served(settings, origin, { smart, fast }, window);
      }
    }
  }

  /** Models of a server, each with the window that it is given there. */
  private async served(
    settings: Settings,
    { baseUrl, key }: { readonly baseUrl: string; readonly key: string },
    { smart, fast }: { readonly smart: string; readonly fast: string },
    window: "asked" | "guessed",
  ): Promise<ModelPair> {
    const isSet = window === "guessed" || settings.model.contextWindow > 0;
    const make = async (id: string): Promise<Model> =>
      createModel({
        ...options(settings, baseUrl, key, id, isSet ? 0 : await this.catalog.windowOf(id, baseUrl, key)),
        lessons: this.lessons,
      });
    const one = await make(smart);
    return { smart: one, fast: fast === smart ? one : await make(fast) };
  }

  /** The state of the configured source. */
  async source(settings: Settings, signal: AbortSignal): Promise<ModelSource | undefined> {
    switch (settings.model.provider) {
      case "vscode": {
        const { length } = await chatModels();
        const state: SourceState =
          length > 0 ? { kind: "connected", models: length } : { kind: "noChatModels" };
        return { name: "VS Code", state };
      }
      case "azure":
        return this.azureSource(settings, signal);
      case "auto":
      case "openai":
        return this.askServer(settings, signal);
    }
  }

  /** Asks the configured server for its models, whether or not it's in use. */
  async askServer({ model }: Settings, signal: AbortSignal): Promise<SourceAnswer> {
    const key = await this.keys.get(model.baseUrl).catch(() => undefined);
    const listing = { baseUrl: model.baseUrl, apiKey: key ?? "", prices: model.prices };
    return askSource({ ...listing, timeoutSeconds: STATE_SECONDS }, signal);
  }

  private async azureSource({ azure }: Settings, signal: AbortSignal): Promise<ModelSource | undefined> {
    const { endpoint, apiVersion, smartDeployment } = azure;
    const incomplete = (setting: string): ModelSource => ({
      name: "Azure OpenAI",
      state: { kind: "incomplete", setting },
    });
    if (endpoint === "") return incomplete("autogpt.azure.endpoint");
    if (problemBefore(endpoint, "any")) return { name: "Azure OpenAI", state: { kind: "badAddress" } };
    const key = await this.keys.get(endpoint);
    const name = hostAndPort(endpoint);
    if (key === undefined) return { name, state: { kind: "noKey" } };
    if (smartDeployment === "") return incomplete("autogpt.azure.smartDeployment");
    const checked = { service: "azure", key, address: endpoint, apiVersion } as const;
    const { state } = await checkKey(checked, signal, STATE_SECONDS);
    return state && { name, state };
  }

  /** Why there is no model, as an error whose message names what to do. */
  private async missing(settings: Settings): Promise<ModelError> {
    const source = await this.source(settings, new AbortController().signal);
    const isNew =
      settings.model.provider === "auto" &&
      isOpenAi(settings.model.baseUrl) &&
      source?.state.kind === "noKey";
    return new ModelError("setup", source && !isNew ? sourceMessage(source) : NOTHING_SET_UP);
  }

  /** Looks for local servers again at the next call. */
  forgetLocalServers(): void {
    this.catalog.forgetLocalServers();
  }

  /** The model servers of this machine. */
  localServers(): Promise<readonly LocalServer[]> {
    return this.catalog.localServers();
  }

  private async originOf(
    provider: SettingValue<"model.provider">,
    settings: Settings,
  ): Promise<ModelOrigin | undefined> {
    if (provider === "vscode") {
      const models = await chatModels();
      return models.length > 0 ? { kind: "vscode", models } : undefined;
    }
    if (provider === "azure") {
      const { endpoint } = settings.azure;
      const key = endpoint === "" ? undefined : await this.keys.get(endpoint);
      return key === undefined ? undefined : { kind: "azure", endpoint, key };
    }
    const { baseUrl } = settings.model;
    const key = await this.keys.get(baseUrl);
    if (key !== undefined) return { kind: "openai", baseUrl, key };
    return isLocal(baseUrl) || (provider === "openai" && !isOpenAi(baseUrl))
      ? { kind: "openai", baseUrl, key: "" }
      : undefined;
  }
}

function pairOf(make: (id: string) => Model, smart: string, fast: string): ModelPair {
  const one = make(smart);
  return { smart: one, fast: fast === smart ? one : make(fast) };
}

function options(settings: Settings, baseUrl: string, apiKey: string, model: string, contextWindow = 0) {
  const { timeoutSeconds, prices } = settings.model;
  const window = settings.model.contextWindow || contextWindow;
  return {
    provider: "openai" as const,
    baseUrl,
    apiKey,
    model,
    timeoutSeconds,
    prices,
    ...(window > 0 ? { contextWindow: window } : {}),
  };
}

function vscodePair(models: readonly vscode.LanguageModelChat[], settings: Settings): ModelPair {
  const find = (id: string): vscode.LanguageModelChat | undefined =>
    models.find((chat) => chat.id === id || chat.name === id || chat.family === id);
  const smart = find(settings.model.smart) ?? models[0];
  if (!smart)
    throw new ModelError("setup", sourceMessage({ name: "VS Code", state: { kind: "noChatModels" } }));
  const fast = find(settings.model.fast) ?? smart;
  const { timeoutSeconds, contextWindow } = settings.model;
  const make = (chat: vscode.LanguageModelChat): Model =>
    lmModel(chat, timeoutSeconds, contextWindow || undefined);
  return fast === smart
    ? { smart: make(smart), fast: make(smart) }
    : { smart: make(smart), fast: make(fast) };
}

/** The models that VS Code has; none where its service doesn't answer, so that no page waits for it. */
export async function chatModels(): Promise<readonly vscode.LanguageModelChat[]> {
  try {
    return await vscode.lm.selectChatModels();
  } catch {
    return [];
  }
}

const NOTHING_SET_UP =
  'No model is set up yet. Choose one with "AutoGPT: Select Model…", set a key with "AutoGPT: Set API Key…", or try the demo, which needs neither.';

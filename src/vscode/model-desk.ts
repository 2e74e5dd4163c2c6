import * as vscode from "vscode";
import { type Model, ModelError } from "../core/ports.ts";
import type { ModelPair } from "../core/run-models.ts";
import { isLocal } from "../models/base-url.ts";
import { askContextWindow } from "../models/context-window.ts";
import { createModel } from "../models/create-model.ts";
import { Lessons } from "../models/lessons.ts";
import { findLocalServers, type LocalServer } from "../models/local-servers.ts";
import type { KeyRing } from "./keys.ts";
import { originOf } from "./keys.ts";
import { lmModel } from "./lm-model.ts";
import { mendable } from "./mendable-model.ts";
import { type Provider, readSettings, type Settings } from "./settings.ts";

/** Where a run's models come from. */
export type Origin =
  | { readonly kind: "openai"; readonly baseUrl: string; readonly key: string }
  | { readonly kind: "azure"; readonly endpoint: string; readonly key: string }
  | { readonly kind: "vscode"; readonly models: readonly vscode.LanguageModelChat[] }
  | { readonly kind: "local"; readonly server: LocalServer };

const DEFAULT_SMART = "gpt-5";
const DEFAULT_FAST = "gpt-5-mini";
/** Local servers are looked for again, and servers asked for windows again, after this long. */
const FRESH_MS = 20_000;
const LIST_SECONDS = 10;

/** Finds models and makes them. It sends a key only to the origin that it was stored for. */
export class ModelDesk {
  private readonly keys: KeyRing;
  private readonly lessons = new Lessons();
  private readonly windows = new Map<string, { readonly at: number; readonly tokens: Promise<number> }>();
  private local: { readonly at: number; readonly servers: Promise<readonly LocalServer[]> } | undefined;

  constructor(keys: KeyRing) {
    this.keys = keys;
  }

  /** What `model.provider` leads to now; undefined when nothing is set up. */
  async origin(settings: Settings): Promise<Origin | undefined> {
    const { provider } = settings.model;
    const order: readonly Provider[] = provider === "auto" ? ["openai", "vscode"] : [provider];
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
    const thinks = mendable(smart, async () => (await this.make(readSettings())).smart);
    if (fast === smart) return { smart: thinks, fast: thinks };
    return { smart: thinks, fast: mendable(fast, async () => (await this.make(readSettings())).fast) };
  }

  /** Throws a sentence when nothing is set up; no model is loaded for that. */
  async demand(settings: Settings): Promise<void> {
    await this.make(settings, "guessed");
  }

  private async make(settings: Settings, window: "asked" | "guessed" = "asked"): Promise<ModelPair> {
    const origin = await this.origin(settings);
    if (!origin) throw new ModelError("setup", missing(settings));
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
        const smart = model.smart || (own ? DEFAULT_SMART : "");
        if (smart === "")
          throw new ModelError(
            "setup",
            "No model is chosen for this server. Run AutoGPT: Select Model… to see what it offers.",
          );
        const fast = model.fast || (own && model.smart === "" ? DEFAULT_FAST : smart);
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
        ...options(settings, baseUrl, key, id, isSet ? 0 : await this.windowOf(id, baseUrl, key)),
        lessons: this.lessons,
      });
    const one = await make(smart);
    return { smart: one, fast: fast === smart ? one : await make(fast) };
  }

  private windowOf(model: string, baseUrl: string, apiKey: string): Promise<number> {
    const name = `${baseUrl} ${model}`;
    const known = this.windows.get(name);
    if (known && Date.now() - known.at < FRESH_MS) return known.tokens;
    const listing = { baseUrl, apiKey, prices: {}, timeoutSeconds: LIST_SECONDS };
    const tokens = askContextWindow(model, listing, new AbortController().signal);
    this.windows.set(name, { at: Date.now(), tokens });
    return tokens;
  }

  /** Servers on this machine, found by themselves. */
  localServers(): Promise<readonly LocalServer[]> {
    if (!this.local || Date.now() - this.local.at > FRESH_MS) {
      this.local = { at: Date.now(), servers: findLocalServers().catch(() => []) };
    }
    return this.local.servers;
  }

  private async originOf(provider: Provider, settings: Settings): Promise<Origin | undefined> {
    if (provider === "vscode") {
      const models = await vscode.lm.selectChatModels();
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
  if (!smart) throw new ModelError("setup", missing(settings));
  const fast = find(settings.model.fast) ?? smart;
  const { timeoutSeconds, contextWindow } = settings.model;
  const make = (chat: vscode.LanguageModelChat): Model =>
    lmModel(chat, timeoutSeconds, contextWindow || undefined);
  return fast === smart
    ? { smart: make(smart), fast: make(smart) }
    : { smart: make(smart), fast: make(fast) };
}

function isOpenAi(baseUrl: string): boolean {
  return originOf(baseUrl) === "https://api.openai.com";
}

function missing(settings: Settings): string {
  switch (settings.model.provider) {
    case "vscode":
      return "VS Code has no language model to offer. Sign in to one (GitHub Copilot, for example), or choose another provider with AutoGPT: Select Model….";
    case "azure":
      return "Azure OpenAI is not set up. Set autogpt.azure.endpoint and the deployments, then run AutoGPT: Set API Key….";
    default:
      return "The agent needs a model. Set an API key, choose one of the models found here, or try the demo, which needs neither.";
  }
}

import { type ModelSource, modelCount, needsKey, sourceLabel } from "../../core/ports/model-source.ts";
import { isOpenAi, plainBaseUrl } from "../http/endpoint.ts";
import type { ModelOrigin, ProviderSettings } from "../provider.ts";
import { OPENAI_MODELS } from "../providers/openai.ts";
import { PROVIDERS } from "../providers.ts";
import type { SourceAnswer } from "./ask-source.ts";
import type { OfferedModel } from "./list-models.ts";
import type { LocalServer } from "./local-servers.ts";
import type { Price } from "./prices.ts";

/** A model on offer, and the settings that choose it. */
export interface ModelOffer {
  readonly id: string;
  readonly label: string;
  readonly detail: string;
  readonly chosen: boolean;
  readonly settings: Readonly<Record<string, string>>;
}

/** One of VS Code's own language models. */
interface ChatModel {
  readonly id: string;
  readonly name: string;
  readonly vendor: string;
  readonly maxInputTokens: number;
}

/** The result of looking for models everywhere. */
export interface FoundModels {
  /** Where a new run's models come from; absent if nothing is set up. */
  readonly origin?: ModelOrigin;
  readonly chat: readonly ChatModel[];
  readonly local: readonly LocalServer[];
  /** The configured server, even if models come from elsewhere. */
  readonly asked?: SourceAnswer;
  /** Why the configured source yields no models, or how many it has. */
  readonly source?: ModelSource;
}

/** Every available model, the one in use first. A configured model is on offer even if its server lists nothing. */
export function offersOf(found: FoundModels, settings: ProviderSettings): readonly ModelOffer[] {
  return [
    ...configuredOffers(found, settings),
    ...chatOffers(found, settings),
    ...localOffers(found, settings),
    ...serverOffers(found, settings),
  ].toSorted((a, b) => Number(b.chosen) - Number(a.chosen));
}

/** The models that settings name for the provider in use. */
function configuredOffers({ origin }: FoundModels, chosen: ProviderSettings): readonly ModelOffer[] {
  if (!origin) return [];
  const named = PROVIDERS[origin.provider].configured(chosen);
  return named.map(({ name, detail, settings }, index) => ({
    id: `${origin.provider}:${name}`,
    label: name,
    detail,
    chosen: index === 0,
    settings,
  }));
}

function chatOffers({ origin, chat }: FoundModels, { model }: ProviderSettings): readonly ModelOffer[] {
  return chat.map(({ id, name, vendor, maxInputTokens }, index) => ({
    id: `vscode:${id}`,
    label: name,
    detail: `VS Code, ${vendor} · ${tokens(maxInputTokens)}`,
    chosen: origin?.provider === "vscode" && isChosen(model.smart, id, index),
    settings: { "model.provider": "vscode", "model.smart": id },
  }));
}

function localOffers({ origin, local }: FoundModels, { model }: ProviderSettings): readonly ModelOffer[] {
  return local.flatMap(({ name: server, baseUrl, models }) =>
    models.map(({ name, contextWindow }) => ({
      id: `${baseUrl}:${name}`,
      label: name,
      detail: `${server} on this machine${contextWindow ? ` · ${tokens(contextWindow)}` : ""} · free`,
      chosen:
        origin?.address === baseUrl &&
        (model.smart === name || (model.smart === "" && origin.foundModel === name)),
      settings: { "model.provider": "openai", "model.baseUrl": baseUrl, "model.smart": name },
    })),
  );
}

function serverOffers(
  { origin, local, asked }: FoundModels,
  { model }: ProviderSettings,
): readonly ModelOffer[] {
  if (!asked || local.some(({ baseUrl }) => baseUrl === model.baseUrl)) return [];
  const inUse = origin?.provider === "openai" && origin.foundModel === undefined;
  const configured = model.smart || (isOpenAi(asked.address) ? OPENAI_MODELS.smart : "");
  const isListed = asked.models.some(({ name }) => name === configured);
  const unlisted: readonly OfferedModel[] =
    inUse && configured !== "" && !isListed ? [{ name: configured }] : [];
  return [...unlisted, ...asked.models].map((offered) => ({
    ...serverOffer(offered, model.baseUrl),
    chosen: inUse && offered.name === configured,
  }));
}

/** A model of a server, not chosen yet. */
export function serverOffer({ name, contextWindow, price }: OfferedModel, baseUrl: string): ModelOffer {
  const parts = [
    URL.parse(baseUrl)?.host ?? baseUrl,
    contextWindow ? tokens(contextWindow) : "",
    priceText(price),
  ];
  return {
    id: `${baseUrl}:${name}`,
    label: name,
    detail: parts.filter((part) => part !== "").join(" · "),
    chosen: false,
    settings: { "model.provider": "openai", "model.baseUrl": baseUrl, "model.smart": name },
  };
}

function isChosen(configured: string, id: string, index: number): boolean {
  return configured === id || (configured === "" && index === 0);
}

function tokens(count: number): string {
  return `${Math.round(count / 1000)}k tokens`;
}

function priceText(price: Price | undefined): string {
  return price ? `$${price.input} / $${price.output} per million tokens` : "";
}

/** A way to a model, for a picker. */
export interface ModelWay {
  readonly id: "key" | "openai" | "server" | "local" | "azure" | "vscode" | "demo";
  readonly label: string;
  readonly detail: string;
}

/** All ways to a model. If the configured server needs a key, or another one, that comes first. */
export function waysOf({ source, chat, local }: FoundModels, hasKey: boolean): readonly ModelWay[] {
  const count = local.reduce((sum, { models }) => sum + models.length, 0);
  return [
    ...(source && (needsKey(source) || hasKey)
      ? [
          {
            id: "key" as const,
            label: hasKey ? "Change Key…" : "Set API Key…",
            detail: `${source.name} · ${sourceLabel(source)}`,
          },
        ]
      : []),
    { id: "openai", label: "OpenAI…", detail: "With an API key" },
    {
      id: "server",
      label: "Another OpenAI-compatible server…",
      detail: "OpenRouter, Anthropic, Gemini, LiteLLM, vLLM, or your own",
    },
    {
      id: "local",
      label: "Ollama or LM Studio",
      detail: count === 0 ? "Not running on this machine" : modelCount(count),
    },
    { id: "azure", label: "Azure OpenAI…", detail: "With an endpoint, a deployment and a key" },
    {
      id: "vscode",
      label: "GitHub Copilot and other VS Code models",
      detail: chat.length === 0 ? "None found" : modelCount(chat.length),
    },
    { id: "demo", label: "Try the Demo", detail: "No key, no network" },
  ];
}

/** Why an entered address can't be used; undefined when it can. */
export function addressProblem(text: string): string | undefined {
  const address = plainBaseUrl(text);
  if (address === "") return "Enter an address such as https://openrouter.ai/api/v1 or localhost:8000/v1.";
  const url = URL.parse(address);
  if (!url || (url.protocol !== "https:" && url.protocol !== "http:"))
    return `"${address}" is not a web address. Enter one like https://api.openai.com/v1.`;
  return url.username === "" && url.password === ""
    ? undefined
    : "The address contains a user name or password. Remove it: the key is asked for next.";
}

/** The address to try next if there is no API at the entered one. */
export function withVersion(address: string): string | undefined {
  return /\/v\d+\w*$/.test(address) ? undefined : `${address}/v1`;
}

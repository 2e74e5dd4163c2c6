import { omitUndefined } from "../core/base/objects.ts";
import type { EmbeddingSource } from "../memory/embedding/embedders.ts";
import { findPrice } from "../models/catalog/prices.ts";
import { createEmbeddingsCaller } from "../models/http/client.ts";
import { isOpenAi } from "../models/http/endpoint.ts";
import type { ModelResolver } from "../models/model-resolver.ts";
import {
  createProviderSettings,
  formatModelReference,
  getMainProviderId,
  listProviders,
  parseModelReference,
} from "../models/named-providers.ts";
import { PROVIDERS } from "../models/providers.ts";
import type { Settings } from "../schema/settings.ts";
import { getKeyOrigin } from "./services/key-ring.ts";

/** Tokens of one call for vectors, and their price where it is known. */
export interface EmbeddingCost {
  readonly model: string;
  readonly tokens: number;
  readonly costUsd?: number;
}

/** The value of `model.embedding` that means the encoder on this machine. */
export const OFFLINE = "offline";

/** A value of `model.embedding` that works here, and its cost. */
export type EmbeddingChoice = { readonly value: string; readonly isChosen: boolean } & (
  | { readonly kind: "builtIn" | "encoder" }
  | {
      readonly kind: "provider";
      /** "" if the user has to name a model, because only OpenAI's are known. */
      readonly model: string;
      /** The name by which a model's name refers to the provider. */
      readonly provider: string;
      readonly host: string;
      /** US dollars for a million tokens, if known. */
      readonly price?: number;
    }
  | { readonly kind: "plugin"; readonly name: string }
);

/** OpenAI's cheapest embedding model. */
export const USUAL_EMBEDDING = "text-embedding-3-small";
const OPENAI_MODELS = [USUAL_EMBEDDING, "text-embedding-3-large"];

/** All sources of vectors that work with these settings and keys. */
export async function listEmbeddingChoices(
  resolver: Pick<ModelResolver, "findOrigin">,
  settings: Settings,
  plugins: readonly { readonly value: string; readonly name: string }[],
): Promise<readonly EmbeddingChoice[]> {
  const chosen = settings.model.embedding;
  const own = [{ kind: "builtIn", value: "" } as const, { kind: "encoder", value: OFFLINE } as const];
  const brought = plugins.map((plugin) => ({ kind: "plugin", ...plugin }) as const);
  const found = [...own, ...(await listProviderChoices(resolver, settings)), ...brought];
  const named = parseModelReference(chosen, settings);
  const usual = getMainProviderId(settings);
  return found.map((one) => {
    if (one.kind !== "provider") return { ...one, isChosen: one.value === chosen };
    const isNamed = one.model === named.model && one.provider === (named.provider?.id ?? usual);
    return { ...one, isChosen: one.model !== "" && isNamed };
  });
}

async function listProviderChoices(resolver: Pick<ModelResolver, "findOrigin">, settings: Settings) {
  const found = [];
  for (const provider of listProviders(settings).filter(({ kind }) => kind !== "vscode")) {
    const own = createProviderSettings(provider, settings, "");
    const origin = await resolver.findOrigin(own);
    if (!origin || !PROVIDERS[origin.provider].findEmbeddingConnection("", own, origin)) continue;
    const { address } = origin;
    const host = new URL(address).host;
    const facts = { kind: "provider", provider: provider.id, host } as const;
    for (const model of isOpenAi(address) ? OPENAI_MODELS : []) {
      const price = findPrice([model], own.model.prices, address)?.input;
      const value = formatModelReference(model, provider);
      found.push({ ...facts, value, model, ...omitUndefined({ price }) });
    }
    found.push({ ...facts, value: "", model: "" });
  }
  return found;
}

/** The provider's vectors, as `model.embedding` names them; undefined where there is no such provider. */
export async function createProviderEmbedding(
  resolver: ModelResolver,
  settings: Settings,
  used: (cost: EmbeddingCost) => void,
): Promise<EmbeddingSource | undefined> {
  const { model, provider } = parseModelReference(settings.model.embedding, settings);
  const own = provider ? createProviderSettings(provider, settings, "") : settings;
  const origin = await resolver.findOrigin(own);
  const connection = origin && PROVIDERS[origin.provider].findEmbeddingConnection(model, own, origin);
  if (!connection) return undefined;
  const { address } = origin;
  const price = findPrice([model], own.model.prices, address);
  return {
    kind: "provider",
    options: {
      id: `${getKeyOrigin(address)} ${model}`,
      model,
      request: createEmbeddingsCaller(connection),
      reportUsage: ({ tokens }) =>
        used({ model, tokens, ...(price ? { costUsd: (tokens * price.input) / 1_000_000 } : {}) }),
    },
  };
}

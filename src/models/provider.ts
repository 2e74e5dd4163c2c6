import type { Model } from "../core/ports/model.ts";
import type { ModelSource } from "../core/ports/model-source.ts";
import type { Settings, SettingValue } from "../schema/settings.ts";
import type { SourceAnswer } from "./catalog/ask-source.ts";
import type { KeyToCheck } from "./catalog/check-key.ts";
import type { ServedModel } from "./catalog/list-models.ts";
import type { Lessons } from "./chat/lessons.ts";
import type { AzureConnection, Connection } from "./http/client.ts";
import type { NextSteps } from "./http/endpoint.ts";

/** The values of `autogpt.model.provider`, except `auto`. */
export type ProviderName = Exclude<SettingValue<"model.provider">, "auto">;

/** The settings that models are made from. */
export type ProviderSettings = Pick<Settings, "model" | "azure"> & {
  /** The name of the provider whose own option replaces `model.api`. */
  readonly apiOwner?: string | undefined;
};

/** The origin of models, once a provider is set up. */
export interface ModelOrigin {
  readonly provider: ProviderName;
  /** Base URL or endpoint; "" for models of the host itself. */
  readonly address: string;
  /** "" if the origin takes none. */
  readonly key: string;
  /** The first model of a server that was found on this machine without a setting that names it. */
  readonly foundModel?: string;
}

/** Names of the models to use. */
interface ModelChoice {
  readonly smart: string;
  readonly fast: string;
}

/** A language model of the host itself, for example of VS Code. */
export interface HostModel {
  readonly id: string;
  readonly name: string;
  readonly family: string;
  readonly vendor?: string;
  /** Maximum tokens of a prompt. */
  readonly maxInputTokens?: number;
  /** It's only used if settings name it. */
  readonly isOptional?: true;
  /** `contextWindow`: at most this many tokens. */
  create(timeoutSeconds: number, contextWindow?: number): Model;
}

/** A provider's key, and how to check it. */
export interface ProviderKey {
  readonly label: string;
  readonly address: string;
  readonly check: KeyToCheck["service"];
  /** Environment variables with the key on a command line; the first one that is set applies. */
  readonly variables: readonly string[];
}

/** Dependencies of providers. */
export interface ProviderContext {
  /** The key stored for an address's origin; undefined if there is none. */
  findKey(address: string): Promise<string | undefined>;
  /** Absent if the host has no models, as on a command line. */
  listHostModels?(): Promise<readonly HostModel[]>;
  /** A model as its server runs it. */
  fetchServedModel(model: string, origin: ModelOrigin): Promise<ServedModel>;
  /** Whether a model accepts pictures; undefined if unknown. */
  canSeePictures(model: string, origin: ModelOrigin): Promise<boolean | undefined>;
  readonly lessons: Lessons;
  /** Where the user can fix problems that keep a model from answering. */
  readonly steps: NextSteps;
  /** If no setting names a model, uses the first one that a server lists. */
  readonly picksFirstModel?: boolean;
}

/** A provider of models: one file in `providers/` and one row in `providers.ts`. */
export interface Provider {
  /** For people. */
  readonly label: string;
  /** The key that the settings require; undefined if they require none. */
  getKey(settings: ProviderSettings): ProviderKey | undefined;
  /** The origin of models; undefined if something is missing. `isAuto`: the user hasn't chosen this provider. */
  findOrigin(settings: ProviderSettings, context: ProviderContext, isAuto: boolean): Promise<ModelOrigin | undefined>;
  /** The state of its source, or what is missing. `askServer` asks the server at `model.baseUrl`. */
  findSource(
    settings: ProviderSettings,
    context: ProviderContext,
    askServer: () => Promise<SourceAnswer>,
    signal: AbortSignal,
  ): Promise<ModelSource | undefined>;
  /** Chooses the models; undefined if a setting has to name one. */
  choose(settings: ProviderSettings, origin: ModelOrigin, context: ProviderContext): Promise<ModelChoice | undefined>;
  /** Creates a model with retries and prices. Its first completion throws any error in the settings. */
  create(name: string, settings: ProviderSettings, origin: ModelOrigin, context: ProviderContext): Promise<Model>;
  /** The connection for an embedding model; undefined if the provider has none. */
  findEmbeddingConnection(
    model: string,
    settings: ProviderSettings,
    origin: ModelOrigin,
  ): Connection | AzureConnection | undefined;
}

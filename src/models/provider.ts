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
  /** Name of the provider whose own option counts in place of `model.api`. */
  readonly apiOwner?: string | undefined;
};

/** The place that models come from once a provider is set up. */
export interface ModelOrigin {
  readonly provider: ProviderName;
  /** Base URL or endpoint; "" for models of the host itself. */
  readonly address: string;
  /** "" when the place takes none. */
  readonly key: string;
  /** First model of a server that was found on this machine and that no setting names. */
  readonly foundModel?: string;
}

/** Names of the models to use. */
interface ModelChoice {
  readonly smart: string;
  readonly fast: string;
}

/** A language model that the host itself has, as VS Code does. */
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

/** A key that a provider takes, and how it's checked. */
export interface ProviderKey {
  readonly label: string;
  readonly address: string;
  readonly check: KeyToCheck["service"];
  /** Environment variables with the key on a command line; the first one that is set counts. */
  readonly variables: readonly string[];
}

/** Everything that providers need from outside. */
export interface ProviderContext {
  /** The key that is stored for an address's origin; undefined when there is none. */
  findKey(address: string): Promise<string | undefined>;
  /** Absent where the host has no models of its own, as on a command line. */
  listHostModels?(): Promise<readonly HostModel[]>;
  /** A model as its server runs it. */
  fetchServedModel(model: string, origin: ModelOrigin): Promise<ServedModel>;
  /** Whether a model takes pictures; undefined if nothing says so. */
  canSeePictures(model: string, origin: ModelOrigin): Promise<boolean | undefined>;
  readonly lessons: Lessons;
  /** Where the user fixes what keeps a model from answering. */
  readonly steps: NextSteps;
  /** Uses the first model that a server lists where no setting names one. */
  readonly picksFirstModel?: boolean;
}

/** A provider of models: one file in `providers/` and one row in `providers.ts`. */
export interface Provider {
  /** For people. */
  readonly label: string;
  /** The key that the settings call for; undefined when they call for none. */
  getKey(settings: ProviderSettings): ProviderKey | undefined;
  /** Where models come from; undefined when something is missing. `isAuto`: the user hasn't chosen this provider. */
  findOrigin(
    settings: ProviderSettings,
    context: ProviderContext,
    isAuto: boolean,
  ): Promise<ModelOrigin | undefined>;
  /** The state of its source, or what is missing. `askServer` asks the server at `model.baseUrl`. */
  findSource(
    settings: ProviderSettings,
    context: ProviderContext,
    askServer: () => Promise<SourceAnswer>,
    signal: AbortSignal,
  ): Promise<ModelSource | undefined>;
  /** The models to use; undefined when a setting has to name one. */
  choose(
    settings: ProviderSettings,
    origin: ModelOrigin,
    context: ProviderContext,
  ): Promise<ModelChoice | undefined>;
  /** Makes a model, with retries and prices. Trouble with settings is thrown by its first completion. */
  create(
    name: string,
    settings: ProviderSettings,
    origin: ModelOrigin,
    context: ProviderContext,
  ): Promise<Model>;
  /** How to reach an embedding model; undefined when the provider has none. */
  findEmbeddingConnection(
    model: string,
    settings: ProviderSettings,
    origin: ModelOrigin,
  ): Connection | AzureConnection | undefined;
}

import type { ModelPair } from "../core/events/run.ts";
import { type Model, ModelError, wrapModel } from "../core/ports/model.ts";
import type { ModelSource } from "../core/ports/model-source.ts";
import { displayText, type Sentence } from "../texts/display-text.ts";
import { askSource, describeSource, type SourceAnswer } from "./catalog/ask-source.ts";
import type { LocalServer } from "./catalog/local-servers.ts";
import { ModelCatalog } from "./catalog/model-catalog.ts";
import type { LessonStore } from "./chat/lesson-file.ts";
import { Lessons } from "./chat/lessons.ts";
import { addFallbacks, type Fallback } from "./fallbacks.ts";
import { describeApiOption, isOpenAi, type NextSteps } from "./http/endpoint.ts";
import {
  canWorkWithoutKey,
  createProviderSettings,
  formatModelReference,
  getMainProviderId,
  getProviderId,
  listOwnProviders,
  type ModelReference,
  type NamedProvider,
  parseModelReference,
  selectMainSettings,
} from "./named-providers.ts";
import type { HostModel, ModelOrigin, ProviderContext, ProviderSettings } from "./provider.ts";
import { AUTO_ORDER, getProvider, PROVIDERS } from "./providers.ts";

/** Time limit for a source's state. */
const STATE_SECONDS = 4;

/** A model with its origin and settings. */
interface PlacedModel {
  readonly name: string;
  readonly origin: ModelOrigin;
  readonly settings: ProviderSettings;
}

interface PlacedModels {
  readonly smart: PlacedModel;
  readonly fast: PlacedModel;
}

/** A model in use: its own name, and its provider's. */
export interface ModelInUse {
  readonly model: string;
  readonly provider: string;
}

/** Dependencies of the model resolver. */
export interface ModelResolverOptions
  extends Pick<ProviderContext, "findKey" | "listHostModels" | "steps" | "picksFirstModel"> {
  /** The current settings, from which models are created again after trouble. */
  getSettings(): ProviderSettings;
  /** Keeps lessons about servers across sessions; absent: only while the process lasts. */
  readonly lessons?: LessonStore;
  /** Next steps if nothing is set up at all, in sentences. */
  readonly nothingSetUp: Sentence;
}

/** Finds and creates models. It sends a key only to the origin that the key is stored for. */
export class ModelResolver {
  private readonly options: ModelResolverOptions;
  private readonly context: ProviderContext;
  private readonly catalog: ModelCatalog;

  constructor(options: ModelResolverOptions, catalog = new ModelCatalog()) {
    this.options = options;
    this.catalog = catalog;
    this.context = {
      ...options,
      lessons: new Lessons(options.lessons, undefined, () => options.getSettings().model),
      fetchServedModel: (model, { address, key }) => catalog.fetchServedModel(model, address, key),
      canSeePictures: (model, { address, key }) => catalog.canSeePictures(model, address, key),
    };
  }

  /** The origin that `model.provider` selects now; undefined if nothing is set up. */
  async findOrigin(settings: ProviderSettings): Promise<ModelOrigin | undefined> {
    const { provider } = settings.model;
    const isAuto = provider === "auto";
    for (const candidate of isAuto ? AUTO_ORDER : [provider]) {
      const origin = await PROVIDERS[candidate].findOrigin(settings, this.context, isAuto);
      if (origin) return origin;
    }
    return isAuto ? this.findLocalOrigin() : undefined;
  }

  /**
   * Creates the models for a run, whose profile may name the smart one. After trouble, they are created again from the settings at that
   * time. Throws a sentence if nothing is set up.
   */
  async createModelPair(settings: ProviderSettings, ofProfile?: string): Promise<ModelPair> {
    const placed = await this.findPlacedModels(await this.setSmartModel(settings, ofProfile));
    const { smart, fast } = await this.makePlaced(placed);
    const createPairAgain = async (): Promise<ModelPair> =>
      this.make(await this.setSmartModel(this.options.getSettings(), ofProfile));
    const addRecovery = (model: Model, which: keyof ModelPair & keyof PlacedModels): Model =>
      addFallbacks(
        addReconnection(model, async () => (await createPairAgain())[which]),
        {
          listFallbacks: () => this.createFallbacks(placed[which], placed.smart),
          choose: this.options.steps.model,
        },
      );
    const thinks = addRecovery(smart, "smart");
    return { smart: thinks, fast: fast === smart ? thinks : addRecovery(fast, "fast") };
  }

  /** The replacements for a model, each once, from the current settings. */
  private createFallbacks(first: PlacedModel, main: PlacedModel): readonly Fallback[] {
    const settings = this.options.getSettings();
    const make = (name: string) => () => this.makeOne(name, this.options.getSettings());
    const formatModelKey = (model: string, address: string): string => JSON.stringify([model, address]);
    const known = new Set([formatModelKey(first.name, first.origin.address)]);
    const others = settings.model.fallback.filter((name) => {
      const { model, provider } = parseModelReference(name, settings);
      const id = formatModelKey(model, provider?.address ?? main.origin.address);
      if (known.has(id)) return false;
      known.add(id);
      return true;
    });
    return others.map((name) => ({
      name,
      make: async () => addReconnection(await make(name)(), make(name)),
    }));
  }

  /** Creates a model from its name in the settings, at the main model's provider unless it names another. */
  private async makeOne(name: string, settings: ProviderSettings): Promise<Model> {
    const main = parseModelReference(await this.resolveMainModelName(settings), settings).provider;
    const { model, provider = main } = parseModelReference(name, settings);
    const own = provider
      ? createProviderSettings(provider, settings, model)
      : { ...settings, model: { ...settings.model, smart: model, fast: "" } };
    return this.create((await this.choose(own)).smart);
  }

  /** Throws a sentence if nothing is set up. Loads no model. */
  async demand(settings: ProviderSettings): Promise<void> {
    await this.findPlacedModels(settings);
  }

  /** The main and fast models of new runs; undefined if the current settings don't allow a main one. */
  async findModelsInUse(
    settings: ProviderSettings,
  ): Promise<{ readonly smart: ModelInUse; readonly fast: ModelInUse } | undefined> {
    const placed = await this.findMainPlacement(settings).catch(() => undefined);
    if (!placed) return undefined;
    const { main, fast, models } = placed;
    const provider = main.provider?.id ?? getProviderId(models.smart.origin, settings);
    return {
      smart: { model: models.smart.name, provider },
      fast: fast.provider ? { model: fast.model, provider: fast.provider.id } : { model: models.fast.name, provider },
    };
  }

  /** The key for an address's origin; undefined if the key or the origin doesn't exist. */
  async findKey(address: string): Promise<string | undefined> {
    return this.options.findKey(address).catch(() => undefined);
  }

  /** The host's own models, if any. */
  async listHostModels(): Promise<readonly HostModel[]> {
    return (await this.options.listHostModels?.()) ?? [];
  }

  private async make(settings: ProviderSettings): Promise<ModelPair> {
    return this.makePlaced(await this.findPlacedModels(settings));
  }

  private async makePlaced(placed: PlacedModels): Promise<ModelPair> {
    const smart = await this.create(placed.smart);
    return { smart, fast: isSameModel(placed.smart, placed.fast) ? smart : await this.create(placed.fast) };
  }

  private create({ name, origin, settings }: PlacedModel): Promise<Model> {
    const { steps } = this.context;
    const { apiOwner } = settings;
    const context =
      apiOwner === undefined
        ? this.context
        : { ...this.context, steps: { ...steps, api: describeApiOption(apiOwner, steps) } };
    return PROVIDERS[origin.provider].create(name, settings, origin, context);
  }

  /**
   * Settings with a profile's model as the smart one. Without a provider in its name, the settings' own is used. Profiles come with
   * repositories, so a provider that the user hasn't set up throws a sentence.
   */
  private async setSmartModel(settings: ProviderSettings, name?: string): Promise<ProviderSettings> {
    if (name === undefined) return settings;
    const { model } = settings;
    const main = parseModelReference(await this.resolveMainModelName(settings), settings).provider;
    const own = parseModelReference(name, settings).provider;
    if (!own) return { ...settings, model: { ...model, smart: main ? formatModelReference(name, main) : name } };
    if (!(await this.isSetUp(own, settings)))
      throw new ModelError("setup", displayText("models.notSetUpForProfile", { name, provider: own.label }));
    const isFastPlaced = model.fast === "" || parseModelReference(model.fast, settings).provider !== undefined;
    const fast = isFastPlaced ? model.fast : formatModelReference(model.fast, { id: getMainProviderId(settings) });
    return { ...settings, model: { ...model, smart: name, fast } };
  }

  /** True for a provider that the user added or uses, that is on this machine, or that has a key. */
  private async isSetUp(provider: NamedProvider, settings: ProviderSettings): Promise<boolean> {
    const fast = parseModelReference(settings.model.fast, settings).provider;
    if (provider.entry || canWorkWithoutKey(provider)) return true;
    if ([getMainProviderId(settings), fast?.id].includes(provider.id)) return true;
    return (await this.findKey(provider.address)) !== undefined;
  }

  /** Finds the providers of both models. */
  private async findPlacedModels(settings: ProviderSettings): Promise<PlacedModels> {
    const { fast, models } = await this.findMainPlacement(settings);
    if (!fast.provider) return models;
    const other = await this.choose(createProviderSettings(fast.provider, settings, fast.model));
    return { smart: models.smart, fast: other.smart };
  }

  /** Finds the main model's provider. A fast model without a provider comes from it, too. */
  private async findMainPlacement(settings: ProviderSettings): Promise<{
    readonly main: ModelReference;
    readonly fast: ModelReference;
    readonly models: PlacedModels;
  }> {
    const main = parseModelReference(await this.resolveMainModelName(settings), settings);
    const fast = parseModelReference(settings.model.fast, settings);
    const alone = main.provider ? createProviderSettings(main.provider, settings, main.model) : settings;
    const own = { ...alone, model: { ...alone.model, fast: fast.provider ? "" : fast.model } };
    return { main, fast, models: await this.choose(own) };
  }

  /** The main model's name in the settings, or that of a model at one of the user's own providers if only that provider is ready. */
  private async resolveMainModelName(settings: ProviderSettings): Promise<string> {
    const { smart, provider } = settings.model;
    if (smart !== "" || provider !== "auto") return smart;
    if (await PROVIDERS.openai.findOrigin(settings, this.context, true)) return smart;
    for (const own of listOwnProviders(settings)) {
      const [usual] = own.entry?.models ?? own.preset?.models ?? [];
      const isReady = canWorkWithoutKey(own) || (await this.findKey(own.address)) !== undefined;
      if (usual !== undefined && isReady) return formatModelReference(usual, own);
    }
    return smart;
  }

  private async choose(settings: ProviderSettings): Promise<PlacedModels> {
    const origin = await this.findOrigin(settings);
    const choice = origin && (await PROVIDERS[origin.provider].choose(settings, origin, this.context));
    if (!origin || !choice) throw await this.createMissingModelError(settings);
    return {
      smart: { name: choice.smart, origin, settings },
      fast: { name: choice.fast, origin, settings },
    };
  }

  /** The state of the main model's source. */
  async findSource(settings: ProviderSettings, signal: AbortSignal): Promise<ModelSource | undefined> {
    const own = selectMainSettings(settings);
    const askServer = (): Promise<SourceAnswer> => this.askServer(own, signal);
    return getProvider(own).findSource(own, this.context, askServer, signal);
  }

  /** Asks the server at `model.baseUrl` for its models, whether or not it's in use. */
  async askServer({ model }: ProviderSettings, signal: AbortSignal): Promise<SourceAnswer> {
    const key = await this.findKey(model.baseUrl);
    const request = { baseUrl: model.baseUrl, apiKey: key ?? "", prices: model.prices };
    return askSource({ ...request, timeoutSeconds: STATE_SECONDS, steps: this.steps }, signal);
  }

  get steps(): NextSteps {
    return this.options.steps;
  }

  /** Why there is no model, as an error whose message says what to do. */
  private async createMissingModelError(settings: ProviderSettings): Promise<ModelError> {
    const { nothingSetUp, steps } = this.options;
    const source = await this.findSource(settings, new AbortController().signal);
    const { provider, baseUrl } = settings.model;
    const isNew = provider === "auto" && isOpenAi(baseUrl) && source?.state.kind === "noKey";
    return new ModelError("setup", source && !isNew ? describeSource(source, steps) : nothingSetUp);
  }

  /** Makes the next call search for local servers again. */
  forgetLocalServers(): void {
    this.catalog.forgetLocalServers();
  }

  /** The model servers of this machine. */
  listLocalServers(): Promise<readonly LocalServer[]> {
    return this.catalog.listLocalServers();
  }

  private async findLocalOrigin(): Promise<ModelOrigin | undefined> {
    for (const { baseUrl, models } of await this.listLocalServers()) {
      const [first] = models;
      if (first) return { provider: "openai", address: baseUrl, key: "", foundModel: first.name };
    }
    return undefined;
  }
}

function isSameModel(one: PlacedModel, other: PlacedModel): boolean {
  return one.name === other.name && one.origin.address === other.origin.address;
}

/** A model that is created again after trouble that the user must fix, such as a wrong key. The run then resumes with the new settings. */
export function addReconnection(first: Model, again: () => Promise<Model>): Model {
  let model = first;
  let troubled = false;
  return wrapModel(() => model, {
    async complete(request, completing) {
      if (troubled) model = await again();
      troubled = false;
      try {
        return await model.complete(request, completing);
      } catch (error) {
        troubled = error instanceof ModelError && error.trouble === "setup";
        throw error;
      }
    },
  });
}

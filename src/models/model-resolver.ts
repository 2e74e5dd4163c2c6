import type { ModelPair } from "../core/events/run.ts";
import { type Model, ModelError, wrapModel } from "../core/ports/model.ts";
import type { ModelSource } from "../core/ports/model-source.ts";
import { askSource, type SourceAnswer, sourceMessage } from "./catalog/ask-source.ts";
import type { LocalServer } from "./catalog/local-servers.ts";
import { ModelCatalog } from "./catalog/model-catalog.ts";
import type { LessonStore } from "./chat/lesson-file.ts";
import { Lessons } from "./chat/lessons.ts";
import { isOpenAi } from "./http/endpoint.ts";
import type { ModelChoice, ModelOrigin, ProviderContext, ProviderSettings } from "./provider.ts";
import { AUTO_ORDER, PROVIDERS, providerOf } from "./providers.ts";

/** Time limit for a source's state. */
const STATE_SECONDS = 4;

/** Dependencies of finding models. */
export interface ModelResolverOptions
  extends Pick<ProviderContext, "keyFor" | "hostModels" | "steps" | "picksFirstModel"> {
  /** The current settings. After trouble, models are made again from them. */
  settings(): ProviderSettings;
  /** Keeps what is learned about servers across sessions; absent: only as long as the process lasts. */
  readonly lessons?: LessonStore;
  /** Next steps if nothing is set up at all, in sentences. */
  readonly nothingSetUp: string;
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
      lessons: new Lessons(options.lessons),
      windowOf: (model, { address, key }) => catalog.windowOf(model, address, key),
    };
  }

  /** The place that `model.provider` leads to now; undefined if nothing is set up. */
  async origin(settings: ProviderSettings): Promise<ModelOrigin | undefined> {
    const { provider } = settings.model;
    const isAuto = provider === "auto";
    for (const candidate of isAuto ? AUTO_ORDER : [provider]) {
      const origin = await PROVIDERS[candidate].origin(settings, this.context, isAuto);
      if (origin) return origin;
    }
    return isAuto ? this.localOrigin() : undefined;
  }

  /** The models for a run. After trouble, they are made again from the settings of that time. Throws a sentence if nothing is set up. */
  async pair(settings: ProviderSettings): Promise<ModelPair> {
    const { smart, fast } = await this.make(settings);
    const again = (): Promise<ModelPair> => this.make(this.options.settings());
    const thinks = reconnecting(smart, async () => (await again()).smart);
    if (fast === smart) return { smart: thinks, fast: thinks };
    return { smart: thinks, fast: reconnecting(fast, async () => (await again()).fast) };
  }

  /** Throws a sentence if nothing is set up. No model is loaded for that. */
  async demand(settings: ProviderSettings): Promise<void> {
    await this.choose(settings);
  }

  private async make(settings: ProviderSettings): Promise<ModelPair> {
    const { origin, choice } = await this.choose(settings);
    const make = (name: string): Promise<Model> =>
      PROVIDERS[origin.provider].create(name, settings, origin, this.context);
    const smart = await make(choice.smart);
    return { smart, fast: choice.fast === choice.smart ? smart : await make(choice.fast) };
  }

  private async choose(
    settings: ProviderSettings,
  ): Promise<{ readonly origin: ModelOrigin; readonly choice: ModelChoice }> {
    const origin = await this.origin(settings);
    const choice = origin && (await PROVIDERS[origin.provider].choose(settings, origin, this.context));
    if (!origin || !choice) throw await this.missing(settings);
    return { origin, choice };
  }

  /** The state of the configured source. `asked` is an answer of its server that is already on its way. */
  async source(
    settings: ProviderSettings,
    signal: AbortSignal,
    asked?: Promise<SourceAnswer>,
  ): Promise<ModelSource | undefined> {
    const askServer = (): Promise<SourceAnswer> => asked ?? this.askServer(settings, signal);
    return providerOf(settings).source(settings, this.context, askServer, signal);
  }

  /** Asks the server at `model.baseUrl` for its models, whether or not it's in use. */
  async askServer({ model }: ProviderSettings, signal: AbortSignal): Promise<SourceAnswer> {
    const key = await this.options.keyFor(model.baseUrl).catch(() => undefined);
    const request = { baseUrl: model.baseUrl, apiKey: key ?? "", prices: model.prices };
    return askSource({ ...request, timeoutSeconds: STATE_SECONDS }, signal);
  }

  /** Why there is no model, as an error whose message says what to do. */
  private async missing(settings: ProviderSettings): Promise<ModelError> {
    const { nothingSetUp, steps } = this.options;
    const source = await this.source(settings, new AbortController().signal);
    const { provider, baseUrl } = settings.model;
    const isNew = provider === "auto" && isOpenAi(baseUrl) && source?.state.kind === "noKey";
    return new ModelError("setup", source && !isNew ? sourceMessage(source, steps) : nothingSetUp);
  }

  /** Looks for local servers again at the next call. */
  forgetLocalServers(): void {
    this.catalog.forgetLocalServers();
  }

  /** The model servers of this machine. */
  localServers(): Promise<readonly LocalServer[]> {
    return this.catalog.localServers();
  }

  private async localOrigin(): Promise<ModelOrigin | undefined> {
    for (const { baseUrl, models } of await this.localServers()) {
      const [first] = models;
      if (first) return { provider: "openai", address: baseUrl, key: "", foundModel: first.name };
    }
    return undefined;
  }
}

/** A model that is made again after trouble that its user must fix, such as a wrong key. The run then resumes with the new settings. */
export function reconnecting(first: Model, again: () => Promise<Model>): Model {
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

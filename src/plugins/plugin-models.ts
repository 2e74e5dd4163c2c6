import { withinTime } from "../core/base/async.ts";
import { errorMessage } from "../core/base/errors.ts";
import { isObject } from "../core/base/json.ts";
import { type Completion, type Model, ModelError, type ModelRequest } from "../core/ports/model.ts";
import { displayText } from "../texts/display-text.ts";
import type { PluginCatalog } from "./catalog.ts";
import type { FoundPlugin, LoadedPlugin, PluginPlace } from "./plugin.ts";

/** Models that another extension brings. */
export interface ModelProvider {
  /** Letters, digits, `.`, `_` and `-`. */
  readonly id: string;
  /** For people. */
  readonly name: string;
  models(): readonly Model[] | Promise<readonly Model[]>;
}

/** A model of a plugin or of another extension. Nothing uses it unless the user has picked it. */
export interface PluginModel {
  readonly id: string;
  readonly name: string;
  /** Who brings it, for people. */
  readonly by: string;
  create(timeoutSeconds: number, contextWindow?: number): Model;
}

/** Tokens of a model that says nothing of its window. */
const USUAL_WINDOW = 32_000;

/** Prefix of the names of plugins in the settings for models. */
const PREFIX = "plugin:";

const ID = /^[\w.-]{1,64}$/;

/** The models of plugins with the hook `model`, and those of other extensions. */
export class PluginModels {
  private readonly catalog: PluginCatalog;
  private readonly place: () => PluginPlace;
  private readonly providers = new Map<string, ModelProvider>();

  constructor(catalog: PluginCatalog, place: () => PluginPlace) {
    this.catalog = catalog;
    this.place = place;
  }

  /** Adds the models of an extension to those that the user can pick. Throws a sentence for a provider that can't be used. */
  register(provider: ModelProvider): () => void {
    if (!ID.test(provider.id) || this.providers.has(provider.id))
      throw new Error(
        "A provider of models needs an id of its own: letters, digits, dots, underscores and hyphens.",
      );
    this.providers.set(provider.id, provider);
    return () => {
      if (this.providers.get(provider.id) === provider) this.providers.delete(provider.id);
    };
  }

  async list(): Promise<readonly PluginModel[]> {
    const brought = [...this.providers.values()].map(async ({ id, name: by, models }) => {
      const all = await withinTime(LIST_MS, NEVER, async () => models());
      return all.map((model) => ({ id: `${id}/${model.name}`, name: model.name, by, create: () => model }));
    });
    const settled = await Promise.allSettled(brought);
    const listed = settled.flatMap((one) => (one.status === "fulfilled" ? one.value : []));
    const own = await this.withHook("model");
    return [...listed, ...own.map((plugin) => this.modelOf(plugin))];
  }

  /** Vectors of the plugin that `model.embedding` names, as an endpoint for embeddings answers; undefined if it names none. */
  async embeddings(name: string): Promise<((texts: readonly string[]) => Promise<unknown>) | undefined> {
    const found = (await this.withHook("embedder")).find(({ id }) => name === `${PREFIX}${id}`);
    if (!found) return undefined;
    const loaded = this.loaded(found);
    return async (texts) => {
      const answer = await (await loaded).call("embedder", { texts }, NEVER);
      const vectors: unknown = isObject(answer) ? answer["vectors"] : undefined;
      if (!Array.isArray(vectors)) throw new Error(`The plugin ${found.name} returned no vectors.`);
      return { data: vectors.map((embedding: unknown, index) => ({ index, embedding })) };
    };
  }

  private async withHook(hook: "model" | "embedder"): Promise<readonly FoundPlugin[]> {
    const listed = await this.catalog.list(this.place());
    return listed
      .filter(({ plugin, state }) => state === "on" && plugin.adds.includes(hook))
      .map(({ plugin }) => plugin);
  }

  private loaded(plugin: FoundPlugin): Promise<LoadedPlugin> {
    const { folder, settings } = this.place();
    return plugin.load({
      ...{ id: "models", folder, folders: () => [], home: folder, settings },
      notice: () => undefined,
      redact: (text) => text,
    });
  }

  private modelOf(plugin: FoundPlugin): PluginModel {
    const { id, name } = plugin;
    return {
      ...{ id: `${PREFIX}${id}`, name, by: name },
      create: (timeoutSeconds, contextWindow = USUAL_WINDOW) => {
        let loaded: Promise<LoadedPlugin> | undefined;
        return {
          name,
          contextWindow,
          formats: ["text"],
          complete: async (request, { signal }) => {
            loaded ??= this.loaded(plugin);
            const opened = loaded;
            const answer = await withinTime(timeoutSeconds * 1000, signal, async (inTime) =>
              (await opened).call("model", payloadOf(request), inTime),
            ).catch((error: unknown) => {
              signal.throwIfAborted();
              throw new ModelError(
                "setup",
                displayText("plugins.modelFailed", { name, why: errorMessage(error) }),
              );
            });
            return completion(name, answer);
          },
        };
      },
    };
  }
}

/** The list waits no longer for an extension. */
const LIST_MS = 2_000;
const NEVER = new AbortController().signal;

/** A plugin gets the messages alone, as classic AutoGPT sent them. */
function payloadOf({ messages, maxReplyTokens }: ModelRequest) {
  return {
    messages: messages.map(({ role, content }) => ({ role: role === "tool" ? "user" : role, content })),
    ...(maxReplyTokens === undefined ? {} : { maxReplyTokens }),
  };
}

function completion(name: string, answer: unknown): Completion {
  const text: unknown = isObject(answer) ? answer["text"] : undefined;
  if (typeof text !== "string")
    throw new ModelError(
      "setup",
      displayText("plugins.modelFailed", { name, why: "its answer has no text" }),
    );
  return { text, calls: [], finish: "stop", model: name };
}

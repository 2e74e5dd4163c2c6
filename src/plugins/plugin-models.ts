import { mkdir } from "node:fs/promises";
import { runWithinTime } from "../core/base/async.ts";
import { getErrorMessage } from "../core/base/errors.ts";
import { isObject } from "../core/base/json.ts";
import { omitUndefined } from "../core/base/objects.ts";
import { type Completion, type Model, ModelError, type ModelRequest } from "../core/ports/model.ts";
import { displayText } from "../texts/display-text.ts";
import type { PluginCatalog } from "./catalog.ts";
import { HOOKS } from "./hooks.ts";
import type { FoundPlugin, LoadedPlugin, PluginPlace } from "./plugin.ts";

/** Models from another extension. */
export interface ModelProvider {
  /** Letters, digits, `.`, `_` and `-`. */
  readonly id: string;
  /** For people. */
  readonly name: string;
  models(): readonly Model[] | Promise<readonly Model[]>;
}

/** A model from a plugin or another extension. It's used only if the user has picked it. */
export interface PluginModel {
  readonly id: string;
  readonly name: string;
  /** Its provider's name, for people. */
  readonly by: string;
  create(timeoutSeconds: number, contextWindow?: number): Model;
}

/** Access to plugins outside runs. */
export interface ModelsHost {
  /** Without a workspace, since a repository's plugins are never offered as models. Its folder is the user's own, created if needed. */
  getPlace(): PluginPlace;
  /** Creates a function that removes the user's secrets from logs. */
  createRedactor(): Promise<(text: string) => string>;
  /** A plugin that isn't called for this many milliseconds ends its process; 5 minutes if absent. */
  readonly idleMs?: number;
}

/** The window, in tokens, of a model that doesn't state one. */
const USUAL_WINDOW = 32_000;

/** Prefix of the names of plugins in the settings for models. */
const PREFIX = "plugin:";

const ID = /^[\w.-]{1,64}$/;

/** The models of plugins with the `model` hook, and of other extensions. */
export class PluginModels {
  private readonly catalog: PluginCatalog;
  private readonly host: ModelsHost;
  private readonly providers = new Map<string, ModelProvider>();

  constructor(catalog: PluginCatalog, host: ModelsHost) {
    this.catalog = catalog;
    this.host = host;
  }

  /** Adds an extension's models to those that the user can pick. Throws a sentence for an unusable provider. */
  register(provider: ModelProvider): () => void {
    if (!ID.test(provider.id) || this.providers.has(provider.id))
      throw new Error("A provider of models needs an id of its own: letters, digits, dots, underscores and hyphens.");
    this.providers.set(provider.id, provider);
    return () => {
      if (this.providers.get(provider.id) === provider) this.providers.delete(provider.id);
    };
  }

  async list(): Promise<readonly PluginModel[]> {
    const brought = [...this.providers.values()].map(async ({ id, name: by, models }) => {
      const all = await runWithinTime(LIST_MS, NEVER, async () => models());
      return all.map((model) => ({ id: `${id}/${model.name}`, name: model.name, by, create: () => model }));
    });
    const settled = await Promise.allSettled(brought);
    const listed = settled.flatMap((one) => (one.status === "fulfilled" ? one.value : []));
    const own = await this.listPluginsWithHook("model");
    return [...listed, ...own.map((plugin) => this.createModel(plugin))];
  }

  /**
   * A function that gets vectors from the plugin in `model.embedding`, in the form of an embeddings endpoint; undefined if that names none.
   */
  async findEmbedder(name: string): Promise<((texts: readonly string[]) => Promise<unknown>) | undefined> {
    const found = (await this.listPluginsWithHook("embedder")).find(({ id }) => name === `${PREFIX}${id}`);
    if (!found) return undefined;
    const call = this.createCaller(found);
    return async (texts) => {
      const answer = await runWithinTime(HOOKS.embedder.limitMs, NEVER, (inTime) =>
        call("embedder", { texts }, inTime),
      );
      const vectors: unknown = isObject(answer) ? answer["vectors"] : undefined;
      if (!Array.isArray(vectors)) throw new Error(`The plugin ${found.name} returned no vectors.`);
      return { data: vectors.map((embedding: unknown, index) => ({ index, embedding })) };
    };
  }

  /** The plugins that `model.embedding` can name. */
  async listEmbedders(): Promise<readonly { readonly value: string; readonly name: string }[]> {
    return (await this.listPluginsWithHook("embedder")).map(({ id, name }) => ({
      value: `${PREFIX}${id}`,
      name,
    }));
  }

  private async listPluginsWithHook(hook: "model" | "embedder"): Promise<readonly FoundPlugin[]> {
    const names: readonly string[] = [hook, ...HOOKS[hook].classic];
    const listed = await this.catalog.list(this.host.getPlace());
    return listed
      .filter(({ plugin, state }) => state === "on" && plugin.adds.some((name) => names.includes(name)))
      .map(({ plugin }) => plugin);
  }

  private async load(plugin: FoundPlugin): Promise<LoadedPlugin> {
    const { folder, settings } = this.host.getPlace();
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return plugin.load({
      id: "models",
      folder,
      listFolders: () => [],
      home: folder,
      settings,
      notice: () => undefined,
      redact: await this.host.createRedactor(),
    });
  }

  /** Creates a caller for a plugin, which the first call loads. */
  private createCaller(plugin: FoundPlugin): LoadedPlugin["call"] {
    const { idleMs = IDLE_MS } = this.host;
    let loading: Promise<LoadedPlugin> | undefined;
    let calls = 0;
    let idle: NodeJS.Timeout | undefined;
    return async (hook, payload, signal) => {
      clearTimeout(idle);
      loading ??= this.load(plugin).catch((error: unknown) => {
        loading = undefined;
        throw error;
      });
      const loaded = await loading;
      calls++;
      try {
        return await loaded.call(hook, payload, signal);
      } finally {
        if (--calls === 0) idle = setTimeout(() => void loaded.close(), idleMs).unref();
      }
    };
  }

  private createModel(plugin: FoundPlugin): PluginModel {
    const { id, name } = plugin;
    return {
      id: `${PREFIX}${id}`,
      name,
      by: name,
      create: (timeoutSeconds, contextWindow = USUAL_WINDOW) => {
        const call = this.createCaller(plugin);
        return {
          name,
          contextWindow,
          formats: ["text"],
          complete: async (request, { signal }) => {
            const answer = await runWithinTime(timeoutSeconds * 1000, signal, (inTime) =>
              call("model", createPayload(request), inTime),
            ).catch((error: unknown) => {
              signal.throwIfAborted();
              throw new ModelError("setup", displayText("plugins.modelFailed", { name, why: getErrorMessage(error) }));
            });
            return parseCompletion(name, answer);
          },
        };
      },
    };
  }
}

const IDLE_MS = 5 * 60_000;
/** How long the list waits for an extension. */
const LIST_MS = 2_000;
const NEVER = new AbortController().signal;

/** A plugin receives only the messages, as in classic AutoGPT. */
function createPayload({ messages, maxReplyTokens }: ModelRequest) {
  return {
    messages: messages.map(({ role, content }) => ({ role: role === "tool" ? "user" : role, content })),
    ...omitUndefined({ maxReplyTokens }),
  };
}

function parseCompletion(name: string, answer: unknown): Completion {
  const text: unknown = isObject(answer) ? answer["text"] : undefined;
  if (typeof text !== "string")
    throw new ModelError("setup", displayText("plugins.modelFailed", { name, why: "its answer has no text" }));
  return { text, calls: [], finish: "stop", model: name };
}

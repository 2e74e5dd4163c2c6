import { ModelCatalog } from "../../src/models/catalog/model-catalog.ts";
import { Lessons } from "../../src/models/chat/lessons.ts";
import { IN_EDITOR } from "../../src/models/http/endpoint.ts";
import { ModelResolver, type ModelResolverOptions } from "../../src/models/model-resolver.ts";
import type { ProviderContext, ProviderSettings } from "../../src/models/provider.ts";
import { DEFAULT_SETTINGS } from "../../src/schema/read-settings.ts";

/** The default settings with some of them changed. */
export function providerSettings(
  model: Partial<ProviderSettings["model"]>,
  azure: Partial<ProviderSettings["azure"]> = {},
): ProviderSettings {
  return { model: { ...DEFAULT_SETTINGS.model, ...model }, azure: { ...DEFAULT_SETTINGS.azure, ...azure } };
}

/** A context with one key for every address, in which servers report no windows. */
export function providerContext(changes: Partial<ProviderContext> = {}): ProviderContext {
  return {
    findKey: async () => "test-key",
    fetchServedModel: async () => ({ contextWindow: 8_000 }),
    canSeePictures: async () => undefined,
    lessons: new Lessons(),
    steps: IN_EDITOR,
    ...changes,
  };
}

/** A resolver with no key, no local server and no models of the host, unless a test has some. */
export function modelResolver(
  changes: Partial<ModelResolverOptions>,
  findServers: NonNullable<ConstructorParameters<typeof ModelCatalog>[0]>["findServers"] = async () => [],
): ModelResolver {
  const options: ModelResolverOptions = {
    findKey: async () => undefined,
    listHostModels: async () => [],
    steps: IN_EDITOR,
    getSettings: () => providerSettings({}),
    nothingSetUp: "No model is set up yet.",
    ...changes,
  };
  return new ModelResolver(options, new ModelCatalog({ findServers }));
}

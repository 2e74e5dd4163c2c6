import type { ModelPair } from "../core/events/run.ts";
import { ON_COMMAND_LINE } from "../models/http/endpoint.ts";
import { ModelResolver } from "../models/model-resolver.ts";
import type { ProviderSettings } from "../models/provider.ts";
import { DEFAULT_SETTINGS } from "../schema/read-settings.ts";
import type { Options } from "./options.ts";

const NOTHING_SET_UP =
  "No model is set up yet. Put an API key into OPENAI_API_KEY, or name another server with --base-url.";

/** The models that the options name. Without a name, OpenAI's usual ones or the first that another server lists. */
export function chooseModels(options: Options): Promise<ModelPair> {
  const { baseUrl, apiKey, model = "", fastModel = "", settings: given } = options;
  const { contextWindow } = given.model;
  const named = { provider: "openai", baseUrl, smart: model, fast: fastModel, contextWindow } as const;
  const settings: ProviderSettings = {
    azure: DEFAULT_SETTINGS.azure,
    model: { ...DEFAULT_SETTINGS.model, ...named },
  };
  const resolver = new ModelResolver({
    keyFor: async () => (apiKey === "" ? undefined : apiKey),
    steps: ON_COMMAND_LINE,
    settings: () => settings,
    picksFirstModel: true,
    nothingSetUp: NOTHING_SET_UP,
  });
  return resolver.pair(settings);
}

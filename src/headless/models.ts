import { type Model, ModelError } from "../core/ports.ts";
import type { ModelPair } from "../core/run-models.ts";
import { createModel } from "../models/create-model.ts";
import { listModels } from "../models/list-models.ts";
import type { Options } from "./options.ts";

const DEFAULTS = { smart: "gpt-5", fast: "gpt-5-mini" };
const TIMEOUT_SECONDS = 120;

/** Makes the models that were asked for; without a name, OpenAI's usual ones or the first that another server offers. */
export async function chooseModels(options: Options, signal: AbortSignal): Promise<ModelPair> {
  const named =
    options.model ?? (isOpenAi(options.baseUrl) ? undefined : await firstOffered(options, signal));
  const smart = named ?? DEFAULTS.smart;
  const fast = options.fastModel ?? named ?? DEFAULTS.fast;
  const one = make(options, smart);
  return { smart: one, fast: fast === smart ? one : make(options, fast) };
}

function make({ baseUrl, apiKey }: Options, model: string): Model {
  return createModel({
    provider: "openai",
    baseUrl,
    apiKey,
    model,
    timeoutSeconds: TIMEOUT_SECONDS,
    prices: {},
  });
}

async function firstOffered({ baseUrl, apiKey }: Options, signal: AbortSignal): Promise<string> {
  const [first] = await listModels({ baseUrl, apiKey, prices: {}, timeoutSeconds: 10 }, signal);
  if (first) return first.name;
  throw new ModelError("setup", `${baseUrl} offers no model. Name one with --model.`);
}

function isOpenAi(baseUrl: string): boolean {
  return URL.parse(baseUrl)?.hostname === "api.openai.com";
}

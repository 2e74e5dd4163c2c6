import type { ModelPair } from "../core/events/run.ts";
import { type Model, ModelError } from "../core/ports/model.ts";
import { askContextWindow, listModels, type ModelListRequest } from "../models/catalog/list-models.ts";
import { Lessons } from "../models/chat/lessons.ts";
import { isOpenAi, ON_COMMAND_LINE } from "../models/http/endpoint.ts";
import { OPENAI_MODELS } from "../models/providers/openai.ts";
import { createModel } from "../models/providers.ts";
import type { Options } from "./options.ts";

const TIMEOUT_SECONDS = 120;
const LIST_SECONDS = 10;

/** Makes the models that were asked for; without a name, OpenAI's usual ones or the first that another server offers. */
export async function chooseModels(options: Options, signal: AbortSignal): Promise<ModelPair> {
  const named =
    options.model ?? (isOpenAi(options.baseUrl) ? undefined : await firstOffered(options, signal));
  const smart = named ?? OPENAI_MODELS.smart;
  const fast = options.fastModel ?? named ?? OPENAI_MODELS.fast;
  const lessons = new Lessons();
  const one = await make(options, smart, lessons, signal);
  return { smart: one, fast: fast === smart ? one : await make(options, fast, lessons, signal) };
}

async function make(options: Options, model: string, lessons: Lessons, signal: AbortSignal): Promise<Model> {
  const { baseUrl, apiKey, settings } = options;
  return createModel({
    provider: "openai",
    baseUrl,
    apiKey,
    model,
    contextWindow: settings.model.contextWindow || (await askContextWindow(model, listing(options), signal)),
    timeoutSeconds: TIMEOUT_SECONDS,
    prices: {},
    steps: ON_COMMAND_LINE,
    lessons,
  });
}

async function firstOffered(options: Options, signal: AbortSignal): Promise<string> {
  const [first] = await listModels(listing(options), signal);
  if (first) return first.name;
  throw new ModelError("setup", `${options.baseUrl} offers no model. Name one with --model.`);
}

function listing({ baseUrl, apiKey }: Options): ModelListRequest {
  return { baseUrl, apiKey, prices: {}, timeoutSeconds: LIST_SECONDS, steps: ON_COMMAND_LINE };
}

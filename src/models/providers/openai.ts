import { omitUndefined } from "../../core/base/objects.ts";
import type { Model, ReasoningEffort } from "../../core/ports/model.ts";
import type { SettingValue } from "../../schema/settings.ts";
import { listModels } from "../catalog/list-models.ts";
import { addPrices, findPrice } from "../catalog/prices.ts";
import { createChatModel } from "../chat/chat-model.ts";
import { findModelFamily } from "../chat/families.ts";
import type { Lessons } from "../chat/lessons.ts";
import type { OpenAiAccount } from "../http/client.ts";
import {
  createOpenAiServer,
  explainBaseUrlProblem,
  explainKeyProblem,
  isLocal,
  isOpenAi,
  type NextSteps,
  normalizeBaseUrl,
} from "../http/endpoint.ts";
import { getPreset, PRESETS_BY_ADDRESS } from "../presets.ts";
import type { ModelOrigin, Provider, ProviderContext } from "../provider.ts";
import { addRetries } from "../retries.ts";

export interface OpenAiOptions {
  /** As people type it: `https://api.openai.com/v1`, `localhost:11434/v1`. */
  readonly baseUrl: string;
  /** May be empty for a server on this machine or a private network. */
  readonly apiKey: string;
  readonly model: string;
  readonly contextWindow: number;
  /** Billions of parameters; absent: taken from the name. */
  readonly billions?: number | undefined;
  /** Time limit for the first word and for each next one. 0: no limit. */
  readonly timeoutSeconds: number;
  /** For requests without a temperature. */
  readonly temperature?: number;
  /** For requests without an effort. */
  readonly reasoningEffort?: ReasoningEffort;
  /** Absent: depends on the run. */
  readonly cacheMinutes?: SettingValue<"model.cacheMinutes">;
  /** Absent: `auto`. */
  readonly api?: SettingValue<"model.api">;
  readonly account?: OpenAiAccount;
  /** Absent: the editor's steps. */
  readonly steps?: NextSteps;
  readonly lessons?: Lessons | undefined;
  /** Absent if nothing is known. */
  canSeePictures?(): Promise<boolean | undefined>;
}

/** A model of OpenAI or a server with its chat API. Nothing is loaded or sent before the first completion. */
export function openAiModel(options: OpenAiOptions): Model {
  const baseUrl = normalizeBaseUrl(options.baseUrl);
  const apiKey = options.apiKey.trim();
  const server = createOpenAiServer(baseUrl, { ...options, apiKey }, options.steps);
  return createChatModel({
    name: options.model,
    contextWindow: options.contextWindow,
    billions: options.billions,
    server,
    ...omitUndefined({ temperature: options.temperature }),
    reasoningEffort: options.reasoningEffort,
    ...omitUndefined({ cacheMinutes: options.cacheMinutes }),
    api: options.api,
    family: findModelFamily(options.model, baseUrl, options.reasoningEffort, options.api ?? "auto"),
    lessons: options.lessons,
    ...omitUndefined({ canSeePictures: options.canSeePictures }),
    problem:
      explainBaseUrlProblem(baseUrl, server.steps) ??
      explainKeyProblem(apiKey, baseUrl, isLocal(baseUrl) ? "optional" : "needed", server.steps),
    connection: { baseUrl, apiKey, ...omitUndefined({ account: options.account }) },
  });
}

const LIST_SECONDS = 10;

/** OpenAI and every server that speaks its API, at `autogpt.model.baseUrl`. */
export const openAi: Provider = {
  label: "OpenAI",
  getKey: ({ model }) => ({
    label: isOpenAi(model.baseUrl) ? "OpenAI" : (URL.parse(model.baseUrl)?.host ?? model.baseUrl),
    address: model.baseUrl,
    check: "openai",
    variables: ["OPENAI_API_KEY"],
  }),
  async findOrigin({ model: { baseUrl } }, { findKey }, isAuto) {
    const key = await findKey(baseUrl);
    if (key !== undefined) return { provider: "openai", address: baseUrl, key };
    const needsNone = isLocal(baseUrl) || (!isAuto && !PRESETS_BY_ADDRESS.has(baseUrl));
    return needsNone ? { provider: "openai", address: baseUrl, key: "" } : undefined;
  },
  async findSource(_settings, _context, askServer) {
    const { name, state } = await askServer();
    return { name, state };
  },
  async choose({ model }, origin, context) {
    if (origin.foundModel !== undefined) {
      const smart = model.smart || origin.foundModel;
      return { smart, fast: model.fast || smart };
    }
    const [usual, usualFast] = (isOpenAi(origin.address) && getPreset("openai").models) || [];
    const smart = model.smart || (usual ?? (await findFirstModel(origin, context)));
    if (smart === undefined) return undefined;
    return { smart, fast: model.fast || (model.smart === "" && usualFast) || smart };
  },
  async create(name, { model }, origin, context) {
    const address = normalizeBaseUrl(origin.address);
    const { timeoutSeconds, prices, reasoningEffort, cacheMinutes, api } = model;
    // A user who sets the window keeps the server from being asked for anything but replies.
    const served = model.contextWindow > 0 ? undefined : await context.fetchServedModel(name, origin);
    const contextWindow = model.contextWindow || (served?.contextWindow ?? 0);
    const { lessons, steps } = context;
    await lessons.ensureLoaded();
    const connection = {
      baseUrl: address,
      apiKey: origin.key,
      timeoutSeconds,
      reasoningEffort,
      cacheMinutes,
      api,
      account: model,
      lessons,
      steps,
      canSeePictures: () => context.canSeePictures(name, { ...origin, address }),
    };
    const made = openAiModel({ ...connection, model: name, contextWindow, billions: served?.billions });
    return addRetries(addPrices(made, (names) => findPrice(names, prices, address)));
  },
  findEmbeddingConnection: (_model, { model }, { address, key }) => ({
    baseUrl: address,
    apiKey: key,
    account: model,
  }),
};

async function findFirstModel(origin: ModelOrigin, context: ProviderContext): Promise<string | undefined> {
  if (!context.picksFirstModel) return undefined;
  const { address, key } = origin;
  const request = { baseUrl: address, apiKey: key, prices: {}, timeoutSeconds: LIST_SECONDS };
  const [first] = await listModels({ ...request, steps: context.steps }, new AbortController().signal);
  return first?.name;
}

import { omitUndefined } from "../../core/base/objects.ts";
import type { Model, ReasoningEffort } from "../../core/ports/model.ts";
import type { ModelSource } from "../../core/ports/model-source.ts";
import type { SettingValue } from "../../schema/settings.ts";
import { displayText, type Sentence } from "../../texts/display-text.ts";
import { findSourceProblem, getHostAndPort } from "../catalog/ask-source.ts";
import { checkKey } from "../catalog/check-key.ts";
import { guessContextWindow } from "../catalog/list-models.ts";
import { canSeePicturesByName } from "../catalog/model-facts.ts";
import { addPrices, findPrice } from "../catalog/prices.ts";
import { createChatModel } from "../chat/chat-model.ts";
import { findModelFamily } from "../chat/families.ts";
import type { Lessons } from "../chat/lessons.ts";
import {
  explainBaseUrlProblem,
  explainKeyProblem,
  extractAzureEndpoint,
  getHost,
  IN_EDITOR,
  type NextSteps,
  type Server,
} from "../http/endpoint.ts";
import type { Provider } from "../provider.ts";
import { addRetries } from "../retries.ts";

export interface AzureOptions {
  /** `https://NAME.openai.azure.com`. In a pasted address, `/openai` and everything after it are ignored. */
  readonly endpoint: string;
  readonly apiVersion: string;
  /** Name of the deployment that serves the model. */
  readonly deployment: string;
  readonly apiKey: string;
  /** The model behind the deployment, for people and prices. */
  readonly model: string;
  readonly contextWindow: number;
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
  /** Absent: the editor's steps. */
  readonly steps?: NextSteps;
  readonly lessons?: Lessons | undefined;
}

/** Resources may have custom addresses, for example behind a gateway. */
const AZURE_ADDRESS = "https://resource.openai.azure.com";

/** A model deployed in Azure OpenAI. Nothing is loaded or sent before the first completion. */
export function createAzureModel(options: AzureOptions): Model {
  const { apiVersion, timeoutSeconds, deployment } = options;
  const endpoint = extractAzureEndpoint(options.endpoint);
  const apiKey = options.apiKey.trim();
  const server: Server = {
    name: endpoint,
    host: getHost(endpoint),
    model: deployment,
    apiKey,
    timeoutSeconds,
    steps: {
      ...(options.steps ?? IN_EDITOR),
      address: "autogpt.azure.endpoint",
      model: "autogpt.azure.smartDeployment and autogpt.azure.fastDeployment",
    },
  };
  return createChatModel({
    name: options.model,
    contextWindow: options.contextWindow,
    server,
    ...omitUndefined({ temperature: options.temperature }),
    reasoningEffort: options.reasoningEffort,
    ...omitUndefined({ cacheMinutes: options.cacheMinutes }),
    api: options.api,
    family: findModelFamily(options.model, AZURE_ADDRESS, options.reasoningEffort, options.api ?? "auto"),
    lessons: options.lessons,
    canSeePictures: async () => canSeePicturesByName(options.model),
    problem:
      explainBaseUrlProblem(endpoint, server.steps, "https://NAME.openai.azure.com") ??
      describeMissingSetting(options) ??
      explainKeyProblem(apiKey, endpoint, "needed", server.steps),
    connection: { endpoint, apiKey, apiVersion, deployment },
  });
}

function describeMissingSetting({ deployment, apiVersion }: AzureOptions): Sentence | undefined {
  if (deployment === "") return displayText("trouble.azureNoDeployment");
  return apiVersion === "" ? displayText("trouble.azureNoApiVersion") : undefined;
}

/** Time limit for the state of a resource. */
const STATE_SECONDS = 4;

/** Azure OpenAI, where a deployment's name is used as a model's. */
export const azure: Provider = {
  label: "Azure OpenAI",
  getKey: ({ azure: { endpoint } }) =>
    endpoint === ""
      ? undefined
      : {
          label: "Azure OpenAI",
          address: endpoint,
          check: "azure",
          variables: ["AZURE_OPENAI_API_KEY", "OPENAI_API_KEY"],
        },
  async findOrigin({ azure: { endpoint } }, { findKey }) {
    const key = endpoint === "" ? undefined : await findKey(endpoint);
    return key === undefined ? undefined : { provider: "azure", address: endpoint, key };
  },
  async findSource({ azure: { endpoint, apiVersion, smartDeployment } }, { findKey }, _askServer, signal) {
    if (endpoint === "") return createIncompleteSource("autogpt.azure.endpoint");
    if (findSourceProblem(endpoint, "any")) return { name: "Azure OpenAI", state: { kind: "badAddress" } };
    const key = await findKey(endpoint);
    const name = getHostAndPort(endpoint);
    if (key === undefined) return { name, state: { kind: "noKey" } };
    if (smartDeployment === "") return createIncompleteSource("autogpt.azure.smartDeployment");
    const checked = { service: "azure", key, address: endpoint, apiVersion } as const;
    const { state } = await checkKey(checked, signal, STATE_SECONDS);
    return state && { name, state };
  },
  async choose({ azure: { smartDeployment, fastDeployment } }) {
    return smartDeployment === "" ? undefined : { smart: smartDeployment, fast: fastDeployment || smartDeployment };
  },
  async create(deployment, { model, azure: { apiVersion } }, { address, key }, { lessons, steps }) {
    const { timeoutSeconds, prices, reasoningEffort, cacheMinutes, api } = model;
    const contextWindow = model.contextWindow || guessContextWindow(deployment, address);
    await lessons.ensureLoaded();
    const resource = {
      endpoint: address,
      apiKey: key,
      apiVersion,
      timeoutSeconds,
      reasoningEffort,
      cacheMinutes,
      api,
      lessons,
      steps,
    };
    const deployed = createAzureModel({ ...resource, deployment, model: deployment, contextWindow });
    return addRetries(addPrices(deployed, (names) => findPrice(names, prices, address)));
  },
  findEmbeddingConnection: (deployment, { azure: { apiVersion } }, { address, key }) => ({
    endpoint: address,
    apiKey: key,
    apiVersion,
    deployment,
  }),
};

function createIncompleteSource(setting: string): ModelSource {
  return { name: "Azure OpenAI", state: { kind: "incomplete", setting } };
}

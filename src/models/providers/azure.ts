import type { Model } from "../../core/ports/model.ts";
import { unseenThinking } from "../catalog/model-facts.ts";
import { chatModel } from "../chat/chat-model.ts";
import { firstDialect } from "../chat/chat-request.ts";
import type { Lessons } from "../chat/lessons.ts";
import { azureClient } from "../http/client.ts";
import {
  azureEndpoint,
  baseUrlProblem,
  hostOf,
  IN_EDITOR,
  keyProblem,
  type Server,
} from "../http/endpoint.ts";

export interface AzureOptions {
  /** `https://NAME.openai.azure.com`; what follows `/openai` in a pasted address is left away. */
  readonly endpoint: string;
  readonly apiVersion: string;
  /** Name of the deployment that serves the model. */
  readonly deployment: string;
  readonly apiKey: string;
  /** The model behind the deployment, for people and prices. */
  readonly model: string;
  readonly contextWindow: number;
  /** How long to wait for the first word, and for each next one. 0: without end. */
  readonly timeoutSeconds: number;
  /** For requests that ask for none of their own. */
  readonly temperature?: number;
  readonly lessons?: Lessons | undefined;
}

/** A model deployed in Azure OpenAI. Nothing is loaded or sent before the first completion. */
export function azureModel(options: AzureOptions): Model {
  const { apiVersion, timeoutSeconds, deployment } = options;
  const endpoint = azureEndpoint(options.endpoint);
  const apiKey = options.apiKey.trim();
  const server: Server = {
    name: endpoint,
    host: hostOf(endpoint),
    model: deployment,
    apiKey,
    timeoutSeconds,
    steps: {
      ...IN_EDITOR,
      address: "autogpt.azure.endpoint",
      model: "autogpt.azure.smartDeployment and autogpt.azure.fastDeployment",
    },
  };
  return chatModel({
    name: options.model,
    contextWindow: options.contextWindow,
    server,
    ...(options.temperature === undefined ? {} : { temperature: options.temperature }),
    dialect: firstDialect(["max_completion_tokens", "max_tokens"], unseenThinking(options.model)),
    lessons: options.lessons,
    problem:
      baseUrlProblem(endpoint, server.steps, "https://NAME.openai.azure.com") ??
      missing(options) ??
      keyProblem(apiKey, endpoint, "needed"),
    connect: () => azureClient({ endpoint, apiKey, apiVersion, deployment }, "chat"),
  });
}

function missing({ deployment, apiVersion }: AzureOptions): string | undefined {
  if (deployment === "")
    return "No deployment is set for Azure OpenAI. Put its name into autogpt.azure.smartDeployment.";
  return apiVersion === ""
    ? "No API version is set for Azure OpenAI. Put one like 2024-10-21 into autogpt.azure.apiVersion."
    : undefined;
}

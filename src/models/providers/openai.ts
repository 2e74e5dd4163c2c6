import type { Model } from "../../core/ports/model.ts";
import { unseenThinking } from "../catalog/model-facts.ts";
import { chatModel } from "../chat/chat-model.ts";
import { firstDialect } from "../chat/chat-request.ts";
import type { Lessons } from "../chat/lessons.ts";
import { openAiClient } from "../http/client.ts";
import {
  baseUrlProblem,
  isLocal,
  isOpenAi,
  keyProblem,
  type NextSteps,
  openAiServer,
  plainBaseUrl,
} from "../http/endpoint.ts";

/** OpenAI's models for a user who has chosen none. */
export const OPENAI_MODELS = { smart: "gpt-5", fast: "gpt-5-mini" } as const;

export interface OpenAiOptions {
  /** As people write it; `https://api.openai.com/v1`, `localhost:11434/v1`. */
  readonly baseUrl: string;
  /** May be empty for a server of this machine or of a private network. */
  readonly apiKey: string;
  readonly model: string;
  readonly contextWindow: number;
  /** How long to wait for the first word, and for each next one. 0: without end. */
  readonly timeoutSeconds: number;
  /** For requests that ask for none of their own. */
  readonly temperature?: number;
  /** Absent: those of the editor. */
  readonly steps?: NextSteps;
  readonly lessons?: Lessons | undefined;
}

/** A model of OpenAI, or of any server that speaks its chat API. Nothing is loaded or sent before the first completion. */
export function openAiModel(options: OpenAiOptions): Model {
  const baseUrl = plainBaseUrl(options.baseUrl);
  const apiKey = options.apiKey.trim();
  const server = openAiServer(baseUrl, { ...options, apiKey }, options.steps);
  return chatModel({
    name: options.model,
    contextWindow: options.contextWindow,
    server,
    ...(options.temperature === undefined ? {} : { temperature: options.temperature }),
    dialect: firstDialect(
      isOpenAi(baseUrl) ? ["max_completion_tokens", "max_tokens"] : ["max_tokens", "max_completion_tokens"],
      unseenThinking(options.model),
    ),
    lessons: options.lessons,
    problem:
      baseUrlProblem(baseUrl, server.steps) ??
      keyProblem(apiKey, baseUrl, isLocal(baseUrl) ? "optional" : "needed", server.steps),
    connect: () => openAiClient({ baseUrl, apiKey }, "chat"),
  });
}

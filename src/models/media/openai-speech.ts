import { isObject, tryJson } from "../../core/base/json.ts";
import { ModelError } from "../../core/ports/model.ts";
import { displayText, joinSentences } from "../../texts/display-text.ts";
import type { OpenAiAccount } from "../http/client.ts";
import {
  createOpenAiServer,
  explainBaseUrlProblem,
  explainKeyProblem,
  getHost,
  isLocal,
  isOpenAi,
  type NextSteps,
  normalizeBaseUrl,
  quoteServerWords,
} from "../http/endpoint.ts";
import { createConnectionError } from "../http/errors.ts";
import { fetchFromServer } from "../http/server-fetch.ts";

/** A speech service with OpenAI's API. */
export interface SpeechOptions {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly model: string;
  /** For example, `alloy`. */
  readonly voice: string;
  readonly account?: OpenAiAccount;
  readonly steps: NextSteps;
}

/** A text converted to sound. */
export interface SpokenText {
  /** A WAV file. */
  readonly bytes: Uint8Array;
  readonly model: string;
  /** US dollars; absent if the price isn't known. */
  readonly costUsd?: number;
}

const SECONDS = 60;

/** US dollars per million characters. */
const PRICE_BY_CHARACTER: Readonly<Record<string, number>> = { "tts-1": 15, "tts-1-hd": 30 };

/** Converts texts to speech with `/audio/speech`. The result throws a `ModelError` for any trouble. */
export function openAiSpeech(options: SpeechOptions): (text: string, signal: AbortSignal) => Promise<SpokenText> {
  const { model, voice, account } = options;
  const baseUrl = normalizeBaseUrl(options.baseUrl);
  const apiKey = options.apiKey.trim();
  const steps = { ...options.steps, address: "audio.baseUrl", model: "audio.speechModel" };
  const server = createOpenAiServer(baseUrl, { model, apiKey, timeoutSeconds: SECONDS }, steps);
  return async (text, stop) => {
    const problem =
      explainBaseUrlProblem(baseUrl, steps) ??
      explainKeyProblem(apiKey, baseUrl, isLocal(baseUrl) ? "optional" : "needed", steps);
    if (problem !== undefined) throw new ModelError("setup", problem);
    try {
      const response = await fetchFromServer(`${baseUrl}/audio/speech`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          ...(apiKey === "" ? {} : { authorization: `Bearer ${apiKey}` }),
          ...(account && isOpenAi(baseUrl) ? createAccountHeaders(account) : {}),
        },
        body: JSON.stringify({ model, voice, input: text, response_format: "wav" }),
        signal: AbortSignal.any([stop, AbortSignal.timeout(SECONDS * 1000)]),
      });
      if (!response.ok)
        throw new ModelError(
          "other",
          joinSentences(
            displayText("trouble.speechFailed", {
              model,
              host: getHost(baseUrl),
              status: String(response.status),
            }),
            quoteServerWords(readComplaintText(await response.text()), { apiKey }),
          ),
        );
      const price = PRICE_BY_CHARACTER[model];
      return {
        bytes: new Uint8Array(await response.arrayBuffer()),
        model,
        ...(price === undefined ? {} : { costUsd: (text.length * price) / 1_000_000 }),
      };
    } catch (error) {
      stop.throwIfAborted();
      throw error instanceof ModelError ? error : createConnectionError(error, server);
    }
  };
}

function createAccountHeaders({ organization, project }: OpenAiAccount): Record<string, string> {
  return {
    ...(organization.trim() === "" ? {} : { "openai-organization": organization.trim() }),
    ...(project.trim() === "" ? {} : { "openai-project": project.trim() }),
  };
}

function readComplaintText(body: string): string {
  const answer = tryJson(body);
  const error = isObject(answer) ? answer.error : undefined;
  const words = isObject(error) ? error.message : error;
  return typeof words === "string" ? words : "";
}

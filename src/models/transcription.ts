import type { Transcriber } from "../core/media.ts";
import { ModelError } from "../core/ports.ts";
import { baseUrlProblem, hostOf, isLocal, plainBaseUrl } from "./base-url.ts";
import { openAiClient } from "./client.ts";
import { modelError } from "./errors.ts";
import { keyProblem } from "./key-problem.ts";
import { costUsd } from "./prices.ts";
import { openAiServer } from "./server.ts";

/** A service that understands speech, by OpenAI's API. */
export interface TranscriptionOptions {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly model: string;
}

const SECONDS = 600;
/** OpenAI takes no more. */
const MOST_BYTES = 25_000_000;

/** Speech as OpenAI writes it down, or any server that speaks its API. */
export function openAiTranscriber(options: TranscriptionOptions): Transcriber {
  const baseUrl = plainBaseUrl(options.baseUrl);
  const apiKey = options.apiKey.trim();
  const { model } = options;
  const server = openAiServer(baseUrl, { model, apiKey, timeoutSeconds: SECONDS });
  return {
    name: `${model} at ${hostOf(baseUrl)}`,
    host: hostOf(baseUrl),
    most: MOST_BYTES,
    async transcribe(bytes, fileName, signal) {
      const problem =
        baseUrlProblem(baseUrl, "autogpt.audio.baseUrl") ??
        keyProblem(apiKey, baseUrl, isLocal(baseUrl) ? "optional" : "needed");
      if (problem !== undefined) throw new ModelError("setup", problem);
      try {
        const client = await openAiClient({ baseUrl, apiKey }, "lists");
        const file = new File([new Uint8Array(bytes)], fileName);
        const answer = await client.audio.transcriptions.create(
          { file, model },
          { signal: AbortSignal.any([signal, AbortSignal.timeout(SECONDS * 1000)]) },
        );
        const cost = costOf(model, answer.usage);
        return { text: answer.text, model, ...(cost === undefined ? {} : { costUsd: cost }) };
      } catch (error) {
        signal.throwIfAborted();
        throw modelError(error, server, { messages: [] });
      }
    },
  };
}

type AudioUsage =
  | { readonly type: "duration"; readonly seconds: number }
  | { readonly type: "tokens"; readonly input_tokens: number; readonly output_tokens: number };

/** US dollars per million tokens. */
const BY_TOKEN: Readonly<Record<string, { readonly input: number; readonly output: number }>> = {
  "gpt-4o-transcribe": { input: 2.5, output: 10 },
  "gpt-4o-mini-transcribe": { input: 1.25, output: 5 },
};
const WHISPER_USD_PER_MINUTE = 0.006;

function costOf(model: string, usage: AudioUsage | undefined): number | undefined {
  if (usage?.type === "duration")
    return model === "whisper-1" ? (usage.seconds / 60) * WHISPER_USD_PER_MINUTE : undefined;
  const price = Object.hasOwn(BY_TOKEN, model) ? BY_TOKEN[model] : undefined;
  return usage && price
    ? costUsd({ input: usage.input_tokens, output: usage.output_tokens }, price)
    : undefined;
}

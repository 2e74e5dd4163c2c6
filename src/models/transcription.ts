import type { Transcriber } from "../core/ports/services.ts";
import { mediaServer } from "./media-server.ts";
import type { NextSteps } from "./next-steps.ts";
import { costUsd } from "./prices.ts";

/** A service that understands speech, by OpenAI's API. */
export interface TranscriptionOptions {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly model: string;
  readonly steps: NextSteps;
}

const SECONDS = 600;
/** OpenAI takes no more. */
const MOST_BYTES = 25_000_000;

/** Speech as OpenAI writes it down, or any server that speaks its API. */
export function openAiTranscriber(options: TranscriptionOptions): Transcriber {
  const server = mediaServer({ ...options, seconds: SECONDS, settings: "autogpt.audio" });
  const { model } = options;
  return {
    name: server.name,
    host: server.host,
    most: MOST_BYTES,
    transcribe: (bytes, fileName, stop) =>
      server.call(stop, async ({ client, signal }) => {
        const file = new File([new Uint8Array(bytes)], fileName);
        const answer = await client.audio.transcriptions.create({ file, model }, { signal });
        const cost = costOf(model, answer.usage);
        return { text: answer.text, model, ...(cost === undefined ? {} : { costUsd: cost }) };
      }),
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

import type { Images } from "../core/media.ts";
import { ModelError } from "../core/ports.ts";
import { baseUrlProblem, hostOf, isLocal, plainBaseUrl } from "./base-url.ts";
import { openAiClient } from "./client.ts";
import { modelError } from "./errors.ts";
import { imageCost } from "./image-prices.ts";
import { keyProblem } from "./key-problem.ts";
import { openAiServer } from "./server.ts";

/** A service that draws, by OpenAI's API. */
export interface ImageOptions {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly model: string;
  /** As `1024x1024`. */
  readonly size: string;
}

const SECONDS = 300;

/** Pictures of OpenAI, or of any server that speaks its images API. */
export function openAiImages(options: ImageOptions): Images {
  const baseUrl = plainBaseUrl(options.baseUrl);
  const apiKey = options.apiKey.trim();
  const { model } = options;
  const server = openAiServer(baseUrl, { model, apiKey, timeoutSeconds: SECONDS });
  return {
    name: `${model} at ${hostOf(baseUrl)}`,
    host: hostOf(baseUrl),
    size: options.size,
    async draw(prompt, size, signal) {
      const problem =
        baseUrlProblem(baseUrl, "autogpt.image.baseUrl") ??
        keyProblem(apiKey, baseUrl, isLocal(baseUrl) ? "optional" : "needed");
      if (problem !== undefined) throw new ModelError("setup", problem);
      try {
        const client = await openAiClient({ baseUrl, apiKey }, "lists");
        const answer = await client.images.generate(
          // Newer models always answer with the picture itself, older ones only if asked to.
          { model, prompt, size, n: 1, ...(/^dall-e/.test(model) ? { response_format: "b64_json" } : {}) },
          { signal: AbortSignal.any([signal, AbortSignal.timeout(SECONDS * 1000)]) },
        );
        const picture = answer.data?.[0]?.b64_json;
        if (!picture) throw new ModelError("other", `${server.name} answered without a picture. Try again.`);
        const { usage } = answer;
        const costUsd = imageCost(
          model,
          size,
          usage && { input: usage.input_tokens, output: usage.output_tokens },
        );
        return {
          bytes: Buffer.from(picture, "base64"),
          model,
          ...(costUsd === undefined ? {} : { costUsd }),
        };
      } catch (error) {
        signal.throwIfAborted();
        throw modelError(error, server, { messages: [] });
      }
    },
  };
}

import { ModelError } from "../core/ports/model.ts";
import type { ImageGenerator } from "../core/ports/services.ts";
import { imageCost } from "./image-prices.ts";
import { mediaServer } from "./media-server.ts";
import type { NextSteps } from "./next-steps.ts";

/** A service that draws, by OpenAI's API. */
export interface ImageOptions {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly model: string;
  /** As `1024x1024`. */
  readonly size: string;
  readonly steps: NextSteps;
}

const SECONDS = 300;

/** Pictures of OpenAI, or of any server that speaks its images API. */
export function openAiImages({ size: usual, ...connection }: ImageOptions): ImageGenerator {
  const server = mediaServer({ ...connection, seconds: SECONDS, settings: "autogpt.image" });
  const { model } = connection;
  return {
    name: server.name,
    host: server.host,
    size: usual,
    draw: (prompt, size, stop) =>
      server.call(stop, async ({ client, signal, server: name }) => {
        const answer = await client.images.generate(
          // Newer models always answer with the picture itself, older ones only if asked to.
          { model, prompt, size, n: 1, ...(/^dall-e/.test(model) ? { response_format: "b64_json" } : {}) },
          { signal },
        );
        const picture = answer.data?.[0]?.b64_json;
        if (!picture) throw new ModelError("other", `${name} answered without a picture. Try again.`);
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
      }),
  };
}

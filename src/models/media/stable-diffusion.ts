import { ModelError } from "../../core/ports/model.ts";
import type { ImageGenerator } from "../../core/ports/services.ts";
import { displayText, type Sentence } from "../../texts/display-text.ts";
import {
  createOpenAiServer,
  explainBaseUrlProblem,
  getHost,
  type NextSteps,
  normalizeBaseUrl,
} from "../http/endpoint.ts";
import { createConnectionError } from "../http/errors.ts";
import { fetchFromServer } from "../http/server-fetch.ts";

/** A Stable Diffusion web UI, started with `--api`. */
export interface StableDiffusionOptions {
  readonly baseUrl: string;
  /** `user:password`, or "" if it needs none. */
  readonly login: string;
  readonly size: string;
  readonly steps: NextSteps;
}

const SECONDS = 600;

/** Creates images with a Stable Diffusion web UI: free, on the user's own machine. */
export function createStableDiffusion(options: StableDiffusionOptions): ImageGenerator {
  const { login, size: usual } = options;
  const baseUrl = normalizeBaseUrl(options.baseUrl);
  const steps = { ...options.steps, address: "autogpt.image.baseUrl" };
  const asked = { model: "Stable Diffusion", apiKey: login, timeoutSeconds: SECONDS };
  const server = createOpenAiServer(baseUrl, asked, steps);
  return {
    name: `Stable Diffusion at ${getHost(baseUrl)}`,
    host: getHost(baseUrl),
    size: usual,
    async draw(prompt, size, signal) {
      const problem = explainBaseUrlProblem(baseUrl, steps, "http://127.0.0.1:7860");
      if (problem !== undefined) throw new ModelError("setup", problem);
      const [width, height] = size.split("x").map(Number);
      try {
        const response = await fetchFromServer(`${baseUrl}/sdapi/v1/txt2img`, {
          method: "POST",
          headers: { "content-type": "application/json", ...createAuthorization(login) },
          body: JSON.stringify({ prompt, width, height }),
          signal: AbortSignal.any([signal, AbortSignal.timeout(SECONDS * 1000)]),
        });
        if (!response.ok) throw new ModelError("other", describeRefusal(baseUrl, response.status, steps));
        return {
          bytes: decodePicture(await response.json(), baseUrl),
          model: "stable-diffusion",
          costUsd: 0,
        };
      } catch (error) {
        signal.throwIfAborted();
        throw error instanceof ModelError ? error : createConnectionError(error, server);
      }
    },
  };
}

function createAuthorization(login: string): Record<string, string> {
  return login === "" ? {} : { authorization: `Basic ${Buffer.from(login).toString("base64")}` };
}

function decodePicture(answer: unknown, baseUrl: string): Uint8Array {
  const images = typeof answer === "object" && answer !== null && "images" in answer ? answer.images : [];
  const first: unknown = Array.isArray(images) ? images[0] : undefined;
  if (typeof first !== "string" || first === "")
    throw new ModelError("other", displayText("trouble.noImage", { server: baseUrl }));
  return Buffer.from(first.replace(/^data:[^,]{0,100},/, ""), "base64");
}

function describeRefusal(baseUrl: string, status: number, { key }: NextSteps): Sentence {
  if (status === 404) return displayText("trouble.webUiWithoutApi", { address: baseUrl });
  if (status === 401 || status === 403) return displayText("trouble.webUiLogin", { address: baseUrl, key });
  return displayText("trouble.webUiFailed", { address: baseUrl, status: String(status) });
}

import type { OpenAI } from "openai";
import { ModelError } from "../core/ports/model.ts";
import { baseUrlProblem, isLocal, plainBaseUrl } from "./base-url.ts";
import { type Connection, openAiClient } from "./client.ts";
import { modelError } from "./errors.ts";
import { keyProblem } from "./key-problem.ts";
import type { NextSteps } from "./next-steps.ts";
import { openAiServer } from "./server.ts";

/** What a call of a media server works with. */
interface Calling {
  readonly client: OpenAI;
  /** Ends when the caller stops, or time is up. */
  readonly signal: AbortSignal;
  /** The server's address, for people. */
  readonly server: string;
}

/** A server that draws or hears, by OpenAI's API. */
export interface MediaServer {
  /** The model and where it is, for people. */
  readonly name: string;
  readonly host: string;
  /** Makes one call. Throws a `ModelError` when the settings do not do, or the call fails. */
  call<T>(signal: AbortSignal, make: (calling: Calling) => Promise<T>): Promise<T>;
}

/** Which model of a server, for how long a call at most, and the settings where the user corrects both. */
export interface MediaUse extends Connection {
  readonly model: string;
  readonly seconds: number;
  readonly settings: "autogpt.image" | "autogpt.audio";
  readonly steps: NextSteps;
}

/** OpenAI, or any server that speaks its API, for what is not chat. */
export function mediaServer({ model, seconds, settings, ...connection }: MediaUse): MediaServer {
  const baseUrl = plainBaseUrl(connection.baseUrl);
  const apiKey = connection.apiKey.trim();
  const steps = { ...connection.steps, address: `${settings}.baseUrl`, model: `${settings}.model` };
  const server = openAiServer(baseUrl, { model, apiKey, timeoutSeconds: seconds }, steps);
  return {
    name: `${model} at ${server.host}`,
    host: server.host,
    async call(stop, make) {
      const problem =
        baseUrlProblem(baseUrl, steps) ??
        keyProblem(apiKey, baseUrl, isLocal(baseUrl) ? "optional" : "needed", steps);
      if (problem !== undefined) throw new ModelError("setup", problem);
      try {
        const client = await openAiClient({ baseUrl, apiKey }, "json");
        const signal = AbortSignal.any([stop, AbortSignal.timeout(seconds * 1000)]);
        return await make({ client, signal, server: server.name });
      } catch (error) {
        stop.throwIfAborted();
        throw modelError(error, server, { messages: [] });
      }
    },
  };
}

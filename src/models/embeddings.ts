import { plainBaseUrl } from "./base-url.ts";
import { type AzureConnection, azureClient, type Connection, openAiClient } from "./client.ts";

/** What is sent to an embeddings endpoint. */
export interface EmbeddingRequest {
  readonly model: string;
  readonly input: readonly string[];
  readonly encoding_format: "float";
}

/** Asks a service for vectors: OpenAI's, Azure's, or any server that speaks the same. The answer is the server's JSON; errors carry its `status`. */
export function embeddingsOf(
  connection: Connection | AzureConnection,
): (request: EmbeddingRequest, signal: AbortSignal) => Promise<unknown> {
  const connect = (): ReturnType<typeof openAiClient> =>
    "deployment" in connection
      ? azureClient(connection, "json")
      : openAiClient({ ...connection, baseUrl: plainBaseUrl(connection.baseUrl) }, "json");
  let client: ReturnType<typeof openAiClient> | undefined;
  return async ({ input, ...request }, signal) => {
    client ??= connect();
    return (await client).embeddings.create({ ...request, input: [...input] }, { signal });
  };
}

import type { Anthropic } from "@anthropic-ai/sdk";
import type { AzureOpenAI, OpenAI } from "openai";
import { getHost, isOpenAi, normalizeBaseUrl } from "./endpoint.ts";
import { fetchEventStream, fetchJson } from "./server-fetch.ts";

/** How to reach an OpenAI-compatible server. */
export interface Connection {
  readonly baseUrl: string;
  /** "" if the server needs none. */
  readonly apiKey: string;
  readonly account?: OpenAiAccount;
}

/** The OpenAI organization and project that requests count for; "" for the key's default. */
export interface OpenAiAccount {
  readonly organization: string;
  readonly project: string;
}

/** How to reach a deployment of Azure OpenAI. */
export interface AzureConnection {
  readonly endpoint: string;
  readonly apiKey: string;
  readonly apiVersion: string;
  readonly deployment: string;
}

/** How responses are read: as a stream of events, or as JSON. */
type Use = "chat" | "json";

const FETCH = { chat: fetchEventStream, json: fetchJson } as const;

/** Our own retries and time limits replace the client's, and it takes no credentials from the environment. */
const COMMON = {
  maxRetries: 0,
  timeout: 2 ** 31 - 1,
  logLevel: "off",
  organization: null,
  project: null,
  adminAPIKey: null,
} as const;

/** Handles a missing key. The client requires one, so the header is removed again. A key from the environment never replaces it. */
function createCredentials(baseUrl: string, apiKey: string) {
  return apiKey === ""
    ? { apiKey: "none", defaultHeaders: { Authorization: null } }
    : {
        apiKey,
        defaultHeaders: { Authorization: `Bearer ${apiKey}`, ...createAnthropicHeaders(baseUrl, apiKey) },
      };
}

/** Anthropic's model list takes the key in a special header, which its other compatible paths ignore. */
function createAnthropicHeaders(baseUrl: string, apiKey: string): Readonly<Record<string, string>> {
  return getHost(baseUrl) === "api.anthropic.com" && apiKey !== ""
    ? { "x-api-key": apiKey, "anthropic-version": "2023-06-01" }
    : {};
}

/** Only OpenAI itself learns the names of the user's organization and project. */
function selectAccount(baseUrl: string, { organization, project }: OpenAiAccount) {
  if (!isOpenAi(baseUrl)) return {};
  return { organization: organization.trim() || null, project: project.trim() || null };
}

/** The official client for any OpenAI-compatible server. The first call loads the package. */
export async function openAiClient({ baseUrl, apiKey, account }: Connection, use: Use): Promise<OpenAI> {
  const { OpenAI } = await import("openai");
  return new OpenAI({
    ...COMMON,
    ...createCredentials(baseUrl, apiKey),
    ...(account ? selectAccount(baseUrl, account) : {}),
    baseURL: baseUrl,
    fetch: FETCH[use],
  });
}

function createAzureHeaders(apiKey: string) {
  return { Authorization: null, "api-key": apiKey };
}

/** The official client for Azure OpenAI. The first call loads the package. */
export async function createAzureClient(connection: AzureConnection, use: Use): Promise<AzureOpenAI> {
  const { AzureOpenAI } = await import("openai");
  const { endpoint, apiKey, apiVersion, deployment } = connection;
  return new AzureOpenAI({
    ...COMMON,
    baseURL: `${endpoint}/openai`,
    apiKey,
    defaultHeaders: createAzureHeaders(apiKey),
    apiVersion,
    deployment,
    fetch: FETCH[use],
  });
}

/** The official client for chats with a server or a deployment. */
export function openClient(to: Connection | AzureConnection): Promise<OpenAI> {
  return "deployment" in to ? createAzureClient(to, "chat") : openAiClient(to, "chat");
}

/** The official client for Anthropic's Messages, at a base URL with or without its version. The first call loads the package. */
export async function createAnthropicClient(to: Connection | AzureConnection): Promise<Anthropic> {
  const { Anthropic } = await import("@anthropic-ai/sdk");
  const { apiKey } = to;
  const baseUrl = "deployment" in to ? `${to.endpoint}/anthropic` : to.baseUrl.replace(/\/v1$/, "");
  const isOwn = getHost(baseUrl) === "api.anthropic.com";
  return new Anthropic({
    maxRetries: COMMON.maxRetries,
    timeout: COMMON.timeout,
    logLevel: COMMON.logLevel,
    // Without a key, the client would look for one in the environment and in files.
    apiKey: apiKey || "none",
    webhookKey: null,
    openTelemetry: false,
    defaultHeaders: {
      ...(apiKey === "" ? {} : { "x-api-key": apiKey }),
      Authorization: apiKey === "" || isOwn ? null : `Bearer ${apiKey}`,
    },
    baseURL: baseUrl,
    fetch: FETCH.chat,
  });
}

/** The first dated version of Azure's API with Responses. */
const AZURE_RESPONSES = "2025-03-01";

/** The official client for Responses. Azure has them without a version at `/openai/v1`, and in newer dated versions. */
export async function openResponsesClient(to: Connection | AzureConnection): Promise<OpenAI> {
  if (!("deployment" in to)) return openAiClient(to, "chat");
  const { endpoint, apiKey, apiVersion } = to;
  if (/^\d{4}-/.test(apiVersion) && apiVersion >= AZURE_RESPONSES) return createAzureClient(to, "chat");
  const { OpenAI } = await import("openai");
  return new OpenAI({
    ...COMMON,
    apiKey,
    defaultHeaders: createAzureHeaders(apiKey),
    baseURL: `${endpoint}/openai/v1`,
    fetch: FETCH.chat,
  });
}

/** Body of a request to an embeddings endpoint. */
export interface EmbeddingRequest {
  readonly model: string;
  readonly input: readonly string[];
  readonly encoding_format: "float";
}

/** Requests vectors from a service: OpenAI, Azure, or a compatible server. Returns the server's JSON; errors carry its `status`. */
export function createEmbeddingsCaller(
  connection: Connection | AzureConnection,
): (request: EmbeddingRequest, signal: AbortSignal) => Promise<unknown> {
  const connect = (): ReturnType<typeof openAiClient> =>
    "deployment" in connection
      ? createAzureClient(connection, "json")
      : openAiClient({ ...connection, baseUrl: normalizeBaseUrl(connection.baseUrl) }, "json");
  let client: ReturnType<typeof openAiClient> | undefined;
  return async ({ input, ...request }, signal) => {
    client ??= connect();
    return (await client).embeddings.create({ ...request, input: [...input] }, { signal });
  };
}

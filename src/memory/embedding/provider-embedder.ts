import { getErrorMessage } from "../../core/base/errors.ts";
import { type DisplayText, displayText } from "../../texts/display-text.ts";
import { type Embedder, EmbeddingError } from "./embedder.ts";

/** The tokens of a call, for the cost. */
export interface EmbeddingUsage {
  readonly model: string;
  readonly tokens: number;
}

/** Options for the embeddings of a model service. */
export interface ProviderEmbedderOptions {
  /** The service's origin and the model. Vectors of different ids are never mixed. */
  readonly id: string;
  readonly model: string;
  /**
   * Calls the embeddings endpoint and returns the answer's JSON as the server sent it. Throws an error that can be shown,
   * with the server's `status` if there is one.
   */
  request(
    body: { readonly model: string; readonly input: readonly string[]; readonly encoding_format: "float" },
    signal: AbortSignal,
  ): Promise<unknown>;
  /** Called after each answer that reports its tokens. */
  reportUsage?(usage: EmbeddingUsage): void;
  readonly batch?: number;
  readonly timeoutSeconds?: number;
}

const BATCH = 64;
const TIMEOUT_SECONDS = 30;
/** About 6,000 tokens; services accept 8,192. */
const MAX_CHARS = 20_000;
/** Status codes for a text that the server always rejects. */
const TEXT_STATUS: ReadonlySet<number> = new Set([400, 413, 422]);
const SETUP_STATUS: ReadonlySet<number> = new Set([401, 403, 404]);

/** Vectors from any OpenAI-compatible embeddings endpoint. */
export function createProviderEmbedder(options: ProviderEmbedderOptions): Embedder {
  const { id, model, request, reportUsage, batch = BATCH, timeoutSeconds = TIMEOUT_SECONDS } = options;
  return {
    id,
    batch,
    async embed(texts, signal) {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutSeconds * 1000)]);
      const input = texts.map((text) => text.replaceAll("\n", " ").slice(0, MAX_CHARS));
      const answer = await request({ model, input, encoding_format: "float" }, limit).catch((error: unknown) => {
        signal.throwIfAborted();
        throw createRefusalError(error, model);
      });
      const tokens = findTokenCount(answer);
      if (tokens !== undefined) reportUsage?.({ model, tokens });
      return parseAnswerVectors(answer, texts.length, model);
    },
  };
}

/** The vectors of an answer in the order of the texts. Throws `EmbeddingError` if the answer is anything else. */
function parseAnswerVectors(answer: unknown, count: number, model: string): readonly Float32Array[] {
  const data = getObjectField(answer, "data");
  if (!Array.isArray(data) || data.length !== count) throw createNonsenseError(model);
  const vectors: Float32Array[] = [];
  for (const [place, entry] of data.entries()) {
    const index = getObjectField(entry, "index");
    const numbers = parseEmbeddingNumbers(getObjectField(entry, "embedding"));
    if (!numbers) throw createNonsenseError(model);
    vectors[typeof index === "number" ? index : place] = numbers;
  }
  if (Object.keys(vectors).length !== count || vectors.length !== count) throw createNonsenseError(model);
  return vectors;
}

/** Reads numbers from a list or from base64, which some servers send regardless of the request. */
function parseEmbeddingNumbers(embedding: unknown): Float32Array | undefined {
  if (typeof embedding === "string") {
    const bytes = Buffer.from(embedding, "base64");
    return bytes.length > 0 && bytes.length % 4 === 0
      ? new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))
      : undefined;
  }
  if (!Array.isArray(embedding) || embedding.length === 0) return undefined;
  return embedding.every((value) => typeof value === "number") ? Float32Array.from(embedding) : undefined;
}

function findTokenCount(answer: unknown): number | undefined {
  const usage = getObjectField(answer, "usage");
  const tokens = getObjectField(usage, "total_tokens") ?? getObjectField(usage, "prompt_tokens");
  return typeof tokens === "number" ? tokens : undefined;
}

function getObjectField(value: unknown, name: string): unknown {
  return typeof value === "object" && value ? Reflect.get(value, name) : undefined;
}

function createRefusalError(error: unknown, model: string): EmbeddingError {
  const status = Number(getObjectField(error, "status"));
  const said = getErrorMessage(error);
  const about = TEXT_STATUS.has(status) ? "text" : SETUP_STATUS.has(status) ? "setup" : "service";
  return new EmbeddingError(
    about,
    displayText("trouble.serverAnswered", { advice: describeRefusalAdvice(about, model), said }),
    { cause: error },
  );
}

function describeRefusalAdvice(about: EmbeddingError["about"], model: string): DisplayText {
  switch (about) {
    case "text":
      return displayText("trouble.embeddingTextRejected", { model });
    case "setup":
      return displayText("trouble.embeddingUnusable", { model });
    case "service":
      return displayText("trouble.embeddingSilent", { model });
  }
}

function createNonsenseError(model: string): EmbeddingError {
  return new EmbeddingError("service", displayText("trouble.embeddingUnreadable", { model }));
}

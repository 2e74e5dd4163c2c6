import { errorMessage } from "../../core/base/errors.ts";
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
  used?(usage: EmbeddingUsage): void;
  readonly batch?: number;
  readonly timeoutSeconds?: number;
}

const BATCH = 64;
const TIMEOUT_SECONDS = 30;
/** About 6,000 tokens; services accept 8,192. */
const MAX_CHARS = 20_000;
/** Status codes for a text that the server will never accept. */
const TEXT_STATUS: ReadonlySet<number> = new Set([400, 413, 422]);
const SETUP_STATUS: ReadonlySet<number> = new Set([401, 403, 404]);

/** Vectors from any OpenAI-compatible embeddings endpoint. */
export function providerEmbedder(options: ProviderEmbedderOptions): Embedder {
  const { id, model, request, used, batch = BATCH, timeoutSeconds = TIMEOUT_SECONDS } = options;
  return {
    id,
    batch,
    async embed(texts, signal) {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutSeconds * 1000)]);
      const input = texts.map((text) => text.replaceAll("\n", " ").slice(0, MAX_CHARS));
      const answer = await request({ model, input, encoding_format: "float" }, limit).catch(
        (error: unknown) => {
          signal.throwIfAborted();
          throw refusal(error, model);
        },
      );
      const tokens = tokensOf(answer);
      if (tokens !== undefined) used?.({ model, tokens });
      return vectorsOf(answer, texts.length, model);
    },
  };
}

/** The vectors of an answer in the order of the texts. Throws `EmbeddingError` if the answer is anything else. */
function vectorsOf(answer: unknown, count: number, model: string): readonly Float32Array[] {
  const data = field(answer, "data");
  if (!Array.isArray(data) || data.length !== count) throw nonsense(model);
  const vectors: Float32Array[] = [];
  for (const [place, entry] of data.entries()) {
    const index = field(entry, "index");
    const numbers = numbersOf(field(entry, "embedding"));
    if (!numbers) throw nonsense(model);
    vectors[typeof index === "number" ? index : place] = numbers;
  }
  if (Object.keys(vectors).length !== count || vectors.length !== count) throw nonsense(model);
  return vectors;
}

/** Numbers as a list, or in base64, which some servers send whatever the request says. */
function numbersOf(embedding: unknown): Float32Array | undefined {
  if (typeof embedding === "string") {
    const bytes = Buffer.from(embedding, "base64");
    return bytes.length > 0 && bytes.length % 4 === 0
      ? new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))
      : undefined;
  }
  if (!Array.isArray(embedding) || embedding.length === 0) return undefined;
  return embedding.every((value) => typeof value === "number") ? Float32Array.from(embedding) : undefined;
}

function tokensOf(answer: unknown): number | undefined {
  const usage = field(answer, "usage");
  const tokens = field(usage, "total_tokens") ?? field(usage, "prompt_tokens");
  return typeof tokens === "number" ? tokens : undefined;
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value ? Reflect.get(value, name) : undefined;
}

function refusal(error: unknown, model: string): EmbeddingError {
  const status = Number(field(error, "status"));
  const said = errorMessage(error);
  const about = TEXT_STATUS.has(status) ? "text" : SETUP_STATUS.has(status) ? "setup" : "service";
  return new EmbeddingError(
    about,
    displayText("trouble.serverAnswered", { advice: advice(about, model), said }),
    { cause: error },
  );
}

function advice(about: EmbeddingError["about"], model: string): DisplayText {
  switch (about) {
    case "text":
      return displayText("trouble.embeddingTextRejected", { model });
    case "setup":
      return displayText("trouble.embeddingUnusable", { model });
    case "service":
      return displayText("trouble.embeddingSilent", { model });
  }
}

function nonsense(model: string): EmbeddingError {
  return new EmbeddingError("service", displayText("trouble.embeddingUnreadable", { model }));
}

import { Worker } from "node:worker_threads";
import { displayText } from "../../texts/display-text.ts";
import { type Embedder, EmbeddingError } from "./embedder.ts";

/** The data that the encoder's worker starts with. */
export interface EncoderStart {
  /** The folder where the encoder is installed. */
  readonly folder: string;
}

/** To the worker: embed these texts. */
export interface EncoderRequest {
  readonly number: number;
  readonly texts: readonly string[];
}

/** To the worker: the answer to a request isn't needed anymore. */
export interface EncoderCancel {
  readonly cancelled: number;
}

/** From the worker: one vector per text, or an error. */
export type EncoderResponse =
  | { readonly number: number; readonly vectors: readonly Float32Array[] }
  | { readonly number: number; readonly error: string };

/** Options for the encoder on this machine. */
export interface EncoderEmbedderOptions {
  /** The folder where the encoder is installed; see `installEncoder`. */
  readonly folder: string;
  /** `encoder-worker.ts`, or its bundle. */
  readonly worker: string | URL;
  /** The worker holds about 350 MB and ends after this time without a request. */
  readonly idleSeconds?: number;
}

const IDLE_SECONDS = 300;
/** Texts are embedded one by one, 5 to 60 ms each; long ones take up to four times that. */
const BATCH = 8;
/** Four windows of tokens, the most that a text may have, never need more. */
const MAX_CHARS = 32_000;

/** all-MiniLM-L6-v2 in a separate worker: English, no key, no network. */
export function createEncoderEmbedder(options: EncoderEmbedderOptions): Embedder {
  const encoder = new EncoderThread(options);
  return {
    id: "all-MiniLM-L6-v2-int8",
    dimensions: 384,
    batch: BATCH,
    embed: (texts, signal) => encoder.ask(texts, signal),
    close: () => encoder.end(),
  };
}

interface PendingRequest {
  readonly request: EncoderRequest;
  resolveRequest(vectors: readonly Float32Array[]): void;
  rejectRequest(error: unknown): void;
}

/** The worker, which starts at the first request. If it dies at work, it's restarted once, and then never again. */
class EncoderThread {
  private readonly options: EncoderEmbedderOptions;
  private readonly asked = new Map<number, PendingRequest>();
  private worker: Worker | undefined;
  private idle: NodeJS.Timeout | undefined;
  private count = 0;
  /** How often the worker has died since its last answer. */
  private deaths = 0;
  private broken: EmbeddingError | undefined;

  constructor(options: EncoderEmbedderOptions) {
    this.options = options;
  }

  ask(texts: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[]> {
    signal.throwIfAborted();
    if (this.broken) return Promise.reject(this.broken);
    const { promise, resolve, reject } = Promise.withResolvers<readonly Float32Array[]>();
    const request = { number: this.count++, texts: texts.map((text) => text.slice(0, MAX_CHARS)) };
    const { number } = request;
    const stop = (): void => {
      this.worker?.postMessage({ cancelled: number } satisfies EncoderCancel);
      this.settle(number)?.rejectRequest(signal.reason);
    };
    signal.addEventListener("abort", stop, { once: true });
    this.asked.set(number, { request, resolveRequest: resolve, rejectRequest: reject });
    this.send(request);
    return promise.finally(() => signal.removeEventListener("abort", stop));
  }

  async end(): Promise<void> {
    const { worker } = this;
    this.worker = undefined;
    this.broken = undefined;
    this.failAll(createEncoderError("It was closed."));
    clearTimeout(this.idle);
    await worker?.terminate();
  }

  private send(request: EncoderRequest): void {
    clearTimeout(this.idle);
    this.worker ??= this.start();
    this.worker.ref();
    this.worker.postMessage(request);
  }

  /** Starts the worker, and drops the runtime's warnings about the machine. */
  private start(): Worker {
    const workerData: EncoderStart = { folder: this.options.folder };
    const worker = new Worker(this.options.worker, { workerData, stdout: true, stderr: true });
    worker.stdout.resume();
    worker.stderr.resume();
    worker.on("message", (answer: EncoderResponse) => this.handleAnswer(answer));
    worker.on("error", (error) => this.handleDeath(worker, String(error)));
    worker.on("exit", () => this.handleDeath(worker, "Its thread ended."));
    return worker;
  }

  private handleAnswer(answer: EncoderResponse): void {
    const asked = this.settle(answer.number);
    if ("error" in answer) {
      this.broken = createEncoderError(answer.error);
      asked?.rejectRequest(this.broken);
      return;
    }
    this.deaths = 0;
    asked?.resolveRequest(answer.vectors);
  }

  private settle(number: number): PendingRequest | undefined {
    const asked = this.asked.get(number);
    this.asked.delete(number);
    if (this.asked.size === 0) this.scheduleIdleEnd();
    return asked;
  }

  private scheduleIdleEnd(): void {
    const { idleSeconds = IDLE_SECONDS } = this.options;
    this.worker?.unref();
    clearTimeout(this.idle);
    this.idle = setTimeout(() => void this.end(), idleSeconds * 1000).unref();
  }

  private handleDeath(worker: Worker, why: string): void {
    if (this.worker !== worker) return;
    this.worker = undefined;
    this.deaths++;
    if (this.asked.size > 0 && this.deaths === 1) {
      for (const { request } of this.asked.values()) this.send(request);
      return;
    }
    if (this.asked.size > 0) this.broken = createEncoderError(why);
    this.failAll(createEncoderError(why));
  }

  private failAll(error: EmbeddingError): void {
    for (const number of [...this.asked.keys()]) this.settle(number)?.rejectRequest(error);
    clearTimeout(this.idle);
  }
}

function createEncoderError(why: string): EmbeddingError {
  return new EmbeddingError("setup", displayText("trouble.encoderFailed", { why }));
}
